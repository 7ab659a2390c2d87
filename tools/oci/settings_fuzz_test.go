// SPDX-License-Identifier: GPL-2.0

package main

import "testing"

// Annotations of an image or a user give no more than the administrator's options, and no share that
// takes from others.
func FuzzAnnotations(f *testing.F) {
	for _, name := range names {
		f.Add(name, "10m", "1m")
		f.Add(name, "10ms", "")
	}
	f.Fuzz(func(t *testing.T, name, value, other string) {
		const most = 5000000
		b := &bounds{both: "5m"}
		w, err := ask(b, map[string]string{prefix + name: value, prefix + "bandwidth.up": other}, map[string]string{prefix + "bandwidth": value})
		if err != nil {
			return
		}
		if w.limits.Egress.Rate == 0 || w.limits.Egress.Rate > most || w.limits.Ingress.Rate == 0 || w.limits.Ingress.Rate > most {
			t.Errorf("%q %q %q: %+v", name, value, other, w.limits)
		}
	})
}
