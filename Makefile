# SPDX-License-Identifier: GPL-2.0
#
# netnice: the kernel module (by Kbuild), its tools and their tests.
# "make help" lists the targets.

NETNICE_VERSION := 0.1.0
export NETNICE_VERSION

KVER ?= $(shell uname -r)
KDIR ?= /lib/modules/$(KVER)/build

CC ?= cc
ifdef CROSS_COMPILE
CC := $(CROSS_COMPILE)gcc
endif
CFLAGS ?= -O2 -g
TOOL_CFLAGS := -std=gnu11 -Wall -Wextra -D_GNU_SOURCE \
	-DNETNICE_VERSION='"$(NETNICE_VERSION)"' -Itools/common -Itools/lib -Ivif -Ivif/uapi

PREFIX ?= /usr/local
BINDIR ?= $(PREFIX)/bin
SBINDIR ?= $(PREFIX)/sbin
LIBDIR ?= $(PREFIX)/lib
INCLUDEDIR ?= $(PREFIX)/include
PKGCONFIGDIR ?= $(LIBDIR)/pkgconfig
# where Python looks, of every user
PYTHONDIR ?= $(shell python3 -c "import sysconfig; print(sysconfig.get_path('purelib'))")
MANDIR ?= $(PREFIX)/share/man
BASHCOMPDIR ?= $(PREFIX)/share/bash-completion/completions
ZSHCOMPDIR ?= $(PREFIX)/share/zsh/site-functions
FISHCOMPDIR ?= $(PREFIX)/share/fish/vendor_completions.d
UNITDIR ?= $(PREFIX)/lib/systemd/system
GENERATORDIR ?= $(PREFIX)/lib/systemd/system-generators
LIBEXECDIR ?= $(PREFIX)/libexec
MODLOADDIR ?= $(PREFIX)/lib/modules-load.d
EXAMPLEDIR ?= $(PREFIX)/share/doc/netnice/examples
# what DKMS builds the module from, for each kernel
DKMSDIR ?= $(PREFIX)/src/netnice-$(NETNICE_VERSION)
SYSCONFDIR ?= /etc
DESTDIR ?=
# the kernel's: 1 leaves the debugging information out, which is most of the module
INSTALL_MOD_STRIP ?= 1

# A kernel that signs all its modules has its makefile do so with ours, and complain at
# length where its key is not: this keeps it from that
unsigned = $(shell cd $(KDIR) && grep -qsx CONFIG_MODULE_SIG_ALL=y include/config/auto.conf && \
	key=$$(sed -n 's/^CONFIG_MODULE_SIG_KEY="\(.*\)"/\1/p' include/config/auto.conf) && \
	case $$key in (pkcs11:*) ;; (*) [ -f "$$key" ] || [ -f "source/$$key" ] || \
	echo CONFIG_MODULE_SIG_ALL= ;; esac)

