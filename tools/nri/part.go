// SPDX-License-Identifier: GPL-2.0

package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"path"
	"strconv"
	"strings"
	"sync"
	"time"

	"netnice/tools/pod"
)

// This node's parts of budgets, if -budgets names this node (examples/kubernetes/budget). They are in a ConfigMap that
// a controller writes (budget.go). Without API server or controller all stays as it is: the limits are in the kernel.

const (
	// budgetsName is the name of the ConfigMap: by namespaces, the shares of nodes in JSON.
	budgetsName = "netnice-budgets"
	// budgetsFolder has the token for this, and the name of the namespace that the plugin is in.
	budgetsFolder = "/var/run/secrets/netnice/budgets"
	// watchFor is how long one request waits for changes: a connection that is dead without a word costs no more.
	watchFor = time.Minute
	// followAgain is the time until the API server is asked again after an error.
	followAgain = 2 * time.Second
)

// parts are those of one node, by namespaces.
type parts struct {
	mu sync.Mutex
	// known: the API server has answered once. A budget that has not been divided yet has no part in written.
	known   bool
	written map[string]uint64
	// inForce are sums of the limits that are set on devices. What is not in it is not known.
	inForce map[string]uint64
}

// read takes what the ConfigMap has for a node. A node without a share of a budget that has been divided has the least,
// as the others may have all of it. A budget that cannot be read stays as it was.
func (p *parts) read(node string, data map[string]string) error {
	var errs []error

	p.mu.Lock()
	defer p.mu.Unlock()
	written := map[string]uint64{}
	for namespace, text := range data {
		var shares map[string]share
		if err := json.Unmarshal([]byte(text), &shares); err != nil {
			errs = append(errs, fmt.Errorf("%s: %s: %w", budgetsName, shown(namespace), err))
			if part, is := p.written[namespace]; is {
				written[namespace] = part
			}
		} else if len(shares) > 0 {
			written[namespace] = max(shares[node].Part, pod.LeastRate)
		}
	}
	p.known, p.written = true, written
	return errors.Join(errs...)
}

// part of a budget: without a limit until it has been divided. known: is this what the API server says?
func (p *parts) part(namespace string) (part uint64, known bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	part, is := p.written[namespace]
	if !is {
		part = limitless
	}
	return part, p.known
}

// forget what is in force: another configuration begins.
func (p *parts) forget() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.inForce = nil
}

// set keeps the sum of what has been set.
func (p *parts) set(namespace string, sum uint64, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.inForce == nil {
		p.inForce = map[string]uint64{}
	}
	if err == nil {
		p.inForce[namespace] = sum
	} else {
		delete(p.inForce, namespace)
	}
}

// shareOut writes the part of a budget to the VIFs of its namespace, the same to each device. made are VIFs without a
// limit, as they have just been created: they get the least until the part is known.
func (p *placer) shareOut(namespace string, made ...string) error {
	var vifs []string
	var errs []error

	for _, device := range p.trees() {
		if vif := path.Join(device, allPods, namespaceLevel(namespace)); p.Has(vif) {
			vifs = append(vifs, vif)
		}
	}
	part, known := p.conf.parts.part(namespace)
	if !known {
		vifs, part = made, 0
	}
	own := p.conf.vifs[namespaceLevel(namespace)]
	limit := part
	if part != limitless {
		limit = min(max(part/uint64(max(len(vifs), 1)), joins(own[minimum].egress)), pod.MostRate)
	}
	limit = min(limit, own[bandwidth].egress)
	for _, vif := range vifs {
		errs = append(errs, p.set([]one{{vif, bandwidth, pair{limit, own[bandwidth].ingress}}}))
	}
	err := errors.Join(errs...)
	if known {
		sum := limit
		if limit != limitless {
			sum *= uint64(max(len(vifs), 1))
		}
		p.conf.parts.set(namespace, sum, err)
	}
	return err
}

// shareOutAll does so with all budgets.
func (p *placer) shareOutAll() error {
	var errs []error

	if p.conf.parts == nil {
		return nil
	}
	for namespace := range p.conf.budgets {
		errs = append(errs, p.shareOut(namespace))
	}
	return errors.Join(errs...)
}

