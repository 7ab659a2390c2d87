// SPDX-License-Identifier: GPL-2.0

// A CNI plugin that gives a pod's interface a bandwidth, in both directions, by its root VIF.
//
// It is chained behind the plugin that makes the interface. The VIF is that of the pod's own
// network namespace, so nothing is made at the node's end of it, and whatever the pod sends and
// receives passes, from other pods of the node, too. config.go is about what is wanted, the
// package pod about where it is written. list.go and install.go put the plugin into a node's network and
// take it out again. Documentation/kubernetes.rst is for its users.
package main

import (
	"errors"
	"fmt"
	"os"

	"github.com/containernetworking/cni/pkg/skel"
	"github.com/containernetworking/cni/pkg/types"

	"netnice/tools/pod"
)

// The Makefile has the number.
var release = "unknown"

// The versions of CNI whose configuration and results can be chained.
const oldestCNI = "0.3.0"

func about() string {
	return "CNI plugin netnice " + release
}

// Standard output is the result's. Runtimes keep this in their log.
func warn(err error) {
	fmt.Fprintf(os.Stderr, "netnice: %v\n", err)
}

// limiter has the limits of the interfaces of one network namespace.
type limiter interface {
	Set(device string, l pod.Limits) error
	Compare(device string, l pod.Limits) error
}

// Where limits are: in the kernel, but for tests.
var (
	isLoaded = pod.IsLoaded
	in       = func(netns string, do func(limiter) error) error {
		return pod.In(netns, func(t *pod.Tree) error { return do(t) })
	}
)

// tolerate lets a pod go without the limit that its node does not have, if it may.
func tolerate(conf *config, err error) error {
	if conf.Required || !isOfNode(err) {
		return asCNI(err)
	}
	warn(fmt.Errorf("the pod is not limited: %w", err))
	return nil
}

func add(args *skel.CmdArgs) error {
	conf, err := parse(args.StdinData)
	if err != nil {
		return err
	}
	for _, note := range conf.adjusted() {
		warn(errors.New(note))
	}
	want := conf.limits()
	if want.Any() {
		err = in(args.Netns, func(l limiter) error { return l.Set(args.IfName, want) })
		if err != nil {
			err = tolerate(conf, err)
		}
	}
	if err != nil {
		return err
	}
	return types.PrintResult(conf.PrevResult, conf.CNIVersion)
}

func check(args *skel.CmdArgs) error {
	conf, err := parse(args.StdinData)
	if err != nil {
		return err
	}
	want := conf.limits()
	if !want.Any() {
		return nil
	}
	err = in(args.Netns, func(l limiter) error { return l.Compare(args.IfName, want) })
	if err != nil {
		return tolerate(conf, err)
	}
	return nil
}

// del never fails: what it does not find is gone, and what it does not get at goes with the
// network namespace. A runtime would only ask again, and keep the pod for that.
func del(args *skel.CmdArgs) error {
	if args.Netns == "" || !isLoaded() {
		return nil
	}
	err := in(args.Netns, func(l limiter) error { return l.Set(args.IfName, pod.Limits{}) })
	if err != nil && !isGone(err) {
		warn(fmt.Errorf("the limit stays as long as the pod's network: %w", err))
	}
	return nil
}

// Runtimes run the plugin without arguments. With arguments it is a command for administrators.
func main() {
	if len(os.Args) > 1 {
		os.Exit(command(os.Args[1:]))
	}
	serve()
}