# the tools use more of the library than it exports, so they are linked with its files
LIB_SRC := $(wildcard tools/lib/*.c) vif/grammar/units.c vif/grammar/params.c vif/grammar/marks.c \
	vif/grammar/quota.c
COMMON_SRC := $(wildcard tools/common/*.c) $(LIB_SRC)
TOOL_HEADERS := $(wildcard tools/*/*.h vif/grammar/*.h vif/uapi/linux/*.h)

LAB := selftests/lab/lab

all: modules tools

modules:
	@[ -e $(KDIR)/Makefile ] || { echo "no kernel headers in $(KDIR):" \
		"install those of $(KVER), or give KVER= or KDIR=" >&2; exit 1; }
	$(MAKE) -C $(KDIR) M=$(CURDIR) modules

tools: tools/netnice/netnice tools/vifctl/vifctl tools/netniced/netniced tools/units/netnice-unit lib

# The library's name changes with the first number when a program has to be built again (libnetnice.map).
soname := libnetnice.so.0
library := tools/lib/libnetnice.so.$(NETNICE_VERSION)

lib: $(library)

$(library): $(LIB_SRC) $(TOOL_HEADERS) tools/lib/libnetnice.map
	$(CC) $(TOOL_CFLAGS) $(CPPFLAGS) $(CFLAGS) -fPIC $(LDFLAGS) -shared -Wl,-soname,$(soname) \
		-Wl,--version-script,tools/lib/libnetnice.map -Wl,-z,defs -o $@ $(LIB_SRC) -lmnl

tools/netnice/netnice: $(wildcard tools/netnice/*.c)
tools/vifctl/vifctl: $(wildcard tools/vifctl/*.c)
tools/netniced/netniced: $(wildcard tools/netniced/*.c)
tools/units/netnice-unit: $(wildcard tools/units/*.c)
programs := tools/netnice/netnice tools/vifctl/vifctl tools/netniced/netniced tools/units/netnice-unit
$(programs): LDLIBS += -lmnl
tools/netniced/netniced: LDLIBS += -lresolv
tools/netniced/netniced tools/vifctl/vifctl: LDLIBS += -lsqlite3
$(programs): $(COMMON_SRC) $(TOOL_HEADERS)
	$(CC) $(TOOL_CFLAGS) $(CPPFLAGS) $(CFLAGS) $(LDFLAGS) -o $@ \
		$(filter %.c,$^) $(LDLIBS)

# What is in Go: the plugins for CNI and NRI (Kubernetes), and the hook for OCI (podman, docker). They take these
# projects' libraries, which are where Debian has them: golang-go, golang-github-containernetworking-plugins-dev;
# that for NRI also golang-github-containerd-nri-dev, of Debian 13.
GO ?= go
CNI_GOPATH ?= /usr/share/gocode
CNIBINDIR ?= /opt/cni/bin
NRIBINDIR ?= /opt/nri/plugins
# where podman looks
HOOKDIR ?= /usr/share/containers/oci/hooks.d
# this tree is found as netnice/, wherever it is
gopath := .gopath
go_debian_env = GOFLAGS= GO111MODULE=off GOPATH='$(CURDIR)/$(gopath):$(CNI_GOPATH)' CGO_ENABLED=0
go_debian = $(go_debian_env) $(GO)
# GO_MODULES=1: with the libraries of go.mod, which the Go command fetches, in place of Debian's
go_modules = GOFLAGS=-mod=readonly GO111MODULE=on $(GO)
ifdef GO_MODULES
go = CGO_ENABLED=0 $(go_modules)
else
go = $(go_debian)
# a library of before CNI 1.1 has no GC and no STATUS
cni_tags = $(if $(shell grep -s PluginMainFuncs \
	$(CNI_GOPATH)/src/github.com/containernetworking/cni/pkg/skel/skel.go),,-tags cni_1_0)
endif
go_build = $(go) build -trimpath $(cni_tags) -ldflags '-s -w -X main.release=$(NETNICE_VERSION)'
go_packages := $(sort $(patsubst tools/%/,netnice/tools/%,$(dir $(wildcard tools/*/*.go))))
# what there is no library for
ifeq ($(GO_MODULES)$(wildcard $(CNI_GOPATH)/src/github.com/containerd/nri),)
go_packages := $(filter-out netnice/tools/nri,$(go_packages))
endif

$(gopath)/src/netnice:
	mkdir -p $(@D)
	ln -sfn ../.. $@

cni: tools/cni/netnice

