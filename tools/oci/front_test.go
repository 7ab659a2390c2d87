// SPDX-License-Identifier: GPL-2.0

package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"
)

func TestUnderstand(t *testing.T) {
	for text, want := range map[string][]string{
		// containerd's shim, for docker
		"--root /r --log /b/log.json --log-format json --systemd-cgroup create --bundle /b --pid-file /b/init.pid --console-socket /c abc": {"create", "abc", "/b", "/b/log.json"},
		"--root /r --log /b/log.json --log-format json start abc":                                                                          {"start", "abc", ".", "/b/log.json"},
		"--root /r --log /b/log.json --log-format json delete --force abc":                                                                 {"delete", "abc", ".", "/b/log.json"},
		// conmon, for podman
		"--cgroup-manager cgroupfs --log-format=json --log=/l create --bundle /b --pid-file /p abc": {"create", "abc", "/b", "/l"},
		"-root /r -log /l start abc":     {"start", "abc", ".", "/l"},
		"-root=/r create -bundle=/b abc": {"create", "abc", "/b", ""},
		"create -b=/x abc":               {"create", "abc", "/x", ""},
		"start abc":                      {"start", "abc", ".", ""},
		"create -b /x abc":               {"create", "abc", "/x", ""},
		"--version":                      {"", "", ".", ""},
		"features":                       {"features", "", ".", ""},
		"":                               {"", "", ".", ""},
	} {
		c := understand(strings.Fields(text))
		if got := []string{c.command, c.id, c.bundle(), c.options["--log"]}; !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %q", text, got)
		}
	}
	c := understand(strings.Fields("--root /r --debug start abc"))
	if !reflect.DeepEqual(c.global, []string{"--root", "/r", "--debug"}) {
		t.Errorf("%q", c.global)
	}
}

func TestEnvironment(t *testing.T) {
	s := &spec{}
	s.Process.Env = []string{"PATH=/bin", "NETNICE_BANDWIDTH=2m", "NETNICE_BANDWIDTH_UP=3m", "NETNICE_CACHE=x", "NETNICE_WEIGHT="}
	want := map[string]string{"netnice.bandwidth": "2m", "netnice.bandwidth.up": "3m", "netnice.weight": ""}
	if got := s.environment(); !reflect.DeepEqual(got, want) {
		t.Errorf("%q", got)
	}
}

func TestName(t *testing.T) {
	long := strings.Repeat("0123456789abcdef", 4)
	for id, want := range map[string]string{
		long: "container-0123456789ab", "web": "container-web", "a.b_c-d": "container-a.b_c-d",
		strings.Repeat("x", 53): "container-" + strings.Repeat("x", 53),
		strings.Repeat("x", 54): "", "": "", "..": "", ".": "", "a/b": "", "../eth1": "", "a b": "", "a\n": "", "-a": "",
	} {
		c := &container{state: state{ID: id}}
		if got, err := c.vifName(); got != want || (err == nil) != (want != "") {
			t.Errorf("%q: %q, %v", id, got, err)
		}
	}
}

func TestLate(t *testing.T) {
	for text, want := range map[string]bool{
		`[]`:                                   false,
		`[{"type":"network"}]`:                 false,
		`[{"type":"network"},{"type":"user"}]`: true,
		`[{"type":"network","path":"/x"},{"type":"user"}]`: false,
		`[{"type":"network"},{"type":"user","path":"/x"}]`: true,
		`[{"type":"user"}]`: false,
	} {
		var s spec
		if err := json.Unmarshal([]byte(`{"linux":{"namespaces":`+text+`}}`), &s); err != nil || s.comesLate() != want {
			t.Errorf("%s: not %v (%v)", text, want, err)
		}
	}
}

func TestMarked(t *testing.T) {
	c := &container{state: state{Bundle: t.TempDir()}}
	config, mark := filepath.Join(c.Bundle, "config.json"), filepath.Join(c.Bundle, marker)
	write := func(file string, age time.Duration) {
		when := time.Now().Add(-age)
		if err := os.WriteFile(file, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(file, when, when); err != nil {
			t.Fatal(err)
		}
	}
	if write(config, time.Hour); c.isMarked() {
		t.Error("without a mark")
	}
	if write(mark, 2*time.Hour); c.isMarked() {
		t.Error("with an old mark")
	}
	if err := c.mark(); err != nil || !c.isMarked() {
		t.Errorf("marked again: %v", err)
	}
	if write(mark, time.Minute); !c.isMarked() {
		t.Error("with a mark")
	}
	if write(config, time.Second); c.isMarked() {
		t.Error("with that of another time")
	}
	if err := os.Remove(mark); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(config, mark); err != nil {
		t.Fatal(err)
	}
	if c.mark() == nil {
		t.Error("followed a link")
	}
}

func TestNotKnown(t *testing.T) {
	bound, none := &bounds{both: "1m"}, &bounds{}

	for _, c := range []struct {
		text string
		b    *bounds
		want bool
	}{
		{"--new-option value", bound, false}, {"--new-option value", none, true}, {"--new-option x create abc", bound, false},
		{"state abc", bound, true}, {"--version", bound, true}, {"help", bound, true}, {"", bound, true},
		{"create --config /other abc", none, false}, {"create -f /other abc", none, false}, {"run --config=/other abc", none, false},
	} {
		if err := understand(strings.Fields(c.text)).before("/nowhere", c.b); (err == nil) != c.want {
			t.Errorf("%s %+v: %v", c.text, c.b, err)
		}
	}
}

func TestItself(t *testing.T) {
	link := filepath.Join(t.TempDir(), "runc")
	if err := os.Symlink("/proc/self/exe", link); err != nil {
		t.Fatal(err)
	}
	if found, err := program(link); err == nil || !strings.Contains(err.Error(), "itself") {
		t.Errorf("%s, %v", found, err)
	}
	if found, err := program("/bin/sh"); err != nil || found != "/bin/sh" {
		t.Errorf("%s, %v", found, err)
	}
}
