// SPDX-License-Identifier: GPL-2.0

package main

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"time"

	"golang.org/x/sys/unix"
)

// The commands of an administrator, and of a DaemonSet on each node:
//
//	install	   copies this program to where the runtime looks for it, adds it to the list of the node's
//		   network, and stays: when the network's own DaemonSet writes the list anew, it adds it again
//	uninstall  takes it out of all lists; the program stays, as runtimes ask it when pods of before end
//	check	   fails if the program or the entry is missing

type installer struct {
	bin, net string // folders
	list     string // the file; empty: the first one
	entry    string
	said     string // what was said last
}

const entryDefault = `{ "type": "netnice", "capabilities": { "bandwidth": true } }`

func (i *installer) say(format string, args ...interface{}) {
	if text := fmt.Sprintf(format, args...); text != i.said {
		i.said = text
		fmt.Fprintln(os.Stderr, "netnice:", text)
	}
}

func (i *installer) program() string { return filepath.Join(i.bin, "netnice") }

// hasProgram: is the file the same as the program that runs?
func (i *installer) hasProgram(own []byte) bool {
	there, err := os.ReadFile(i.program())
	return err == nil && bytes.Equal(there, own)
}

// putProgram comes before the entry: a list must not name a program that is missing.
func (i *installer) putProgram() error {
	own, err := os.ReadFile("/proc/self/exe")
	if err != nil || i.hasProgram(own) {
		return err
	}
	return replace(i.program(), own, 0o755, func() error { return nil })
}

// put has all in place, and says what it has done.
func (i *installer) put() (changed bool, err error) {
	if err := i.putProgram(); err != nil {
		return false, err
	}
	name, err := choose(i.net, i.list)
	if err != nil {
		return false, err
	}
	if name == "" {
		i.say("%s has no configuration of a network yet", i.net)
		return false, nil
	}
	beside := ""
	path := filepath.Join(i.net, name)
	changed, err = edit(path, func(l *list) []byte {
		beside = l.beside()
		if l.has("netnice") {
			return nil
		}
		return l.with(i.entry)
	})
	if errors.Is(err, os.ErrNotExist) {
		// it has gone meanwhile
		return false, nil
	}
	if err != nil {
		return false, err
	}
	if changed {
		i.said = ""
		i.say("added to %s", path)
	}
	if beside != "" {
		i.say("%s: %s", path, beside)
	}
	return changed, nil
}

// take removes the entry from all lists.
func (i *installer) take() (err error) {
	names, err := configurations(i.net)
	for _, name := range names {
		path := filepath.Join(i.net, name)
		changed, failed := edit(path, func(l *list) []byte {
			if at := l.index("netnice"); at >= 0 {
				return l.without(at)
			}
			return nil
		})
		if changed && failed == nil {
			i.say("removed from %s", path)
		}
		if failed != nil && !errors.Is(failed, errNoList) && !errors.Is(failed, os.ErrNotExist) {
			i.say("%v", failed)
			err = failed
		}
	}
	return err
}

// check says what is missing.
func (i *installer) check() error {
	if _, err := os.Stat(i.program()); err != nil {
		return err
	}
	name, err := choose(i.net, i.list)
	if err != nil {
		return err
	}
	if name == "" {
		return fmt.Errorf("%s has no configuration of a network", i.net)
	}
	path := filepath.Join(i.net, name)
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	l, err := parseList(text)
	if err == nil && !l.has("netnice") {
		err = errors.New("netnice is not in its list of plugins")
	}
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return nil
}

// look is how often the folder is looked at when nothing tells of a change.
const look = 10 * time.Second

// changes tells of changes in the folder. Without inotify nothing is told, and the folder is looked at.
func changes(dir string) <-chan struct{} {
	told := make(chan struct{}, 1)

	fd, err := unix.InotifyInit1(unix.IN_CLOEXEC)
	if err == nil {
		_, err = unix.InotifyAddWatch(fd, dir, unix.IN_CLOSE_WRITE|unix.IN_MOVED_TO|unix.IN_MOVED_FROM|unix.IN_DELETE)
	}
	if err != nil {
		return told
	}
	go func() {
		events := make([]byte, 4096)
		for {
			if _, err := unix.Read(fd, events); err != nil && !errors.Is(err, unix.EINTR) {
				return
			}
			select {
			case told <- struct{}{}:
			default:
			}
		}
	}()
	return told
}

// rest is the least time between two edits: the network may write its list again each time.
var rest = time.Second

// stay keeps all in place until it is told to end. What is in place stays then: the next version of a
// DaemonSet finds it so.
func (i *installer) stay(ended <-chan os.Signal) {
	told := changes(i.net)
	for {
		changed, err := i.put()
		if err != nil {
			i.say("%v", err)
		}
		if changed {
			time.Sleep(rest)
		}
		select {
		case <-ended:
			return
		case <-told:
		case <-time.After(look):
		}
	}
}

func signals() <-chan os.Signal {
	ended := make(chan os.Signal, 1)
	signal.Notify(ended, unix.SIGTERM, unix.SIGINT)
	return ended
}

func usage(flags *flag.FlagSet) int {
	fmt.Fprintln(os.Stderr, "usage: netnice install|uninstall|check [OPTION...]")
	flags.PrintDefaults()
	return 2
}

// command gives the exit status.
func command(args []string) int {
	i := &installer{}
	flags := flag.NewFlagSet("netnice", flag.ContinueOnError)
	flags.StringVar(&i.bin, "bin", "/opt/cni/bin", "the folder in which the runtime looks for plugins")
	flags.StringVar(&i.net, "net", "/etc/cni/net.d", "the folder of the node's networks")
	flags.StringVar(&i.list, "list", "", "the file there (default: the first one, as for runtimes)")
	flags.StringVar(&i.entry, "entry", entryDefault, "what install adds to the list, as JSON")
	once := flags.Bool("once", false, "install: end when all is in place")
	wait := flags.Bool("wait", false, "uninstall: wait for a signal when all is done")
	flags.Usage = func() {}
	if flags.Parse(args[1:]) != nil || flags.NArg() > 0 {
		return usage(flags)
	}
	var err error
	switch args[0] {
	case "install":
		if !*once {
			i.stay(signals())
			return 0
		}
		if _, err = i.put(); err == nil {
			err = i.check()
		}
	case "uninstall":
		if err = i.take(); err == nil && *wait {
			<-signals()
		}
	case "check":
		err = i.check()
	case "version":
		fmt.Println(about())
	default:
		return usage(flags)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "netnice:", err)
		return 1
	}
	return 0
}
