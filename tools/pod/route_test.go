// SPDX-License-Identifier: GPL-2.0

package pod

import (
	"net"
	"testing"

	"github.com/vishvananda/netlink"
	"golang.org/x/sys/unix"
)

func TestDefault(t *testing.T) {
	_, all, _ := net.ParseCIDR("0.0.0.0/0")
	_, all6, _ := net.ParseCIDR("::/0")
	_, some6, _ := net.ParseCIDR("2000::/3")
	_, some, _ := net.ParseCIDR("10.0.0.0/8")

	for _, c := range []struct {
		route netlink.Route
		want  bool
	}{
		{netlink.Route{Type: unix.RTN_UNICAST}, true},
		{netlink.Route{Type: unix.RTN_UNICAST, Dst: all}, true},
		{netlink.Route{Type: unix.RTN_UNICAST, Dst: some}, false},
		{netlink.Route{Type: unix.RTN_UNICAST, Dst: all6}, true},
		{netlink.Route{Type: unix.RTN_UNICAST, Dst: some6}, false},
		{netlink.Route{Type: unix.RTN_BLACKHOLE}, false},
		{netlink.Route{Type: unix.RTN_UNREACHABLE, Dst: all}, false},
	} {
		if isDefault(&c.route) != c.want {
			t.Errorf("%+v: not %v", c.route, c.want)
		}
	}
}
