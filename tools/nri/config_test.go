// SPDX-License-Identifier: GPL-2.0

package main

import (
	"strings"
	"testing"
)

func TestConfig(t *testing.T) {
	c, err := parseConfig("")
	if err != nil || c.required || len(c.devices) != 0 {
		t.Fatalf("nothing: %+v, %v", c, err)
	}
	if c.vifs[guaranteed][weight] != both(400) || c.vifs[burstable][weight] != both(100) ||
		c.vifs[besteffort][weight] != both(25) || c.vifs[allPods][weight] != both(100) {
		t.Errorf("weights by default: %v", c.vifs)
	}
	for _, text := range []string{`
devices: [eth0, flannel.1]
required: true
kubepods: { bandwidth: 800M, minimum: 100M }
guaranteed: { weight: 1000, minimum: egress 50M }
besteffort: { priority: 7 }
most: { weight: 200, priority: 3, bandwidth: 100M, minimum: 10M }
`, `{"devices":["eth0","flannel.1"],"required":true,"kubepods":{"bandwidth":"800M","minimum":"100M"},
"guaranteed":{"weight":"1000","minimum":"egress 50M"},"besteffort":{"priority":7},
"most":{"weight":200,"priority":3,"bandwidth":"100M","minimum":"10M"}}`} {
		c, err := parseConfig(text)
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		if strings.Join(c.devices, " ") != "eth0 flannel.1" || !c.required {
			t.Errorf("%s: %+v", text, c)
		}
		for _, v := range []struct {
			vif string
			k   *kind
			p   pair
		}{
			{allPods, bandwidth, both(800_000_000)}, {allPods, minimum, both(100_000_000)},
			{guaranteed, weight, both(1000)}, {guaranteed, minimum, pair{50_000_000, 0}},
			{burstable, weight, both(100)}, {besteffort, priority, both(7)},
		} {
			if got := c.vifs[v.vif][v.k]; got != v.p {
				t.Errorf("%s %s: %v, want %v", v.vif, v.k.file, got, v.p)
			}
		}
		if c.most[weight] != both(200) || c.most[priority] != both(3) ||
			c.most[bandwidth] != both(100_000_000) || c.most[minimum] != both(10_000_000) {
			t.Errorf("most: %v", c.most)
		}
	}
}

func TestConfigRefused(t *testing.T) {
	for text, words := range map[string]string{
		"device: eth0":                   "device",
		"devices: [eth0/x]":              "'eth0/x' is no name of a device",
		"guaranteed: { wieght: 1 }":      "guaranteed: there is no wieght",
		"guaranteed: { weight: 0 }":      "guaranteed: weight: \"0\" is not accepted: 1 to 10000",
		"most: { priority: first }":      "most: priority: \"first\" is not accepted",
		"kubepods: { bandwidth: [1, 2]}": "kubepods: bandwidth",
		"required: perhaps":              "required",
		"{":                              "configuration",
	} {
		if _, err := parseConfig(text); err == nil || !strings.Contains(err.Error(), words) {
			t.Errorf("%s: %v", text, err)
		}
	}
}
