// SPDX-License-Identifier: GPL-2.0

package main

import (
	"errors"
	"strings"
	"testing"

	"netnice/tools/pod"
)

func TestAsk(t *testing.T) {
	for _, c := range []struct {
		annotations                  string
		b                            bounds
		up, upBurst, down, downBurst uint64
	}{
		{"", bounds{}, 0, 0, 0, 0},
		{"other.bandwidth=x", bounds{}, 0, 0, 0, 0},
		{"netnice.bandwidth=10m", bounds{}, 10000000, 0, 10000000, 0},
		{"netnice.bandwidth= 10m ", bounds{}, 10000000, 0, 10000000, 0},
		{"netnice.bandwidth.up=1m", bounds{}, 1000000, 0, 0, 0},
		{"netnice.bandwidth.down=1m netnice.burst=10ms", bounds{}, 0, 0, 1000000, 1250},
		// the lower limit is used, from either source
		{"netnice.bandwidth=10m netnice.bandwidth.up=1m", bounds{}, 1000000, 0, 10000000, 0},
		{"netnice.bandwidth=10m netnice.bandwidth.up=100g", bounds{}, 10000000, 0, 10000000, 0},
		{"netnice.bandwidth=10m", bounds{both: "2m"}, 2000000, 0, 2000000, 0},
		{"netnice.bandwidth=1m", bounds{up: "2m", down: "500k"}, 1000000, 0, 500000, 0},
		{"netnice.bandwidth=max", bounds{up: "2m"}, 2000000, 0, 0, 0},
		{"", bounds{both: "2m"}, 2000000, 0, 2000000, 0},
		{"netnice.bandwidth=8m netnice.burst=16KiB", bounds{}, 8000000, 16384, 8000000, 16384},
		{"netnice.bandwidth=8m netnice.burst=1s", bounds{up: "9m"}, 8000000, 0, 8000000, 1000000},
		{"netnice.bandwidth=8m netnice.burst=1s", bounds{}, 8000000, 1000000, 8000000, 1000000},
	} {
		w, err := ask(&c.b, annotations(c.annotations))
		if err != nil {
			t.Errorf("%s: %v", c.annotations, err)
			continue
		}
		want := pod.Limits{Egress: pod.Limit{Rate: c.up, Burst: c.upBurst}, Ingress: pod.Limit{Rate: c.down, Burst: c.downBurst}}
		if w.limits != want || w.any() != want.Any() {
			t.Errorf("%s %+v: %+v", c.annotations, c.b, w.limits)
		}
	}
}

// annotations of "NAME=VALUE NAME=VALUE"
func annotations(text string) map[string]string {
	said := map[string]string{}

	for _, word := range strings.Split(text, " netnice") {
		if !strings.HasPrefix(word, "netnice") && word != "" && !strings.HasPrefix(word, "other") {
			word = "netnice" + word
		}
		if at := strings.IndexByte(word, '='); at >= 0 {
			said[word[:at]] = word[at+1:]
		}
	}
	return said
}

func TestNotAccepted(t *testing.T) {
	for text, words := range map[string]string{
		"netnice.bandwidth=fast":                    "netnice.bandwidth: 'fast' is not a rate: use bits",
		"netnice.bandwidth=":                        "netnice.bandwidth: there is no value",
		"netnice.weight= ":                          "netnice.weight: there is no value",
		"netnice.bandwidth.down=1":                  "'1' is out of range: use bits",
		"netnice.bandwith=1m":                       "no annotation 'netnice.bandwith'; did you mean 'netnice.bandwidth'?; there are netnice.bandwidth,",
		"netnice.colour=red":                        "no annotation 'netnice.colour'; there are netnice.bandwidth,",
		"netnice.burst=1ms":                         "there is no bandwidth",
		"netnice.bandwidth=8m netnice.burst=1001ms": "more than a second's at this bandwidth: that, 1000000 bytes",
		"netnice.bandwidth=8m netnice.burst=4gb":    "more than a second's",
		"netnice.bandwidth=8m netnice.burst=soon":   "netnice.burst: 'soon' is not a burst: use a time",
		"netnice.weight=0":                          "'0' is not a whole number from 1 to 10000",
		"netnice.weight=101":                        "is what the administrator grants",
		"netnice.priority=3":                        "is what the administrator grants",
		"netnice.priority=8":                        "from 0 to 7",
		"netnice.minimum=1m":                        "is what the administrator grants",
		"netnice.minimum=max":                       "netnice.minimum: 'max' is not a rate",
		"netnice.minimum=much":                      "netnice.minimum: 'much' is not a rate",
		"netnice.required=yes":                      "'yes' is neither true nor false",
		"netnice.=1":                                "there are",
	} {
		var e *pod.Error

		_, err := ask(&bounds{}, annotations(text))
		if !errors.As(err, &e) || e.Kind != pod.BadValue || !strings.Contains(err.Error(), words) {
			t.Errorf("%s: %v", text, err)
		}
	}
}

