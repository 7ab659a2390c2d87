// SPDX-License-Identifier: GPL-2.0

package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"strconv"
	"sync"
	"time"

	"github.com/containerd/nri/pkg/api"
	nrinet "github.com/containerd/nri/pkg/net"
	"github.com/containerd/nri/pkg/stub"
)

// The connection to the runtime. The library's stub waits for the runtime's configuration without a limit
// of time, and does not notice there that the runtime has ended (versions 0.6 to 0.12). So the connection
// is made and watched here.

// patience is how long a runtime that is there may take to accept the plugin and to configure it.
var patience = 10 * time.Second

var (
	errSilent = errors.New("the runtime did not configure the plugin in time")
	errEnded  = errors.New("the runtime ended before it configured the plugin")
)

// A watched connection tells when it has ended, at either end.
type watched struct {
	net.Conn
	once  sync.Once
	ended chan struct{}
}

func watch(conn net.Conn) *watched {
	return &watched{Conn: conn, ended: make(chan struct{})}
}

func (w *watched) end() { w.once.Do(func() { close(w.ended) }) }

func (w *watched) Read(b []byte) (int, error) {
	n, err := w.Conn.Read(b)
	if err != nil {
		w.end()
	}
	return n, err
}

func (w *watched) Close() error {
	w.end()
	return w.Conn.Close()
}

// isLaunched: has the runtime started the plugin itself, and said name and connection?
func isLaunched() bool {
	return os.Getenv(api.PluginSocketEnvVar) != ""
}

// dial gives the connection that the runtime has opened for the plugin, or makes one.
func dial(socket string) (*watched, error) {
	if !isLaunched() {
		conn, err := net.DialTimeout("unix", socket, patience)
		if err != nil {
			return nil, err
		}
		return watch(conn), nil
	}
	fd, err := strconv.Atoi(os.Getenv(api.PluginSocketEnvVar))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", api.PluginSocketEnvVar, err)
	}
	conn, err := nrinet.NewFdConn(fd)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", api.PluginSocketEnvVar, err)
	}
	return watch(conn), nil
}

func options(conn net.Conn, index string) []stub.Option {
	all := []stub.Option{stub.WithConnection(conn), stub.WithOnClose(func() {})}

	if !isLaunched() {
		all = append(all, stub.WithPluginName("netnice"), stub.WithPluginIdx(index))
	}
	return all
}

// run ends with the connection, or without it if the runtime does not configure the plugin.
func run(p *plugin, socket, index string) error {
	conn, err := dial(socket)
	if err != nil {
		return fmt.Errorf("the runtime's socket: %w", err)
	}
	defer conn.Close()
	s, err := stub.New(p, options(conn, index)...)
	if err != nil {
		return err
	}
	configured := p.connect(conn)
	defer p.disconnect()
	ended := make(chan error, 1)
	go func() { ended <- s.Run(context.Background()) }()
	tooLate := time.NewTimer(patience)
	defer tooLate.Stop()
	why := errEnded
	select {
	case err := <-ended:
		return err
	case <-conn.ended:
	case <-tooLate.C:
		why = errSilent
		conn.Close()
	case <-configured:
		select {
		case err = <-ended:
			return err
		case <-conn.ended:
		}
	}
	select {
	case <-configured:
		why = nil
	default:
		letGo(s, why)
	}
	select {
	case err = <-ended:
		// that the connection is closed follows from the reason
		return cmp.Or(why, err)
	case <-time.After(patience):
		return why
	}
}

// letGo has the stub's Start return that waits for a configuration: with an error, as if this was the
// runtime's.
func letGo(s stub.Stub, why error) {
	ctx, cancel := context.WithCancelCause(context.Background())
	cancel(why)
	service, is := s.(interface {
		Configure(context.Context, *api.ConfigureRequest) (*api.ConfigureResponse, error)
	})
	if is {
		// a name and a version, as the library warns of a runtime that it does not know
		go func() {
			_, _ = service.Configure(ctx, &api.ConfigureRequest{RuntimeName: "containerd", RuntimeVersion: "v1.7.0"})
		}()
	}
}
