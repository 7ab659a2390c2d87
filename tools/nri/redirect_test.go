// SPDX-License-Identifier: GPL-2.0

package main

import (
	"testing"

	"github.com/vishvananda/netlink"
)

func TestPasses(t *testing.T) {
	device := func(name string) netlink.Link { return &netlink.Dummy{LinkAttrs: netlink.LinkAttrs{Name: name}} }

	for _, c := range []struct{ redirects, drains, noted bool }{
		{false, false, false}, {false, true, false}, {true, true, false}, {true, false, true},
	} {
		note := way{device("lxc1"), device("eth0"),
			func(l netlink.Link) bool { return c.redirects && l.Attrs().Name == "lxc1" },
			func(l netlink.Link) bool { return c.drains && l.Attrs().Name == "eth0" }}.passes("eth0/kubepods/x", "do that")
		if (note != "") != c.noted || c.noted && note != "eth0/kubepods/x: a program at lxc1 may redirect the pod's packets past this VIF: do that" {
			t.Errorf("%+v: %q", c, note)
		}
	}
}

// Where there is no such device, or no such program, nothing is said.
func TestNoProgram(t *testing.T) {
	if hasProgram(1<<30, tcxIngress) || hasProgram(1<<30, netkitPeer) {
		t.Error("a device that is none has programs")
	}
}
