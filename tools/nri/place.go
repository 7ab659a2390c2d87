// SPDX-License-Identifier: GPL-2.0

package main

import (
	"errors"
	"fmt"
	"log"
	"path"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/vishvananda/netlink"
	"netnice/tools/pod"
)

// A placer puts pods into the trees of the node's devices:
//
//	eth0/kubepods/burstable/pod_NAMESPACE_NAME_ID
//	eth0/kubepods/ns_NAMESPACE/burstable/pod_NAMESPACE_NAME_ID	if the configuration names the namespace
//
// It keeps no state but the tree. What a pod has ends with its control group or veth, to which it
// is attached, whether this runs or not, as its VIFs are autoremoved.
type placer struct {
	*pod.Tree
	conf  *config
	links []netlink.Link // the node's, once they are needed
}

// onNode has do work on the trees of the network namespace that this runs in.
func onNode(conf *config, do func(*placer) error) error {
	return pod.In("/proc/self/ns/net", func(t *pod.Tree) error {
		return do(&placer{Tree: t, conf: conf})
	})
}

// trees are those of all devices. What else is at the top has names that no device's tree has.
func (p *placer) trees() []string {
	return slices.DeleteFunc(p.List("."), pod.IsReserved)
}

func (p *placer) devices() ([]string, error) {
	if len(p.conf.devices) > 0 {
		return p.conf.devices, nil
	}
	return defaultDevices()
}

// one is a setting of one VIF.
type one struct {
	vif string
	*kind
	pair
}

func settingsOf(vif string, s settings) []one {
	var all []one
	for _, k := range kinds {
		all = append(all, one{vif, k, s[k]})
	}
	return all
}

// set writes them. Which fit depends on others of them: what is refused is written again.
func (p *placer) set(all []one) error {
	return persist(all, func(s one) error {
		if err := p.Write(s.vif, s.file, s.text(s.pair)); err != nil {
			return &refused{s.file, err}
		}
		return nil
	})
}

// persist does what fails again, as long as less of it does each time.
func persist[T any](all []T, do func(T) error) error {
	for {
		var failed []T
		var errs []error
		for _, one := range all {
			if err := do(one); err != nil {
				failed = append(failed, one)
				errs = append(errs, err)
			}
		}
		if len(failed) == 0 || len(failed) == len(all) {
			return errors.Join(errs...)
		}
		all = failed
	}
}

// classes makes the classes and these other levels, each of them behind the one above it, and says which settings
// were refused: these do not keep pods from it. What is there already stays as it is, as it may have been changed by
// hand, unless it is to be set again.
func (p *placer) classes(device string, others []string, again bool) (refused, err error) {
	var all []one
	var errs []error

	above := path.Join(device, allPods)
	for _, level := range slices.Concat([]string{""}, classes, others) {
		vif := path.Join(above, level)
		made, err := p.Make(vif)
		if err != nil {
			return nil, err
		}
		if level == "" {
			level = allPods
		}
		if !made && !again {
			continue
		}
		settings := settingsOf(vif, p.conf.vifs[level])
		if namespace, has := p.conf.budgetOf(level); has {
			settings = slices.DeleteFunc(settings, func(s one) bool { return s.kind == bandwidth })
			var new []string
			if made {
				new = append(new, vif)
			}
			errs = append(errs, p.shareOut(namespace, new...))
		}
		all = append(all, settings...)
	}
	return errors.Join(append(errs, p.set(all))...), nil
}

// others are the levels of the pod besides the classes that all pods have: that of its namespace, if it has one,
// and the class there.
func (s *sandbox) others() []string {
	namespace, _, has := strings.Cut(s.level, "/")
	if !has {
		return nil
	}
	return []string{namespace, s.level}
}

// namespaces are the levels of namespaces that there are on a device, with the classes below them.
func (p *placer) namespaces(device string) (all []string) {
	above := path.Join(device, allPods)
	for _, name := range p.List(above) {
		if !strings.HasPrefix(name, namespacePrefix) {
			continue
		}
		all = append(all, name)
		for _, class := range classes {
			if level := path.Join(name, class); p.Has(path.Join(above, level)) {
				all = append(all, level)
			}
		}
	}
	return all
}

// configured are those of the namespaces that the configuration has.
func (p *placer) configured(device string) []string {
	return slices.DeleteFunc(p.namespaces(device), func(level string) bool { return p.conf.vifs[level] == nil })
}

func (s *sandbox) on(device string) string {
	return path.Join(device, allPods, s.level, s.vif)
}

// without are those of the devices on which it has no VIF.
func (p *placer) without(s *sandbox, devices []string) []string {
	return slices.DeleteFunc(slices.Clone(devices), func(device string) bool { return p.Has(s.on(device)) })
}

