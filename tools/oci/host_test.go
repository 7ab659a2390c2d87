// SPDX-License-Identifier: GPL-2.0

package main

import "testing"

func TestGroup(t *testing.T) {
	for found, want := range map[string]string{
		"/machine.slice/libpod-abc.scope":           "machine.slice/libpod-abc.scope",
		"/machine.slice/libpod-abc.scope/container": "machine.slice/libpod-abc.scope",
		"/libpod_parent/libpod-abc":                 "libpod_parent/libpod-abc",
		"/docker/abc":                               "docker/abc",
		"/docker/abc/init":                          "docker/abc",
		"/abc/other/abc":                            "abc/other/abc",
		"/abc.slice/libpod-conmon-abcd.scope":       "",
		"/libpod-xabc":                              "",
		"/user.slice/xabcx":                         "",
		"/../abc":                                   "",
		"/docker/abc/../other":                      "",
		"/":                                         "",
		"":                                          "",
	} {
		if got := groupOf(found, "abc"); got != want {
			t.Errorf("%s: %q", found, got)
		}
	}
}
