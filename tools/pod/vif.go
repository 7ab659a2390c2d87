// SPDX-License-Identifier: GPL-2.0

package pod

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"
)

// VIFs below a root VIF, and what is attached to them. A VIF is the path of its directory below
// the top of the mount: eth0/web.

// failed has what the kernel says of the failure of doing something to path.
func (t *Tree) failed(path, before string, err error) error {
	device, rest, _ := strings.Cut(path, "/")

	if errors.Is(err, unix.ENOENT) && !t.Has(device) {
		return t.find(device, rest)
	}
	said := fmt.Sprintf("%s: %s", path, t.sentence(filepath.Base(path), before, err))
	if errors.Is(err, unix.ENOENT) {
		return &Error{NoVIF, said, ""}
	}
	return refusal(err, said)
}

// Has: is there something at this path?
func (t *Tree) Has(path string) bool {
	var stat unix.Stat_t

	return unix.Fstatat(t.fd, path, &stat, unix.AT_SYMLINK_NOFOLLOW) == nil
}

// Make makes a VIF, and says whether it was not there before.
func (t *Tree) Make(vif string) (bool, error) {
	if err := badName(vif); err != nil {
		return false, err
	}
	before, _ := t.read("last_error")
	err := unix.Mkdirat(t.fd, vif, 0o755)
	if errors.Is(err, unix.EEXIST) {
		return false, nil
	}
	if err != nil {
		return false, t.failed(vif, before, err)
	}
	return true, nil
}

// Remove removes a VIF; one that is gone is no error.
func (t *Tree) Remove(vif string) error {
	before, _ := t.read("last_error")
	err := unix.Unlinkat(t.fd, vif, unix.AT_REMOVEDIR)
	if err != nil && !errors.Is(err, unix.ENOENT) {
		return t.failed(vif, before, err)
	}
	return nil
}

// Read gives the words of a file of a VIF.
func (t *Tree) Read(vif, file string) (string, error) {
	text, err := t.read(filepath.Join(vif, file))
	return strings.Join(strings.Fields(text), " "), err
}

// List gives the names in a directory. A link is none.
func (t *Tree) List(path string) []string {
	fd, err := unix.Openat(t.fd, path, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil
	}
	f := os.NewFile(uintptr(fd), path)
	defer f.Close()
	names, _ := f.Readdirnames(-1)
	return names
}

// newLink is a name that nothing has in the directory of a thing, neither a device nor a group, and
// that the file system does not remember (tools/lib/target.c has it, too).
const newLink = "a link of a tool, whose name is that of the device\n"

// Attach has a thing, a control group or a device (cgroups/PATH, devices/DEV), belong to a VIF. It
// takes the place of what was there: the kernel gives the link the name of the VIF's device.
func (t *Tree) Attach(thing, vif string) error {
	before, _ := t.read("last_error")
	err := unix.Symlinkat(MountPoint+"/"+vif, t.fd, filepath.Join(thing, newLink))
	if err != nil {
		return t.failed(thing, before, err)
	}
	return nil
}

// Attached is the VIF of the device to which a thing is attached, or nothing.
func (t *Tree) Attached(thing, device string) string {
	target := make([]byte, 4096)

	n, err := unix.Readlinkat(t.fd, filepath.Join(thing, device), target)
	if err != nil {
		return ""
	}
	vif := string(target[:n])
	for strings.HasPrefix(vif, "../") {
		vif = vif[3:]
	}
	return strings.TrimPrefix(vif, MountPoint+"/")
}

// Detach ends that; what is gone is no error.
func (t *Tree) Detach(thing, device string) error {
	path := filepath.Join(thing, device)
	before, _ := t.read("last_error")
	err := unix.Unlinkat(t.fd, path, 0)
	if err != nil && !errors.Is(err, unix.ENOENT) && !errors.Is(err, unix.ESRCH) {
		return t.failed(path, before, err)
	}
	return nil
}
