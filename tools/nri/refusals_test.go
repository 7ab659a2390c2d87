// SPDX-License-Identifier: GPL-2.0

package main

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/containerd/nri/pkg/api"
)

func TestRefusals(t *testing.T) {
	var text strings.Builder
	var r refusals

	r.add(podID{"a", "one", "u1"}, nil)
	r.add(podID{"a", "one", "u1"}, errors.Join(nil, &refused{"minimum", errors.New("no room")},
		fmt.Errorf("so: %w", &refused{"weight", errors.New("x")}), errors.New("no veth")))
	r.add(podID{"a", "one", "u1"}, errors.Join(errors.Join(&refused{"minimum", errors.New("no room")})))
	r.add(podID{`b"`, "two\n", ""}, &refused{"annotation", errors.New("none")})
	r.write(&text)
	for _, line := range []string{
		`netnice_pod_refused{namespace="a",pod="one",uid="u1",setting="minimum"} 1`,
		`netnice_pod_refused{namespace="a",pod="one",uid="u1",setting="place"} 1`,
		`netnice_pod_refused{namespace="a",pod="one",uid="u1",setting="weight"} 1`,
		`netnice_pod_refused{namespace="b\"",pod="two\n",uid="",setting="annotation"} 1`,
		`netnice_nri_refusals_total{setting="minimum"} 2`,
	} {
		if !strings.Contains(text.String(), "\n"+line+"\n") {
			t.Errorf("not in it: %s: %s", line, text.String())
		}
	}
	r.forget(podID{"a", "one", "u1"})
	text.Reset()
	if r.write(&text); strings.Contains(text.String(), "u1") || !strings.Contains(text.String(), "refusals_total{setting=\"weight\"} 1") {
		t.Error(text.String())
	}
	r.forgetAll()
	text.Reset()
	if r.write(&text); strings.Contains(text.String(), "netnice_pod_refused{") {
		t.Error(text.String())
	}
}

// What a pod's annotations are refused for are metrics of that pod.
func TestRefusedPod(t *testing.T) {
	pod := &api.PodSandbox{Namespace: "shop", Name: "db-0", Uid: "u", Annotations: map[string]string{
		"netnice.io/wieght": "5", "netnice.io/minimum": "fast"}}
	p := &plugin{conf: preset()}
	s, err := sandboxOf(pod, p.conf)
	p.note(s, err)
	server := httptest.NewServer(p.handler())
	defer server.Close()
	_, text := get(t, server.URL+"/metrics")
	for _, line := range []string{`netnice_pod_refused{namespace="shop",pod="db-0",uid="u",setting="annotation"} 1`,
		`netnice_pod_refused{namespace="shop",pod="db-0",uid="u",setting="minimum"} 1`, "netnice_nri_connected 0"} {
		if !strings.Contains(text, line) {
			t.Errorf("not in it: %s: %s", line, text)
		}
	}
}

func get(t *testing.T, url string) (int, string) {
	t.Helper()
	answer, err := http.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	return answer.StatusCode, string(text)
}

func TestHealth(t *testing.T) {
	p := &plugin{conf: preset()}
	server := httptest.NewServer(p.handler())
	defer server.Close()
	if code, text := get(t, server.URL+"/healthz"); code != 200 {
		t.Errorf("%d: %s", code, text)
	}
	// no runtime is connected, and perhaps there is no module
	if code, text := get(t, server.URL+"/readyz"); code != 503 || text == "" {
		t.Errorf("%d: %s", code, text)
	}
	leave := p.enter()
	p.busy.Store(time.Now().Add(-2 * busyMost).UnixNano())
	if code, _ := get(t, server.URL+"/healthz"); code != 503 {
		t.Errorf("stuck: %d", code)
	}
	leave()
	if code, _ := get(t, server.URL+"/healthz"); code != 200 {
		t.Errorf("no longer stuck: %d", code)
	}
}
