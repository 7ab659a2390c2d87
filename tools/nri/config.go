// SPDX-License-Identifier: GPL-2.0

package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"path"
	"regexp"
	"strings"

	"sigs.k8s.io/yaml"

	"netnice/tools/pod"
)

// The classes of pods (QoS), as Kubernetes has them, are VIFs below that of all pods.
const (
	allPods    = "kubepods"
	guaranteed = "guaranteed"
	burstable  = "burstable"
	besteffort = "besteffort"
)

var classes = []string{guaranteed, burstable, besteffort}

// A namespace that the configuration names has a VIF below kubepods, and the classes below that. No class begins so.
const namespacePrefix = "ns_"

// namespaceForm is Kubernetes' form of a namespace's name. A VIF's name may have 63 bytes, with the prefix.
var namespaceForm = regexp.MustCompile(`^[a-z0-9]([-a-z0-9]{0,58}[a-z0-9])?$`)

const acceptedBudget = "bits per second of all nodes together, from 8k to 1000000g, as 10G"

func namespaceLevel(name string) string { return namespacePrefix + name }

// A scalar is a word: in YAML 10 is a number, 10M none.
type scalar string

func (s *scalar) UnmarshalJSON(text []byte) error {
	var word string

	if json.Unmarshal(text, &word) != nil {
		word = string(text)
	}
	*s = scalar(word)
	return nil
}

// file is the configuration as it is written, in YAML or JSON.
type file struct {
	Devices    []string          `json:"devices"`
	Required   bool              `json:"required"`
	Kubepods   map[string]scalar `json:"kubepods"`
	Guaranteed map[string]scalar `json:"guaranteed"`
	Burstable  map[string]scalar `json:"burstable"`
	Besteffort map[string]scalar `json:"besteffort"`
	Most       map[string]scalar `json:"most"`

	Namespaces map[string]map[string]scalar `json:"namespaces"`
}

// config is what it means.
type config struct {
	devices  []string // none: those of the default routes
	required bool
	notes    []string            // values that were out of range
	vifs     map[string]settings // of all pods, the classes, and the levels of namespaces: by the path below kubepods
	most     settings            // what the annotations of a pod get, at most
	budgets  map[string]uint64   // of namespaces, over all nodes, for what is sent
	parts    *parts              // of this node; nil: budgets have no effect
}

// preset has the classes share as CPU shares do, and no pod outbid others of its class.
func preset() *config {
	c := &config{vifs: map[string]settings{allPods: presets()}, most: presets(), budgets: map[string]uint64{}}
	for class, share := range map[string]uint64{guaranteed: 400, burstable: 100, besteffort: 25} {
		c.vifs[class] = presets()
		c.vifs[class][weight] = both(share)
	}
	c.most[minimum] = both(limitless)
	return c
}

func (c *config) read(s settings, section string, words map[string]scalar) error {
	texts := map[string]string{}

	for key, word := range words {
		if kindOf(key) == nil {
			return fmt.Errorf("%s: there is no %s: it has bandwidth, minimum, weight, priority", section, key)
		}
		texts[key] = string(word)
	}
	notes, errs := s.say(texts, "")
	for _, note := range notes {
		c.notes = append(c.notes, fmt.Sprintf("configuration: %s: %s", section, note))
	}
	if err := errors.Join(errs...); err != nil {
		return fmt.Errorf("%s: %w", section, err)
	}
	return nil
}

// readNamespaces makes the levels of namespaces: each has the classes below it, as they are below kubepods.
// Which minimum pods of a namespace can have is that of the namespace, and goes to Guaranteed.
func (c *config) readNamespaces(namespaces map[string]map[string]scalar) error {
	var errs []error

	for name, words := range namespaces {
		if !namespaceForm.MatchString(name) {
			errs = append(errs, fmt.Errorf("namespaces: %s is not a namespace's name of at most 60 letters", shown(name)))
			continue
		}
		if text, is := words["budget"]; is {
			budget, ok := rate(string(text))
			if !ok || budget < pod.LeastRate || budget > budgetMost {
				errs = append(errs, fmt.Errorf("namespaces: %s: budget: %s is not accepted: %s", name, shown(string(text)), acceptedBudget))
			}
			c.budgets[name] = budget
			words = maps.Clone(words)
			delete(words, "budget")
		}
		s := presets()
		errs = append(errs, c.read(s, "namespaces: "+name, words))
		level := namespaceLevel(name)
		c.vifs[level] = s
		for _, class := range classes {
			below := maps.Clone(c.vifs[class])
			below[minimum] = both(0)
			if class == guaranteed {
				below[minimum] = s[minimum]
			}
			c.vifs[path.Join(level, class)] = below
		}
	}
	return errors.Join(errs...)
}

// level is where the pods of a class and namespace are: the path below kubepods.
func (c *config) level(namespace, class string) string {
	level := namespaceLevel(namespace)
	if _, is := c.vifs[level]; is {
		return path.Join(level, class)
	}
	return class
}

// parseConfig: nothing is a configuration, too.
func parseConfig(text string) (*config, error) {
	f := &file{}
	c := preset()

	if err := yaml.UnmarshalStrict([]byte(text), f); err != nil {
		return nil, fmt.Errorf("configuration: %w", err)
	}
	for _, device := range f.Devices {
		if device == "" || strings.ContainsAny(device, "/ ") {
			return nil, fmt.Errorf("configuration: devices: '%s' is no name of a device", device)
		}
		if pod.IsReserved(device) {
			return nil, fmt.Errorf("configuration: devices: a device that is called %s has no VIFs", device)
		}
	}
	c.devices, c.required = f.Devices, f.Required
	err := errors.Join(
		c.read(c.vifs[allPods], allPods, f.Kubepods),
		c.read(c.vifs[guaranteed], guaranteed, f.Guaranteed),
		c.read(c.vifs[burstable], burstable, f.Burstable),
		c.read(c.vifs[besteffort], besteffort, f.Besteffort),
		c.read(c.most, "most", f.Most),
		c.readNamespaces(f.Namespaces))
	if err != nil {
		return nil, fmt.Errorf("configuration: %w", err)
	}
	return c, nil
}
