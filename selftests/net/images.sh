# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash disable=SC2034,SC2154
#
# Containers of podman and docker: an image that has busybox, made without a network.

# The guest's root is an initramfs, which cannot be left by pivot_root(2), nor carry an
# overlay. Only the engine makes control groups here.
images_setup() {
	export STORAGE_DRIVER=vfs DOCKER_RAMDISK=1
	printf '%s\n' '[engine]' 'cgroup_manager = "cgroupfs"' 'events_logger = "file"' \
		'no_pivot_root = true' >/etc/containers/containers.conf
	mkdir -p "$tmp"/box/{bin,dev,etc,proc,sys,tmp}
	cp "$(command -v busybox)" "$tmp/box/bin/"
}

# image ENGINE...
image() { tar -C "$tmp/box" -c . | "$@" import - box >/dev/null 2>&1; }

# quietly COMMAND...: what it says is of interest if it fails
quietly() {
	local out
	out=$("$@" 2>&1 </dev/null) || note "failed: $*: $out"
}

# has_pasta: podman has it for users, and by default, from 5 on
has_pasta() {
	local version
	version=$(podman version --format '{{.Client.Version}}')
	[ "${version%%.*}" -ge 5 ] && command -v pasta >/dev/null
}

# images_rootless: for podman of user 1000, as $rootless; pasta leaves its root by pivot_root(2)
images_rootless() {
	rootless=()
	! has_pasta || rootless=("${with_root[@]}")
	rootless+=(env -C / HOME=/home/user XDG_RUNTIME_DIR=/run/user/1000 "${user_prefix[@]}")
	mkdir -p /run/user
	install -d -m 700 -o 1000 -g 1000 /run/user/1000
	echo user:100000:65536 | tee /etc/subuid >/etc/subgid
	image "${rootless[@]}" podman
}
