// SPDX-License-Identifier: GPL-2.0

package pod

import (
	"strings"
	"testing"
)

func TestDistance(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want int
	}{
		{"", "", 0}, {"a", "", 1}, {"", "abc", 3}, {"weight", "weight", 0}, {"wieght", "weight", 2},
		{"weigt", "weight", 1}, {"weightt", "weight", 1}, {"bandwith", "bandwidth", 1}, {"kitten", "sitting", 3},
		{strings.Repeat("x", 1000), "weight", 1000},
	} {
		if got := Distance(c.a, c.b); got != c.want {
			t.Errorf("%.20q %q: %d, want %d", c.a, c.b, got, c.want)
		}
	}
}