func TestShares(t *testing.T) {
	for text, part := range map[string]string{
		"netnice.weight=100": "weight", "netnice.weight=1": "weight", "netnice.priority=4": "priority",
		"netnice.priority=7": "priority",
	} {
		if w, err := ask(&bounds{}, annotations(text)); err != nil || w.part() != part || !w.any() {
			t.Errorf("%s: %v", text, err)
		}
	}
	for _, text := range []string{"netnice.weight=10000", "netnice.priority=0", "netnice.minimum=1m"} {
		if _, err := ask(&bounds{shares: true}, annotations(text)); err != nil {
			t.Errorf("%s: %v", text, err)
		}
	}
}

func TestRequired(t *testing.T) {
	for _, c := range []struct {
		text         string
		always, want bool
	}{
		{"", false, false}, {"", true, true}, {"netnice.required=true", false, true},
		{"netnice.required=false", true, true}, {"netnice.required=false", false, false},
	} {
		if w, err := ask(&bounds{required: c.always}, annotations(c.text)); err != nil || w.required != c.want {
			t.Errorf("%+v: %v", c, err)
		}
	}
}

func TestBoth(t *testing.T) {
	for _, c := range []struct {
		image, user, part string
		up, burst         uint64
		required          bool
	}{
		{"netnice.bandwidth=1g", "netnice.bandwidth=1m", "", 1000000, 0, false},
		{"netnice.bandwidth=1m", "netnice.bandwidth.up=2m", "", 1000000, 0, false},
		{"netnice.required=false", "netnice.required=true netnice.bandwidth=1m", "", 1000000, 0, true},
		{"netnice.burst=1s", "netnice.bandwidth=1m netnice.burst=10ms", "", 1000000, 1250, false},
		{"netnice.burst=auto", "netnice.bandwidth=1m netnice.burst=10ms", "", 1000000, 1250, false},
		{"netnice.weight=10000 netnice.priority=0", "netnice.weight=50 netnice.priority=6", "50 6 ", 0, 0, false},
		{"netnice.minimum=1m", "netnice.minimum=2m", "  1000000", 0, 0, false},
	} {
		for _, sources := range [][]string{{c.image, c.user}, {c.user, c.image}} {
			w, err := ask(&bounds{shares: true}, annotations(sources[0]), annotations(sources[1]))
			if err != nil {
				t.Errorf("%+v: %v", c, err)
				continue
			}
			part := w.weight + " " + w.priority + " " + w.minimum
			if w.limits.Egress != (pod.Limit{Rate: c.up, Burst: c.burst}) || w.required != c.required ||
				strings.TrimSpace(part) != strings.TrimSpace(c.part) {
				t.Errorf("%+v: %+v", c, w)
			}
		}
	}
}

// FuzzAsk has annotations of an image: what is accepted has a rate and a burst that the kernel can have.
func FuzzAsk(f *testing.F) {
	for _, name := range names {
		for _, value := range []string{"10m", "max", "10ms", "50", "true", "1e3", ""} {
			f.Add(prefix+name, value)
		}
	}
	f.Fuzz(func(t *testing.T, name, value string) {
		w, err := ask(&bounds{shares: true}, map[string]string{name: value})
		if err != nil {
			return
		}
		for _, l := range []pod.Limit{w.limits.Egress, w.limits.Ingress} {
			if l.Rate != 0 && (l.Rate < pod.LeastRate || l.Rate > pod.MostRate) || l.Burst > pod.MostBurst {
				t.Fatalf("%q %q: %+v", name, value, l)
			}
		}
	})
}
