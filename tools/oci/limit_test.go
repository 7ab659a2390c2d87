// SPDX-License-Identifier: GPL-2.0

package main

import (
	"net"
	"testing"

	"netnice/tools/pod"
)

func TestUsual(t *testing.T) {
	for _, c := range []struct {
		rate, burst uint64
		mtu         int
		want        uint64
	}{
		{2000000, 0, 1500, 0}, {2000000, 0, 9000, 0}, {2000000, 0, 65520, 5000},
		{64000, 0, 65520, 2 * frame}, {10000000, 0, 65520, 4 * frame},
		{1000000000, 0, 65520, 125000}, {2000000, 7, 65520, 7}, {2000000, 7, 1500, 7},
	} {
		if got := usual(pod.Limit{Rate: c.rate, Burst: c.burst}, c.mtu); got.Burst != c.want || got.Rate != c.rate {
			t.Errorf("%+v: %+v", c, got)
		}
	}
}

func TestUp(t *testing.T) {
	down, up := net.Interface{Name: "sit0"}, net.Interface{Name: "eth0", Flags: net.FlagUp}

	if anyUp(nil) || anyUp([]net.Interface{down}) || !anyUp([]net.Interface{down, up}) {
		t.Error("anyUp")
	}
}

func TestLowest(t *testing.T) {
	const mbit = 1000000

	for _, c := range []struct{ has, wanted, want pod.Limit }{
		{pod.Limit{}, pod.Limit{}, pod.Limit{}},
		{pod.Limit{Rate: mbit}, pod.Limit{}, pod.Limit{Rate: mbit}},
		{pod.Limit{}, pod.Limit{Rate: mbit, Burst: 5}, pod.Limit{Rate: mbit, Burst: 5}},
		{pod.Limit{Rate: mbit}, pod.Limit{Rate: 2 * mbit}, pod.Limit{Rate: mbit}},
		{pod.Limit{Rate: 2 * mbit}, pod.Limit{Rate: mbit}, pod.Limit{Rate: mbit}},
		// a burst of more than netnice's own comes with no other container
		{pod.Limit{Rate: mbit}, pod.Limit{Rate: 1000 * mbit, Burst: 100 * mbit}, pod.Limit{Rate: mbit}},
		{pod.Limit{Rate: 1000 * mbit, Burst: 100 * mbit}, pod.Limit{Rate: mbit}, pod.Limit{Rate: mbit}},
		{pod.Limit{Rate: mbit, Burst: 3000}, pod.Limit{Rate: mbit}, pod.Limit{Rate: mbit, Burst: 3000}},
		{pod.Limit{Rate: 2 * mbit, Burst: 3000}, pod.Limit{Rate: mbit, Burst: 9000}, pod.Limit{Rate: mbit, Burst: 3000}},
		{pod.Limit{Rate: mbit, Burst: 9000}, pod.Limit{Rate: 2 * mbit, Burst: 3000}, pod.Limit{Rate: mbit, Burst: 3000}},
	} {
		if got := lowest(c.has, c.wanted); got != c.want {
			t.Errorf("%+v: %+v", c, got)
		}
	}
}
