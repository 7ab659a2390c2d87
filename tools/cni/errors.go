// SPDX-License-Identifier: GPL-2.0

package main

import (
	"errors"

	"github.com/containernetworking/cni/pkg/types"

	"netnice/tools/pod"
)

// The codes of errors that a runtime gets. Those from 100 on are our own, the others CNI's.
var codes = map[pod.Kind]uint{
	pod.NoModule:    100,
	pod.Refused:     101,
	pod.NoInterface: 102,
	pod.Changed:     103,
	pod.BadValue:    types.ErrInvalidNetworkConfig,
	pod.BadName:     types.ErrInvalidNetworkConfig,
	pod.NoNamespace: types.ErrUnknownContainer,
}

// isOfNode: is it the node that cannot, whatever the pod asks for?
func isOfNode(err error) bool {
	var e *pod.Error

	return errors.As(err, &e) && e.IsOfMachine()
}

// isGone: is there nothing left that could have a limit?
func isGone(err error) bool {
	var e *pod.Error

	return errors.As(err, &e) && e.IsGone()
}

// asCNI gives what comes from elsewhere a code of CNI's.
func asCNI(err error) error {
	var ours *pod.Error
	var theirs *types.Error

	switch {
	case errors.As(err, &theirs):
		return theirs
	case !errors.As(err, &ours):
		return types.NewError(types.ErrIOFailure, err.Error(), "")
	case ours.Kind == pod.BadValue:
		return types.NewError(codes[ours.Kind], ours.Message, accepted)
	default:
		return types.NewError(codes[ours.Kind], ours.Message, ours.Remedy)
	}
}
