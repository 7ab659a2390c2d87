// SPDX-License-Identifier: GPL-2.0

package main

import (
	"errors"
	"strings"
	"testing"

	"netnice/tools/pod"
)

func TestWorse(t *testing.T) {
	machine := &pod.Error{Kind: pod.Refused}
	value := &pod.Error{Kind: pod.BadValue}
	other := errors.New("other")

	for _, c := range [][3]error{
		{nil, nil, nil}, {nil, machine, machine}, {machine, nil, machine}, {machine, value, value},
		{value, machine, value}, {machine, other, other}, {other, value, other},
	} {
		if got := worse(c[0], c[1]); got != c[2] {
			t.Errorf("%v, %v: %v", c[0], c[1], got)
		}
	}
}

func TestTolerate(t *testing.T) {
	for _, c := range []struct {
		kind           pod.Kind
		required, want bool
	}{
		{pod.NoModule, false, true}, {pod.NoModule, true, false}, {pod.Refused, false, true},
		{pod.BadValue, false, false}, {pod.NoNamespace, false, false},
	} {
		err := tolerate(&wanted{required: c.required}, &pod.Error{Kind: c.kind, Message: "of the test TestTolerate"})
		if (err == nil) != c.want {
			t.Errorf("%+v: %v", c, err)
		}
	}
}

func TestBounds(t *testing.T) {
	for _, c := range []struct {
		b    bounds
		want bool
	}{
		{bounds{}, false}, {bounds{shares: true, runtime: "crun"}, false}, {bounds{required: true}, true},
		{bounds{both: "1m"}, true}, {bounds{up: "1m"}, true}, {bounds{down: "max"}, true},
	} {
		if c.b.any() != c.want {
			t.Errorf("%+v: not %v", c.b, c.want)
		}
	}
}

func TestOptions(t *testing.T) {
	var b bounds

	rest, err := b.parse("test", []string{"--bandwidth", "1m", "--required", "--", "create", "x"})
	if err != nil || len(rest) != 2 || b != (bounds{both: "1m", required: true}) {
		t.Errorf("%q, %v, %+v", rest, err, b)
	}
	if _, err := b.parse("test", []string{"--up="}); err == nil {
		t.Error("an empty value")
	}
}

func TestPrintable(t *testing.T) {
	if got := printable("a 'b'\n\x1b[2J\u202eé\xff"); got != "a 'b'??[2J?é\ufffd" {
		t.Errorf("%q", got)
	}
	if got := printable(strings.Repeat("é", 5000)); len(got) > 1010 || !strings.HasSuffix(got, "é...") {
		t.Errorf("%d bytes", len(got))
	}
}
