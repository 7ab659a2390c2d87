// SPDX-License-Identifier: GPL-2.0

package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
)

func TestGroupsBelow(t *testing.T) {
	const class = "cgroups/kubepods.slice/kubepods-burstable.slice"
	tree := map[string][]string{
		"cgroups":                {"user.slice", "kubepods.slice"},
		"cgroups/user.slice":     {"user-1000.slice"},
		"cgroups/kubepods.slice": {"kubepods-burstable.slice"},
		class:                    {"kubepods-burstable-pod0a1b2c3d_4e5f.slice"},

		"cgroups/user.slice/user-1000.slice": {"user@1000.service"},
	}
	list := func(group string) []string {
		if strings.HasSuffix(group, "/user@1000.service") || strings.Contains(group, "-pod") {
			many := make([]string, 2*mostGroups)
			for i := range many {
				many[i] = fmt.Sprint(i)
			}
			return many
		}
		return tree[group]
	}
	all := groupsBelow("cgroups", list)
	if len(all) != mostGroups {
		t.Errorf("%d groups, not %d", len(all), mostGroups)
	}
	if !slices.Contains(all, class+"/kubepods-burstable-pod0a1b2c3d_4e5f.slice") {
		t.Errorf("the pod's group is not found")
	}
	if slices.ContainsFunc(all, func(group string) bool { return strings.Contains(group, "4e5f.slice/") }) {
		t.Errorf("a group in a pod is looked at")
	}
}

func TestPersist(t *testing.T) {
	// each needs that the one before it is done
	left, calls := 5, 0
	err := persist([]int{5, 4, 3, 2, 1}, func(n int) error {
		calls++
		if n != 6-left {
			return errors.New("not yet")
		}
		left--
		return nil
	})
	if err != nil || left != 0 || calls != 15 {
		t.Errorf("%v, %d left, %d calls", err, left, calls)
	}
	calls = 0
	err = persist([]int{1, 2, 3}, func(n int) error {
		calls++
		if n != 2 {
			return errors.New("never")
		}
		return nil
	})
	if err == nil || err.Error() != "never\nnever" || calls != 5 {
		t.Errorf("%v, %d calls", err, calls)
	}
}