// complete puts a pod on those devices on which it has no VIF, and says whether there were any. If
// it is required all has to be right there: what is wrong once is so the next time.
func (p *placer) complete(s *sandbox, required bool) (bool, error) {
	devices, err := p.devices()
	if err != nil {
		return true, err
	}
	missing := p.without(s, devices)
	err = p.place(s, missing)
	if err != nil && required {
		err = errors.Join(err, p.remove(s, missing))
	}
	return len(missing) > 0, err
}

// place puts a pod where it belongs, on these devices. Errors do not end it: the rest counts.
func (p *placer) place(s *sandbox, devices []string) error {
	if len(devices) == 0 {
		return nil
	}
	things, veths, err := p.things(s)
	if err != nil {
		return err
	}
	wanted := s.wanted
	if len(veths) > 0 {
		wanted = wanted.sent()
	}
	var errs []error
	for _, device := range devices {
		refused, err := p.classes(device, s.others(), false)
		if err == nil {
			err = p.placeOn(s.on(device), wanted, things)
		}
		if note := p.SharesNeed(s.on(device)); err == nil && note != "" && wanted.hasShares() {
			log.Print(note)
		}
		if err == nil {
			p.noteRedirects(device, veths, s)
		}
		// which is the administrator's, and no pod's
		warn("", refused)
		errs = append(errs, err)
		for _, veth := range veths {
			errs = append(errs, p.receive(device, veth, s))
		}
	}
	return errors.Join(errs...)
}

// things are what is attached for the pod, and the node's ends of its devices.
func (p *placer) things(s *sandbox) (things, veths []string, err error) {
	if !s.running {
		return nil, nil, errors.New("the runtime does not say which network it has")
	}
	if s.netns == "" || isHost(s.netns) {
		if s.cgroup == "" {
			return nil, nil, errors.New("it is in the node's network, and the runtime says no control group")
		}
		return []string{path.Join("cgroups", s.cgroup)}, nil, nil
	}
	if p.links == nil {
		if p.links, err = links(); err != nil {
			return nil, nil, fmt.Errorf("the node's devices: %w", err)
		}
	}
	veths, err = endsIn(s.netns, p.links)
	if err != nil {
		return nil, nil, err
	}
	for _, veth := range veths {
		things = append(things, path.Join("devices", veth))
	}
	if len(things) == 0 {
		return nil, nil, errors.New("no veth leads from its network to the node's")
	}
	return things, veths, nil
}

func (p *placer) placeOn(vif string, wanted settings, things []string) error {
	var errs []error

	if _, err := p.Make(vif); err != nil {
		return err
	}
	errs = append(errs, p.set(settingsOf(vif, wanted)))
	attached := false
	for _, thing := range things {
		err := p.Attach(thing, vif)
		errs = append(errs, err)
		attached = attached || err == nil
	}
	if !attached {
		return errors.Join(append(errs, p.Remove(vif))...)
	}
	return errors.Join(append(errs, p.Write(vif, "autoremove", "1"))...)
}

// receive limits what the pod gets by the device, which is what its veth sends. Shares among
// pods it has none, as each veth is a device of its own.
func (p *placer) receive(device, veth string, s *sandbox) error {
	limit := s.wanted[bandwidth].ingress
	vif := path.Join(veth, device)

	if limit == limitless {
		if p.Has(vif) {
			return p.forget(device, veth)
		}
		return nil
	}
	if _, err := p.Make(vif); err != nil {
		return err
	}
	return errors.Join(p.set([]one{{vif, bandwidth, pair{limit, limitless}}}),
		p.Attach(path.Join("devices", device), vif))
}

// forget ends such a limit.
func (p *placer) forget(device, veth string) error {
	return errors.Join(p.Detach(path.Join("devices", device), veth), p.Remove(path.Join(veth, device)))
}

// forgetAll ends those of all pods by a device.
func (p *placer) forgetAll(device string) (err error) {
	thing := path.Join("devices", device)
	for _, veth := range p.List(thing) {
		if p.Attached(thing, veth) == path.Join(veth, device) {
			err = errors.Join(err, p.forget(device, veth))
		}
	}
	return err
}

// removal waits this long for packets that are still leaving a VIF.
const (
	removeTries = 20
	removePause = 10 * time.Millisecond
)

// remove ends what a pod has on these devices; what has ended by itself is no error.
func (p *placer) remove(s *sandbox, devices []string) error {
	var vifs []string

	for _, device := range devices {
		if vif := s.on(device); p.Has(vif) {
			vifs = append(vifs, vif)
		}
	}
	return p.removeVIFs(vifs, func() []string { return []string{path.Join("cgroups", s.cgroup)} })
}

