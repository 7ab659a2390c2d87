// SPDX-License-Identifier: GPL-2.0

package pod

import "testing"

func TestIsLimit(t *testing.T) {
	for text, want := range map[string]bool{
		"": false, "egress": false, "egress max": false, "egress max ingress max": false,
		"egress 1mbit ingress max": true, "egress max ingress 8kbit": true, "egress\t1gbit\ningress 1gbit": true,
	} {
		if got := isLimit(text); got != want {
			t.Errorf("%q: %v", text, got)
		}
	}
}
