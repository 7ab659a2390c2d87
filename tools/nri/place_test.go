// SPDX-License-Identifier: GPL-2.0

package main

import (
	"errors"
	"testing"
)

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
