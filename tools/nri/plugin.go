// SPDX-License-Identifier: GPL-2.0

package main

import (
	"context"
	"errors"
	"fmt"
	"log"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/containerd/nri/pkg/api"
	"netnice/tools/pod"
)

// plugin is what the runtime calls. It calls one at a time; a call that it has given up may go on.
type plugin struct {
	mu         sync.Mutex
	file       string // the configuration, if the runtime has none
	conf       *config
	conn       *watched      // the connection that there is,
	configured chan struct{} // and what is closed when the runtime configures it; nil: that is done
	late       bool          // the runtime has not waited for Synchronize
	refusals   refusals
	api        *apiServer // nil: there is none
	follows    bool       // it has parts of budgets
	parts      parts
	available  availability
	connected  atomic.Bool
	busy       atomic.Int64 // when the call began that is served, in ns; 0: none is
}

// connect begins a connection. The channel is closed when the runtime has configured the plugin.
func (p *plugin) connect(conn *watched) <-chan struct{} {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.conn, p.configured = conn, make(chan struct{})
	return p.configured
}

func (p *plugin) disconnect() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.configured = nil
	p.connected.Store(false)
}

// enter has one call served, until what it returns is called.
func (p *plugin) enter() func() {
	p.mu.Lock()
	p.busy.Store(time.Now().UnixNano())
	return func() {
		p.busy.Store(0)
		p.mu.Unlock()
	}
}

// oneLine: errors of several things are a line each.
func oneLine(err error) string {
	return strings.ReplaceAll(err.Error(), "\n", "; ")
}

func warn(name string, err error) {
	switch {
	case err == nil:
	case name == "":
		log.Print(oneLine(err))
	default:
		log.Printf("pod %s: %s", name, oneLine(err))
	}
}

// read: the file has not to be there, unless it was named.
func (p *plugin) read() string {
	text, err := os.ReadFile(p.file)
	if err != nil && (p.file != defaultFile || !errors.Is(err, os.ErrNotExist)) {
		log.Fatal(err)
	}
	return string(text)
}

// Configure also comes from letGo, with a context that has ended.
func (p *plugin) Configure(ctx context.Context, text, runtime, version string) (api.EventMask, error) {
	if err := context.Cause(ctx); err != nil {
		return 0, err
	}
	if text == "" {
		text = p.read()
	}
	conf, err := parseConfig(text)
	if err != nil && !isLaunched() {
		// to be asked again would change nothing
		log.Fatal(err)
	}
	if err != nil {
		// without its plugin the runtime would not start at all
		warn("", err)
		conf = preset()
	}
	for _, note := range conf.notes {
		log.Print(note)
	}
	defer p.enter()()
	if p.follows {
		conf.parts = &p.parts
	} else if len(conf.budgets) > 0 {
		log.Print("configuration: namespaces: budgets have no effect without -budgets")
	}
	p.parts.forget()
	p.conf = conf
	p.api.changed()
	if p.configured != nil {
		close(p.configured)
		p.configured = nil
		p.connected.Store(true)
	}
	log.Printf("%s, for %s %s", about(), runtime, version)
	return 0, nil
}

// note says what is worth a line of the log about a pod's annotations, and counts what it did not get.
func (p *plugin) note(s *sandbox, err error) {
	for _, note := range s.notes {
		log.Printf("pod %s: %s", s.name, note)
	}
	warn(s.name, err)
	p.refuse(s, err)
}

// refuse counts what the pod did not get, and says so in the cluster.
func (p *plugin) refuse(s *sandbox, err error) {
	p.refusals.add(s.id, err)
	p.api.report(s.id, err)
}

// capacity is that of the configuration, if there is one.
func (p *plugin) capacity() map[string]any {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.conf == nil {
		return nil
	}
	return p.conf.capacity()
}

// Synchronize is told of all pods when the plugin has begun. A runtime that has given up waiting
// for the answer keeps the connection, and says nothing on it any more.
func (p *plugin) Synchronize(ctx context.Context, pods []*api.PodSandbox, _ []*api.Container) ([]*api.ContainerUpdate, error) {
	var all []*sandbox

	defer p.enter()()
	if !p.late {
		p.refusals.forgetAll()
	}
	for _, pod := range pods {
		s, err := sandboxOf(pod, p.conf)
		if s.running {
			p.note(s, err)
		}
		all = append(all, s)
	}
	warn("", onNode(p.conf, func(on *placer) error {
		on.synchronize(all, p.late, func(s *sandbox, err error) {
			warn(s.name, err)
			p.refuse(s, err)
		})
		return on.shareOutAll()
	}))
	p.late = ctx.Err() != nil
	if p.late {
		log.Print("the runtime did not wait until all pods had their VIFs: the plugin begins again")
		go p.conn.Close()
	}
	return nil, nil
}

// begin puts the pod where it is missing. An error keeps what begins from starting.
func (p *plugin) begin(of *api.PodSandbox) error {
	missing := true

	defer p.enter()()
	s, wrong := sandboxOf(of, p.conf)
	required := p.conf.required && s.asks
	err := errors.Join(wrong, onNode(p.conf, func(on *placer) (err error) {
		missing, err = on.complete(s, required)
		return err
	}))
	if err != nil && required {
		p.refuse(s, err)
		return fmt.Errorf("netnice: %s", oneLine(err))
	}
	if missing {
		p.note(s, err)
	}
	return nil
}

// RunPodSandbox: the pod has its network, and no container yet.
func (p *plugin) RunPodSandbox(_ context.Context, of *api.PodSandbox) error {
	return p.begin(of)
}

// CreateContainer: nothing was told of a pod that began while the plugin was not connected.
func (p *plugin) CreateContainer(_ context.Context, of *api.PodSandbox, _ *api.Container) (*api.ContainerAdjustment, []*api.ContainerUpdate, error) {
	return nil, nil, p.begin(of)
}

func (p *plugin) end(of *api.PodSandbox) error {
	defer p.enter()()
	s, _ := sandboxOf(of, p.conf)
	p.refusals.forget(s.id)
	if pod.IsLoaded() {
		warn(s.name, onNode(p.conf, func(on *placer) error { return on.remove(s, on.trees()) }))
	}
	return nil
}

func (p *plugin) StopPodSandbox(_ context.Context, of *api.PodSandbox) error {
	return p.end(of)
}

// RemovePodSandbox also comes where nothing was stopped.
func (p *plugin) RemovePodSandbox(_ context.Context, of *api.PodSandbox) error {
	return p.end(of)
}
