// SPDX-License-Identifier: GPL-2.0

package main

import (
	"errors"
	"fmt"
	"testing"

	"github.com/containernetworking/cni/pkg/types"
	"github.com/containernetworking/plugins/pkg/ns"
	"golang.org/x/sys/unix"
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

func coded(code uint) error {
	return types.NewError(code, "", "")
}

func TestTolerated(t *testing.T) {
	for _, c := range []struct {
		err                error
		optional, required uint
	}{
		{coded(codeNoModule), 0, codeNoModule},
		{coded(codeRefused), 0, codeRefused},
		{fmt.Errorf("so: %w", coded(codeRefused)), 0, codeRefused},
		{coded(codeNoInterface), codeNoInterface, codeNoInterface},
		{coded(codeChanged), codeChanged, codeChanged},
		{refusal(unix.EINVAL, ""), types.ErrInvalidNetworkConfig, types.ErrInvalidNetworkConfig},
		{refusal(&wrapped{unix.ERANGE}, ""), types.ErrInvalidNetworkConfig, types.ErrInvalidNetworkConfig},
		{refusal(unix.EOPNOTSUPP, ""), 0, codeRefused},
		{ns.NSPathNotExistErr{}, types.ErrUnknownContainer, types.ErrUnknownContainer},
		{ns.NSPathNotNSErr{}, types.ErrUnknownContainer, types.ErrUnknownContainer},
		{errors.New("else"), types.ErrIOFailure, types.ErrIOFailure},
	} {
		if got := code(tolerate(&config{}, c.err)); got != c.optional {
			t.Errorf("%v: %d, want %d", c.err, got, c.optional)
		}
		if got := code(tolerate(&config{Required: true}, c.err)); got != c.required {
			t.Errorf("%v, required: %d, want %d", c.err, got, c.required)
		}
	}
}

type wrapped struct{ error }

func (w *wrapped) Unwrap() error { return w.error }

func TestGone(t *testing.T) {
	for _, c := range []struct {
		err  error
		gone bool
	}{
		{ns.NSPathNotExistErr{}, true},
		{ns.NSPathNotNSErr{}, true},
		{coded(codeNoInterface), true},
		{coded(codeNoModule), true},
		{coded(codeRefused), false},
		{unix.EACCES, false},
	} {
		if isGone(c.err) != c.gone {
			t.Errorf("%v: not %v", c.err, c.gone)
		}
	}
}
