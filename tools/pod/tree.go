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

// open does not follow links: a root VIF's files are none.
func (t *Tree) open(path string, flags int) (*os.File, error) {
	fd, err := unix.Openat(t.fd, path, flags|unix.O_CLOEXEC|unix.O_NOFOLLOW, 0)
	if err != nil {
		return nil, err
	}
	return os.NewFile(uintptr(fd), path), nil
}

func (t *Tree) read(path string) (string, error) {
	f, err := t.open(path, unix.O_RDONLY)
	if err != nil {
		return "", err
	}
	defer f.Close()
	text := make([]byte, 4096)
	n, err := f.Read(text)
	return string(text[:n]), err
}

func (t *Tree) write(path, text string) error {
	f, err := t.open(path, unix.O_WRONLY)
	if err != nil {
		return err
	}
	defer f.Close()
	_, err = f.WriteString(text + "\n")
	return err
}

// The kernel has these at the top itself: an interface of such a name has no VIF.
var reserved = map[string]bool{"tasks": true, "cgroups": true, "devices": true, "last_error": true}

// IsReserved: has an interface of this name no VIF?
func IsReserved(device string) bool { return reserved[device] }

// badName is the error of a path whose first part is no device's; nil if it may be one's.
func badName(path string) error {
	device, _, _ := strings.Cut(path, "/")

	if !reserved[device] {
		return nil
	}
	return &Error{BadName, fmt.Sprintf("an interface called %s has no VIF, so it cannot be limited", device),
		"give it another name"}
}

// find says what is missing where a file of a VIF cannot be opened.
func (t *Tree) find(vif, file string) error {
	device, below, _ := strings.Cut(vif, "/")

	if err := badName(vif); err != nil {
		return err
	}
	if !t.Has(device) {
		return &Error{NoInterface, fmt.Sprintf("the network namespace has no interface %s", device), ""}
	}
	if below != "" && !t.Has(vif) {
		return &Error{NoVIF, fmt.Sprintf("there is no VIF %s any more", vif), ""}
	}
	return &Error{NoModule, fmt.Sprintf("this machine's module netnice is too old: it has no file %s/%s", vif, file),
		"install the version that this program is of, and load it again"}
}

// refusal tells what is wrong with the values from what is wrong with the machine.
func refusal(err error, sentence string) error {
	// ENOSPC: a minimum for which there is no room
	if errors.Is(err, unix.EINVAL) || errors.Is(err, unix.ERANGE) || errors.Is(err, unix.ENOSPC) {
		return &Error{BadValue, sentence, ""}
	}
	return &Error{Refused, sentence, ""}
}

// Write sets one file of an interface's root VIF, or of a VIF below it.
func (t *Tree) Write(vif, file, text string) error {
	if err := badName(vif); err != nil {
		return err
	}
	before, _ := t.read("last_error")
	err := t.write(filepath.Join(vif, file), text)
	if err == nil {
		return nil
	}
	if errors.Is(err, unix.ENOENT) {
		return t.find(vif, file)
	}
	return refusal(err, fmt.Sprintf("%s: %s", vif, t.sentence(file, before, err)))
}

// sentence is the kernel's about the failure. If nothing has changed since before, it has none.
func (t *Tree) sentence(file, before string, err error) string {
	var errno unix.Errno

	now, _ := t.read("last_error")
	if (now == "" || now == before) && errors.As(err, &errno) {
		return fmt.Sprintf("%s: %v", file, errno)
	}
	return strings.SplitN(now, "\n", 2)[0]
}

// Set gives the interface these limits, and no others. The burst comes first: it does nothing
// before there is a bandwidth.
func (t *Tree) Set(device string, l Limits) error {
	if err := t.Write(device, "burst", l.Burst()); err != nil {
		return err
	}
	return t.Write(device, "bandwidth", l.Bandwidth())
}

// setting that a file of an interface's root VIF has
func (t *Tree) setting(device, file string) (string, error) {
	if err := badName(device); err != nil {
		return "", err
	}
	text, err := t.read(filepath.Join(device, file))
	if errors.Is(err, unix.ENOENT) {
		return "", t.find(device, file)
	}
	if err != nil {
		return "", &Error{Refused, fmt.Sprintf("%s of %s: %v", file, device, err), ""}
	}
	return text, nil
}

// Limits that an interface has
func (t *Tree) Limits(device string) (l Limits, err error) {
	bandwidth, err := t.setting(device, "bandwidth")
	if err != nil {
		return l, err
	}
	burst, err := t.setting(device, "burst")
	if err != nil {
		return l, err
	}
	return limitsOf(bandwidth, burst)
}

func (t *Tree) compare1(device, file, wanted string, has func(string) bool) error {
	text, err := t.setting(device, file)
	if err != nil || has(text) {
		return err
	}
	return &Error{Changed, fmt.Sprintf("%s of %s is not what it was set to", file, device),
		fmt.Sprintf("it is %s, and was %s", strings.Join(strings.Fields(text), " "), wanted)}
}

// Compare finds whether the interface has these limits still.
func (t *Tree) Compare(device string, l Limits) error {
	if err := t.compare1(device, "burst", l.Burst(), l.hasBurst); err != nil {
		return err
	}
	return t.compare1(device, "bandwidth", l.Bandwidth(), l.hasBandwidth)
}
