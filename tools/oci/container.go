// SPDX-License-Identifier: GPL-2.0

package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"netnice/tools/pod"
)

// state is what a runtime tells about a container; of all its keys those that are of interest.
type state struct {
	ID     string `json:"id"`
	Pid    int    `json:"pid"`
	Bundle string `json:"bundle"`
}

// spec is the configuration that an engine has written for the runtime, config.json.
type spec struct {
	Annotations map[string]string `json:"annotations"`
	Process     struct {
		Env []string `json:"env"`
	} `json:"process"`
	Linux struct {
		Namespaces []struct {
			Type string `json:"type"`
			Path string `json:"path"`
		} `json:"namespaces"`
	} `json:"linux"`
}

// container is one that has been made, and whose command has not begun.
type container struct {
	state
	spec
}

func (c *container) readSpec() error {
	text, err := os.ReadFile(filepath.Join(c.Bundle, "config.json"))
	if err != nil {
		return err
	}
	if err := json.Unmarshal(text, &c.spec); err != nil {
		return fmt.Errorf("%s/config.json is no JSON of a container: %w", c.Bundle, err)
	}
	return nil
}

// environment says what annotations say, for engines that have none: NETNICE_BANDWIDTH_UP. Of other names
// nothing is known.
func (s *spec) environment() map[string]string {
	said := map[string]string{}

	for _, name := range names {
		variable := "NETNICE_" + strings.ToUpper(strings.ReplaceAll(name, ".", "_")) + "="
		for _, entry := range s.Process.Env {
			if strings.HasPrefix(entry, variable) {
				said[prefix+name] = strings.TrimPrefix(entry, variable)
			}
		}
	}
	return said
}

// comesLate: has podman its network made only when the runtime has made the container? So it does where
// the network namespace is to belong to a user namespace that the runtime makes, or joins.
func (s *spec) comesLate() bool {
	user, network := false, false

	for _, namespace := range s.Linux.Namespaces {
		switch namespace.Type {
		case "user":
			user = true
		case "network":
			network = namespace.Path == ""
		}
	}
	return user && network
}

func (c *container) proc(name string) string {
	return fmt.Sprintf("/proc/%d/%s", c.Pid, name)
}

// onHost: does it have the host's network, or rather ours?
func (c *container) onHost() (bool, error) {
	ours, err := os.Stat("/proc/self/ns/net")
	if err != nil {
		return false, err
	}
	its, err := os.Stat(c.proc("ns/net"))
	if err != nil {
		return false, &pod.Error{Kind: pod.NoNamespace, Message: "the container has no process: " + err.Error()}
	}
	return os.SameFile(ours, its), nil
}

// NS_GET_USERNS: the user namespace that a namespace belongs to
const nsGetUserNS = 0xb701

// isRoot: are we root of our network, and not of a user's user namespace, that has the host's?
func isRoot() bool {
	network, err := os.Open("/proc/self/ns/net")
	if err != nil {
		return false
	}
	defer network.Close()
	fd, err := unix.IoctlRetInt(int(network.Fd()), nsGetUserNS)
	if err != nil {
		return false
	}
	owner := os.NewFile(uintptr(fd), "owner")
	defer owner.Close()
	its, err := owner.Stat()
	if err != nil {
		return false
	}
	ours, err := os.Stat("/proc/self/ns/user")
	return err == nil && os.SameFile(its, ours) && os.Geteuid() == 0
}

// outside is the number that a user of ours has outside of our user namespace.
func outside(user int) int {
	text, _ := os.ReadFile("/proc/self/uid_map")
	for _, line := range strings.Split(string(text), "\n") {
		var first, theirs, count int
		if n, _ := fmt.Sscan(line, &first, &theirs, &count); n == 3 && user >= first && user-first < count {
			return theirs + user - first
		}
	}
	return user
}

// lockMost bounds the wait for other limits of the same network: its users can hold the lock too.
const lockMost = 2 * time.Second

// lock keeps others, of containers that share the network, from reading what is written meanwhile.
func (c *container) lock() (unlock func()) {
	network, err := os.Open(c.proc("ns/net"))
	if err != nil {
		return func() {}
	}
	for end := time.Now().Add(lockMost); time.Now().Before(end); time.Sleep(lockMost / 200) {
		if unix.Flock(int(network.Fd()), unix.LOCK_EX|unix.LOCK_NB) == nil {
			break
		}
	}
	return func() { network.Close() }
}

// limit gives the container what is wanted. Is it whole: are its interfaces there, if it is to have any?
func (c *container) limit(w *wanted, whole bool) error {
	if !w.any() {
		return nil
	}
	host, err := c.onHost()
	switch {
	case err != nil:
		return err
	case host:
		return c.limitOnHost(w)
	case w.part() != "":
		return bad("%s%s has a meaning beside others only, and the container has a network of its own: leave it out, "+
			"or see Documentation/containers.rst, \"Shares on a bridge\"", prefix, w.part())
	}
	defer c.lock()()
	return pod.In(c.proc("ns/net"), func(t *pod.Tree) error {
		devices, err := interfaces()
		switch {
		case err != nil:
			return err
		case !anyUp(devices) && !whole && c.comesLate():
			return bad("the network of a container with a user namespace of its own is made after this hook has been called: " +
				"use netnice-oci as the runtime, see Documentation/containers.rst, \"User namespaces\"")
		case len(devices) == 0:
			return &pod.Error{Kind: pod.Refused, Message: "the container's network has no interface to limit"}
		}
		return limitOwn(t, devices, w.limits)
	})
}