tools/cni/netnice: $(wildcard tools/cni/*.go tools/pod/*.go) | $(gopath)/src/netnice
	$(go_build) -o $@ netnice/tools/cni

nri: tools/nri/netnice

tools/nri/netnice: $(wildcard tools/nri/*.go tools/pod/*.go) | $(gopath)/src/netnice
	$(go_build) -o $@ netnice/tools/nri

oci: tools/oci/netnice-oci

tools/oci/netnice-oci: $(wildcard tools/oci/*.go tools/pod/*.go) | $(gopath)/src/netnice
	$(go_build) -o $@ netnice/tools/oci

check-go: | $(gopath)/src/netnice
	! gofmt -l $(go_packages:netnice/%=%) | grep .
	$(go) vet $(cni_tags) $(go_packages)
	$(go) test $(cni_tags) $(go_packages)

check-cni check-nri check-oci: check-go

# With the newest libraries (go.mod), and the race detector; staticcheck by itself, in a fixed version. It fetches
# modules, so that it belongs to no other check.
STATICCHECK := honnef.co/go/tools/cmd/staticcheck@v0.7.0
GOVULNCHECK := golang.org/x/vuln/cmd/govulncheck@v1.1.4
# The oldest library that the plugin for NRI works with (kubernetes.rst)
NRI_OLDEST := v0.6.0
check-go-modules: | $(gopath)/src/netnice
	$(go_modules) mod tidy -diff
	$(go_modules) mod verify
	$(go_modules) vet ./tools/...
	$(go_modules) test -race ./tools/...
	sed 's,\(containerd/nri\) v.*,\1 $(NRI_OLDEST),' go.mod >$(gopath)/oldest.mod
	cp go.sum $(gopath)/oldest.sum
	GOFLAGS=-mod=mod GO111MODULE=on $(GO) test -modfile=$(gopath)/oldest.mod ./tools/nri

# The one of Debian; with GO_MODULES=1, the version above
check-go-static: | $(gopath)/src/netnice
ifdef GO_MODULES
	GO111MODULE=on $(GO) run $(STATICCHECK) ./tools/...
else
	$(go_debian_env) go-staticcheck $(cni_tags) $(go_packages)
endif

# Needs the database of vulnerabilities, at vuln.go.dev, or a copy of it: GOVULNDB=file:///FOLDER
check-go-vulnerabilities:
	GO111MODULE=on $(GO) run $(GOVULNCHECK) $(if $(GOVULNDB),-db $(GOVULNDB)) ./tools/...

# Each annotation and configuration that pods, images, users or a runtime write, for so long each
FUZZ_SECONDS ?= 60
fuzz-go: | $(gopath)/src/netnice
	for package in $$(grep -l '^func Fuzz' tools/*/*_test.go | xargs -n 1 dirname | sort -u); do \
		for fuzz in $$(sed -n 's/^func \(Fuzz[A-Za-z]*\).*/\1/p' $$package/*_test.go); do \
			$(go) test $(cni_tags) netnice/$$package -run '^$$' -fuzz "^$$fuzz\$$" \
				-fuzztime=$(FUZZ_SECONDS)s -fuzzminimizetime=1s || exit; done; done

install-cni: cni
	install -D -m 755 -t $(DESTDIR)$(CNIBINDIR) tools/cni/netnice

# runtimes that start plugins themselves take their order from the name
install-nri: nri
	install -D -m 755 tools/nri/netnice $(DESTDIR)$(NRIBINDIR)/10-netnice

install-oci: oci
	install -D -m 755 -t $(DESTDIR)$(LIBEXECDIR) tools/oci/netnice-oci
	install -d $(DESTDIR)$(HOOKDIR)
	sed 's,@LIBEXECDIR@,$(LIBEXECDIR),' tools/oci/netnice.json >$(DESTDIR)$(HOOKDIR)/netnice.json
	chmod 644 $(DESTDIR)$(HOOKDIR)/netnice.json

install: install-module install-tools install-lib

install-module: modules
	$(if $(unsigned),@echo 'the modules are not signed: the key of $(KVER) is not here')
	$(MAKE) -C $(KDIR) M=$(CURDIR) INSTALL_MOD_DIR=extra \
		INSTALL_MOD_STRIP=$(INSTALL_MOD_STRIP) $(unsigned) \
		$(if $(DESTDIR),INSTALL_MOD_PATH=$(DESTDIR)) modules_install
	$(if $(DESTDIR),,depmod -a $(KVER))

# unit FILE: with the folder of what it starts
unit = sed 's,@SBINDIR@,$(SBINDIR),; s,@LIBEXECDIR@,$(LIBEXECDIR),' $(1) >$(DESTDIR)$(UNITDIR)/$(notdir $(1)) && \
	chmod 644 $(DESTDIR)$(UNITDIR)/$(notdir $(1))

install-tools: tools
	install -D -m 755 tools/netnice/netnice $(DESTDIR)$(BINDIR)/netnice
	install -D -m 755 -t $(DESTDIR)$(SBINDIR) tools/vifctl/vifctl tools/netniced/netniced
	install -D -m 644 -t $(DESTDIR)$(MANDIR)/man1 Documentation/man/netnice.1
	install -D -m 755 -t $(DESTDIR)$(LIBEXECDIR) tools/units/netnice-unit
	install -d $(DESTDIR)$(GENERATORDIR)
	ln -sf $(LIBEXECDIR)/netnice-unit $(DESTDIR)$(GENERATORDIR)/netnice-generator
	install -D -m 644 -t $(DESTDIR)$(MANDIR)/man5 Documentation/man/netniced.conf.5 \
		Documentation/man/netnice.unit.5
	install -D -m 644 -t $(DESTDIR)$(MANDIR)/man7 Documentation/man/netnice.7
	install -D -m 644 -t $(DESTDIR)$(MANDIR)/man8 Documentation/man/vifctl.8 \
		Documentation/man/netniced.8
	install -D -m 644 tools/netnice/completion/netnice.bash $(DESTDIR)$(BASHCOMPDIR)/netnice
	install -D -m 644 tools/vifctl/completion/vifctl.bash $(DESTDIR)$(BASHCOMPDIR)/vifctl
	install -D -m 644 -t $(DESTDIR)$(ZSHCOMPDIR) tools/netnice/completion/_netnice \
		tools/vifctl/completion/_vifctl
	install -D -m 644 -t $(DESTDIR)$(FISHCOMPDIR) tools/netnice/completion/netnice.fish \
		tools/vifctl/completion/vifctl.fish
	install -D -m 644 -t $(DESTDIR)$(UNITDIR) tools/netniced/proc-network.mount
	$(call unit,tools/netniced/netniced.service)
	$(call unit,tools/vifctl/netnice-restore.service)
	$(call unit,tools/vifctl/netnice-export.service)
	install -D -m 644 -t $(DESTDIR)$(UNITDIR) tools/vifctl/netnice-export.socket
	$(call unit,tools/units/netnice-units.service)
	$(call unit,tools/units/netnice-unit@.service)
	for file in $$(cd Documentation/examples && find * -type f); do \
		install -D -m 644 Documentation/examples/$$file $(DESTDIR)$(EXAMPLEDIR)/$$file || exit; done
	install -d $(DESTDIR)$(SYSCONFDIR)/netnice/rules.d

install-lib: lib
	install -D -m 644 -t $(DESTDIR)$(LIBDIR) $(library)
	ln -sf $(notdir $(library)) $(DESTDIR)$(LIBDIR)/$(soname)
	ln -sf $(soname) $(DESTDIR)$(LIBDIR)/libnetnice.so
	install -D -m 644 -t $(DESTDIR)$(INCLUDEDIR) tools/lib/netnice.h
	install -d $(DESTDIR)$(PKGCONFIGDIR)
	sed 's,@PREFIX@,$(PREFIX),; s,@INCLUDEDIR@,$(INCLUDEDIR),; s,@LIBDIR@,$(LIBDIR),; s,@VERSION@,$(NETNICE_VERSION),' \
		tools/lib/libnetnice.pc.in >$(DESTDIR)$(PKGCONFIGDIR)/libnetnice.pc
	chmod 644 $(DESTDIR)$(PKGCONFIGDIR)/libnetnice.pc
	install -D -m 644 -t $(DESTDIR)$(MANDIR)/man3 Documentation/man/netnice.3

install-python:
	install -D -m 644 -t $(DESTDIR)$(PYTHONDIR)/netnice tools/python/netnice/__init__.py tools/python/netnice/py.typed

# The module as source, for DKMS, and loaded when the machine starts.
dkms_files := COPYING Kbuild Makefile $(sort $(wildcard $(foreach folder, sched procfs vif vif/*, \
	$(addprefix $(folder)/*., c h sh)) vif/uapi/linux/*.h))

install-dkms:
	for file in $(dkms_files); do \
		install -D -m 644 $$file $(DESTDIR)$(DKMSDIR)/$$file || exit; done
	sed 's,#MODULE_VERSION#,$(NETNICE_VERSION),' packaging/dkms.conf >$(DESTDIR)$(DKMSDIR)/dkms.conf
	chmod 644 $(DESTDIR)$(DKMSDIR)/dkms.conf
	install -D -m 644 Documentation/examples/netnice.modules-load \
		$(DESTDIR)$(MODLOADDIR)/netnice.conf

uninstall:
	rm -f $(DESTDIR)$(BINDIR)/netnice $(DESTDIR)$(CNIBINDIR)/netnice
	rm -f $(DESTDIR)$(NRIBINDIR)/10-netnice
	rm -f $(DESTDIR)$(LIBEXECDIR)/netnice-oci $(DESTDIR)$(HOOKDIR)/netnice.json
	rm -f $(addprefix $(DESTDIR)$(SBINDIR)/,vifctl netniced)
	rm -f $(addprefix $(DESTDIR)$(LIBDIR)/,libnetnice.so $(soname) $(notdir $(library)))
	rm -f $(DESTDIR)$(INCLUDEDIR)/netnice.h $(DESTDIR)$(PKGCONFIGDIR)/libnetnice.pc
	$(if $(PYTHONDIR),rm -rf $(DESTDIR)$(PYTHONDIR)/netnice)
	rm -f $(DESTDIR)$(GENERATORDIR)/netnice-generator $(DESTDIR)$(LIBEXECDIR)/netnice-unit
	rm -f $(addprefix $(DESTDIR)$(BASHCOMPDIR)/,netnice vifctl)
	rm -f $(addprefix $(DESTDIR)$(ZSHCOMPDIR)/,_netnice _vifctl)
	rm -f $(addprefix $(DESTDIR)$(FISHCOMPDIR)/,netnice.fish vifctl.fish)
	rm -f $(addprefix $(DESTDIR)$(MANDIR)/,man1/netnice.1 man3/netnice.3 man8/vifctl.8 man8/netniced.8 \
		man5/netniced.conf.5 man5/netnice.unit.5 man7/netnice.7)
	rm -f $(addprefix $(DESTDIR)$(UNITDIR)/,netniced.service proc-network.mount \
		netnice-restore.service netnice-export.service netnice-export.socket \
		netnice-units.service netnice-unit@.service)
	rm -rf $(DESTDIR)$(EXAMPLEDIR) $(DESTDIR)$(DKMSDIR)
	rm -f $(DESTDIR)$(MODLOADDIR)/netnice.conf
	-rmdir $(dir $(DESTDIR)$(EXAMPLEDIR)) 2>/dev/null
	-rmdir $(DESTDIR)$(SYSCONFDIR)/netnice/rules.d $(DESTDIR)$(SYSCONFDIR)/netnice 2>/dev/null
	rm -f $(addprefix $(DESTDIR)/lib/modules/$(KVER)/extra/,netnice.ko* netnice_*.ko*)
	-rmdir $(DESTDIR)/lib/modules/$(KVER)/extra 2>/dev/null
	$(if $(DESTDIR),,depmod -a $(KVER))

# What is committed, as a tarball whose bytes depend on nothing else, and the other
# distributions' recipes for it.
DISTDIR ?= dist
dist_name := netnice-$(NETNICE_VERSION)

dist:
	@git diff --quiet HEAD || echo 'dist: what is not committed is left out' >&2
	mkdir -p $(DISTDIR)
	git -c tar.umask=0022 archive --format=tar --prefix=$(dist_name)/ \
		-o $(DISTDIR)/$(dist_name).tar HEAD
	gzip -9nf $(DISTDIR)/$(dist_name).tar
	sum=$$(sha256sum <$(DISTDIR)/$(dist_name).tar.gz) && for recipe in netnice.spec PKGBUILD; do \
		sed "s,@VERSION@,$(NETNICE_VERSION),; s,@SHA256@,$${sum%% *}," packaging/$$recipe.in \
			>$(DISTDIR)/$$recipe || exit; done

deps:
	@$(LAB) deps --install

check: deps
	@$(LAB) check

check-quick: deps
	@$(LAB) check-quick

check-all:
	@$(LAB) deps --install arm64
	@$(LAB) check-all

deb: deps
	@$(LAB) deb

check-packages: deps
	@$(LAB) check-packages

mutants: deps
	@$(LAB) mutants

check-user: deps
	@$(LAB) check-user

check-debug: deps
	@$(LAB) check-debug

gdb: deps
	@$(LAB) gdb $(if $(GDB_BATCH),--batch)

demo: deps
	@$(LAB) demo

shell: deps
	@$(LAB) shell

figures: deps
	@$(LAB) figures

bench: deps
	@$(LAB) bench

lint: deps
	@$(LAB) lint

# Without RCS_FIND_IGNORE Kbuild would remove go.mod, as it ends in .mod.
clean:
	$(if $(wildcard $(KDIR)),$(MAKE) -C $(KDIR) M=$(CURDIR) RCS_FIND_IGNORE='\( -name .git -o -name go.mod \) -prune -o' clean)
	rm -f tools/netnice/netnice tools/vifctl/vifctl tools/netniced/netniced tools/units/netnice-unit
	rm -f tools/lib/libnetnice.so.*
	rm -f tools/cni/netnice tools/nri/netnice tools/oci/netnice-oci
	rm -rf $(gopath) dist
	$(MAKE) -C selftests/net clean
	$(MAKE) -C selftests/bench clean
	$(MAKE) -C selftests/user clean

help:
	@echo 'make [KVER=VERSION] [KDIR=DIR]  build the modules and the tools'
	@echo 'make modules | tools            build one of them'
	@echo 'make install | uninstall        for KVER; PREFIX, DESTDIR as usual'
	@echo 'make install-module | install-tools     parts of it'
	@echo 'make lib | install-lib          libnetnice: the library, its header and manual page'
	@echo 'make install-python             the module netnice for Python'
	@echo 'make install-dkms               the module as source, for DKMS'
	@echo 'make cni | install-cni          the plugin for Kubernetes, which takes Go'
	@echo 'make nri | install-nri          that for its classes of pods, likewise'
	@echo 'make oci | install-oci          the hook for podman and docker, likewise'
	@echo 'make check-go                   tests of these; GO_MODULES=1: by go.mod'
	@echo 'make check-go-modules           by go.mod, for races'
	@echo 'make check-go-static            staticcheck'
	@echo 'make fuzz-go [FUZZ_SECONDS=60]  by fuzzing, each target for so long'
	@echo 'make dist                       a tarball of what is committed, in dist/'
	@echo 'make deb                        Debian packages of it, built in a clean'
	@echo '                                Debian, in dist/SUITE/'
	@echo 'make demo                       netnice at work in virtual machines'
	@echo 'make check                      all tests, each on the kernels it is about'
	@echo 'make check-quick                what a change is likely to break, in three'
	@echo '                                minutes'
	@echo 'make check-all                  all tests on all kernels, and the next but'
	@echo '                                one: hours; may be stopped, and goes on'
	@echo 'make check-packages             packages are installed, used, kept over an'
	@echo '                                update of the kernel, and removed'
	@echo 'make mutants                    planted mistakes that the tests have to find'
	@echo 'make check-user                 only those of the scheduler and the'
	@echo '                                parser in user space: no kernel'
	@echo 'make check-debug                all tests on a kernel with sanitizers'
	@echo 'make gdb [GDB_BATCH=1]          the module in gdb'
	@echo 'make shell                      a shell in such a virtual machine'
	@echo 'make figures [QUICK=1]          the paper'"'"'s figures, measured again:'
	@echo '                                writes Documentation/figures.md'
	@echo 'make bench [QUICK=1]            netnice beside the kernel'"'"'s schedulers:'
	@echo '                                writes Documentation/bench.md'
	@echo 'make lint                       all static checks'
	@echo 'make clean                      remove what was built here'
	@echo 'Virtual machines need no installation, and leave none behind;'
	@echo 'what they download is kept in ~/.cache/netnice (NETNICE_CACHE).'

.PHONY: all modules tools lib cni nri oci check-cni check-nri check-oci check-go check-go-modules check-go-static check-go-vulnerabilities fuzz-go install install-module install-tools install-lib install-python install-dkms \
	install-cni install-nri install-oci uninstall dist deb deps check check-quick check-all check-packages mutants check-user check-debug gdb demo shell figures bench lint \
	clean help
