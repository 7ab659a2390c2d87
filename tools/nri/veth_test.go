// SPDX-License-Identifier: GPL-2.0

package main

import (
	"slices"
	"testing"

	"github.com/vishvananda/netlink"
)

func TestNamed(t *testing.T) {
	of := func(name string, id int) netlink.LinkAttrs {
		attrs := netlink.NewLinkAttrs()
		attrs.Name, attrs.NetNsID = name, id
		return attrs
	}
	links := []netlink.Link{
		&netlink.Veth{LinkAttrs: of("a", 0)}, &netlink.Veth{LinkAttrs: of("b", 1)},
		&netlink.Veth{LinkAttrs: of("c", 0)}, &netlink.Veth{LinkAttrs: of("here", -1)},
		&netlink.IPVlan{LinkAttrs: of("d", 0)}, &netlink.GenericLink{LinkAttrs: of("e", 1), LinkType: "netkit"},
	}
	for id, want := range map[int][]string{0: {"a", "c"}, 1: {"b", "e"}, 2: nil, -1: nil} {
		if got := named(id, links); !slices.Equal(got, want) {
			t.Errorf("%d: %v, want %v", id, got, want)
		}
	}
}
