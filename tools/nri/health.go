// SPDX-License-Identifier: GPL-2.0

package main

import (
	"fmt"
	"net"
	"net/http"
	"slices"
	"sync"
	"time"

	"netnice/tools/pod"
)

// What is served at the address of -listen: /metrics for Prometheus, /healthz and /readyz for kubelet's probes.

// busyMost is how long one call of the runtime may keep the plugin until it counts as stuck: a call of
// Synchronize has all pods of a node.
const busyMost = time.Minute

// isStuck: has a call kept the plugin for too long?
func (p *plugin) isStuck() bool {
	began := p.busy.Load()
	return began != 0 && time.Since(time.Unix(0, began)) > busyMost
}

// availablePause is how long an answer that the module is missing is repeated: asking runs modprobe(8) on the
// machine, and every pod that reaches the address can request /readyz.
const availablePause = time.Minute

// availability is the last answer of pod.Available.
type availability struct {
	mu    sync.Mutex
	asked time.Time
	err   error
}

func (a *availability) get() error {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.err == nil || pod.IsLoaded() || time.Since(a.asked) > availablePause {
		a.asked, a.err = time.Now(), pod.Available()
	}
	return a.err
}

// connectionsMost is how many connections are kept: clients can open any number.
const connectionsMost = 64

// connections are those of the server, the oldest first. The oldest one is closed for a new one, so that
// connections without a request do not keep out kubelet's probes.
type connections struct {
	mu   sync.Mutex
	open []net.Conn
}

func (c *connections) change(conn net.Conn, state http.ConnState) {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch state {
	case http.StateNew:
		if len(c.open) >= connectionsMost {
			_ = c.open[0].Close()
			c.open = slices.Delete(c.open, 0, 1)
		}
		c.open = append(c.open, conn)
	case http.StateClosed:
		c.open = slices.DeleteFunc(c.open, func(one net.Conn) bool { return one == conn })
	}
}

// unready says why pods do not get what they ask for just now; nothing: they do.
func (p *plugin) unready() string {
	if err := p.available.get(); err != nil {
		return err.Error()
	}
	if !p.connected.Load() {
		return "no runtime is connected"
	}
	return ""
}

func (p *plugin) handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("/metrics", func(w http.ResponseWriter, _ *http.Request) {
		connected := 0
		if p.connected.Load() {
			connected = 1
		}
		w.Header().Set("Content-Type", "text/plain; version=0.0.4")
		fmt.Fprintf(w, "# HELP netnice_nri_connected A runtime has configured the plugin and is connected.\n"+
			"# TYPE netnice_nri_connected gauge\nnetnice_nri_connected %d\n", connected)
		p.refusals.write(w)
	})
	if p.follows {
		mux.HandleFunc("/budgets", p.serveBudgets)
	}
	mux.HandleFunc("/healthz", func(w http.ResponseWriter, _ *http.Request) {
		if p.isStuck() {
			http.Error(w, fmt.Sprintf("a call has taken more than %v", busyMost), http.StatusServiceUnavailable)
		}
	})
	mux.HandleFunc("/readyz", func(w http.ResponseWriter, _ *http.Request) {
		if why := p.unready(); why != "" {
			http.Error(w, why, http.StatusServiceUnavailable)
		}
	})
	return mux
}

func (p *plugin) server() *http.Server {
	return &http.Server{
		Handler:        p.handler(),
		ReadTimeout:    5 * time.Second,
		WriteTimeout:   10 * time.Second,
		IdleTimeout:    5 * time.Second,
		MaxHeaderBytes: 1 << 14,
		ConnState:      new(connections).change,
	}
}

// listen serves until the program ends, or says why it cannot.
func (p *plugin) listen(address string) error {
	listener, err := net.Listen("tcp", address)
	if err != nil {
		return err
	}
	return p.server().Serve(listener)
}
