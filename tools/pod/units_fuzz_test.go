// SPDX-License-Identifier: GPL-2.0

package pod

import "testing"

// What is accepted is in range, and the largest burst is one that the kernel takes.
func FuzzUnits(f *testing.F) {
	for _, text := range []string{"10M", "1.5mbit", "2MB/s", "8kbit", "100gbit", "16KiB", "10ms", "auto", "0.000s", "4gib"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		rate, err := ParseRate(text)
		if err == nil && (rate < leastRate || rate > mostRate) {
			t.Errorf("rate %q: %d", text, rate)
		}
		for _, rate := range []uint64{leastRate, mostRate} {
			bytes, err := ParseBurst(text, rate)
			if err == nil && (bytes > mostBurst || (bytes == 0 && text != "auto")) {
				t.Errorf("burst %q: %d", text, bytes)
			}
		}
	})
}
