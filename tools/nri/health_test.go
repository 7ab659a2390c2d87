// SPDX-License-Identifier: GPL-2.0

package main

import (
	"bufio"
	"errors"
	"fmt"
	"net"
	"net/http"
	"testing"
	"time"

	"netnice/tools/pod"
)

// asks sends one request by a connection. Return: whether it was answered.
func asks(conn net.Conn) bool {
	_ = conn.SetDeadline(time.Now().Add(10 * time.Second))
	if _, err := fmt.Fprint(conn, "GET /healthz HTTP/1.1\r\nHost: node\r\n\r\n"); err != nil {
		return false
	}
	answer, err := http.ReadResponse(bufio.NewReader(conn), nil)
	return err == nil && answer.StatusCode == http.StatusOK
}

// Idle connections of tenants: there are no more than the bound, and the next one is served.
func TestConnections(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	server := new(plugin).server()
	go func() { _ = server.Serve(listener) }()
	defer server.Close()

	var conns []net.Conn
	for range connectionsMost + 3 {
		conn, err := net.Dial("tcp", listener.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		if !asks(conn) {
			t.Fatalf("connection %d is not served", len(conns))
		}
		conns = append(conns, conn)
	}
	for i, conn := range conns {
		if is, want := asks(conn), i >= 3; is != want {
			t.Errorf("connection %d of %d: served: %v", i, len(conns), is)
		}
	}
}

// Requests do not run modprobe again and again.
func TestAvailability(t *testing.T) {
	if pod.IsLoaded() {
		t.Skip("the module is loaded")
	}
	earlier := errors.New("earlier")
	a := availability{asked: time.Now(), err: earlier}
	if err := a.get(); err != earlier {
		t.Error("asked again at once:", err)
	}
	a.asked = time.Now().Add(-2 * availablePause)
	if err := a.get(); err == earlier {
		t.Error("not asked again later")
	}
}
