// SPDX-License-Identifier: GPL-2.0

package pod

import "testing"

func TestWritten(t *testing.T) {
	for _, c := range []struct {
		l                Limits
		bandwidth, burst string
	}{
		{Limits{}, "egress max ingress max", "egress auto ingress auto"},
		{Limits{Limit{5000000, 0}, Limit{10000000, 1500}},
			"egress 5000000 ingress 10000000", "egress auto ingress 1500"},
		{Limits{Ingress: Limit{8000, 1}}, "egress max ingress 8000", "egress auto ingress 1"},
	} {
		if got := c.l.Bandwidth(); got != c.bandwidth {
			t.Errorf("%+v: %s", c.l, got)
		}
		if got := c.l.Burst(); got != c.burst {
			t.Errorf("%+v: %s", c.l, got)
		}
	}
}

func TestBandwidthRead(t *testing.T) {
	l := Limits{Limit{5000003, 0}, Limit{10000000, 0}}

	for text, want := range map[string]bool{
		"egress 5mbit\ningress 10mbit\n":           true,
		"egress 5000kbit\ningress 10000000bit\n":   true,
		"egress 5000000bit\ningress 10mbit":        true,
		"egress 5000008bit\ningress 10mbit\n":      false,
		"egress 5mbit\ningress max\n":              false,
		"egress max\ningress max\n":                false,
		"ingress 10mbit\negress 5mbit\n":           false,
		"egress 5mbit\n":                           false,
		"egress 5furlongs\ningress 10mbit\n":       false,
		"egress mbit\ningress 10mbit\n":            false,
		"egress 99999999999999gbit\ningress max\n": false,
		"": false,
	} {
		if l.hasBandwidth(text) != want {
			t.Errorf("%q: not %v", text, want)
		}
	}
	if !(Limits{Egress: Limit{4e11, 0}}).hasBandwidth("egress 400gbit\ningress max\n") {
		t.Error("400gbit")
	}
}

func TestBurstRead(t *testing.T) {
	l := Limits{Limit{5000000, 0}, Limit{10000000, 16384}}

	for text, want := range map[string]bool{
		"egress auto\ningress 16KiB\n":  true,
		"egress auto\ningress 16kb\n":   false,
		"egress auto\ningress 16384b\n": true,
		"egress auto\ningress 16385b\n": false,
		"egress 1ms\ningress 16KiB\n":   false,
		"egress auto\ningress auto\n":   false,
		"egress 16KiB\ningress auto\n":  false,
	} {
		if l.hasBurst(text) != want {
			t.Errorf("%q: not %v", text, want)
		}
	}
}

func TestLimitsRead(t *testing.T) {
	for _, c := range []struct {
		bandwidth, burst string
		want             Limits
	}{
		{"egress max\ningress max\n", "egress auto\ningress auto\n", Limits{}},
		{"egress max\ningress 8mbit\n", "egress 1ms\ningress 1ms\n", Limits{Ingress: Limit{8000000, 1000}}},
		{"egress 5mbit\ningress 8mbit\n", "egress 16KiB\ningress auto\n", Limits{Limit{5000000, 16384}, Limit{8000000, 0}}},
	} {
		if got, err := limitsOf(c.bandwidth, c.burst); got != c.want || err != nil {
			t.Errorf("%+v: %+v, %v", c, got, err)
		}
	}
	for _, burst := range []string{"", "egress auto", "egress 1h\ningress auto"} {
		if got, err := limitsOf("egress 5mbit\ningress 8mbit\n", burst); err == nil {
			t.Errorf("%q: %+v", burst, got)
		}
	}
}

// FuzzLimits reads files of a kernel, perhaps of another version.
func FuzzLimits(f *testing.F) {
	f.Add("egress 5mbit\ningress max\n", "egress auto\ningress 16KiB\n")
	f.Add("egress 18446744073709551615gbit\ningress 1bit\n", "egress 9s\ningress auto\n")
	f.Fuzz(func(t *testing.T, bandwidth, burst string) {
		if l, err := limitsOf(bandwidth, burst); err == nil && !l.hasBandwidth(bandwidth) {
			t.Fatalf("%q: %+v", bandwidth, l)
		}
	})
}
