// SPDX-License-Identifier: GPL-2.0

package main

import (
	"os"
	"testing"
	"time"
)

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

func TestLock(t *testing.T) {
	c := &container{state: state{Pid: os.Getpid()}}
	begin := time.Now()
	first := c.lock()
	if took := time.Since(begin); took > lockMost/2 {
		t.Errorf("free, and waits %v", took)
	}
	go func() {
		time.Sleep(lockMost / 4)
		first()
	}()
	c.lock()()
	if took := time.Since(begin); took < lockMost/4 || took > lockMost*3/4 {
		t.Errorf("waits %v", took)
	}
}
