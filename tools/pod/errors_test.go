// SPDX-License-Identifier: GPL-2.0

package pod

import (
	"errors"
	"testing"

	"golang.org/x/sys/unix"
)

type wrapped struct{ error }

func (w *wrapped) Unwrap() error { return w.error }

func TestWhose(t *testing.T) {
	for _, c := range []struct {
		err           error
		machine, gone bool
	}{
		{&Error{Kind: NoModule}, true, true},
		{&Error{Kind: NoNamespace}, false, true},
		{&Error{Kind: NoInterface}, false, true},
		{&Error{Kind: NoVIF}, true, false},
		{&Error{Kind: Changed}, false, false},
		{(&Tree{}).find("tasks", "burst"), false, true},
		{(&Tree{}).Write("devices", "burst", ""), false, true},
		{(&Tree{}).Write("last_error", "burst", ""), false, true},
		{func() error { _, err := (&Tree{}).Make("tasks/kubepods"); return err }(), false, true},
		{func() error { _, err := (&Tree{}).Limits("cgroups"); return err }(), false, true},
		{refusal(unix.EINVAL, ""), false, false},
		{refusal(&wrapped{unix.ERANGE}, ""), false, false},
		{refusal(unix.ENOSPC, ""), false, false},
		{refusal(unix.EOPNOTSUPP, ""), true, false},
		{In("/nowhere", nil), false, true},
		{In("/dev/null", nil), false, true},
	} {
		var e *Error

		if !errors.As(c.err, &e) || e.IsOfMachine() != c.machine || e.IsGone() != c.gone {
			t.Errorf("%v: not %v, %v", c.err, c.machine, c.gone)
		}
	}
}

func TestSaid(t *testing.T) {
	if got := (&Error{Message: "a"}).Error(); got != "a" {
		t.Error(got)
	}
	if got := (&Error{Message: "a", Remedy: "b"}).Error(); got != "a; b" {
		t.Error(got)
	}
}
