// SPDX-License-Identifier: GPL-2.0

package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"unsafe"

	"github.com/containernetworking/cni/pkg/types"
	"github.com/containernetworking/plugins/pkg/ns"
	"golang.org/x/sys/unix"
)

const fsName = "netnice"

// fsconfig(2): commands that the library has not had from the beginning
const (
	fsconfigSetString = 1
	fsconfigCreate    = 6
)

// tree is a mount that shows the VIFs of the network namespace in which it was made. It has no
// place in any mount namespace, and goes when it is closed, or the plugin ends, however that does.
type tree struct {
	fd int
}

// openContext loads the module. The kernel runs modprobe(8) for that, in the node's namespaces.
func openContext() (int, error) {
	name, _ := unix.BytePtrFromString(fsName)
	fd, _, errno := unix.Syscall(unix.SYS_FSOPEN, uintptr(unsafe.Pointer(name)), unix.FSOPEN_CLOEXEC, 0)
	switch errno {
	case 0:
		return int(fd), nil
	case unix.ENODEV:
		return -1, types.NewError(codeNoModule, "the node's kernel does not have the module netnice",
			"as root on the node, \"modprobe netnice\" says why; Documentation/installing.rst says how to install it")
	default:
		return -1, types.NewError(codeRefused, "fsopen: "+errno.Error(),
			"the plugin has to run as root of the node")
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

func mount(ctx int) (*tree, error) {
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
	return &tree{int(fd)}, nil
}

// available: can there be a limit on this node?
func available() error {
	ctx, err := openContext()
	if err != nil {
		return err
	}
	return unix.Close(ctx)
}

// isLoaded does not load it.
func isLoaded() bool {
	text, err := os.ReadFile("/proc/filesystems")

	return err != nil || strings.Contains(string(text), "\t"+fsName+"\n")
}

// inTree has do work on the tree of the network namespace that is bound to path. It runs on a
// thread that is in that namespace, as which one is mounted depends on who asks.
func inTree(path string, do func(*tree) error) error {
	return ns.WithNetNSPath(path, func(ns.NetNS) error {
		ctx, err := openContext()
		if err != nil {
			return err
		}
		defer unix.Close(ctx)
		t, err := mount(ctx)
		if err != nil {
			return types.NewError(codeRefused, "mounting in the pod's network namespace: "+err.Error(), "")
		}
		defer unix.Close(t.fd)
		return do(t)
	})
}

// open does not follow links: a root VIF's files are none.
func (t *tree) open(path string, flags int) (*os.File, error) {
	fd, err := unix.Openat(t.fd, path, flags|unix.O_CLOEXEC|unix.O_NOFOLLOW, 0)
	if err != nil {
		return nil, err
	}
	return os.NewFile(uintptr(fd), path), nil
}

func (t *tree) read(path string) (string, error) {
	f, err := t.open(path, unix.O_RDONLY)
	if err != nil {
		return "", err
	}
	defer f.Close()
	text := make([]byte, 4096)
	n, err := f.Read(text)
	return string(text[:n]), err
}

func (t *tree) write(path, text string) error {
	f, err := t.open(path, unix.O_WRONLY)
	if err != nil {
		return err
	}
	defer f.Close()
	_, err = f.WriteString(text + "\n")
	return err
}

// find says what is missing where a file of the interface's root VIF cannot be opened.
func (t *tree) find(device, file string) error {
	var stat unix.Stat_t

	if unix.Fstatat(t.fd, device, &stat, unix.AT_SYMLINK_NOFOLLOW) != nil {
		return types.NewError(codeNoInterface,
			fmt.Sprintf("the pod's network namespace has no interface %s", device), "")
	}
	return types.NewError(codeNoModule,
		fmt.Sprintf("the node's module netnice is too old: it has no file %s/%s", device, file),
		"install the version that this plugin is of, and load it again")
}

// refusal tells what is wrong with the values from what is wrong with the node.
func refusal(err error, sentence string) error {
	if errors.Is(err, unix.EINVAL) || errors.Is(err, unix.ERANGE) {
		return types.NewError(types.ErrInvalidNetworkConfig, sentence, accepted)
	}
	return types.NewError(codeRefused, sentence, "")
}

// write1 sets one file of the root VIF, in both directions.
func (t *tree) write1(device, file, text string) error {
	before, _ := t.read("last_error")
	err := t.write(filepath.Join(device, file), text)
	if err == nil {
		return nil
	}
	if errors.Is(err, unix.ENOENT) {
		return t.find(device, file)
	}
	return refusal(err, fmt.Sprintf("%s: %s", device, t.sentence(file, before, err)))
}

// sentence is the kernel's about the failure. If nothing has changed since before, it has none.
func (t *tree) sentence(file, before string, err error) string {
	var errno unix.Errno

	now, _ := t.read("last_error")
	if (now == "" || now == before) && errors.As(err, &errno) {
		return fmt.Sprintf("%s: %v", file, errno)
	}
	return strings.SplitN(now, "\n", 2)[0]
}

// set gives the interface these limits, and no others. The burst comes first: it does nothing
// before there is a bandwidth.
func (t *tree) set(device string, l limits) error {
	if err := t.write1(device, "burst", l.burst()); err != nil {
		return err
	}
	return t.write1(device, "bandwidth", l.bandwidth())
}

func (t *tree) compare1(device, file, wanted string, has func(string) bool) error {
	text, err := t.read(filepath.Join(device, file))
	if errors.Is(err, unix.ENOENT) {
		return t.find(device, file)
	}
	if err != nil {
		return types.NewError(codeRefused, fmt.Sprintf("%s of %s: %v", file, device, err), "")
	}
	if has(text) {
		return nil
	}
	return types.NewError(codeChanged, fmt.Sprintf("%s of %s is not what it was set to", file, device),
		fmt.Sprintf("it is %s, and was %s", strings.Join(strings.Fields(text), " "), wanted))
}

// compare finds whether the interface has these limits still.
func (t *tree) compare(device string, l limits) error {
	if err := t.compare1(device, "burst", l.burst(), l.hasBurst); err != nil {
		return err
	}
	return t.compare1(device, "bandwidth", l.bandwidth(), l.hasBandwidth)
}
