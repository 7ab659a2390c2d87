// SPDX-License-Identifier: GPL-2.0

package main

import (
	"errors"
	"fmt"
	"path"
	"regexp"
	"strings"

	"github.com/containerd/nri/pkg/api"
)

// A sandbox is a pod on this node, as the runtime tells of it. One that Kubernetes has begun anew
// has the same name, and another id.
type sandbox struct {
	name    string // for people: namespace and name
	id      podID
	level   string // that of its class, and of its namespace, if it has one: the path below kubepods
	vif     string // the name of its VIF
	cgroup  string // below the top of cgroup2; may be empty
	netns   string // the file of its network namespace; empty: the node's,
	running bool   // if it is known at all
	wanted  settings
	asks    bool     // it has annotations of ours
	notes   []string // what is to be said of its annotations, and is no mistake
}

// A podID is what Kubernetes calls a pod.
type podID struct {
	namespace, name, uid string
}

// sandboxOf: the errors are what is wrong with its annotations, of which the others count.
func sandboxOf(pod *api.PodSandbox, c *config) (*sandbox, error) {
	parent := pod.GetLinux().GetCgroupParent()
	s := &sandbox{
		name:   pod.GetNamespace() + "/" + pod.GetName(),
		id:     podID{pod.GetNamespace(), pod.GetName(), pod.GetUid()},
		level:  c.level(pod.GetNamespace(), classOf(parent)),
		vif:    vifName(pod.GetNamespace(), pod.GetName(), pod.GetId()),
		cgroup: cgroupOf(parent),
	}
	s.netns, s.running = netnsOf(pod)
	err := s.want(pod.GetAnnotations(), c.most)
	return s, err
}

// want bounds what the pod's author asks for by what the administrator allows.
func (s *sandbox) want(annotations map[string]string, most settings) error {
	s.wanted = presets()
	notes, errs := s.wanted.say(annotations, prefix)
	for key := range annotations {
		s.asks = s.asks || strings.HasPrefix(key, prefix)
	}
	if unknown := misspelt(annotations); len(unknown) > 0 {
		s.asks = true
		errs = append(errs, &refused{"annotation", noAnnotation(unknown)})
	}
	s.notes = append(notes, foreign(annotations)...)
	for k, p := range s.wanted {
		s.wanted[k] = k.within(p, most[k])
	}
	// which the kernel would refuse otherwise
	s.wanted[minimum] = minimum.within(s.wanted[minimum], s.wanted[bandwidth])
	return errors.Join(errs...)
}

// What kubelet calls control groups, as paths or as slices of systemd; before it may be those of a
// --cgroup-root.
var (
	ofKubelet = regexp.MustCompile(`(?:^|[-/])kubepods[-/.]`)
	inClass   = regexp.MustCompile(`(?:^|[-/])kubepods[-/](burstable|besteffort)[-/.]`)
)

// classOf is the class that kubelet has put the pod in. Where no kubelet is, nothing is known of
// what is promised: that is besteffort.
func classOf(parent string) string {
	if found := inClass.FindStringSubmatch(parent); found != nil {
		return found[1]
	}
	if ofKubelet.MatchString(parent) {
		return guaranteed
	}
	return besteffort
}

// cgroupOf: with systemd's driver a slice is named, whose place follows from its name:
// a-b.slice is below a.slice.
func cgroupOf(parent string) string {
	if !strings.HasSuffix(parent, ".slice") || strings.Contains(parent, "/") {
		return strings.Trim(path.Clean("/"+parent), "/")
	}
	place := ""
	for i, c := range parent {
		if c == '-' {
			place = path.Join(place, parent[:i]+".slice")
		}
	}
	return path.Join(place, parent)
}

const (
	vifPrefix = "pod_"
	idLength  = 12
	mostName  = 63
)

// vifName has no name that a user could choose, nor one that is reserved: those do not begin so.
func vifName(namespace, name, id string) string {
	if len(id) > idLength {
		id = id[:idLength]
	}
	name = vifPrefix + namespace + "_" + name
	if most := mostName - 1 - len(id); len(name) > most {
		name = name[:most]
	}
	return strings.Map(func(c rune) rune {
		if c <= ' ' || c > '~' || c == '/' {
			return '-'
		}
		return c
	}, name+"_"+id)
}

// netnsOf: a pod that has ended has neither processes nor namespaces. One that has a network of its
// own, of which nothing is said, must not be taken for one in the node's.
func netnsOf(pod *api.PodSandbox) (file string, running bool) {
	namespaces := pod.GetLinux().GetNamespaces()

	for _, n := range namespaces {
		switch {
		case n.GetType() != "network":
		case n.GetPath() != "":
			return n.GetPath(), true
		case pod.GetPid() != 0:
			return fmt.Sprintf("/proc/%d/ns/net", pod.GetPid()), true
		default:
			return "", false
		}
	}
	return "", len(namespaces) > 0
}
