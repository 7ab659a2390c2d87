// SPDX-License-Identifier: GPL-2.0

package main

import (
	"strings"
	"testing"

	"netnice/tools/pod"
)

func TestParse(t *testing.T) {
	for _, c := range []struct {
		k    *kind
		text string
		want pair
	}{
		{bandwidth, "10M", both(10_000_000)},
		{bandwidth, "1.5mbit", both(1_500_000)},
		{bandwidth, "8000", both(8000)},
		{bandwidth, "100g", both(100_000_000_000)},
		{bandwidth, "max", both(limitless)},
		{bandwidth, "egress 5Mbit", pair{5_000_000, limitless}},
		{bandwidth, "ingress 256k", pair{limitless, 256_000}},
		{bandwidth, " egress 1m\tingress max\n", pair{1_000_000, limitless}},
		{bandwidth, "ingress 1m egress 2m", pair{2_000_000, 1_000_000}},
		{minimum, "none", both(0)},
		{minimum, "egress 1m", pair{1_000_000, 0}},
		{weight, "10000", both(10000)},
		{weight, "egress 1", pair{1, 100}},
		{priority, "0", both(0)},
		{priority, "ingress 7", pair{4, 7}},
	} {
		p := both(c.k.preset)
		if note, err := c.k.parse(c.text, &p); err != nil || note != "" {
			t.Errorf("%s %q: %s, %v", c.k.file, c.text, note, err)
		} else if p != c.want {
			t.Errorf("%s %q: %v, want %v", c.k.file, c.text, p, c.want)
		}
	}
}

func TestRefused(t *testing.T) {
	for _, c := range []struct {
		k    *kind
		text string
	}{
		{bandwidth, ""}, {bandwidth, "fast"}, {bandwidth, "0"}, {bandwidth, "0.9"}, {bandwidth, "1t"},
		{bandwidth, "-1m"}, {bandwidth, "NaN"}, {bandwidth, "inf"}, {bandwidth, "m"}, {bandwidth, "1 m"},
		{bandwidth, "none"}, {bandwidth, "10MB"}, {bandwidth, "10kbps"}, {bandwidth, "egress"},
		{bandwidth, "1e6k"}, {bandwidth, "0x1p20"}, {bandwidth, "1_0m"}, {bandwidth, "1m 2m"}, {bandwidth, "egress 1m egress 2m"}, {bandwidth, "up 1m"},
		{bandwidth, "egress 1m ingress"}, {bandwidth, "egress 1m ingress 2m egress 3m"},
		{minimum, "max"}, {minimum, "0"},
		{weight, "0"}, {weight, "10001"}, {weight, "1.5"}, {weight, "max"},
		{priority, "8"}, {priority, "-1"}, {priority, "0x1"},
	} {
		p := both(c.k.preset)
		_, err := c.k.parse(c.text, &p)
		if err == nil || p != both(c.k.preset) {
			t.Errorf("%s %q: %v, %v", c.k.file, c.text, p, err)
		} else if !strings.Contains(err.Error(), c.k.accepted) {
			t.Errorf("%s %q does not say what is accepted: %v", c.k.file, c.text, err)
		}
	}
}

func TestOutOfRange(t *testing.T) {
	for _, c := range []struct {
		k     *kind
		text  string
		want  pair
		words string
	}{
		{bandwidth, "4k", both(8000), `"4k" is out of range and counts as 8000: `},
		{bandwidth, "7999", both(8000), `"7999" is out of range`},
		{bandwidth, "2000g", both(limitless), `"2000g" is out of range and counts as max: `},
		{bandwidth, "egress 4k ingress 5m", pair{8000, 5_000_000}, `"4k"`},
		{bandwidth, "egress 5m ingress 2000g", pair{5_000_000, limitless}, `"2000g"`},
		{minimum, "4k", both(8000), "8000"},
		{minimum, "2000g", both(pod.MostRate), "counts as"},
	} {
		p := both(c.k.preset)
		note, err := c.k.parse(c.text, &p)
		if err != nil || p != c.want || !strings.Contains(note, c.words) {
			t.Errorf("%s %q: %v, %s, %v", c.k.file, c.text, p, note, err)
		}
	}
}

// FuzzValue has texts of a tenant's: what is accepted can be written to the kernel, and is read as itself.
func FuzzValue(f *testing.F) {
	for _, text := range []string{"10M", "egress 5Mbit ingress max", "none", "0.5e3k", "1e300", "4k", "egress", "\x00"} {
		for i := range kinds {
			f.Add(i, text)
		}
	}
	f.Fuzz(func(t *testing.T, i int, text string) {
		k := kinds[uint(i)%uint(len(kinds))]
		p := both(k.preset)
		_, err := k.parse(text, &p)
		if err != nil {
			if p != both(k.preset) || len(err.Error()) > 600 {
				t.Fatalf("%s %q: %v, %v", k.file, text, p, err)
			}
			return
		}
		for _, n := range []uint64{p.egress, p.ingress} {
			if n != k.preset && (k == bandwidth || k == minimum) && (n < pod.LeastRate || n > pod.MostRate) {
				t.Fatalf("%s %q: %d", k.file, text, n)
			}
		}
		again := both(k.preset)
		if note, err := k.parse(k.text(p), &again); err != nil || note != "" || again != p {
			t.Fatalf("%s %q: %v is %q, which is %v: %s, %v", k.file, text, p, k.text(p), again, note, err)
		}
	})
}

func TestSent(t *testing.T) {
	s := settings{minimum: both(5), weight: both(7)}
	if got := s.sent(); got[minimum] != (pair{5, 0}) || got[weight] != (pair{7, 100}) || s[minimum] != both(5) {
		t.Errorf("%v of %v", got, s)
	}
}

func TestShown(t *testing.T) {
	if got := shown("a\n\x1b[2Jé"); got != `"a\n\x1b[2J\u00e9"` {
		t.Error(got)
	}
	if got := shown(strings.Repeat("x", 1000)); len(got) > 80 {
		t.Error(got)
	}
}

func TestWithin(t *testing.T) {
	for _, c := range []struct {
		k             *kind
		p, most, want pair
	}{
		{bandwidth, both(limitless), pair{5, limitless}, pair{5, limitless}},
		{bandwidth, pair{9, 3}, both(5), pair{5, 3}},
		{minimum, both(0), both(5), both(0)},
		{minimum, both(9), both(5), both(5)},
		{weight, both(300), both(100), both(100)},
		{weight, both(50), both(100), both(50)},
		{priority, both(0), both(4), both(4)},
		{priority, pair{7, 3}, both(4), pair{7, 4}},
	} {
		if got := c.k.within(c.p, c.most); got != c.want {
			t.Errorf("%s %v within %v: %v, want %v", c.k.file, c.p, c.most, got, c.want)
		}
	}
}

func TestWritten(t *testing.T) {
	for _, c := range []struct {
		k    *kind
		p    pair
		want string
	}{
		{bandwidth, both(limitless), "egress max ingress max"},
		{bandwidth, pair{5_000_000, limitless}, "egress 5000000 ingress max"},
		{minimum, pair{0, 8000}, "egress none ingress 8000"},
		{weight, both(100), "egress 100 ingress 100"},
		{priority, pair{0, 4}, "egress 0 ingress 4"},
	} {
		if got := c.k.text(c.p); got != c.want {
			t.Errorf("%s %v: %s", c.k.file, c.p, got)
		}
	}
}
