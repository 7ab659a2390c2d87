// SPDX-License-Identifier: GPL-2.0

package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// In front of the runtime: before a container is made its annotations are looked at, and before its
// command begins it is limited. Then engines have made its network in any case, be it by a hook
// or after the runtime has made the container.

// withValue are those options of crun and runc that have their value in the next argument.
var withValue = map[string]bool{
	"--log": true, "--log-format": true, "--root": true, "--criu": true, "--rootless": true, "--cgroup-manager": true,
	"--bundle": true, "-b": true, "--console-socket": true, "--pid-file": true, "--preserve-fds": true,
	"--config": true, "-f": true, "--pidfd-socket": true, "--log-level": true,
}

// commands of crun and runc. What is none of these may be the value of an option that is not known here.
var commands = map[string]bool{
	"create": true, "start": true, "run": true, "restore": true, "state": true, "kill": true, "delete": true, "exec": true,
	"ps": true, "list": true, "pause": true, "resume": true, "update": true, "events": true, "checkpoint": true,
	"spec": true, "features": true, "init": true, "help": true, "": true,
}

// call is how an engine calls a runtime.
type call struct {
	global  []string // options before the command
	command string
	options map[string]string
	id      string
}

// option takes one from the arguments; ok: it was one.
func (c *call) option(args []string) (rest []string, ok bool) {
	name := args[0]
	if !strings.HasPrefix(name, "-") || name == "-" {
		return args, false
	}
	// runc takes -root for --root
	if len(name) > 2 && name[1] != '-' && name[2] != '=' {
		name = "-" + name
	}
	if at := strings.IndexByte(name, '='); at >= 0 {
		c.options[name[:at]] = name[at+1:]
		return args[1:], true
	}
	if withValue[name] && len(args) > 1 {
		c.options[name] = args[1]
		return args[2:], true
	}
	c.options[name] = ""
	return args[1:], true
}

func understand(args []string) *call {
	c := &call{options: map[string]string{}}

	rest, ok := args, true
	for len(rest) > 0 && ok {
		rest, ok = c.option(rest)
	}
	c.global = args[:len(args)-len(rest)]
	if len(rest) == 0 {
		return c
	}
	c.command = rest[0]
	for rest = rest[1:]; len(rest) > 0; {
		if rest, ok = c.option(rest); !ok {
			c.id = rest[0]
			rest = rest[1:]
		}
	}
	return c
}

func (c *call) has(names ...string) bool {
	for _, name := range names {
		if _, is := c.options[name]; is {
			return true
		}
	}
	return false
}

func (c *call) bundle() string {
	for _, name := range []string{"--bundle", "-b"} {
		if folder := c.options[name]; folder != "" {
			return folder
		}
	}
	return "."
}

// tell writes an error where engines read those of the runtime.
func (c *call) tell(err error) {
	if c.options["--log"] == "" {
		return
	}
	f, e := os.OpenFile(c.options["--log"], os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o600)
	if e != nil {
		return
	}
	defer f.Close()
	text := "netnice: " + printable(err.Error())
	if c.options["--log-format"] == "json" {
		_ = json.NewEncoder(f).Encode(map[string]string{
			"level": "error", "msg": text, "time": time.Now().Format(time.RFC3339)})
	} else {
		fmt.Fprintln(f, text)
	}
}

// folders in which a runtime is looked for besides PATH, as engines start it without one, too
var folders = []string{"/usr/local/sbin", "/usr/local/bin", "/usr/sbin", "/usr/bin", "/sbin", "/bin"}

func lookUp(name string) (string, error) {
	found, err := exec.LookPath(name)
	for _, folder := range folders {
		if err == nil || strings.Contains(name, "/") {
			break
		}
		found, err = exec.LookPath(filepath.Join(folder, name))
	}
	return found, err
}

