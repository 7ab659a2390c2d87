// SPDX-License-Identifier: GPL-2.0

package main

import (
	"errors"

	"github.com/containernetworking/cni/pkg/types"
	"github.com/containernetworking/plugins/pkg/ns"
)

// Codes of our own; those below 100 are CNI's.
const (
	// the node's kernel does not have the module, or one that is too old
	codeNoModule uint = 100
	// the kernel refuses, as its sentence says, whatever the values are
	codeRefused uint = 101
	// the pod's network namespace has no such interface
	codeNoInterface uint = 102
	// what CHECK finds is not what ADD has set
	codeChanged uint = 103
)

// isOfNode: is it the node that cannot, whatever the pod asks for?
func isOfNode(err error) bool {
	var e *types.Error

	return errors.As(err, &e) && (e.Code == codeNoModule || e.Code == codeRefused)
}

// isGone: is there nothing left that could have a limit?
func isGone(err error) bool {
	var noPath ns.NSPathNotExistErr
	var noNS ns.NSPathNotNSErr
	var e *types.Error

	return errors.As(err, &noPath) || errors.As(err, &noNS) ||
		errors.As(err, &e) && (e.Code == codeNoInterface || e.Code == codeNoModule)
}

// asCNI gives what comes from elsewhere a code of CNI's.
func asCNI(err error) error {
	var noPath ns.NSPathNotExistErr
	var noNS ns.NSPathNotNSErr
	var e *types.Error

	switch {
	case errors.As(err, &e):
		return e
	case errors.As(err, &noPath), errors.As(err, &noNS):
		return types.NewError(types.ErrUnknownContainer, "there is no network namespace of the pod", err.Error())
	default:
		return types.NewError(types.ErrIOFailure, err.Error(), "")
	}
}
