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

// anyUp: a network namespace may have interfaces of which nobody makes use, down ones of tunnels
func anyUp(devices []net.Interface) bool {
	for _, one := range devices {
		if one.Flags&net.FlagUp != 0 {
			return true
		}
	}
	return false
}

const (
	largeMTU   = 9216
	fourFrames = 4 * 1514
)

// usual burst of an interface. netnice's own is at least four of the interface's full frames; those of pasta and
// slirp4netns have 65520 bytes, and it would be a second's at 2 Mbit/s. No less than one of them passes anyway.
func usual(l pod.Limit, mtu int) pod.Limit {
	if l.Burst == 0 && mtu > largeMTU {
		l.Burst = l.Rate / 8 / 1000
		if l.Burst < fourFrames {
			l.Burst = fourFrames
		}
	}
	return l
}

// direction sets one that has no lower bandwidth. The burst comes first: it does nothing before there
// is a bandwidth.
func direction(t *pod.Tree, vif, name string, has uint64, l pod.Limit) error {
	if l.Rate == 0 || has != 0 && has <= l.Rate {
		return nil
	}
	size := "auto"
	if l.Burst != 0 {
		size = fmt.Sprint(l.Burst)
	}
	if err := t.Write(vif, "burst", name+" "+size); err != nil {
		return err
	}
	return t.Write(vif, "bandwidth", fmt.Sprintf("%s %d", name, l.Rate))
}

// lowerTo gives a VIF these limits, where it has no lower ones: a network namespace may be that of several
// containers, each of which says something.
func lowerTo(t *pod.Tree, vif string, l pod.Limits) error {
	egress, ingress, err := t.Rates(vif)
	if err != nil {
		return err
	}
	return worse(direction(t, vif, "egress", egress, l.Egress), direction(t, vif, "ingress", ingress, l.Ingress))
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
