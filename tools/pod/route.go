// SPDX-License-Identifier: GPL-2.0

package pod

import (
	"fmt"

	"github.com/vishvananda/netlink"
	"golang.org/x/sys/unix"
)

// DefaultDevices are those by which a default route of the main table goes, of IPv4 or IPv6.
func DefaultDevices() ([]string, error) {
	var names []string

	found := map[int]bool{}
	add := func(index int) {
		if index == 0 || found[index] {
			return
		}
		found[index] = true
		// or it has gone meanwhile
		if link, err := netlink.LinkByIndex(index); err == nil {
			names = append(names, link.Attrs().Name)
		}
	}
	for _, family := range []int{netlink.FAMILY_V4, netlink.FAMILY_V6} {
		routes, err := netlink.RouteList(nil, family)
		if err != nil {
			return nil, fmt.Errorf("the routes: %w", err)
		}
		for i := range routes {
			if !isDefault(&routes[i]) {
				continue
			}
			add(routes[i].LinkIndex)
			for _, hop := range routes[i].MultiPath {
				add(hop.LinkIndex)
			}
		}
	}
	return names, nil
}

// isDefault: one that rejects is none.
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
