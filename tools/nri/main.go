// SPDX-License-Identifier: GPL-2.0

// An NRI plugin: pods share the devices of their node by Kubernetes' classes (QoS).
//
// containerd and CRI-O tell it of pods, before their containers begin. Each gets a VIF below that
// of its class on the node's devices, to which its veth is attached, or, in the node's own network,
// its control group. value.go, annotation.go and config.go are about what is wanted, sandbox.go about
// whose it is, veth.go and place.go about where, refusals.go, health.go and apiserver.go about what is reported,
// and connection.go about the runtime. part.go has this node's parts of budgets over many nodes; budget.go, by
// divide.go, is the controller that divides them, another process. Documentation/kubernetes.rst is for its users.
package main

import (
	"errors"
	"flag"
	"fmt"
	"log"
	"log/syslog"
	"time"

	"github.com/containerd/nri/pkg/api"
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

func main() {
	socket := flag.String("socket", api.DefaultSocketPath, "the runtime's socket")
	index := flag.String("index", "10", "two digits: order among plugins")
	file := flag.String("config", defaultFile, "configuration file, if the runtime passes none")
	listen := flag.String("listen", "", "ADDRESS:PORT for /metrics, /healthz and /readyz")
	node := flag.String("node", "", "this node's name in its cluster: minima become its capacity, refusals events")
	budgets := flag.String("budgets", "", "this node's name in its cluster: its parts of budgets are in force here")
	divide := flag.String("divide", "", "divide budgets among the nodes of the cluster, under this name")
	remove := flag.Bool("remove", false, "remove everything that the plugin has created, and exit")
	version := flag.Bool("version", false, "print the version")
	flag.Parse()
	log.SetFlags(0)
	log.SetPrefix("netnice: ")
	if *version {
		fmt.Println(about())
		return
	}
	var server *apiServer
	if *node != "" {
		var err error
		if server, err = inCluster(*node, accountFolder); err != nil {
			log.Fatal(err)
		}
	}
	if *divide != "" {
		if err := divideBudgets(*divide, *file); err != nil {
			log.Fatal(oneLine(err))
		}
		return
	}
	if *remove {
		err := removeAll()
		if server != nil {
			err = errors.Join(err, server.publish(map[string]any{egressResource: nil, ingressResource: nil}))
		}
		if err != nil {
			log.Fatal(oneLine(err))
		}
		return
	}
	p := &plugin{file: *file, api: server}
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
	if server != nil {
		go server.run(p.capacity)
	}
	if *budgets != "" {
		followed, err := inCluster(*budgets, budgetsFolder)
		if err != nil {
			log.Fatal(err)
		}
		p.follows = true
		go p.followBudgets(followed)
	}
	if *listen != "" {
		go func() { log.Fatal(p.listen(*listen)) }()
	}
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
