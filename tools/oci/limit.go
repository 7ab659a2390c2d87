// SPDX-License-Identifier: GPL-2.0

package main

import (
	"fmt"
	"net"

	"netnice/tools/pod"
)

// group of the interfaces of a container that has several: they share its bandwidth.
const group = "1"

// interfaces that can send something to others, be they up already or not
func interfaces() ([]net.Interface, error) {
	var found []net.Interface

	all, err := net.Interfaces()
	for _, one := range all {
		if one.Flags&net.FlagLoopback == 0 {
			found = append(found, one)
		}
	}
	return found, err
}

// anyUp: a network namespace may have unused interfaces, such as tunnels that are down
func anyUp(devices []net.Interface) bool {
	for _, one := range devices {
		if one.Flags&net.FlagUp != 0 {
			return true
		}
	}
	return false
}

const (
	largeMTU = 9216
	frame    = 1514
)

// usual burst of an interface, as interface.rst has it for frames of Ethernet: 1 ms, and at least four frames, which count
// for at most 20 ms, and at least two frames. The frames of pasta and slirp4netns have 65520 bytes, and four of these are a
// second at 2 Mbit/s. No less than one of them passes anyway.
func usual(l pod.Limit, mtu int) pod.Limit {
	if l.Burst != 0 || mtu <= largeMTU {
		return l
	}
	second := l.Rate / 8
	switch {
	case second/50 < 2*frame:
		l.Burst = 2 * frame
	case second/50 < 4*frame:
		l.Burst = second / 50
	case second/1000 < 4*frame:
		l.Burst = 4 * frame
	default:
		l.Burst = second / 1000
	}
	return l
}

// size of a burst, about: netnice's own is that of usual, or larger where frames are
func size(l pod.Limit) uint64 {
	if l.Burst != 0 {
		return l.Burst
	}
	return usual(l, largeMTU+1).Burst
}

// lowest of a limit that there is and one that is wanted: in rate and burst.
func lowest(has, wanted pod.Limit) pod.Limit {
	switch {
	case wanted.Rate == 0:
		return has
	case has.Rate == 0:
		return wanted
	}
	result := pod.Limit{Rate: lower(has.Rate, wanted.Rate)}
	has.Rate, wanted.Rate = result.Rate, result.Rate
	result.Burst = has.Burst
	if size(wanted) < size(has) {
		result.Burst = wanted.Burst
	}
	return result
}

// direction sets one that is to be lower. The burst comes first: it does nothing before there is a bandwidth.
func direction(t *pod.Tree, vif, name string, has, wanted pod.Limit) error {
	l := lowest(has, wanted)
	if l == has {
		return nil
	}
	burst := "auto"
	if l.Burst != 0 {
		burst = fmt.Sprint(l.Burst)
	}
	if err := t.Write(vif, "burst", name+" "+burst); err != nil {
		return err
	}
	return t.Write(vif, "bandwidth", fmt.Sprintf("%s %d", name, l.Rate))
}

// lowerTo gives a VIF these limits, where it has no lower ones: a network namespace may be that of several
// containers, each of which says something.
func lowerTo(t *pod.Tree, vif string, l pod.Limits) error {
	has, err := t.Limits(vif)
	if err != nil {
		return err
	}
	return worse(direction(t, vif, "egress", has.Egress, l.Egress), direction(t, vif, "ingress", has.Ingress, l.Ingress))
}

func limit1(t *pod.Tree, device net.Interface, several bool, l pod.Limits) (err error) {
	if several {
		err = t.Write(device.Name, "group", group)
	}
	limits := pod.Limits{Egress: usual(l.Egress, device.MTU), Ingress: usual(l.Ingress, device.MTU)}
	return worse(err, lowerTo(t, device.Name, limits))
}

// limitOwn limits the network namespace in which we are, by these interfaces. One that fails does not leave
// the others without a limit.
func limitOwn(t *pod.Tree, devices []net.Interface, l pod.Limits) (err error) {
	for _, device := range devices {
		err = worse(err, limit1(t, device, len(devices) > 1, l))
	}
	return err
}
