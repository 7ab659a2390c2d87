// SPDX-License-Identifier: GPL-2.0

package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sort"
	"strings"
)

// The list of plugins of a node's network (/etc/cni/net.d), in which netnice is one. It is edited as text,
// so that all that is not ours stays as it was written.

// A member is one plugin of a list, and where it stands in the text.
type member struct {
	kind     string
	from, to int
}

// A list is the text of a .conflist, and its plugins.
type list struct {
	text    []byte
	members []member
	end     int // of what stands in the array so far
}

var errNoList = errors.New("it has no list of plugins")

// parseList reads the plugins of a list.
func parseList(text []byte) (*list, error) {
	l := &list{text: text}
	d := json.NewDecoder(bytes.NewReader(text))

	if !json.Valid(text) {
		return nil, errors.New("it is no JSON")
	}
	if token, err := d.Token(); err != nil || token != json.Delim('{') {
		return nil, errNoList
	}
	for d.More() {
		key, err := d.Token()
		if err != nil {
			return nil, err
		}
		if key != "plugins" {
			var skipped json.RawMessage
			if err := d.Decode(&skipped); err != nil {
				return nil, err
			}
			continue
		}
		// the last one of several counts, as in the libraries that read the file
		if err := l.read(d); err != nil {
			return nil, err
		}
	}
	if l.end == 0 {
		return nil, errNoList
	}
	return l, nil
}

func (l *list) read(d *json.Decoder) error {
	if token, err := d.Token(); err != nil || token != json.Delim('[') {
		return errNoList
	}
	l.members, l.end = nil, int(d.InputOffset())
	for d.More() {
		var raw json.RawMessage
		var plugin struct {
			Type string `json:"type"`
		}
		if err := d.Decode(&raw); err != nil {
			return err
		}
		if json.Unmarshal(raw, &plugin) != nil {
			return errors.New("one of its plugins is no object with a type")
		}
		l.end = int(d.InputOffset())
		l.members = append(l.members, member{plugin.Type, l.end - len(raw), l.end})
	}
	_, err := d.Token()
	return err
}

func (l *list) index(kind string) int {
	for i, m := range l.members {
		if m.kind == kind {
			return i
		}
	}
	return -1
}

func (l *list) has(kind string) bool { return l.index(kind) >= 0 }

// with is the text with one more plugin, as the last one.
func (l *list) with(entry string) []byte {
	if len(l.members) > 0 {
		entry = ",\n    " + entry
	}
	return splice(l.text, l.end, l.end, entry)
}

// without is the text without the plugin of an index.
func (l *list) without(i int) []byte {
	m := l.members[i]

	switch {
	case i > 0:
		return splice(l.text, l.members[i-1].to, m.to, "")
	case len(l.members) > 1:
		return splice(l.text, m.from, l.members[1].from, "")
	default:
		return splice(l.text, m.from, m.to, "")
	}
}

func splice(text []byte, from, to int, by string) []byte {
	all := append([]byte{}, text[:from]...)
	all = append(all, by...)
	return append(all, text[to:]...)
}

// configurations are the files of a folder that runtimes read, in their order: the first one is the
// node's network.
func configurations(dir string) ([]string, error) {
	var names []string

	entries, err := os.ReadDir(dir)
	for _, entry := range entries {
		switch filepath.Ext(entry.Name()) {
		case ".conf", ".conflist", ".json":
			if !entry.IsDir() {
				names = append(names, entry.Name())
			}
		}
	}
	sort.Strings(names)
	return names, err
}

// choose gives the file of the network: that of a name, or the first one that there is. No name: there is
// no network yet.
func choose(dir, name string) (string, error) {
	names, err := configurations(dir)
	if err != nil {
		return "", err
	}
	for _, found := range names {
		if name == "" || name == found {
			return found, nil
		}
	}
	return "", nil
}

// replace writes a file in one step: a runtime may be about to read it. The name of the new file is one
// that runtimes do not read. Just before it, ready may refuse it.
func replace(path string, text []byte, mode os.FileMode, ready func() error) error {
	temp, err := os.CreateTemp(filepath.Dir(path), ".netnice-")
	if err != nil {
		return err
	}
	defer os.Remove(temp.Name())
	_, err = temp.Write(text)
	for _, step := range []func() error{func() error { return temp.Chmod(mode) }, temp.Sync, temp.Close} {
		if failed := step(); err == nil {
			err = failed
		}
	}
	if err == nil {
		err = ready()
	}
	if err == nil {
		err = os.Rename(temp.Name(), path)
	}
	return err
}

// The network's own program may replace its list while it is edited: then it is edited anew, so often.
const editTries = 10

var errChanged = errors.New("another program keeps changing it")

// edit has change make a new text of a file's; nil: it stays as it is. A symbolic link stays one: the file
// that it leads to is replaced.
func edit(path string, change func(*list) []byte) (changed bool, err error) {
	path, err = filepath.EvalSymlinks(path)
	if err != nil {
		return false, err
	}
	for try := 0; try < editTries; try++ {
		changed, err = editOnce(path, change)
		if !errors.Is(err, errChanged) {
			return changed, err
		}
	}
	return false, fmt.Errorf("%s: %w", path, err)
}

func editOnce(path string, change func(*list) []byte) (changed bool, err error) {
	info, err := os.Stat(path)
	if err != nil {
		return false, err
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return false, err
	}
	l, err := parseList(text)
	if err != nil {
		return false, fmt.Errorf("%s: %w", path, err)
	}
	now := change(l)
	if now == nil {
		return false, nil
	}
	if _, err := parseList(now); err != nil {
		return false, fmt.Errorf("%s: the new list would not be one: %w", path, err)
	}
	err = replace(path, now, info.Mode().Perm(), func() error {
		if again, err := os.ReadFile(path); err != nil || !bytes.Equal(again, text) {
			return errChanged
		}
		return nil
	})
	return err == nil, err
}

// beside are the plugins that limit a pod's bandwidth, too, or that only call others.
func (l *list) beside() string {
	if l.has("bandwidth") {
		return "the list has the plugin bandwidth, too: both limit the pods that have an annotation"
	}
	for _, m := range l.members {
		if strings.HasPrefix(m.kind, "multus") {
			return "the list is that of Multus, which asks the plugins of another one: name that by -list"
		}
	}
	return ""
}
