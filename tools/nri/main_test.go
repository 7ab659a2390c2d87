// SPDX-License-Identifier: GPL-2.0

package main

import (
	"context"
	"net"
	"path/filepath"
	"testing"
	"time"

	"github.com/containerd/nri/pkg/api"
	"github.com/containerd/nri/pkg/net/multiplex"
	"github.com/containerd/ttrpc"
)

// A runtime is one that accepts plugins, and ends there.
type runtime struct {
	conn net.Conn
}

func (r *runtime) RegisterPlugin(context.Context, *api.RegisterPluginRequest) (*api.Empty, error) {
	time.AfterFunc(100*time.Millisecond, func() { r.conn.Close() })
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
	service, err := multiplex.Multiplex(r.conn).Listen(multiplex.RuntimeServiceConn)
	if err != nil {
		return err
	}
	server, err := ttrpc.NewServer()
	if err != nil {
		return err
	}
	api.RegisterRuntimeService(server, r)
	return server.Serve(context.Background(), service)
}

func TestRuntimeEnds(t *testing.T) {
	socket := filepath.Join(t.TempDir(), "nri.sock")
	l, err := net.Listen("unix", socket)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	go func() { _ = (&runtime{}).serve(l) }()
	ended := make(chan error)
	go func() { ended <- run(&plugin{conf: preset()}, socket, "10") }()
	select {
	case err := <-ended:
		t.Log(err)
	case <-time.After(10 * time.Second):
		t.Error("it waits for the configuration of a runtime that has ended")
	}
}
