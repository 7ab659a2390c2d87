# SPDX-License-Identifier: GPL-2.0
#
# netnice: the kernel module (by Kbuild), its tools and their tests.
# "make help" lists the targets.

NETNICE_VERSION := 0.1.0
export NETNICE_VERSION

KVER ?= $(shell uname -r)
KDIR ?= /lib/modules/$(KVER)/build

CC ?= cc
CFLAGS ?= -O2 -g
TOOL_CFLAGS := -std=gnu11 -Wall -Wextra -D_GNU_SOURCE \
	-DNETNICE_VERSION='"$(NETNICE_VERSION)"' -Itools/common -Ivif/uapi

PREFIX ?= /usr/local
BINDIR ?= $(PREFIX)/bin
SBINDIR ?= $(PREFIX)/sbin
MANDIR ?= $(PREFIX)/share/man
BASHCOMPDIR ?= $(PREFIX)/share/bash-completion/completions
ZSHCOMPDIR ?= $(PREFIX)/share/zsh/site-functions
FISHCOMPDIR ?= $(PREFIX)/share/fish/vendor_completions.d
DESTDIR ?=

COMMON_SRC := $(wildcard tools/common/*.c)
TOOL_HEADERS := $(wildcard tools/*/*.h vif/uapi/linux/*.h)

LAB := selftests/lab/lab

all: modules tools

modules:
	@[ -e $(KDIR)/Makefile ] || { echo "no kernel headers in $(KDIR):" \
		"install those of $(KVER), or give KVER= or KDIR=" >&2; exit 1; }
	$(MAKE) -C $(KDIR) M=$(CURDIR) modules

tools: tools/netnice/netnice tools/vifctl/vifctl

tools/netnice/netnice: $(wildcard tools/netnice/*.c)
tools/vifctl/vifctl: $(wildcard tools/vifctl/*.c)
tools/vifctl/vifctl: LDLIBS += -lmnl
tools/netnice/netnice tools/vifctl/vifctl: $(COMMON_SRC) $(TOOL_HEADERS)
	$(CC) $(TOOL_CFLAGS) $(CPPFLAGS) $(CFLAGS) $(LDFLAGS) -o $@ \
		$(filter %.c,$^) $(LDLIBS)

install: all
	$(MAKE) -C $(KDIR) M=$(CURDIR) INSTALL_MOD_DIR=extra \
		$(if $(DESTDIR),INSTALL_MOD_PATH=$(DESTDIR)) modules_install
	$(if $(DESTDIR),,depmod -a $(KVER))
	install -D -m 755 tools/netnice/netnice $(DESTDIR)$(BINDIR)/netnice
	install -D -m 755 tools/vifctl/vifctl $(DESTDIR)$(SBINDIR)/vifctl
	install -D -m 644 Documentation/man/netnice.1 \
		$(DESTDIR)$(MANDIR)/man1/netnice.1
	install -D -m 644 Documentation/man/vifctl.8 \
		$(DESTDIR)$(MANDIR)/man8/vifctl.8
	install -D -m 644 tools/vifctl/completion/vifctl.bash \
		$(DESTDIR)$(BASHCOMPDIR)/vifctl
	install -D -m 644 tools/vifctl/completion/_vifctl \
		$(DESTDIR)$(ZSHCOMPDIR)/_vifctl
	install -D -m 644 tools/vifctl/completion/vifctl.fish \
		$(DESTDIR)$(FISHCOMPDIR)/vifctl.fish

uninstall:
	rm -f $(DESTDIR)$(BINDIR)/netnice $(DESTDIR)$(SBINDIR)/vifctl
	rm -f $(DESTDIR)$(MANDIR)/man1/netnice.1
	rm -f $(DESTDIR)$(MANDIR)/man8/vifctl.8
	rm -f $(DESTDIR)$(BASHCOMPDIR)/vifctl $(DESTDIR)$(ZSHCOMPDIR)/_vifctl
	rm -f $(DESTDIR)$(FISHCOMPDIR)/vifctl.fish
	rm -f $(DESTDIR)/lib/modules/$(KVER)/extra/netnice.ko*
	-rmdir $(DESTDIR)/lib/modules/$(KVER)/extra 2>/dev/null
	$(if $(DESTDIR),,depmod -a $(KVER))

deps:
	@$(LAB) deps --install

check: deps
	@$(LAB) check

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

lint: deps
	@$(LAB) lint

clean:
	$(if $(wildcard $(KDIR)),$(MAKE) -C $(KDIR) M=$(CURDIR) clean)
	rm -f tools/netnice/netnice tools/vifctl/vifctl
	$(MAKE) -C selftests/net clean
	$(MAKE) -C selftests/user clean

help:
	@echo 'make [KVER=VERSION] [KDIR=DIR]  build netnice.ko and the tools'
	@echo 'make modules | tools            build one of them'
	@echo 'make install | uninstall        for KVER; PREFIX, DESTDIR as usual'
	@echo 'make demo                       netnice at work in virtual machines'
	@echo 'make check                      all tests on all supported kernels'
	@echo 'make check-user                 only those of the scheduler and the'
	@echo '                                parser in user space: no kernel'
	@echo 'make check-debug                all tests on a kernel with sanitizers'
	@echo 'make gdb [GDB_BATCH=1]          the module in gdb'
	@echo 'make shell                      a shell in such a virtual machine'
	@echo 'make lint                       all static checks'
	@echo 'make clean                      remove what was built here'
	@echo 'Virtual machines need no installation, and leave none behind;'
	@echo 'what they download is kept in ~/.cache/netnice (NETNICE_CACHE).'

.PHONY: all modules tools install uninstall deps check check-user check-debug gdb demo \
	shell lint clean help
