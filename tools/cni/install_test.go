// SPDX-License-Identifier: GPL-2.0

package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

const network = `{"cniVersion":"1.0.0","name":"pods","plugins":[{"type":"bridge"},{"type":"portmap"}]}`

// node gives an installer on a node that has these networks: names and texts.
func node(t *testing.T, files ...string) *installer {
	t.Helper()
	i := &installer{bin: t.TempDir(), net: t.TempDir(), entry: entryDefault}
	for at := 0; at+1 < len(files); at += 2 {
		put(t, i, files[at], files[at+1])
	}
	return i
}

func put(t *testing.T, i *installer, name, text string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(i.net, name), []byte(text), 0o640); err != nil {
		t.Fatal(err)
	}
}

func text(t *testing.T, i *installer, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(i.net, name))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestInstall(t *testing.T) {
	i := node(t, "10-pods.conflist", network, "05-readme.txt", "x", "99-other.conflist", network)
	if err := i.check(); err == nil {
		t.Error("nothing is installed, and check is content")
	}
	if changed, err := i.put(); !changed || err != nil {
		t.Fatal(changed, err)
	}
	if err := i.check(); err != nil {
		t.Error(err)
	}
	if changed, err := i.put(); changed || err != nil {
		t.Errorf("a second time: %v, %v", changed, err)
	}
	if got := text(t, i, "10-pods.conflist"); !strings.Contains(got, `{"type":"portmap"},`) || !strings.Contains(got, entryDefault) {
		t.Error(got)
	}
	if got := text(t, i, "99-other.conflist"); got != network {
		t.Error(got)
	}
	info, err := os.Stat(filepath.Join(i.net, "10-pods.conflist"))
	if err != nil || info.Mode().Perm() != 0o640 {
		t.Error(info.Mode(), err)
	}
	if info, err = os.Stat(i.program()); err != nil || info.Mode().Perm() != 0o755 {
		t.Error(err)
	}
	// the network's own DaemonSet
	put(t, i, "10-pods.conflist", network)
	if err := i.check(); err == nil || !strings.Contains(err.Error(), "netnice is not in its list") {
		t.Error(err)
	}
	if changed, err := i.put(); !changed || err != nil || i.check() != nil {
		t.Error(changed, err)
	}
	if err := os.Remove(i.program()); err != nil || i.check() == nil {
		t.Error("the program is missing, and check is content")
	}
	if _, err := i.put(); err != nil || i.check() != nil {
		t.Error(err)
	}
	if err := i.take(); err != nil || text(t, i, "10-pods.conflist") != network {
		t.Error(err, text(t, i, "10-pods.conflist"))
	}
	if _, err := os.Stat(i.program()); err != nil {
		t.Error("runtimes ask the program when pods of before end: ", err)
	}
	left, err := os.ReadDir(i.net)
	if err != nil || len(left) != 3 {
		t.Error("files are left: ", left, err)
	}
}

func TestInstallNamed(t *testing.T) {
	i := node(t, "00-multus.conflist", `{"plugins":[{"type":"multus-shim"}]}`, "10-pods.conflist", network)
	i.list = "10-pods.conflist"
	if changed, err := i.put(); !changed || err != nil || i.check() != nil {
		t.Error(changed, err)
	}
	if got := text(t, i, "00-multus.conflist"); strings.Contains(got, "netnice") {
		t.Error(got)
	}
}

// A list that is a symbolic link stays one.
func TestInstallLink(t *testing.T) {
	i := node(t, "pods.list", network)
	if err := os.Symlink("pods.list", filepath.Join(i.net, "10-pods.conflist")); err != nil {
		t.Fatal(err)
	}
	if changed, err := i.put(); !changed || err != nil {
		t.Fatal(changed, err)
	}
	if to, err := os.Readlink(filepath.Join(i.net, "10-pods.conflist")); to != "pods.list" || err != nil {
		t.Error(to, err)
	}
	if got := text(t, i, "pods.list"); !strings.Contains(got, entryDefault) {
		t.Error(got)
	}
}

func TestInstallNothing(t *testing.T) {
	i := node(t)
	if changed, err := i.put(); changed || err != nil || i.check() == nil {
		t.Errorf("no network yet: %v, %v", changed, err)
	}
	put(t, i, "10-one.conf", `{"type":"bridge"}`)
	if _, err := i.put(); err == nil || !strings.Contains(err.Error(), "10-one.conf: it has no list of plugins") {
		t.Error(err)
	}
	if err := i.take(); err != nil {
		t.Error(err)
	}
	i.net = filepath.Join(i.net, "nowhere")
	if _, err := i.put(); err == nil {
		t.Error("there is no folder, and no error")
	}
}

// The list is written anew by others: the entry is back soon, and stays when the installer ends.
func TestInstallStays(t *testing.T) {
	defer func(was time.Duration) { rest = was }(rest)
	rest = 10 * time.Millisecond
	i := node(t, "10-pods.conflist", network)
	end, ended := make(chan os.Signal), make(chan struct{})
	go func() {
		i.stay(end)
		close(ended)
	}()
	is := func() bool {
		for try := 0; try < 400; try++ {
			if i.check() == nil {
				return true
			}
			time.Sleep(10 * time.Millisecond)
		}
		return false
	}
	if !is() {
		t.Fatal("it is not installed")
	}
	for range [3]int{} {
		put(t, i, "10-pods.conflist", network)
		if !is() {
			t.Fatal("it is not back within 4 s")
		}
	}
	close(end)
	<-ended
	if err := i.check(); err != nil {
		t.Error(err)
	}
}

func TestCommand(t *testing.T) {
	i := node(t, "10-pods.conflist", network)
	for _, c := range []struct {
		args   string
		status int
	}{
		{"check", 1}, {"install -once", 0}, {"check", 0}, {"uninstall", 0}, {"check", 1}, {"install -once -list 11-x.conflist", 1},
		{"version", 0}, {"instal", 2}, {"install more", 2}, {"install -nothing", 2},
	} {
		args := strings.Fields(c.args)
		if c.status != 2 {
			args = append(args, "-bin", i.bin, "-net", i.net)
		}
		if got := command(args); got != c.status {
			t.Errorf("%s: %d, want %d", c.args, got, c.status)
		}
	}
}
