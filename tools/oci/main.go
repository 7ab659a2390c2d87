// SPDX-License-Identifier: GPL-2.0

// Limits for containers of podman and docker, by the annotations that these are started with.
//
// It is an OCI hook, or it stands in front of the runtime (crun, runc), for engines without hooks.
// settings.go is about what is wanted, container.go about what there is, limit.go about a
// network namespace of the container's own, host.go about the host's. Documentation/containers.rst is
// for who uses it.
package main

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"log/syslog"
	"os"
	"strings"
	"unicode"

	"netnice/tools/pod"
)

// The Makefile has the number.
var release = "unknown"

var help = `usage: netnice-oci hook [OPTION]... <STATE
       netnice-oci runtime [OPTION]... [-- RUNTIME-ARGUMENT...]
       netnice-oci RUNTIME-ARGUMENT...

Gives a container the limits that its annotations netnice.* say.

hook      an OCI hook of the stage createRuntime (podman's hooks.d)
runtime   in the place of the runtime, which it starts with the same arguments
          (docker's daemon.json, podman's --runtime). Besides annotations, the
          environment of the container counts: NETNICE_BANDWIDTH, ...

Options, by which an administrator decides for all containers:
--bandwidth RATE, --up RATE, --down RATE
                  no container gets more, annotated or not: in each direction, of
                  what it sends, of what it receives
--required        none starts without its limit, where the machine cannot limit
--shares          those on the host's network may have more than others: a weight
                  above 100, a priority below 4, a minimum
--runtime PROGRAM the runtime; if not given, what this program is called by:
                  netnice-crun is for crun, and else runc, or crun

` + annotationsHelp + `
See Documentation/containers.rst.
netnice ` + release + `
`

// printable is what an image says as it may be written to a log: in one line, that does what a line does.
func printable(text string) string {
	const most = 1000

	text = strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return '?'
		}
		return r
	}, text)
	if len(text) > most {
		text = strings.ToValidUTF8(text[:most], "") + "..."
	}
	return text
}

// say tells who has started the container, where that is shown, and the system's log.
func say(level syslog.Priority, text string) {
	text = printable(text)
	fmt.Fprintf(os.Stderr, "netnice: %s\n", text)
	if log, err := syslog.New(level|syslog.LOG_DAEMON, "netnice-oci"); err == nil {
		fmt.Fprint(log, text)
		log.Close()
	}
}

// bounds are what the administrator says for all containers.
type bounds struct {
	both, up, down   string
	required, shares bool
	runtime          string
}

// any: is there something that no container is without?
func (b *bounds) any() bool {
	return b.both != "" || b.up != "" || b.down != "" || b.required
}

func (b *bounds) parse(name string, args []string) (rest []string, err error) {
	set := flag.NewFlagSet(name, flag.ExitOnError)
	set.Usage = func() { fmt.Fprint(os.Stderr, help) }
	set.StringVar(&b.both, "bandwidth", "", "")
	set.StringVar(&b.up, "up", "", "")
	set.StringVar(&b.down, "down", "", "")
	set.BoolVar(&b.required, "required", false, "")
	set.BoolVar(&b.shares, "shares", false, "")
	set.StringVar(&b.runtime, "runtime", "", "")
	_ = set.Parse(args)
	set.Visit(func(option *flag.Flag) {
		if option.Value.String() == "" {
			err = bad("--%s: there is no value", option.Name)
		}
	})
	return set.Args(), err
}

// isOfMachine: is it one that a container which does not require its limit may start with?
func isOfMachine(err error) bool {
	var e *pod.Error

	return errors.As(err, &e) && e.IsOfMachine()
}

// worse is the first of two errors, unless a container may start with that only.
func worse(a, b error) error {
	if a == nil || b != nil && isOfMachine(a) && !isOfMachine(b) {
		return b
	}
	return a
}

// tolerate lets a container go without the limit that its machine does not have, if it may.
func tolerate(w *wanted, err error) error {
	if err == nil || w.required || !isOfMachine(err) {
		return err
	}
	say(syslog.LOG_WARNING, "the container is not limited as requested: "+err.Error())
	return nil
}

func hook(args []string) error {
	var b bounds
	var c container

	rest, err := b.parse("hook", args)
	if err != nil {
		return err
	}
	if len(rest) > 0 {
		return fmt.Errorf("%s: not an option of the hook", rest[0])
	}
	if err := json.NewDecoder(os.Stdin).Decode(&c.state); err != nil {
		return fmt.Errorf("the container's state is no JSON: %w", err)
	}
	// the runtime does not know what this hook is told
	if c.isMarked() && !b.any() {
		return nil
	}
	if err := c.readSpec(); err != nil {
		return err
	}
	// a user's own VIF may be divided by the user
	b.shares = b.shares || !isRoot()
	w, err := ask(&b, c.Annotations)
	if err != nil {
		return err
	}
	return tolerate(w, c.limit(w, false))
}

func main() {
	var err error

	args := append(os.Args[1:], "")
	switch args[0] {
	case "help", "--help", "-h", "":
		fmt.Print(help)
	case "hook":
		err = hook(os.Args[2:])
	case "runtime":
		var b bounds
		var rest []string
		if rest, err = b.parse("runtime", os.Args[2:]); err == nil {
			err = front(rest, &b)
		}
	default:
		err = front(os.Args[1:], &bounds{})
	}
	if err != nil {
		say(syslog.LOG_ERR, err.Error())
		os.Exit(1)
	}
}
