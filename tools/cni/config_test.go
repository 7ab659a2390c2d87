// SPDX-License-Identifier: GPL-2.0

package main

import (
	"errors"
	"strings"
	"testing"

	"github.com/containernetworking/cni/pkg/types"

	"netnice/tools/pod"
)

const result = `"prevResult":{"cniVersion":"1.0.0","interfaces":[{"name":"eth0","sandbox":"/x"}],"ips":[]}`

func stdin(keys string) []byte {
	if keys != "" {
		keys += ","
	}
	return []byte(`{"cniVersion":"1.0.0","name":"net","type":"netnice",` + keys + result + `}`)
}

func limitsOf(egressRate, egressBurst, ingressRate, ingressBurst uint64) pod.Limits {
	return pod.Limits{
		Egress:  pod.Limit{Rate: egressRate, Burst: egressBurst},
		Ingress: pod.Limit{Rate: ingressRate, Burst: ingressBurst},
	}
}

func TestLimits(t *testing.T) {
	for _, c := range []struct {
		keys string
		want pod.Limits
	}{
		{``, pod.Limits{}},
		{`"runtimeConfig":{}`, pod.Limits{}},
		{`"egressRate":0`, pod.Limits{}},
		{`"egressBurst":8000`, limitsOf(0, 1000, 0, 0)},
		{`"egressRate":5000000`, limitsOf(5000000, 0, 0, 0)},
		{`"ingressRate":10000000,"ingressBurst":8001`, limitsOf(0, 0, 10000000, 1001)},
		{`"runtimeConfig":{"bandwidth":{"ingressRate":1000000,"egressRate":2000000}}`,
			limitsOf(2000000, 0, 1000000, 0)},
		// what runtimes say for no burst
		{`"runtimeConfig":{"bandwidth":{"ingressRate":1000000,"ingressBurst":2147483647}}`,
			limitsOf(0, 0, 1000000, 0)},
		{`"runtimeConfig":{"bandwidth":{"ingressRate":1000000,"ingressBurst":4294967295}}`,
			limitsOf(0, 0, 1000000, 0)},
		{`"runtimeConfig":{"bandwidth":{"ingressRate":1000000,"ingressBurst":34359738360}}`,
			limitsOf(0, 0, 1000000, 0)},
		{`"runtimeConfig":{"bandwidth":{"ingressRate":1000000,"ingressBurst":800000}}`,
			limitsOf(0, 0, 1000000, 100000)},
		// the configuration's are a bound of what a pod asks for
		{`"egressRate":5000000,"runtimeConfig":{"bandwidth":{"egressRate":9000000}}`,
			limitsOf(5000000, 0, 0, 0)},
		{`"egressRate":5000000,"runtimeConfig":{"bandwidth":{"egressRate":1000000}}`,
			limitsOf(1000000, 0, 0, 0)},
		{`"egressRate":5000000,"egressBurst":80000,"runtimeConfig":{"bandwidth":{"egressBurst":4294967295}}`,
			limitsOf(5000000, 10000, 0, 0)},
		{`"egressRate":5000000,"runtimeConfig":{"bandwidth":{"ingressRate":1000000}}`,
			limitsOf(5000000, 0, 1000000, 0)},
		// out of range: a pod that starts with another plugin starts
		{`"runtimeConfig":{"bandwidth":{"ingressRate":4000,"egressRate":2000000000000}}`,
			limitsOf(0, 0, 8000, 0)},
		{`"egressRate":5000000,"runtimeConfig":{"bandwidth":{"egressRate":2000000000000}}`,
			limitsOf(5000000, 0, 0, 0)},
		{`"egressRate":1,"egressBurst":18446744073709551615,"runtimeConfig":{"bandwidth":{"egressRate":9000000}}`,
			limitsOf(8000, 4<<30, 0, 0)},
	} {
		conf, err := parse(stdin(c.keys))
		if err != nil {
			t.Errorf("%s: %v", c.keys, err)
		} else if got := conf.limits(); got != c.want {
			t.Errorf("%s: %+v, want %+v", c.keys, got, c.want)
		} else if got.Any() != (c.want.Egress.Rate+c.want.Ingress.Rate > 0) {
			t.Errorf("%s: any is %v", c.keys, got.Any())
		}
	}
}

