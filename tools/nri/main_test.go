// SPDX-License-Identifier: GPL-2.0

package main

import (
	"context"
	"net"
	"path/filepath"
	goruntime "runtime"
	"strings"
	"testing"
	"time"

	"github.com/containerd/nri/pkg/api"
	"github.com/containerd/nri/pkg/net/multiplex"
	"github.com/containerd/ttrpc"
	"github.com/sirupsen/logrus"
)

// The library has a line for each step.
func init() { logrus.SetLevel(logrus.PanicLevel) }

// A runtime accepts plugins, and is silent or ends there, if it does not configure them.
type runtime struct {
	conn               net.Conn
	mux                multiplex.Mux
	configures, silent bool
	configured         chan error
	end                chan struct{}
}

func (r *runtime) RegisterPlugin(context.Context, *api.RegisterPluginRequest) (*api.Empty, error) {
	switch {
	case r.configures:
		go r.configure()
	case !r.silent:
		time.AfterFunc(10*time.Millisecond, func() { r.conn.Close() })
	}
	return &api.Empty{}, nil
}

func (r *runtime) UpdateContainers(context.Context, *api.UpdateContainersRequest) (*api.UpdateContainersResponse, error) {
	return &api.UpdateContainersResponse{}, nil
}

func (r *runtime) serve(l net.Listener) error {
	var err error

	if r.conn, err = l.Accept(); err != nil {
		return err
	}
	r.mux = multiplex.Multiplex(r.conn)
	service, err := r.mux.Listen(multiplex.RuntimeServiceConn)
	if err != nil {
		return err
	}
	server, err := ttrpc.NewServer()
	if err != nil {
		return err
	}
	api.RegisterRuntimeService(server, r)
	go func() {
		<-r.end
		server.Close()
	}()
	return server.Serve(context.Background(), service)
}

// configure says the configuration, and ends.
func (r *runtime) configure() {
	conn, err := r.mux.Open(multiplex.PluginServiceConn)
	if err == nil {
		client := ttrpc.NewClient(conn)
		_, err = api.NewPluginClient(client).Configure(context.Background(),
			&api.ConfigureRequest{Config: "required: true", RuntimeName: "containerd", RuntimeVersion: "v1.7.0"})
	}
	r.configured <- err
	r.conn.Close()
}

// runs gives what run returns with a runtime of this kind.
func runs(t *testing.T, p *plugin, r *runtime) error {
	t.Helper()
	socket := filepath.Join(t.TempDir(), "nri.sock")
	l, err := net.Listen("unix", socket)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	r.end = make(chan struct{})
	defer close(r.end)
	go func() { _ = r.serve(l) }()
	ended := make(chan error, 1)
	go func() { ended <- run(p, socket, "10") }()
	select {
	case err := <-ended:
		return err
	case <-time.After(20 * time.Second):
		t.Fatal("it waits for a runtime for good")
		return nil
	}
}

func TestRuntimeEnds(t *testing.T) {
	if err := runs(t, &plugin{conf: preset()}, &runtime{}); err == nil || !strings.Contains(err.Error(), errEnded.Error()) {
		t.Error(err)
	}
}

func TestRuntimeSilent(t *testing.T) {
	defer func(was time.Duration) { patience = was }(patience)
	patience = 200 * time.Millisecond
	if err := runs(t, &plugin{conf: preset()}, &runtime{silent: true}); err == nil || !strings.Contains(err.Error(), errSilent.Error()) {
		t.Error(err)
	}
}

// A runtime that has configured the plugin ends: the plugin has the configuration, and is not connected.
func TestRuntimeConfigures(t *testing.T) {
	p := &plugin{conf: preset()}
	r := &runtime{configures: true, configured: make(chan error, 1)}
	began := time.Now()
	_ = runs(t, p, r)
	if err := <-r.configured; err != nil || !p.conf.required || p.connected.Load() || time.Since(began) > patience {
		t.Errorf("%v, %+v, %v", err, p.conf, time.Since(began))
	}
}

func TestNoRuntime(t *testing.T) {
	if err := run(&plugin{conf: preset()}, "/nowhere/nri.sock", "10"); err == nil {
		t.Error("there is no socket, and no error")
	}
}

// Nothing stays of runtimes that end too early, however often they do.
func TestNothingStays(t *testing.T) {
	runs(t, &plugin{conf: preset()}, &runtime{})
	before := goruntime.NumGoroutine()
	for range 20 {
		runs(t, &plugin{conf: preset()}, &runtime{})
	}
	for try := 0; goruntime.NumGoroutine() > before+5; try++ {
		if try == 100 {
			stacks := make([]byte, 1<<20)
			t.Fatalf("%d goroutines, %d before: %s", goruntime.NumGoroutine(), before, stacks[:goruntime.Stack(stacks, true)])
		}
		time.Sleep(20 * time.Millisecond)
	}
}
