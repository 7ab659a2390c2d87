// SPDX-License-Identifier: GPL-2.0

package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestList(t *testing.T) {
	for _, c := range []struct {
		text, with, kinds string
	}{
		{`{"plugins":[{"type":"bridge"}]}`, "{\"plugins\":[{\"type\":\"bridge\"},\n    {\"type\":\"netnice\"}]}", "bridge"},
		{`{"plugins":[]}`, `{"plugins":[{"type":"netnice"}]}`, ""},
		{"{ \"name\": \"x\", \"plugins\" : [ {\"type\":\"a\", \"plugins\":[1]} , {\"type\":\"b\"}\n ] , \"z\":0}\n",
			"{ \"name\": \"x\", \"plugins\" : [ {\"type\":\"a\", \"plugins\":[1]} , {\"type\":\"b\"},\n    {\"type\":\"netnice\"}\n ] , \"z\":0}\n", "a b"},
		// the order of the keys, and unknown keys stay
		{`{"é":1e99,"plugins":[{"é":{"b":1,"a":2}}]}`, "{\"é\":1e99,\"plugins\":[{\"é\":{\"b\":1,\"a\":2}},\n    {\"type\":\"netnice\"}]}", ""},
	} {
		l, err := parseList([]byte(c.text))
		if err != nil {
			t.Errorf("%s: %v", c.text, err)
			continue
		}
		var kinds []string
		for _, m := range l.members {
			kinds = append(kinds, m.kind)
		}
		if strings.Join(kinds, " ") != c.kinds {
			t.Errorf("%s: %q", c.text, kinds)
		}
		now := l.with(`{"type":"netnice"}`)
		if string(now) != c.with {
			t.Errorf("%s: %s", c.text, now)
		}
		again, err := parseList(now)
		if err != nil || !again.has("netnice") {
			t.Errorf("%s: %v", now, err)
		} else if text := again.without(again.index("netnice")); string(text) != c.text {
			t.Errorf("%s without it: %s", now, text)
		}
	}
}

func TestNoList(t *testing.T) {
	for text, words := range map[string]string{
		``: "no JSON", `{`: "no JSON", `[]`: "no list of plugins", `{}`: "no list of plugins", `{"type":"bridge"}`: "no list of plugins",
		`{"plugins":{}}`: "no list of plugins", `{"plugins":[1]}`: "no object with a type", `{"plugins":[{"type":1}]}`: "no object with a type",
	} {
		if _, err := parseList([]byte(text)); err == nil || !strings.Contains(err.Error(), words) {
			t.Errorf("%s: %v", text, err)
		}
	}
}

func TestBeside(t *testing.T) {
	for text, words := range map[string]string{
		`{"plugins":[{"type":"bridge"}]}`:                         "",
		`{"plugins":[{"type":"bridge"},{"type":"bandwidth"}]}`:    "the plugin bandwidth, too",
		`{"plugins":[{"type":"multus-shim"},{"type":"netnice"}]}`: "Multus",
	} {
		l, err := parseList([]byte(text))
		if err != nil || !strings.Contains(l.beside(), words) || (l.beside() == "") != (words == "") {
			t.Errorf("%s: %s, %v", text, l.beside(), err)
		}
	}
}

// FuzzList: what is added is there and can be taken out, and nothing else has changed.
func FuzzList(f *testing.F) {
	for _, text := range []string{`{"plugins":[{"type":"bridge"}]}`, `{"plugins":[]}`, `{"plugins":[],"plugins":[{}]}`,
		`{"a":[{"plugins":[]}],"plugins" : [ {"type":"netnice"}, {"type":"x"} ] }`, `[]`, `{"plugins":[null]}`} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		l, err := parseList(text)
		if err != nil {
			return
		}
		now := l.with(`{"type":"ours"}`)
		again, err := parseList(now)
		if err != nil || !json.Valid(now) || len(again.members) != len(l.members)+1 {
			t.Fatalf("%q: %q: %v", text, now, err)
		}
		last := len(again.members) - 1
		if again.members[last].kind != "ours" || string(again.without(last)) != string(text) {
			t.Fatalf("%q: %q", text, again.without(last))
		}
		for i := range l.members {
			less, err := parseList(l.without(i))
			if err != nil || len(less.members) != len(l.members)-1 {
				t.Fatalf("%q without %d: %q: %v", text, i, l.without(i), err)
			}
		}
	})
}

func TestEditChanged(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.conflist")
	write := func(text string) {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write(`{"plugins":[{"type":"old"}]}`)
	tries := 0
	changed, err := edit(path, func(l *list) []byte {
		tries++
		if tries == 1 {
			write(`{"plugins":[{"type":"new"}]}`)
		}
		return l.with(`{"type":"netnice"}`)
	})
	text, _ := os.ReadFile(path)
	if !changed || err != nil || tries != 2 || !strings.Contains(string(text), `"new"`) {
		t.Errorf("%v, %v, %d tries: %s", changed, err, tries, text)
	}
	_, err = edit(path, func(l *list) []byte {
		tries++
		write(strings.Repeat(" ", tries) + `{"plugins":[]}`)
		return l.with(`{"type":"netnice"}`)
	})
	if err == nil {
		t.Errorf("a list that changes all the time: no error")
	}
}
