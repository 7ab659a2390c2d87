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

	"github.com/containerd/nri/pkg/api"
	"netnice/tools/pod"
)

// plugin is what the runtime calls. It calls one at a time; a call that it has given up may go on.
type plugin struct {
	mu   sync.Mutex
	file string // the configuration, if the runtime has none
	conf *config
	drop func() // ends the connection
	late bool   // the runtime has not waited for Synchronize
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

func (p *plugin) Configure(_ context.Context, text, runtime, version string) (api.EventMask, error) {
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
	p.mu.Lock()
	defer p.mu.Unlock()
	p.conf = conf
	log.Printf("%s, for %s %s", about(), runtime, version)
	return 0, nil
}

// Synchronize is told of all pods when the plugin has begun. A runtime that has given up waiting
// for the answer keeps the connection, and says nothing on it any more.
func (p *plugin) Synchronize(ctx context.Context, pods []*api.PodSandbox, _ []*api.Container) ([]*api.ContainerUpdate, error) {
	var all []*sandbox

	p.mu.Lock()
	defer p.mu.Unlock()
	for _, pod := range pods {
		s, err := sandboxOf(pod, p.conf.most)
		if s.running {
			warn(s.name, err)
		}
		all = append(all, s)
	}
	warn("", onNode(p.conf, func(on *placer) error {
		on.synchronize(all, p.late)
		return nil
	}))
	p.late = ctx.Err() != nil
	if p.late {
		log.Print("the runtime did not wait until all pods had their VIFs: the plugin begins again")
		go p.drop()
	}
	return nil, nil
}

// begin puts the pod where it is missing. An error keeps what begins from starting.
func (p *plugin) begin(of *api.PodSandbox) error {
	missing := true

	p.mu.Lock()
	defer p.mu.Unlock()
	s, wrong := sandboxOf(of, p.conf.most)
	required := p.conf.required && s.asks
	err := errors.Join(wrong, onNode(p.conf, func(on *placer) (err error) {
		missing, err = on.complete(s, required)
		return err
	}))
	if err != nil && required {
		return fmt.Errorf("netnice: %s", oneLine(err))
	}
	if missing {
		warn(s.name, err)
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
	p.mu.Lock()
	defer p.mu.Unlock()
	s, _ := sandboxOf(of, p.conf.most)
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
