// SPDX-License-Identifier: GPL-2.0

// An NRI plugin: pods share the devices of their node by Kubernetes' classes (QoS).
//
// containerd and CRI-O tell it of pods, before their containers begin. Each gets a VIF below that
// of its class on the node's devices, to which its veth is attached, or, in the node's own network,
// its control group. value.go and config.go are about what is wanted, sandbox.go about whose it is,
// veth.go and place.go about where. Documentation/kubernetes.rst is for who uses it.
package main

import (
	"context"
	"flag"
	"fmt"
	"log"
	"log/syslog"
	"os"
	"time"

	"github.com/containerd/nri/pkg/api"
	"github.com/containerd/nri/pkg/stub"
	"github.com/sirupsen/logrus"
	"netnice/tools/pod"
)

// The Makefile has the number.
var release = "unknown"

func about() string {
	return "NRI plugin netnice " + release
}

// Runtimes hand over the file of this name only to plugins that they have started.
const defaultFile = "/etc/nri/conf.d/10-netnice.conf"

// again: a runtime that has ended is waited for.
const again = time.Second

// isLaunched: has the runtime started the plugin itself, and said name and connection?
func isLaunched() bool {
	return os.Getenv(api.PluginSocketEnvVar) != ""
}

func options(socket, index string, closed func()) []stub.Option {
	var all []stub.Option

	if !isLaunched() {
		all = append(all, stub.WithPluginName("netnice"), stub.WithPluginIdx(index))
	}
	return append(all, stub.WithSocketPath(socket), stub.WithOnClose(closed))
}

// run ends with the connection. The library's Run does not, where the runtime ends before it has
// said the configuration.
func run(p *plugin, socket, index string) error {
	ctx, closed := context.WithCancel(context.Background())
	defer closed()
	s, err := stub.New(p, options(socket, index, closed)...)
	if err != nil {
		return err
	}
	p.drop = s.Stop
	ended := make(chan error, 1)
	go func() { ended <- s.Run(context.Background()) }()
	select {
	case err = <-ended:
	case <-ctx.Done():
	}
	return err
}

func main() {
	socket := flag.String("socket", api.DefaultSocketPath, "the runtime's socket")
	index := flag.String("index", "10", "two digits: which plugins come before")
	file := flag.String("config", defaultFile, "the configuration, where the runtime hands over none")
	version := flag.Bool("version", false, "print the version")
	flag.Parse()
	log.SetFlags(0)
	log.SetPrefix("netnice: ")
	if *version {
		fmt.Println(about())
		return
	}
	p := &plugin{file: *file}
	if isLaunched() {
		// runtimes keep nothing of standard error
		if system, err := syslog.New(syslog.LOG_DAEMON|syslog.LOG_WARNING, "netnice"); err == nil {
			log.SetOutput(system)
			log.SetPrefix("")
		}
	}
	// the library has a line for each step
	logrus.SetLevel(logrus.WarnLevel)
	// loads the module, which may take longer than the runtime waits for an answer; who needs it says
	// what is wrong
	_ = pod.Available()
	for last := ""; ; time.Sleep(again) {
		err := run(p, *socket, *index)
		if isLaunched() {
			return
		}
		if err != nil && err.Error() != last {
			last = err.Error()
			log.Print(last)
		}
	}
}
