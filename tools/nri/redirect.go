// SPDX-License-Identifier: GPL-2.0

package main

import (
	"fmt"
	"log"
	"path"
	"slices"
	"unsafe"

	"github.com/vishvananda/netlink"
	"golang.org/x/sys/unix"
)

// bpf(2): a command, and where programs can be: since Linux 6.6, and 6.7
const (
	bpfProgQuery = 16
	tcxIngress   = 46
	netkitPeer   = 55
)

// hasProgram: is there a program of BPF? On a kernel that has none there, there is none.
func hasProgram(index int, where uint32) bool {
	attr := struct {
		index, where, queryFlags, attachFlags uint32
		ids                                   uint64
		count, _                              uint32
	}{index: uint32(index), where: where}
	_, _, errno := unix.Syscall(unix.SYS_BPF, bpfProgQuery, uintptr(unsafe.Pointer(&attr)), unsafe.Sizeof(attr))
	return errno == 0 && attr.count > 0
}

// mayRedirect: does a program, or a filter of tc, decide about what the node receives by a pod's device? The
// tools in C decide it in tools/common/redirect.c.
func mayRedirect(link netlink.Link) bool {
	filters, _ := netlink.FilterList(link, netlink.HANDLE_MIN_INGRESS)
	index := link.Attrs().Index
	return len(filters) > 0 || hasProgram(index, tcxIngress) || hasProgram(index, netkitPeer)
}

// drains: does the device drain its VIFs? Where that is unknown, yes: nothing wrong is said then.
func drains(link netlink.Link) bool {
	qdiscs, err := netlink.QdiscList(link)
	return err != nil || slices.ContainsFunc(qdiscs, func(q netlink.Qdisc) bool { return q.Type() == "netnice" })
}

// A way is what a pod's packets take: from one device of the node to another, whose VIF is meant for them.
type way struct {
	from, to    netlink.Link
	mayRedirect func(netlink.Link) bool
	drains      func(netlink.Link) bool // whether this would help
}

// passes says that packets may be redirected past the VIF, and what to do then; otherwise nothing.
func (w way) passes(vif, remedy string) string {
	if !w.mayRedirect(w.from) || w.drains(w.to) {
		return ""
	}
	return fmt.Sprintf("%s: a program at %s may redirect the pod's packets past this VIF: %s", vif, w.from.Attrs().Name, remedy)
}

func never(netlink.Link) bool { return false }

// redirects says it of a pod's VIF on the device, and of the one by which its end limits what it receives.
func redirects(to, end netlink.Link, vif string, limited bool) []string {
	device := to.Attrs().Name
	notes := []string{way{end, to, mayRedirect, drains}.passes(vif,
		fmt.Sprintf("it has an effect if %s drains its VIFs (vifctl enable --link %s)", device, device))}
	if limited {
		notes = append(notes, way{to, end, mayRedirect, never}.passes(path.Join(end.Attrs().Name, device),
			"use the annotation kubernetes.io/ingress-bandwidth"))
	}
	return slices.DeleteFunc(notes, func(note string) bool { return note == "" })
}

// noteRedirects has the log say so.
func (p *placer) noteRedirects(device string, ends []string, s *sandbox) {
	at := slices.IndexFunc(p.links, func(l netlink.Link) bool { return l.Attrs().Name == device })
	for _, link := range p.links {
		if at < 0 || !slices.Contains(ends, link.Attrs().Name) {
			continue
		}
		for _, note := range redirects(p.links[at], link, s.on(device), s.wanted[bandwidth].ingress != limitless) {
			log.Print(note)
		}
	}
}
