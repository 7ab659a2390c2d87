// SPDX-License-Identifier: GPL-2.0

package main

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"time"
)

// The cluster's API server, if -node names this node (examples/kubernetes/minima). The plugin writes the minimum
// that pods of this node can have into the node's capacity, where the scheduler counts it, and events of pods whose
// settings were refused. These are three requests, without watches and caches: client-go would be ten times as much
// program as the plugin itself.

// accountFolder is where kubelet puts the token of the pod's service account, and renews it.
const accountFolder = "/var/run/secrets/kubernetes.io/serviceaccount"

const (
	// publishEvery is how often the capacity is compared: kubelet resets it when it registers its node again.
	publishEvery = time.Minute
	// answerMost bounds the answer that is read: a node has up to 50 images' names, a list all pods of a DaemonSet.
	answerMost = 1 << 26
	// eventsMost is the number of events that wait for the API server. Further ones are lost, as the log and the
	// metrics have them.
	eventsMost = 64
	// messageMost is what the API server takes of an event's message.
	messageMost = 1024
)

// Resources of a node, in bits per second.
const (
	egressResource  = "netnice.io/egress"
	ingressResource = "netnice.io/ingress"
)

type apiServer struct {
	url    string
	folder string
	node   string
	client *http.Client
	events chan event
	wake   chan struct{}
}

type event struct {
	id      podID
	message string
}

// inCluster finds the API server as every pod does.
func inCluster(node, folder string) (*apiServer, error) {
	host, port := os.Getenv("KUBERNETES_SERVICE_HOST"), os.Getenv("KUBERNETES_SERVICE_PORT")
	if host == "" || port == "" {
		return nil, errors.New("-node: there is no KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT")
	}
	authorities, err := os.ReadFile(filepath.Join(folder, "ca.crt"))
	if err != nil {
		return nil, fmt.Errorf("-node: %w", err)
	}
	roots := x509.NewCertPool()
	if !roots.AppendCertsFromPEM(authorities) {
		return nil, fmt.Errorf("-node: no certificate in %s/ca.crt", folder)
	}
	return &apiServer{
		url:    "https://" + net.JoinHostPort(host, port),
		folder: folder,
		node:   node,
		client: &http.Client{
			Timeout:   10 * time.Second,
			Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: roots, MinVersion: tls.VersionTLS12}},
		},
		events: make(chan event, eventsMost),
		wake:   make(chan struct{}, 1),
	}, nil
}

// namespace is the one that the program's pod is in.
func (a *apiServer) namespace() (string, error) {
	text, err := os.ReadFile(filepath.Join(a.folder, "namespace"))
	return string(bytes.TrimSpace(text)), err
}

// An apiError is a status that the server answers with.
type apiError struct {
	code int
	text string
}

func (e *apiError) Error() string { return e.text }

// hasCode: did the server answer with this status?
func hasCode(err error, code int) bool {
	var e *apiError
	return errors.As(err, &e) && e.code == code
}

// send sends one request. The caller closes the answer's body. A status that is none of success is an apiError.
func (a *apiServer) send(ctx context.Context, client *http.Client, method, path, contentType string, body any) (*http.Response, error) {
	var content io.Reader

	token, err := os.ReadFile(filepath.Join(a.folder, "token"))
	if err != nil {
		return nil, err
	}
	if body != nil {
		text, err := json.Marshal(body)
		if err != nil {
			return nil, err
		}
		content = bytes.NewReader(text)
	}
	request, err := http.NewRequestWithContext(ctx, method, a.url+path, content)
	if err != nil {
		return nil, err
	}
	request.Header.Set("Authorization", "Bearer "+string(bytes.TrimSpace(token)))
	request.Header.Set("Content-Type", contentType)
	response, err := client.Do(request)
	if err != nil {
		return nil, err
	}
	if response.StatusCode >= http.StatusMultipleChoices {
		defer response.Body.Close()
		var status struct{ Message string }
		_ = json.NewDecoder(io.LimitReader(response.Body, answerMost)).Decode(&status)
		return nil, &apiError{response.StatusCode, fmt.Sprintf("%s %s: %s: %s", method, path, response.Status, status.Message)}
	}
	return response, nil
}

