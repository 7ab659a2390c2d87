// SPDX-License-Identifier: GPL-2.0

package main

import (
	"encoding/json"
	"errors"
	"fmt"
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
}

// config is what it means.
type config struct {
	devices  []string // none: those of the default routes
	required bool
	notes    []string            // values that were out of range
	vifs     map[string]settings // of all pods, and of the classes
	most     settings            // what the annotations of a pod get, at most
}

// preset has the classes share as CPU shares do, and no pod outbid others of its class.
func preset() *config {
	c := &config{vifs: map[string]settings{allPods: presets()}, most: presets()}
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
		c.read(c.most, "most", f.Most))
	if err != nil {
		return nil, fmt.Errorf("configuration: %w", err)
	}
	return c, nil
}
