// SPDX-License-Identifier: GPL-2.0

package main

import (
	"strings"
	"testing"

	"github.com/containerd/nri/pkg/api"
)

func TestMisspelt(t *testing.T) {
	for key, words := range map[string]string{
		"netnice.io/weight":              "",
		"kubernetes.io/egress-bandwidth": "",
		"kubernetes.io/config.source":    "",
		"netnice.bandwidth":              "",
		"example.org/netnice":            "",
		"netnice.io/wieght":              "did you mean netnice.io/weight?",
		"netnice.io/Weight":              "did you mean netnice.io/weight?",
		"netnice/minimum":                "did you mean netnice.io/minimum?",
		"netnice.org/priority":           "did you mean netnice.io/priority?",
		"kubernetes.io/egres-bandwidth":  "did you mean kubernetes.io/egress-bandwidth?",
		"kubernetes.io/bandwidth":        "there is no annotation",
		"netnice.io/":                    "there is no annotation",
	} {
		s, err := sandboxOf(&api.PodSandbox{Annotations: map[string]string{key: "1"}}, preset())
		if words == "" && (err != nil || len(s.notes) > 0) || words != "" && (err == nil || !strings.Contains(err.Error(), words)) {
			t.Errorf("%s: %v, %v", key, err, s.notes)
		}
		if words != "" && !s.asks {
			t.Errorf("%s: it asks for nothing", key)
		}
	}
}

func TestForeign(t *testing.T) {
	s, err := sandboxOf(&api.PodSandbox{Annotations: map[string]string{
		"qos.projectcalico.org/ingressBandwidth": "1M", "qos.projectcalico.org/egressBandwidth": "1M",
		"bandwidth.cilium.io/priority": "1"}}, preset())
	if err != nil || s.asks || len(s.notes) != 2 {
		t.Fatalf("%v, %q", err, s.notes)
	}
	for i, words := range []string{`"qos.projectcalico.org/egressBandwidth", an annotation of Calico: use kubernetes.io/egress-bandwidth`, "Cilium"} {
		if !strings.Contains(s.notes[i], words) {
			t.Errorf("not in it: %s: %s", words, s.notes[i])
		}
	}
}

// FuzzAnnotations has names of a tenant's: what is said of them is short.
func FuzzAnnotations(f *testing.F) {
	for _, key := range []string{"netnice.io/weight", "netnice.io/wieght", "qos.projectcalico.org/x", "kubernetes.io/bandwidth", "/", ""} {
		f.Add(key, "50")
	}
	f.Fuzz(func(t *testing.T, key, value string) {
		s, err := sandboxOf(&api.PodSandbox{Annotations: map[string]string{key: value}}, preset())
		if err != nil && (len(err.Error()) > 600 || !s.asks) {
			t.Fatalf("%q: %v", key, err)
		}
		for _, note := range s.notes {
			if len(note) > 600 {
				t.Fatalf("%q: %s", key, note)
			}
		}
	})
}
