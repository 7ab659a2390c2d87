// SPDX-License-Identifier: GPL-2.0

package main

import (
	"errors"
	"fmt"
	"os"
	"slices"

	"github.com/vishvananda/netlink"
	"golang.org/x/sys/unix"

	"netnice/tools/pod"
)

// links are the node's, which change while they are listed.
func links() (all []netlink.Link, err error) {
	for try := 0; try < 10; try++ {
		all, err = netlink.LinkList()
		if !errors.Is(err, unix.EINTR) {
			break
		}
	}
	return all, err
}

// endsIn are those of the links whose other ends are in the network namespace of the file: a pod's packets
// arrive by them. The tenant chooses the number of devices there, so that namespace is not scanned.
func endsIn(file string, links []netlink.Link) ([]string, error) {
	there, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer there.Close()
	// the number that it has here: it got one when they were listed
	id, err := netlink.GetNetNsIdByFd(int(there.Fd()))
	if err != nil {
		return nil, os.NewSyscallError("RTM_GETNSID", err)
	}
	return named(id, links), nil
}

// isPair: has a device of this kind another end, in the pod's network namespace?
func isPair(kind string) bool { return kind == "veth" || kind == "netkit" }

func named(id int, links []netlink.Link) []string {
	var names []string

	for _, link := range links {
		if a := link.Attrs(); isPair(link.Type()) && a.NetNsID == id && id >= 0 {
			names = append(names, a.Name)
		}
	}
	return names
}

// defaultDevices are those by which the node reaches others.
func defaultDevices() ([]string, error) {
	names, err := pod.DefaultDevices()
	if at := slices.IndexFunc(names, pod.IsReserved); err == nil && at >= 0 {
		err = fmt.Errorf("a default route goes by a device that is called %s, which has no VIFs", names[at])
	}
	if err == nil && len(names) == 0 {
		err = errors.New("the node has no default route: its devices have to be in the configuration")
	}
	return names, err
}

// isHost: is it the network namespace that this runs in?
func isHost(file string) bool {
	a, errA := os.Stat(file)
	b, errB := os.Stat("/proc/self/ns/net")

	return errA == nil && errB == nil && os.SameFile(a, b)
}
