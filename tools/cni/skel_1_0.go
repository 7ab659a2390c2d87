// SPDX-License-Identifier: GPL-2.0

//go:build cni_1_0

package main

import (
	"github.com/containernetworking/cni/pkg/skel"
	"github.com/containernetworking/cni/pkg/version"
)

// A library of before CNI 1.1, which knows neither GC nor STATUS.
func serve() {
	skel.PluginMain(add, check, del, version.VersionsStartingFrom(oldestCNI), about())
}