// do sends one request. The answer, JSON, goes to answer, unless that is nil.
func (a *apiServer) do(method, path, contentType string, body, answer any) error {
	response, err := a.send(context.Background(), a.client, method, path, contentType, body)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	text, err := io.ReadAll(io.LimitReader(response.Body, answerMost))
	if err != nil || answer == nil {
		return err
	}
	return json.Unmarshal(text, answer)
}

// quantity is a number in the form that the API server gives back.
func quantity(n uint64) string {
	suffixes := []string{"", "k", "M", "G", "T"}
	i := 0
	for n != 0 && n%1000 == 0 && i+1 < len(suffixes) {
		n /= 1000
		i++
	}
	return strconv.FormatUint(n, 10) + suffixes[i]
}

// capacity is the sum of the minima that pods of class Guaranteed can have: the class has no other pods below it,
// so that the scheduler's sum is the kernel's. A pod of another class gets no minimum by the scheduler.
func (c *config) capacity() map[string]any {
	sum := c.vifs[guaranteed][minimum]
	return map[string]any{egressResource: quantity(sum.egress), ingressResource: quantity(sum.ingress)}
}

// publish writes what differs into the node's capacity; nil removes a resource. kubelet derives what pods can have.
func (a *apiServer) publish(wanted map[string]any) error {
	var node struct {
		Status struct{ Capacity map[string]any }
	}

	path := "/api/v1/nodes/" + url.PathEscape(a.node)
	// the version 0 is that of the server's cache
	if err := a.do(http.MethodGet, path+"?resourceVersion=0", "application/json", nil, &node); err != nil {
		return err
	}
	same := true
	for name, value := range wanted {
		same = same && node.Status.Capacity[name] == value
	}
	if same {
		return nil
	}
	return a.do(http.MethodPatch, path+"/status", "application/merge-patch+json",
		map[string]any{"status": map[string]any{"capacity": wanted}}, nil)
}

// report queues an event of a pod.
func (a *apiServer) report(id podID, err error) {
	if a == nil || err == nil {
		return
	}
	message := oneLine(err)
	if len(message) > messageMost {
		message = message[:messageMost]
	}
	select {
	case a.events <- event{id, message}:
	default:
	}
}

func (a *apiServer) post(e event) error {
	now := time.Now().UTC().Format(time.RFC3339)
	return a.do(http.MethodPost, "/api/v1/namespaces/"+url.PathEscape(e.id.namespace)+"/events", "application/json",
		map[string]any{
			"apiVersion":     "v1",
			"kind":           "Event",
			"metadata":       map[string]any{"generateName": e.id.name + "."},
			"involvedObject": map[string]any{"apiVersion": "v1", "kind": "Pod", "namespace": e.id.namespace, "name": e.id.name, "uid": e.id.uid},
			"type":           "Warning",
			"reason":         "BandwidthRefused",
			"message":        e.message,
			"source":         map[string]any{"component": "netnice", "host": a.node},
			"firstTimestamp": now,
			"lastTimestamp":  now,
			"count":          1,
		}, nil)
}

// changed has the capacity compared at once.
func (a *apiServer) changed() {
	if a == nil {
		return
	}
	select {
	case a.wake <- struct{}{}:
	default:
	}
}

// onChange gives a function that logs the error of each try, and repeats it only when it has become another one.
func onChange(prefix string) func(error) {
	last := ""
	return func(err error) {
		text := ""
		if err != nil {
			text = oneLine(err)
		}
		if text != "" && text != last {
			log.Print(prefix + text)
		}
		last = text
	}
}

// run serves until the program ends. capacity gives nil while there is no configuration.
func (a *apiServer) run(capacity func() map[string]any) {
	warnOnce := onChange("")
	tick := time.NewTicker(publishEvery)
	for {
		select {
		case e := <-a.events:
			warnOnce(a.post(e))
			continue
		case <-tick.C:
		case <-a.wake:
		}
		if wanted := capacity(); wanted != nil {
			warnOnce(a.publish(wanted))
		}
	}
}
