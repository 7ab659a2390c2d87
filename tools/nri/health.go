// SPDX-License-Identifier: GPL-2.0

package main

import (
	"fmt"
	"net/http"
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

// unready says why pods do not get what they ask for just now; nothing: they do.
func (p *plugin) unready() string {
	if err := pod.Available(); err != nil {
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

// listen serves until the program ends, or says why it cannot.
func (p *plugin) listen(address string) error {
	server := &http.Server{
		Addr:              address,
		Handler:           p.handler(),
		ReadHeaderTimeout: 5 * time.Second,
		WriteTimeout:      10 * time.Second,
		MaxHeaderBytes:    1 << 14,
	}
	return server.ListenAndServe()
}
