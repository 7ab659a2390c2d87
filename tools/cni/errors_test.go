// SPDX-License-Identifier: GPL-2.0

package main

import (
	"errors"
	"fmt"
	"testing"

	"github.com/containernetworking/cni/pkg/types"

	"netnice/tools/pod"
)

func code(err error) uint {
	var e *types.Error

	if err == nil {
		return 0
	}
	if !errors.As(err, &e) {
		return 1 << 31
	}
	return e.Code
}

func kind(k pod.Kind) error {
	return &pod.Error{Kind: k, Message: "so"}
}

func TestTolerated(t *testing.T) {
	for _, c := range []struct {
		err                error
		optional, required uint
	}{
		{kind(pod.NoModule), 0, 100},
		{kind(pod.Refused), 0, 101},
		{fmt.Errorf("so: %w", kind(pod.Refused)), 0, 101},
		{kind(pod.NoInterface), 102, 102},
		{kind(pod.Changed), 103, 103},
		{kind(pod.BadValue), types.ErrInvalidNetworkConfig, types.ErrInvalidNetworkConfig},
		{kind(pod.BadName), types.ErrInvalidNetworkConfig, types.ErrInvalidNetworkConfig},
		{kind(pod.NoNamespace), types.ErrUnknownContainer, types.ErrUnknownContainer},
		{errors.New("else"), types.ErrIOFailure, types.ErrIOFailure},
		{types.NewError(types.ErrDecodingFailure, "", ""), types.ErrDecodingFailure, types.ErrDecodingFailure},
	} {
		if got := code(tolerate(&config{}, c.err)); got != c.optional {
			t.Errorf("%v: %d, want %d", c.err, got, c.optional)
		}
		if got := code(tolerate(&config{Required: true}, c.err)); got != c.required {
			t.Errorf("%v, required: %d, want %d", c.err, got, c.required)
		}
	}
}

func TestDetails(t *testing.T) {
	var e *types.Error

	if err := asCNI(kind(pod.BadValue)); !errors.As(err, &e) || e.Msg != "so" || e.Details != accepted {
		t.Errorf("%v", err)
	}
	if err := asCNI(&pod.Error{Kind: pod.Changed, Message: "a", Remedy: "b"}); !errors.As(err, &e) || e.Details != "b" {
		t.Errorf("%v", err)
	}
}
