// SPDX-License-Identifier: GPL-2.0

package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strings"

	"github.com/containernetworking/cni/pkg/types"
	"github.com/containernetworking/cni/pkg/version"

	"netnice/tools/pod"
)

// entry has the names of CNI's capability "bandwidth". A rate is in bits per second, a burst in
// bits; 0: none is given. Directions are the pod's: ingress is what it receives.
type entry struct {
	IngressRate  uint64 `json:"ingressRate"`
	IngressBurst uint64 `json:"ingressBurst"`
	EgressRate   uint64 `json:"egressRate"`
	EgressBurst  uint64 `json:"egressBurst"`
}

// config is the plugin's part of a network's configuration. What stands there holds for all
// pods; a runtime adds, for one, what that asks for.
type config struct {
	types.NetConf
	entry
	Required      bool `json:"required"`
	RuntimeConfig struct {
		Bandwidth *entry `json:"bandwidth"`
	} `json:"runtimeConfig"`
}

// Annotations of a pod have no burst. Runtimes say one nevertheless, as CNI's bandwidth plugin
// wants one: 2^31 - 1 bits, 2^32 - 1, or about 2^35. Each would let a pod go on without its limit
// for minutes.
const noBurst = math.MaxInt32

func saidBurst(bits uint64) uint64 {
	if bits >= noBurst {
		return 0
	}
	return bits
}

// lower of two values, of which 0 is none.
func lower(a, b uint64) uint64 {
	if a == 0 || b != 0 && b < a {
		return b
	}
	return a
}

func bytesOf(bits uint64) uint64 {
	return bits/8 + (bits%8+7)/8
}

// bounded is the rate that netnice can have in place of one that it cannot: a pod that another plugin
// has started starts. A rate above the greatest one limits nothing.
func bounded(rate uint64) uint64 {
	switch {
	case rate > pod.MostRate:
		return 0
	case rate != 0 && rate < pod.LeastRate:
		return pod.LeastRate
	default:
		return rate
	}
}

// boundedBurst is in bits.
func boundedBurst(bits uint64) uint64 {
	if bits > pod.MostBurst*8 {
		return pod.MostBurst * 8
	}
	return bits
}

// limits that hold: a pod gets no more than the configuration allows all pods.
func (c *config) limits() pod.Limits {
	var asked entry

	if c.RuntimeConfig.Bandwidth != nil {
		asked = *c.RuntimeConfig.Bandwidth
	}
	return pod.Limits{
		Egress: pod.Limit{
			Rate:  lower(bounded(c.EgressRate), bounded(asked.EgressRate)),
			Burst: bytesOf(lower(boundedBurst(c.EgressBurst), saidBurst(asked.EgressBurst))),
		},
		Ingress: pod.Limit{
			Rate:  lower(bounded(c.IngressRate), bounded(asked.IngressRate)),
			Burst: bytesOf(lower(boundedBurst(c.IngressBurst), saidBurst(asked.IngressBurst))),
		},
	}
}

// adjusted says which rates and bursts are out of range, and what holds in their place.
func (c *config) adjusted() (notes []string) {
	note := func(name string, value, holds uint64) {
		switch {
		case value == holds:
		case holds == 0:
			notes = append(notes, fmt.Sprintf("%s %d is above the greatest rate: it limits nothing; %s", name, value, accepted))
		default:
			notes = append(notes, fmt.Sprintf("%s %d is out of range: it counts as %d; %s", name, value, holds, accepted))
		}
	}
	entries := []entry{c.entry}
	if c.RuntimeConfig.Bandwidth != nil {
		entries = append(entries, *c.RuntimeConfig.Bandwidth)
	}
	for _, e := range entries {
		note("egressRate", e.EgressRate, bounded(e.EgressRate))
		note("ingressRate", e.IngressRate, bounded(e.IngressRate))
	}
	note("egressBurst", c.EgressBurst, boundedBurst(c.EgressBurst))
	note("ingressBurst", c.IngressBurst, boundedBurst(c.IngressBurst))
	return notes
}

const accepted = "a rate is a whole number of bits per second, from 8000 to 400000000000, a burst one of bits; 0 is none"

// acceptedFor says what would be accepted, if that is known of the field.
func acceptedFor(field string) string {
	if strings.HasSuffix(field, "Rate") || strings.HasSuffix(field, "Burst") {
		return accepted
	}
	return ""
}

func decode(stdin []byte) (*config, error) {
	var kind *json.UnmarshalTypeError
	conf := &config{}

	err := json.Unmarshal(stdin, conf)
	if errors.As(err, &kind) {
		return nil, types.NewError(types.ErrInvalidNetworkConfig,
			fmt.Sprintf("%s: %s is not accepted", kind.Field, kind.Value), acceptedFor(kind.Field))
	}
	if err != nil {
		return nil, types.NewError(types.ErrDecodingFailure, "the configuration is no JSON: "+err.Error(), "")
	}
	return conf, nil
}

// parse wants what ADD and CHECK get: the result of the plugin that has made the interface.
func parse(stdin []byte) (*config, error) {
	conf, err := decode(stdin)
	if err != nil {
		return nil, err
	}
	if conf.RawPrevResult == nil {
		return nil, types.NewError(types.ErrInvalidNetworkConfig,
			"there is no interface yet: the plugin has to be behind the one that makes it", "")
	}
	if err := version.ParsePrevResult(&conf.NetConf); err != nil {
		return nil, types.NewError(types.ErrDecodingFailure, err.Error(), "")
	}
	return conf, nil
}