// budgetOf is the namespace with a budget of which this is the level.
func (c *config) budgetOf(level string) (string, bool) {
	namespace, is := strings.CutPrefix(level, namespacePrefix)
	_, has := c.budgets[namespace]
	return namespace, is && has && c.parts != nil
}

// take has the data of the ConfigMap in force.
func (p *plugin) take(node string, data map[string]string) error {
	err := p.parts.read(node, data)
	defer p.enter()()
	if p.conf == nil || !pod.IsLoaded() {
		return err
	}
	return errors.Join(err, onNode(p.conf, (*placer).shareOutAll))
}

// usage is what a node says of a budget: the sum of its limits, and what has been sent below them since it began.
type usage struct {
	Limit uint64 `json:"limit"`
	Bytes uint64 `json:"bytes"`
}

// numberIn finds a number in the words of a flat keyed file.
func numberIn(text, key string) uint64 {
	words := strings.Fields(text)
	for i := 0; i+1 < len(words); i += 2 {
		if words[i] == key {
			n, _ := strconv.ParseUint(words[i+1], 10, 64)
			return n
		}
	}
	return 0
}

// usages are those of all budgets whose limits are known. It does not wait for calls of the runtime.
func (p *plugin) usages() (map[string]usage, error) {
	all := map[string]usage{}
	p.parts.mu.Lock()
	for namespace, limit := range p.parts.inForce {
		all[namespace] = usage{Limit: limit}
	}
	p.parts.mu.Unlock()
	if len(all) == 0 {
		return all, nil
	}
	return all, onNode(nil, func(on *placer) error {
		for namespace, u := range all {
			for _, device := range on.trees() {
				text, _ := on.Read(path.Join(device, allPods, namespaceLevel(namespace)), "stat")
				u.Bytes += numberIn(text, "egress_bytes")
			}
			all[namespace] = u
		}
		return nil
	})
}

// serveBudgets answers the controller.
func (p *plugin) serveBudgets(w http.ResponseWriter, _ *http.Request) {
	all, err := p.usages()
	if err != nil {
		http.Error(w, oneLine(err), http.StatusServiceUnavailable)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(all)
}

// configMap is what is used of one.
type configMap struct {
	Metadata struct {
		ResourceVersion string `json:"resourceVersion"`
	} `json:"metadata"`
	Data map[string]string `json:"data"`
}

// follow hands over the data of a ConfigMap, now and after each change, until the connection ends. The first answer
// is the newest that there is, and no older one follows: a part that has been given up must not come back.
func (a *apiServer) follow(name string, take func(map[string]string)) error {
	namespace, err := a.namespace()
	if err != nil {
		return err
	}
	var now configMap
	all := "/api/v1/namespaces/" + url.PathEscape(namespace) + "/configmaps"
	if err := a.do(http.MethodGet, all+"/"+name, "application/json", nil, &now); err != nil {
		return err
	}
	take(now.Data)
	ctx, cancel := context.WithTimeout(context.Background(), watchFor+10*time.Second)
	defer cancel()
	response, err := a.send(ctx, &http.Client{Transport: a.client.Transport}, http.MethodGet, fmt.Sprintf(
		"%s?watch=1&fieldSelector=metadata.name%%3D%s&resourceVersion=%s&timeoutSeconds=%d", all, name,
		url.QueryEscape(now.Metadata.ResourceVersion), int(watchFor.Seconds())), "application/json", nil)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	for events := json.NewDecoder(response.Body); ; {
		var event struct {
			Type   string    `json:"type"`
			Object configMap `json:"object"`
		}
		if err := events.Decode(&event); err != nil {
			// the request has waited long enough
			return nil
		}
		if event.Type != "ADDED" && event.Type != "MODIFIED" {
			return fmt.Errorf("%s: %s", name, event.Type)
		}
		take(event.Object.Data)
	}
}

// followBudgets serves until the program ends.
func (p *plugin) followBudgets(a *apiServer) {
	warnOnce := onChange("budgets: ")
	for ; ; time.Sleep(followAgain) {
		warnOnce(a.follow(budgetsName, func(data map[string]string) { warn("", p.take(a.node, data)) }))
	}
}
