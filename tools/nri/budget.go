// SPDX-License-Identifier: GPL-2.0

package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"net/url"
	"os"
	"slices"
	"sync"
	"time"
)

// The controller of budgets, with -divide: every few seconds it asks all nodes what they use, and moves parts to those
// that want more. It is in no packet's way. Its state is the ConfigMap: each write names the version that it was
// computed from, so that of two controllers that act at the same time one fails. The lease only spares the nodes the
// questions of the second one.

const (
	// roundEvery is how often parts are moved.
	roundEvery = 2 * time.Second
	// leaseFor is how long a controller that is silent keeps the lease.
	leaseFor = 5 * roundEvery
	// lookEvery is how many rounds one list of the nodes lasts.
	lookEvery = 5
	// askFor bounds the time that a node may take to answer, askMost how many are asked at the same time.
	askFor  = time.Second
	askMost = 64
	// leaseName is the lease's, daemonLabel the label of the plugins' pods.
	leaseName   = "netnice-budget"
	daemonLabel = "app.kubernetes.io/name%3Dnetnice"
	// nodePort is where the plugins listen.
	nodePort = "9991"
)

type controller struct {
	api      *apiServer
	conf     *config
	port     string
	now      func() time.Time
	client   *http.Client
	rounds   int                  // since it has the lease
	nodes    map[string]string    // those with the plugin, and their addresses
	gone     map[string]bool      // those that the cluster does not have any more
	samples  map[[2]string]sample // by node and namespace
	seen     string               // the lease, as it was last seen to change,
	seenTime time.Time            // and when
}

type sample struct {
	bytes uint64
	at    time.Time
}

func newController(api *apiServer, conf *config) *controller {
	return &controller{api: api, conf: conf, port: nodePort, now: time.Now,
		client:  &http.Client{Timeout: askFor, Transport: &http.Transport{MaxIdleConnsPerHost: 1, IdleConnTimeout: leaseFor}},
		samples: map[[2]string]sample{}}
}

// path of an object in the namespace that this runs in
func (c *controller) path(group, object string) (string, error) {
	namespace, err := c.api.namespace()
	return group + "/namespaces/" + url.PathEscape(namespace) + "/" + object, err
}

// leads takes the lease, or renews it. Another controller's has ended if it has not changed for leaseFor by the clock of
// this machine.
func (c *controller) leads() (bool, error) {
	var lease map[string]any

	path, err := c.path("/apis/coordination.k8s.io/v1", "leases/"+leaseName)
	if err != nil {
		return false, err
	}
	if err := c.api.do(http.MethodGet, path, "application/json", nil, &lease); err != nil {
		return false, err
	}
	spec, _ := lease["spec"].(map[string]any)
	if spec == nil {
		spec = map[string]any{}
	}
	holder, _ := spec["holderIdentity"].(string)
	if text := fmt.Sprint(spec); text != c.seen {
		c.seen, c.seenTime = text, c.now()
	}
	if holder != "" && holder != c.api.node && c.now().Sub(c.seenTime) < leaseFor {
		return false, nil
	}
	now := c.now().UTC().Format("2006-01-02T15:04:05.000000Z07:00")
	if holder != c.api.node {
		count, _ := spec["leaseTransitions"].(float64)
		spec["leaseTransitions"], spec["acquireTime"] = int(count)+1, now
	}
	spec["holderIdentity"], spec["renewTime"], spec["leaseDurationSeconds"] = c.api.node, now, int(leaseFor.Seconds())
	lease["spec"] = spec
	err = c.api.do(http.MethodPut, path, "application/json", lease, nil)
	if hasCode(err, http.StatusConflict) {
		// another one was faster
		return false, nil
	}
	return err == nil, err
}

// look finds the nodes that have the plugin, and those of the recorded ones that are gone. A node without the plugin
// keeps its limits, as during an update, and so its part.
func (c *controller) look(recorded []string) error {
	var pods struct {
		Items []struct {
			Spec   struct{ NodeName string }
			Status struct{ HostIP string }
		}
	}

	path, err := c.path("/api/v1", "pods?resourceVersion=0&labelSelector="+daemonLabel)
	if err != nil {
		return err
	}
	if err := c.api.do(http.MethodGet, path, "application/json", nil, &pods); err != nil {
		return err
	}
	nodes, gone := map[string]string{}, map[string]bool{}
	for _, pod := range pods.Items {
		if pod.Spec.NodeName != "" && pod.Status.HostIP != "" {
			nodes[pod.Spec.NodeName] = pod.Status.HostIP
		}
	}
	for _, name := range recorded {
		if _, is := nodes[name]; is {
			continue
		}
		err := c.api.do(http.MethodGet, "/api/v1/nodes/"+url.PathEscape(name), "application/json", nil, nil)
		if hasCode(err, http.StatusNotFound) {
			gone[name] = true
		}
	}
	if len(nodes)+len(recorded) > nodesMost {
		return fmt.Errorf("%d nodes are more than %d", len(nodes)+len(recorded), nodesMost)
	}
	c.nodes, c.gone = nodes, gone
	maps.DeleteFunc(c.samples, func(key [2]string, _ sample) bool { return nodes[key[0]] == "" })
	return nil
}

