// SPDX-License-Identifier: GPL-2.0

// Package pod sets and reads what netnice has of an interface in another network namespace: what a
// container, or a pod of them, has. Programs that runtimes start share it.
//
// mount.go makes the mount, there.go finds one, tree.go knows its files, vif.go makes VIFs, setting.go knows
// what is in the files, units.go what else may be written to them, and route.go by which devices a host reaches others.
package pod

import (
	"errors"
	"os"
	"strings"
	"unsafe"

	"github.com/containernetworking/plugins/pkg/ns"
	"golang.org/x/sys/unix"
)

const fsName = "netnice"

// fsconfig(2): commands that the library has not had from the beginning
const (
	fsconfigSetString = 1
	fsconfigCreate    = 6
)

// Tree is a mount that shows the VIFs of the network namespace in which it was made. It has no
// place in any mount namespace, and goes when it is closed, or the program ends, however that does.
type Tree struct {
	fd int
}

// load has the kernel load the module: it looks for one when an unknown network device is named, but only for
// CAP_NET_ADMIN over the machine. It runs modprobe(8) in the machine's namespaces, not in ours.
func load() {
	// struct ifreq
	var request [40]byte

	fd, err := unix.Socket(unix.AF_UNIX, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return
	}
	defer unix.Close(fd)
	copy(request[:], fsName)
	_, _, _ = unix.Syscall(unix.SYS_IOCTL, uintptr(fd), unix.SIOCGIFFLAGS, uintptr(unsafe.Pointer(&request)))
}

func fsopen() (int, unix.Errno) {
	name, _ := unix.BytePtrFromString(fsName)
	fd, _, errno := unix.Syscall(unix.SYS_FSOPEN, uintptr(unsafe.Pointer(name)), unix.FSOPEN_CLOEXEC, 0)
	return int(fd), errno
}

// openContext loads the module, if need be.
func openContext() (int, error) {
	fd, errno := fsopen()
	if errno == unix.ENODEV {
		load()
		fd, errno = fsopen()
	}
	switch errno {
	case 0:
		return fd, nil
	case unix.ENODEV:
		return -1, &Error{NoModule, "this machine's kernel does not have the module netnice",
			"as root of the machine, \"modprobe netnice\" says why; Documentation/installing.rst says how to install it"}
	default:
		return -1, &Error{Refused, "fsopen: " + errno.Error(), "this takes the rights of root, and in a network namespace " +
			"that belongs to a user namespace, the parameter user_namespaces of the module netnice"}
	}
}

func configure(ctx int, command uintptr, key, value string) error {
	var k, v *byte

	if key != "" {
		k, _ = unix.BytePtrFromString(key)
		v, _ = unix.BytePtrFromString(value)
	}
	_, _, errno := unix.Syscall6(unix.SYS_FSCONFIG, uintptr(ctx), command, uintptr(unsafe.Pointer(k)),
		uintptr(unsafe.Pointer(v)), 0, 0)
	if errno != 0 {
		return os.NewSyscallError("fsconfig", errno)
	}
	return nil
}

func mount(ctx int) (*Tree, error) {
	err := configure(ctx, fsconfigSetString, "source", fsName)
	if err == nil {
		err = configure(ctx, fsconfigCreate, "", "")
	}
	if err != nil {
		return nil, err
	}
	fd, _, errno := unix.Syscall(unix.SYS_FSMOUNT, uintptr(ctx), unix.FSMOUNT_CLOEXEC,
		unix.MOUNT_ATTR_NOSUID|unix.MOUNT_ATTR_NODEV|unix.MOUNT_ATTR_NOEXEC)
	if errno != 0 {
		return nil, os.NewSyscallError("fsmount", errno)
	}
	return &Tree{int(fd)}, nil
}

// Available: can there be a limit on this machine?
func Available() error {
	ctx, err := openContext()
	if err != nil {
		return err
	}
	return unix.Close(ctx)
}

// IsLoaded does not load the module.
func IsLoaded() bool {
	text, err := os.ReadFile("/proc/filesystems")

	return err != nil || strings.Contains(string(text), "\t"+fsName+"\n")
}

// In has do work on the tree of the network namespace that is bound to path. It runs on a thread
// that is in that namespace, as which one is mounted depends on who asks.
func In(path string, do func(*Tree) error) error {
	var noPath ns.NSPathNotExistErr
	var noNS ns.NSPathNotNSErr

	err := ns.WithNetNSPath(path, func(ns.NetNS) error {
		ctx, err := openContext()
		if err != nil {
			return err
		}
		defer unix.Close(ctx)
		t, err := mount(ctx)
		if err != nil {
			return &Error{Refused, "mounting in the network namespace: " + err.Error(), ""}
		}
		defer unix.Close(t.fd)
		return do(t)
	})
	if errors.As(err, &noPath) || errors.As(err, &noNS) {
		return &Error{NoNamespace, "there is no network namespace", err.Error()}
	}
	return err
}
