// SPDX-License-Identifier: GPL-2.0

package main

import (
	"errors"
	"fmt"
	"os"
	"slices"

	"github.com/containernetworking/plugins/pkg/ns"
	"github.com/vishvananda/netlink"
	"golang.org/x/sys/unix"
)

// hostEnds are the devices of this namespace whose other ends are in that of the file: what a pod
// sends comes by them.
func hostEnds(file string) ([]string, error) {
	here, err := os.Open("/proc/thread-self/ns/net")
	if err != nil {
		return nil, err
	}
	defer here.Close()

	var peers []int
	err = ns.WithNetNSPath(file, func(ns.NetNS) error {
		links, err := netlink.LinkList()
		if err != nil {
			return err
		}
		// which has given this namespace a number there, if one of them ends here
		id, err := netlink.GetNetNsIdByFd(int(here.Fd()))
		for _, link := range links {
			// an index means nothing without the namespace that it is of
			if a := link.Attrs(); link.Type() == "veth" && a.NetNsID == id && id >= 0 {
				peers = append(peers, a.ParentIndex)
			}
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	var names []string
	for _, index := range peers {
		link, err := netlink.LinkByIndex(index)
		if err != nil {
			continue // it has gone meanwhile
		}
		if link.Type() == "veth" {
			names = append(names, link.Attrs().Name)
		}
	}
	return names, nil
}

// defaultDevices are those by which a default route goes, of IPv4 or IPv6.
func defaultDevices() ([]string, error) {
	var routes []netlink.Route
	for _, family := range []int{netlink.FAMILY_V4, netlink.FAMILY_V6} {
		more, err := netlink.RouteList(nil, family)
		if err != nil {
			return nil, fmt.Errorf("the node's routes: %w", err)
		}
		routes = append(routes, more...)
	}
	var names []string
	add := func(index int) {
		link, err := netlink.LinkByIndex(index)
		if err == nil && !slices.Contains(names, link.Attrs().Name) {
			names = append(names, link.Attrs().Name)
		}
	}
	for _, route := range routes {
		if !isDefault(&route) {
			continue
		}
		if route.LinkIndex != 0 {
			add(route.LinkIndex)
		}
		for _, hop := range route.MultiPath {
			add(hop.LinkIndex)
		}
	}
	if len(names) == 0 {
		return nil, errors.New("the node has no default route: its devices have to be in the configuration")
	}
	return names, nil
}

func isDefault(route *netlink.Route) bool {
	if route.Type != unix.RTN_UNICAST {
		return false
	}
	if route.Dst == nil {
		return true
	}
	length, _ := route.Dst.Mask.Size()
	return length == 0
}

// isHost: is it the network namespace that this runs in?
func isHost(file string) bool {
	a, errA := os.Stat(file)
	b, errB := os.Stat("/proc/self/ns/net")

	return errA == nil && errB == nil && os.SameFile(a, b)
}
