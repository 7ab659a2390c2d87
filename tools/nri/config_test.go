// SPDX-License-Identifier: GPL-2.0

package main

import (
	"os"
	"strings"
	"testing"

	"github.com/containerd/nri/pkg/api"
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
		"devices: [eth0, tasks]":         "a device that is called tasks has no VIFs",
		"guaranteed: { wieght: 1 }":      "guaranteed: there is no wieght",
		"guaranteed: { weight: 0 }":      "guaranteed: weight: \"0\" is not accepted: 1 to 10000",
		"most: { priority: first }":      "most: priority: \"first\" is not accepted",
		"kubepods: { bandwidth: [1, 2]}": "kubepods: bandwidth",
		"required: perhaps":              "required",

		"namespaces: { shop: { wieght: 1 } }":   "namespaces: shop: there is no wieght",
		"namespaces: { shop: { weight: 0 } }":   "namespaces: shop: weight: \"0\" is not accepted: 1 to 10000",
		"namespaces: { a/b: { weight: 1 } }":    "namespaces: \"a/b\" is not a namespace's name",
		"namespaces: { ../x: {} }":              "namespaces: \"../x\" is not a namespace's name",
		"namespaces: { " + long(61) + ": { } }": "is not a namespace's name of at most 60 letters",
		"{":                                     "configuration",
	} {
		if _, err := parseConfig(text); err == nil || !strings.Contains(err.Error(), words) {
			t.Errorf("%s: %v", text, err)
		}
	}
}

func long(n int) string { return strings.Repeat("n", n) }

// A namespace has a level of its own, with the classes below it; its minimum is what its Guaranteed pods can ask for.
func TestNamespaces(t *testing.T) {
	c, err := parseConfig("guaranteed: { minimum: 200M, weight: 300 }\nburstable: { minimum: 100M }\n" +
		"namespaces: { shop: { bandwidth: egress 500M, minimum: egress 50M, weight: 200 }, " + long(60) + ": { } }")
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []struct {
		level string
		k     *kind
		pair
	}{
		{"ns_shop", bandwidth, pair{500_000_000, limitless}},
		{"ns_shop", minimum, pair{50_000_000, 0}},
		{"ns_shop", weight, both(200)},
		{"ns_shop/guaranteed", minimum, pair{50_000_000, 0}},
		{"ns_shop/guaranteed", weight, both(300)},
		{"ns_shop/guaranteed", bandwidth, both(limitless)},
		{"ns_shop/burstable", minimum, both(0)},
		{"ns_shop/besteffort", weight, both(25)},
		{"ns_" + long(60), bandwidth, both(limitless)},
		{guaranteed, minimum, both(200_000_000)},
		{burstable, minimum, both(100_000_000)},
	} {
		if got := c.vifs[want.level][want.k]; got != want.pair {
			t.Errorf("%s: %s: %v, want %v", want.level, want.k.file, got, want.pair)
		}
	}
	parent := &api.LinuxPodSandbox{CgroupParent: "/kubepods/burstable/pod1"}
	for namespace, want := range map[string][]string{
		"shop":       {"burstable", "ns_shop", "ns_shop/burstable"},
		"shop2":      {"burstable"},
		"guaranteed": {"burstable"},
		"":           {"burstable"},
	} {
		s, err := sandboxOf(&api.PodSandbox{Namespace: namespace, Linux: parent}, c)
		if err != nil || s.level != want[len(want)-1] || strings.Join(s.others(), " ") != strings.Join(want[1:], " ") {
			t.Errorf("%s: %s, %v, %v", namespace, s.level, s.others(), err)
		}
	}
}

func TestConfigOutOfRange(t *testing.T) {
	c, err := parseConfig("kubepods: { bandwidth: 2000G }\nmost: { bandwidth: 1k }")
	if err != nil || c.vifs[allPods][bandwidth] != both(limitless) || c.most[bandwidth] != both(8000) || len(c.notes) != 2 {
		t.Errorf("%+v, %v", c, err)
	}
}

// The example gives the pods what the document's annotations ask for.
func TestExample(t *testing.T) {
	text, err := os.ReadFile("../../Documentation/examples/kubernetes/netnice/nri.yaml")
	if err != nil {
		t.Fatal(err)
	}
	c, err := parseConfig(string(text))
	if err != nil || len(c.notes) > 0 {
		t.Fatal(err, c)
	}
	s, err := sandboxOf(&api.PodSandbox{Annotations: map[string]string{"netnice.io/minimum": "egress 5M",
		"netnice.io/bandwidth": "egress 20M ingress 50M", "netnice.io/weight": "50", "netnice.io/priority": "6"}}, c)
	if err != nil || s.wanted[minimum].egress != 5_000_000 || s.wanted[weight] != both(50) || s.wanted[priority] != both(6) {
		t.Errorf("%+v, %v", s.wanted, err)
	}
	sum := uint64(0)
	for _, class := range []string{guaranteed, burstable} {
		least := c.vifs[class][minimum].egress
		if sum += least; least < c.most[minimum].egress {
			t.Errorf("%s: of %d a pod may ask for %d", class, least, c.most[minimum].egress)
		}
	}
	if sum > c.vifs[allPods][minimum].egress {
		t.Errorf("the classes have minima of %d, all pods of %d", sum, c.vifs[allPods][minimum].egress)
	}
}

func FuzzConfig(f *testing.F) {
	for _, text := range []string{"", "devices: [eth0]\nguaranteed: { weight: 400 }", `{"most":{"minimum":"10M"}}`, "{", "a: &a [*a]",
		"namespaces: { shop: { bandwidth: 5M } }"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		c, err := parseConfig(text)
		if (c == nil) == (err == nil) {
			t.Fatalf("%v, %v", c, err)
		}
	})
}
