// SPDX-License-Identifier: GPL-2.0

package main

import "testing"

// A configuration gives no pod more than the network's own part says.
func FuzzConfig(f *testing.F) {
	for _, text := range []string{
		`{"cniVersion":"0.4.0","name":"n","type":"netnice","egressRate":8000,"prevResult":{"cniVersion":"0.4.0","interfaces":[{"name":"eth0","sandbox":"/run/netns/a"}]}}`,
		`{"cniVersion":"1.0.0","name":"n","ingressRate":1000000,"ingressBurst":80000,"required":true,"runtimeConfig":{"bandwidth":{"ingressRate":2000000,"ingressBurst":2147483647}},"prevResult":{"cniVersion":"1.0.0"}}`,
		`{"egressRate":-1}`, `{"runtimeConfig":{"bandwidth":{"egressBurst":18446744073709551615}}}`, `[`,
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		conf, err := parse(text)
		if err != nil {
			return
		}
		limits := conf.limits()
		egress, ingress := bounded(conf.EgressRate), bounded(conf.IngressRate)
		if egress != 0 && (limits.Egress.Rate == 0 || limits.Egress.Rate > egress) ||
			ingress != 0 && (limits.Ingress.Rate == 0 || limits.Ingress.Rate > ingress) {
			t.Errorf("%s: %+v", text, limits)
		}
	})
}