// removeVIFs detaches what there is of them first: groups, and devices, which are not known once a
// pod's network has gone. However many they are, it looks and waits once.
func (p *placer) removeVIFs(vifs []string, groups func() []string) (err error) {
	if len(vifs) == 0 {
		return nil
	}
	of := map[string][]string{}
	for _, vif := range vifs {
		device, _, _ := strings.Cut(vif, "/")
		of[device] = append(of[device], vif)
	}
	things := groups()
	for _, name := range p.List("devices") {
		things = append(things, path.Join("devices", name))
	}
	for device, vifs := range of {
		for _, thing := range things {
			if slices.Contains(vifs, p.Attached(thing, device)) {
				err = errors.Join(err, p.Detach(thing, device))
			}
		}
	}
	var refused error
	for try := 0; try < removeTries; try++ {
		refused = nil
		vifs = slices.DeleteFunc(vifs, func(vif string) bool {
			err := p.Remove(vif)
			refused = errors.Join(refused, err)
			return err == nil
		})
		if len(vifs) == 0 {
			break
		}
		time.Sleep(removePause)
	}
	return errors.Join(err, refused)
}

// synchronize makes what is missing, and removes what is of no pod any more: what those have that do
// not run, or of which the runtime does not know it just now, ends by itself. It warns of what
// went wrong with each pod. Who was placed already stays as it is: it has been done just now, and
// took too long.
func (p *placer) synchronize(pods []*sandbox, placed bool, failed func(*sandbox, error)) {
	known := map[string]bool{}

	devices, err := p.devices()
	if err != nil {
		warn("", err)
		return
	}
	// a minimum that is lowered is refused as long as pods have more of it
	for _, device := range devices {
		_, err := p.classes(device, p.configured(device), true)
		warn("", err)
	}
	for _, s := range pods {
		known[path.Join(s.level, s.vif)] = true
		on := devices
		if placed {
			on = p.without(s, devices)
		}
		if s.running {
			failed(s, p.place(s, on))
		}
	}
	// pods and namespaces that are no more have minima until then
	warn("", p.sweep(devices, known))
	for _, device := range devices {
		if refused, err := p.classes(device, p.configured(device), true); err == nil {
			warn("", refused)
		}
	}
}

// mostGroups bounds the groups that are looked at: users make any number of groups below one that is
// delegated to them, but further down than pods are.
const mostGroups = 16384

// ofPod is the group of a pod, by its UID.
var ofPod = regexp.MustCompile(`(?:^|-)pod[0-9a-f]{8}[0-9a-f_-]*(?:\.slice)?$`)

// groupsBelow lists the control groups that may be a pod's, the uppermost first: nothing in a pod is one.
func groupsBelow(top string, list func(string) []string) (all []string) {
	for next := []string{top}; len(next) > 0; next = next[1:] {
		if ofPod.MatchString(path.Base(next[0])) {
			continue
		}
		for _, name := range list(next[0]) {
			if len(all) == mostGroups {
				return all
			}
			group := path.Join(next[0], name)
			all = append(all, group)
			next = append(next, group)
		}
	}
	return all
}

// sweep removes all but the pods that are known, and from devices that have been left out of the
// configuration all there is. Routes come and go: a device by which none goes now may have one again.
func (p *placer) sweep(devices []string, known map[string]bool) (err error) {
	var vifs, empty, whole []string

	for _, device := range p.trees() {
		above := path.Join(device, allPods)
		if !p.Has(above) {
			continue
		}
		all := len(p.conf.devices) > 0 && !slices.Contains(devices, device)
		namespaces := p.namespaces(device)
		for _, level := range slices.Concat(classes, namespaces) {
			for _, name := range p.List(path.Join(above, level)) {
				if strings.HasPrefix(name, vifPrefix) && (all || !known[path.Join(level, name)]) {
					vifs = append(vifs, path.Join(above, level, name))
				}
			}
		}
		// the last first
		slices.Reverse(namespaces)
		for _, level := range namespaces {
			if all || p.conf.vifs[level] == nil {
				empty = append(empty, path.Join(above, level))
			}
		}
		if all {
			whole = append(whole, above)
		}
	}
	// the group of a stopped pod is not known any more
	err = p.removeVIFs(vifs, func() []string { return groupsBelow("cgroups", p.List) })
	for _, vif := range empty {
		err = errors.Join(err, p.Remove(vif))
	}
	for _, above := range whole {
		// first: without the VIFs above the pods, it would not be looked up again
		err = errors.Join(err, p.forgetAll(path.Dir(above)))
		for _, class := range classes {
			err = errors.Join(err, p.Remove(path.Join(above, class)))
		}
		err = errors.Join(err, p.Remove(above))
	}
	return err
}

// removeAll ends what the plugin has made on all devices.
func removeAll() error {
	if !pod.IsLoaded() {
		return nil
	}
	// a configuration that has no device of the node's
	return onNode(&config{devices: []string{""}}, func(on *placer) error { return on.sweep(nil, nil) })
}
