// SPDX-License-Identifier: GPL-2.0

package main

import (
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestQuantity(t *testing.T) {
	for n, want := range map[uint64]string{0: "0", 1: "1", 999: "999", 1000: "1k", 1500: "1500", 5e6: "5M", 3e8: "300M",
		1500000: "1500k", 4e11: "400G", 1e12: "1T", 1e15: "1000T"} {
		if got := quantity(n); got != want {
			t.Errorf("%d: %s, not %s", n, got, want)
		}
	}
}

// cluster is an API server that has a node, and notes requests.
func cluster(t *testing.T, capacity *map[string]any, requests *[]string) *apiServer {
	t.Helper()
	return served(t, "n1", func(w http.ResponseWriter, r *http.Request) {
		var body map[string]any
		_ = json.NewDecoder(r.Body).Decode(&body)
		text, _ := json.Marshal(body)
		*requests = append(*requests, r.Method+" "+r.URL.Path+" "+string(text))
		_ = json.NewEncoder(w).Encode(map[string]any{"status": map[string]any{"capacity": *capacity}})
	})
}

// served is a client of this name of an API server that answers so.
func served(t *testing.T, name string, answer http.HandlerFunc) *apiServer {
	t.Helper()
	server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "Bearer secret" {
			w.WriteHeader(http.StatusForbidden)
			fmt.Fprint(w, `{ "message": "no" }`)
			return
		}
		answer(w, r)
	}))
	t.Cleanup(server.Close)
	where, err := url.Parse(server.URL)
	if err != nil {
		t.Fatal(err)
	}
	host, port, err := net.SplitHostPort(where.Host)
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("KUBERNETES_SERVICE_HOST", host)
	t.Setenv("KUBERNETES_SERVICE_PORT", port)
	folder := t.TempDir()
	authority := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw})
	for name, text := range map[string]string{"ca.crt": string(authority), "token": "secret\n", "namespace": "netnice"} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	a, err := inCluster(name, folder)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func TestPublish(t *testing.T) {
	var requests []string
	capacity := map[string]any{"cpu": "2"}
	a := cluster(t, &capacity, &requests)
	conf, err := parseConfig("kubepods: { minimum: 300M }\nguaranteed: { minimum: egress 200M }")
	if err != nil {
		t.Fatal(err)
	}
	if err := a.publish(conf.capacity()); err != nil {
		t.Fatal(err)
	}
	want := []string{"GET /api/v1/nodes/n1 null",
		`PATCH /api/v1/nodes/n1/status {"status":{"capacity":{"netnice.io/egress":"200M","netnice.io/ingress":"0"}}}`}
	if strings.Join(requests, "\n") != strings.Join(want, "\n") {
		t.Error(requests)
	}
	requests = nil
	capacity = map[string]any{egressResource: "200M", ingressResource: "0"}
	if err := a.publish(conf.capacity()); err != nil || len(requests) != 1 {
		t.Error("what is there is written again", err, requests)
	}
	if err := a.publish(map[string]any{egressResource: nil}); err != nil || len(requests) != 3 ||
		!strings.Contains(requests[2], `{"netnice.io/egress":null}`) {
		t.Error("a resource is not removed", err, requests)
	}
	if err := os.WriteFile(filepath.Join(a.folder, "token"), []byte("old"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := a.publish(conf.capacity()); err == nil || !strings.Contains(err.Error(), "403 Forbidden: no") {
		t.Error("an error is not reported", err)
	}
}

func TestReport(t *testing.T) {
	var requests []string
	a := cluster(t, &map[string]any{}, &requests)
	for i := 0; i < 2*eventsMost; i++ {
		a.report(podID{"shop", "db-0", "u"}, errors.New(strings.Repeat("no ", 1000)))
	}
	if len(a.events) != eventsMost {
		t.Error(len(a.events))
	}
	e := <-a.events
	if len(e.message) != messageMost {
		t.Error(len(e.message))
	}
	e.message = "no minimum is left"
	if err := a.post(e); err != nil {
		t.Fatal(err)
	}
	if len(requests) != 1 || !strings.HasPrefix(requests[0], "POST /api/v1/namespaces/shop/events ") ||
		!strings.Contains(requests[0], `"message":"no minimum is left"`) || !strings.Contains(requests[0], `"uid":"u"`) {
		t.Error(requests)
	}
	var none *apiServer
	none.report(podID{}, errors.New("x"))
	none.changed()
}

func TestNoCluster(t *testing.T) {
	t.Setenv("KUBERNETES_SERVICE_HOST", "")
	if _, err := inCluster("n", t.TempDir()); err == nil || !strings.Contains(err.Error(), "KUBERNETES_SERVICE_HOST") {
		t.Error(err)
	}
	t.Setenv("KUBERNETES_SERVICE_HOST", "10.0.0.1")
	t.Setenv("KUBERNETES_SERVICE_PORT", "443")
	if _, err := inCluster("n", t.TempDir()); err == nil || !strings.Contains(err.Error(), "ca.crt") {
		t.Error(err)
	}
}
