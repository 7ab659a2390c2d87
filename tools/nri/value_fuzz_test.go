// SPDX-License-Identifier: GPL-2.0

package main

import (
	"strings"
	"testing"
)

// What a pod's annotation may say is in range; the text of it is accepted again, and means the same.
func FuzzValue(f *testing.F) {
	for _, text := range []string{"10M", "egress 5Mbit", "ingress 256k egress max", "100", "none", "7", "1e6k"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, k := range kinds {
			p := both(k.preset)
			if k.parse(text, &p) != nil {
				continue
			}
			again := both(k.preset)
			if err := k.parse(k.text(p), &again); err != nil || again != p {
				t.Errorf("%s %q: %v, again %v (%v)", k.file, text, p, again, err)
			}
			for _, word := range strings.Fields(text) {
				if strings.Trim(strings.TrimRight(strings.ToLower(word), letters), "0123456789.") != "" {
					t.Errorf("%s %q is accepted", k.file, text)
				}
			}
		}
		shown(text)
	})
}