// program is the runtime; without a name that by which we are called, or which there is first.
func program(given string) (string, error) {
	if called := filepath.Base(os.Args[0]); given == "" && called != "netnice-oci" {
		given = strings.TrimPrefix(called, "netnice-")
	}
	if given != "" {
		return other(given)
	}
	for _, name := range []string{"runc", "crun"} {
		if found, err := other(name); err == nil {
			return found, nil
		}
	}
	return "", errors.New("there is no runtime, neither runc nor crun")
}

// other is a program that is not this one: that would start itself for ever.
func other(name string) (string, error) {
	found, err := lookUp(name)
	if err != nil {
		return "", err
	}
	its, err := os.Stat(found)
	if err != nil {
		return "", err
	}
	ours, err := os.Stat("/proc/self/exe")
	if err == nil && os.SameFile(its, ours) {
		err = fmt.Errorf("%s is netnice-oci itself, and no runtime: say which it is by --runtime", found)
	}
	return found, err
}

// look asks the runtime for the state of a container.
func (c *call) look(runtime string) (*container, error) {
	args := append(append([]string{}, c.global...), "state", c.id)
	text, err := exec.Command(runtime, args...).Output()
	if err != nil {
		return nil, fmt.Errorf("%s says no state of the container %s: %w", filepath.Base(runtime), c.id, err)
	}
	found := &container{}
	if err := json.Unmarshal(text, &found.state); err != nil {
		return nil, fmt.Errorf("what %s says of the container %s is no JSON: %w", filepath.Base(runtime), c.id, err)
	}
	return found, found.readSpec()
}

// marker is a file beside config.json, where the engine alone writes: the runtime limits the container, and
// the hook, which the engine may have called as well, has nothing to do, unless it has bounds of its own.
const marker = "netnice-oci"

// isMarked, since the engine has written config.json, as it does each time that it starts the container?
func (c *container) isMarked() bool {
	mark, err := os.Stat(filepath.Join(c.Bundle, marker))
	if err != nil {
		return false
	}
	written, err := os.Stat(filepath.Join(c.Bundle, "config.json"))
	return err == nil && !mark.ModTime().Before(written.ModTime())
}

// mark follows no link.
func (c *container) mark() error {
	f, err := os.OpenFile(filepath.Join(c.Bundle, marker), os.O_WRONLY|os.O_CREATE|os.O_TRUNC|syscall.O_NOFOLLOW, 0o600)
	if err != nil {
		return err
	}
	defer f.Close()
	now := time.Now()
	return os.Chtimes(fmt.Sprintf("/proc/self/fd/%d", f.Fd()), now, now)
}

// before does what has to be done before the runtime gets a call.
func (c *call) before(runtime string, b *bounds) error {
	var found *container
	var err error

	if !commands[c.command] && b.any() {
		return fmt.Errorf("'%s' is no command that is known here: whether it makes a container, and how that is to be limited, is not known",
			c.command)
	}
	switch c.command {
	case "create", "run", "restore":
		if c.has("--config", "-f") {
			return fmt.Errorf("'%s' with a configuration that is not the bundle's is not known here", c.command)
		}
		found = &container{state: state{ID: c.id, Bundle: c.bundle()}}
		err = found.readSpec()
	case "start":
		found, err = c.look(runtime)
	default:
		return nil
	}
	if err != nil {
		return err
	}
	b.shares = b.shares || !isRoot()
	w, err := ask(b, found.Annotations, found.environment())
	switch {
	case err != nil || !w.any():
		return err
	case c.command == "start":
		return tolerate(w, found.limit(w, true))
	case c.command != "create":
		return fmt.Errorf("'%s' does not limit a container: use create and start", c.command)
	}
	return found.mark()
}

// front ends as the runtime, which has the same arguments.
func front(args []string, b *bounds) error {
	if len(args) > 0 && args[0] == "--" {
		args = args[1:]
	}
	c := understand(args)
	runtime, err := program(b.runtime)
	if err == nil {
		err = c.before(runtime, b)
	}
	if err != nil {
		c.tell(err)
		return err
	}
	return syscall.Exec(runtime, append([]string{runtime}, args...), os.Environ())
}