func (c *controller) askOne(address string) (all map[string]usage, err error) {
	response, err := c.client.Get("http://" + net.JoinHostPort(address, c.port) + "/budgets")
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return nil, errors.New(response.Status)
	}
	return all, json.NewDecoder(io.LimitReader(response.Body, answerMost)).Decode(&all)
}

// ask gives the reports of the nodes that answer, by namespaces. The error names one that does not.
func (c *controller) ask() (map[string]map[string]report, error) {
	var mu sync.Mutex
	var wait sync.WaitGroup

	reports := map[string]map[string]report{}
	silent := map[string]error{}
	places := make(chan struct{}, askMost)
	for node, address := range c.nodes {
		wait.Add(1)
		go func() {
			defer wait.Done()
			places <- struct{}{}
			defer func() { <-places }()
			all, err := c.askOne(address)
			mu.Lock()
			defer mu.Unlock()
			if err != nil {
				silent[node] = err
				return
			}
			for namespace, u := range all {
				if reports[namespace] == nil {
					reports[namespace] = map[string]report{}
				}
				reports[namespace][node] = report{u.Limit, c.wants([2]string{node, namespace}, u)}
			}
		}()
	}
	wait.Wait()
	if len(silent) == 0 {
		return reports, nil
	}
	first := slices.Min(slices.Collect(maps.Keys(silent)))
	return reports, fmt.Errorf("%d of %d nodes do not answer and keep their parts: %s: %w", len(silent), len(c.nodes), first,
		silent[first])
}

// wants is what a node wants, by what it has sent since it was asked last; at first, what it has.
func (c *controller) wants(key [2]string, u usage) uint64 {
	last, is := c.samples[key]
	now := sample{u.Bytes, c.now()}
	c.samples[key] = now
	if !is {
		return u.Limit
	}
	return demand(rateOf(last.bytes, now.bytes, now.at.Sub(last.at).Seconds()), u.Limit)
}

// round moves parts once, if this controller has the lease.
func (c *controller) round() error {
	if leads, err := c.leads(); err != nil || !leads {
		clear(c.samples)
		c.rounds = 0
		return err
	}
	var object map[string]any
	path, err := c.path("/api/v1", "configmaps/"+budgetsName)
	if err != nil {
		return err
	}
	if err := c.api.do(http.MethodGet, path, "application/json", nil, &object); err != nil {
		return err
	}
	data, _ := object["data"].(map[string]any)
	states, errs := statesOf(data)
	if c.rounds++; c.rounds%lookEvery == 1 {
		recorded := map[string]bool{}
		for _, state := range states {
			for node := range state {
				recorded[node] = true
			}
		}
		errs = append(errs, c.look(slices.Sorted(maps.Keys(recorded))))
	}
	reports, err := c.ask()
	errs = append(errs, err)
	next := map[string]any{}
	changed := false
	for _, namespace := range slices.Sorted(maps.Keys(c.conf.budgets)) {
		state, is := states[namespace]
		if !is && data[namespace] != nil {
			// it cannot be read
			next[namespace] = data[namespace]
			continue
		}
		text, differs, err := c.divided(namespace, state, reports[namespace])
		errs = append(errs, err)
		changed = changed || differs
		if text != "" {
			next[namespace] = text
		}
	}
	if changed || len(next) != len(data) {
		object["data"] = next
		// with a conflict the next round begins anew
		if err := c.api.do(http.MethodPut, path, "application/json", object, nil); !hasCode(err, http.StatusConflict) {
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}

// statesOf are the shares that are written.
func statesOf(data map[string]any) (map[string]map[string]share, []error) {
	var errs []error

	states := map[string]map[string]share{}
	for namespace, value := range data {
		var state map[string]share
		text, _ := value.(string)
		if err := json.Unmarshal([]byte(text), &state); err != nil {
			errs = append(errs, fmt.Errorf("%s: %s: %w", budgetsName, namespace, err))
			continue
		}
		states[namespace] = state
	}
	return states, errs
}

// divided is what is written of a budget next; nothing as long as no node has it.
func (c *controller) divided(namespace string, state map[string]share, reports map[string]report) (string, bool, error) {
	all := maps.Clone(c.nodes)
	for node := range state {
		if !c.gone[node] {
			all[node] = ""
		}
	}
	nodes := slices.Sorted(maps.Keys(all))
	budget := c.conf.budgets[namespace]
	own := c.conf.vifs[namespaceLevel(namespace)][minimum].egress
	least := leastPart(budget, own, len(nodes))
	var err error
	changed := false
	switch {
	case len(c.nodes) == 0:
		// they have not been found yet
	case least == 0:
		err = fmt.Errorf("the budget of %s is too small for %d nodes: it stays as it is", namespace, len(nodes))
	default:
		state, changed = step(budget, least, joins(own), state, nodes, reports)
	}
	if len(state) == 0 {
		return "", false, err
	}
	text, _ := json.Marshal(state)
	return string(text), changed, err
}

// divideBudgets is the controller, under a name that no other one has. It returns with an error.
func divideBudgets(name, file string) error {
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	conf, err := parseConfig(string(text))
	if err != nil {
		return err
	}
	api, err := inCluster(name, budgetsFolder)
	if err != nil {
		return err
	}
	newController(api, conf).run()
	return nil
}

// run serves until the program ends.
func (c *controller) run() {
	warnOnce := onChange("")
	for ; ; time.Sleep(roundEvery) {
		warnOnce(c.round())
	}
}