func TestAdjusted(t *testing.T) {
	for keys, want := range map[string]string{
		``: "",
		`"egressRate":5000000,"runtimeConfig":{"bandwidth":{"ingressRate":8000,"ingressBurst":34359738360}}`: "",
		`"runtimeConfig":{"bandwidth":{"ingressRate":4000}}`:                                                 "ingressRate 4000 is out of range: it counts as 8000; a rate is",
		`"egressRate":2000000000000`: "egressRate 2000000000000 is above the greatest rate: it limits nothing; a rate is",
		`"egressBurst":34359738376`:  "egressBurst 34359738376 is out of range: it counts as 34359738368",
	} {
		conf, err := parse(stdin(keys))
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(conf.adjusted(), "\n"); !strings.Contains(got, want) || (got == "") != (want == "") {
			t.Errorf("%s: %s", keys, got)
		}
	}
}

// FuzzStdin has what a runtime hands over: limits that come out of it are such that the kernel can have.
func FuzzStdin(f *testing.F) {
	for _, keys := range []string{``, `"egressRate":5000000`, `"egressBurst":8000`, `"runtimeConfig":{"bandwidth":{"ingressRate":1}}`} {
		f.Add(stdin(keys))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		conf, err := parse(text)
		if err != nil {
			return
		}
		got := conf.limits()
		for _, l := range []pod.Limit{got.Egress, got.Ingress} {
			if l.Rate != 0 && (l.Rate < pod.LeastRate || l.Rate > pod.MostRate) || l.Burst > pod.MostBurst {
				t.Fatalf("%s: %+v", text, got)
			}
		}
	})
}

func TestRefused(t *testing.T) {
	for _, c := range []struct {
		stdin []byte
		code  uint
		words string
	}{
		{stdin(`"egressRate":"5M"`), types.ErrInvalidNetworkConfig, "egressRate: string"},
		{stdin(`"egressRate":-1`), types.ErrInvalidNetworkConfig, "number -1"},
		{stdin(`"egressRate":1.5`), types.ErrInvalidNetworkConfig, "number 1.5"},
		{stdin(`"egressRate":18446744073709551616`), types.ErrInvalidNetworkConfig, "number 18446744073709551616"},
		{stdin(`"runtimeConfig":{"bandwidth":{"ingressRate":true}}`), types.ErrInvalidNetworkConfig,
			"runtimeConfig.bandwidth.ingressRate: bool"},
		{stdin(`"required":"yes"`), types.ErrInvalidNetworkConfig, "required: string"},
		{[]byte(`{"cniVersion":"1.0.0","name":"net","type":"netnice"}`), types.ErrInvalidNetworkConfig, "behind"},
		{[]byte(`{`), types.ErrDecodingFailure, "no JSON"},
		{[]byte(`{"cniVersion":"1.0.0","prevResult":{"ips":"x"}}`), types.ErrDecodingFailure, "prevResult"},
	} {
		var e *types.Error

		_, err := parse(c.stdin)
		if !errors.As(err, &e) || e.Code != c.code || !strings.Contains(e.Msg, c.words) {
			t.Errorf("%s: %v", c.stdin, err)
		}
	}
}

func TestAccepted(t *testing.T) {
	for keys, want := range map[string]string{
		`"egressRate":"5M"`: accepted,
		`"runtimeConfig":{"bandwidth":{"ingressBurst":true}}`: accepted,
		`"required":"yes"`:  "",
		`"runtimeConfig":5`: "",
	} {
		var e *types.Error

		_, err := parse(stdin(keys))
		if !errors.As(err, &e) || e.Details != want {
			t.Errorf("%s: %v", keys, err)
		}
	}
}

func TestResultStays(t *testing.T) {
	conf, err := parse(stdin(`"egressRate":5000000`))
	if err != nil {
		t.Fatal(err)
	}
	var text strings.Builder
	if err := conf.PrevResult.PrintTo(&text); err != nil {
		t.Fatal(err)
	}
	for _, word := range []string{`"eth0"`, `"/x"`, `"1.0.0"`} {
		if !strings.Contains(text.String(), word) {
			t.Errorf("no %s in %s", word, text.String())
		}
	}
}
