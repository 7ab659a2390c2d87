// SPDX-License-Identifier: GPL-2.0

//go:build !cni_1_0

package main

import (
	"github.com/containernetworking/cni/pkg/skel"
	"github.com/containernetworking/cni/pkg/types"
	"github.com/containernetworking/cni/pkg/version"

	"netnice/tools/pod"
)

// STATUS's code for a plugin that cannot do what ADD asks for. The library has a name for it from 1.3.1 on.
const pluginNotAvailable uint = 50

// What the plugin sets goes with the pod's network namespace.
func gc(*skel.CmdArgs) error {
	return nil
}

// status fails where pods with a limit would not start; others do.
func status(args *skel.CmdArgs) error {
	conf, err := decode(args.StdinData)
	if err != nil || !conf.Required {
		return err
	}
	if err := pod.Available(); err != nil {
		return types.NewError(pluginNotAvailable, err.Error(), "")
	}
	return nil
}

func serve() {
	skel.PluginMainFuncs(skel.CNIFuncs{Add: add, Check: check, Del: del, GC: gc, Status: status},
		version.VersionsStartingFrom(oldestCNI), about())
}
