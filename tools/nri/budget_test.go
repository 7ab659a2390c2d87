// SPDX-License-Identifier: GPL-2.0

package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"netnice/tools/pod"
)

// objects are an API server's: it refuses a write that does not name the version that there is.
type objects struct {
	mu       sync.Mutex
	at       map[string]map[string]any
	version  int
	requests []string
	// watch has what is written from then on
	watch chan map[string]any
}

func (o *objects) put(path string, object map[string]any) {
	o.version++
	metadata, _ := object["metadata"].(map[string]any)
	if metadata == nil {
		metadata = map[string]any{}
		object["metadata"] = metadata
	}
	metadata["resourceVersion"] = fmt.Sprint(o.version)
	o.at[path] = object
	if o.watch != nil && strings.Contains(path, "configmaps") {
		o.watch <- object
	}
}

func (o *objects) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.URL.Query().Get("watch") != "" {
		for object := range o.watch {
			_ = json.NewEncoder(w).Encode(map[string]any{"type": "MODIFIED", "object": object})
			w.(http.Flusher).Flush()
		}
		return
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	o.requests = append(o.requests, r.Method+" "+r.URL.Path)
	there, is := o.at[r.URL.Path]
	if !is {
		http.Error(w, `{ "message": "not found" }`, http.StatusNotFound)
		return
	}
	if r.Method == http.MethodPut {
		var object map[string]any
		_ = json.NewDecoder(r.Body).Decode(&object)
		was, _ := there["metadata"].(map[string]any)
		wrote, _ := object["metadata"].(map[string]any)
		if was["resourceVersion"] != wrote["resourceVersion"] {
			http.Error(w, `{ "message": "conflict" }`, http.StatusConflict)
			return
		}
		o.put(r.URL.Path, object)
		there = object
	}
	_ = json.NewEncoder(w).Encode(there)
}

const (
	budgetsPath = "/api/v1/namespaces/netnice/configmaps/" + budgetsName
	leasePath   = "/apis/coordination.k8s.io/v1/namespaces/netnice/leases/" + leaseName
	podsPath    = "/api/v1/namespaces/netnice/pods"
)

// A member is a node: it applies what is written, if it is not late, and answers the controller.
type member struct {
	name   string
	parts  parts
	limit  uint64
	demand uint64
	bytes  uint64
	late   bool
	silent bool
}

func (m *member) apply(data map[string]string) {
	if m.late {
		return
	}
	_ = m.parts.read(m.name, data)
	m.limit, _ = m.parts.part("shop")
}

// A town has three nodes, and a clock.
type town struct {
	t       *testing.T
	objects *objects
	api     *apiServer
	now     time.Time
	members []*member
	port    string
	began   bool // all have a limit
}

const townBudget = 900 * mega

func newTown(t *testing.T) *town {
	w := &town{t: t, objects: &objects{at: map[string]map[string]any{}}, now: time.Unix(1_000_000, 0)}
	w.objects.put(budgetsPath, map[string]any{})
	w.objects.put(leasePath, map[string]any{"spec": nil})
	w.api = served(t, "one", w.objects.ServeHTTP)
	var pods []any
	for i := range 3 {
		m := &member{name: fmt.Sprint("n", i), limit: limitless}
		address := fmt.Sprintf("127.0.0.%d", i+1)
		l, err := net.Listen("tcp", net.JoinHostPort(address, cmp.Or(w.port, "0")))
		if err != nil {
			t.Fatal(err)
		}
		_, w.port, _ = net.SplitHostPort(l.Addr().String())
		server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if m.silent || r.URL.Path != "/budgets" {
				http.Error(w, "no", http.StatusServiceUnavailable)
				return
			}
			_ = json.NewEncoder(w).Encode(map[string]usage{"shop": {m.limit, m.bytes}})
		}))
		server.Listener.Close()
		server.Listener = l
		server.Start()
		t.Cleanup(server.Close)
		w.members = append(w.members, m)
		pods = append(pods, map[string]any{"spec": map[string]any{"nodeName": m.name}, "status": map[string]any{"hostIP": address}})
		w.objects.put("/api/v1/nodes/"+m.name, map[string]any{})
	}
	w.objects.put(podsPath, map[string]any{"items": pods})
	return w
}

func (w *town) controller(name string) *controller {
	conf, err := parseConfig("namespaces: { shop: { budget: 900M } }")
	if err != nil {
		w.t.Fatal(err)
	}
	api := *w.api
	api.node = name
	c := newController(&api, conf)
	c.port, c.now = w.port, func() time.Time { return w.now }
	return c
}

// data of the ConfigMap
func (w *town) data() map[string]string {
	all := map[string]string{}
	data, _ := w.objects.at[budgetsPath]["data"].(map[string]any)
	for key, value := range data {
		all[key], _ = value.(string)
	}
	return all
}

// runs has these controllers do a round every two seconds; each time, nodes apply what is written one after the other,
// and the sum is checked.
func (w *town) runs(duration time.Duration, controllers ...*controller) {
	w.t.Helper()
	for range int(duration / roundEvery) {
		for _, c := range controllers {
			if err := c.round(); err != nil && (!w.members[0].silent || !strings.Contains(err.Error(), "do not answer and keep their parts: n0: 503")) {
				w.t.Error(err)
			}
			for _, m := range w.members {
				m.apply(w.data())
				w.check()
			}
		}
		w.now = w.now.Add(roundEvery)
		for _, m := range w.members {
			m.bytes += min(m.demand, m.limit) / 8 * uint64(roundEvery/time.Second)
		}
	}
}

func (w *town) check() {
	w.t.Helper()
	sum, all := uint64(0), true
	for _, m := range w.members {
		all = all && m.limit != limitless
		sum += min(m.limit, 2*townBudget)
	}
	w.began = w.began || all
	if w.began && sum > townBudget {
		w.t.Fatalf("%v: %d, %d, %d: %d", w.now, w.members[0].limit, w.members[1].limit, w.members[2].limit, sum)
	}
}

func (w *town) wants(mbits ...uint64) {
	for i, m := range w.members {
		m.demand = mbits[i] * mega
	}
}

func (w *town) limits() string {
	text := ""
	for _, m := range w.members {
		text += fmt.Sprintf("%d ", m.limit/mega)
	}
	return strings.TrimSpace(text)
}

// has: at least so many Mbit/s each
func (w *town) has(what string, mbits ...uint64) {
	w.t.Helper()
	for i, m := range w.members {
		if m.limit < mbits[i]*mega {
			w.t.Errorf("%s: %s, want at least %v", what, w.limits(), mbits)
			return
		}
	}
	w.t.Logf("%s: %s", what, w.limits())
}

// Demand moves between three nodes: it is followed within ten seconds, and without a controller nothing changes.
func TestBudgetFollows(t *testing.T) {
	w := newTown(t)
	one := w.controller("one")
	w.wants(800, 0, 0)
	w.runs(20*time.Second, one)
	w.has("one node wants all", 700, 10, 10)
	w.wants(0, 800, 0)
	w.runs(10*time.Second, one)
	w.has("another one, ten seconds later", 10, 700, 10)
	w.wants(0, 800, 800)
	w.runs(10*time.Second, one)
	w.has("two", 10, 400, 400)
	w.wants(800, 800, 800)
	w.runs(10*time.Second, one)
	w.has("all", 270, 270, 270)
	w.wants(100, 10, 800)
	w.runs(10*time.Second, one)
	w.has("what is left of two is for the third", 110, 15, 600)

	before, writes := w.limits(), len(w.objects.requests)
	w.wants(800, 0, 0)
	w.runs(time.Minute)
	if w.limits() != before || len(w.objects.requests) != writes {
		t.Errorf("without a controller: %s, before %s", w.limits(), before)
	}
	two := w.controller("two")
	w.runs(leaseFor+10*time.Second, two)
	w.has("the next controller", 700, 10, 10)
	if two.rounds == 0 {
		t.Error("it does not lead")
	}
}

func TestTwoControllers(t *testing.T) {
	w := newTown(t)
	one, two := w.controller("one"), w.controller("two")
	w.wants(800, 0, 0)
	w.runs(time.Minute, one, two)
	if one.rounds == 0 || two.rounds != 0 {
		t.Errorf("rounds of them: %d, %d", one.rounds, two.rounds)
	}
	w.has("two controllers", 700, 10, 10)
	// one is away and comes again
	w.runs(leaseFor+2*roundEvery, two)
	if two.rounds == 0 {
		t.Error("the second one does not act")
	}
	w.runs(leaseFor, one, two)
	if one.rounds != 0 {
		t.Error("both act")
	}
	// Both believe that they have the lease, and compute from what they have read at the same time.
	w.wants(0, 800, 800)
	spec := w.objects.at[leasePath]["spec"].(map[string]any)
	for range 20 {
		for _, c := range []*controller{one, two} {
			spec["holderIdentity"] = ""
			w.objects.at[leasePath]["spec"] = spec
			w.runs(roundEvery, c)
		}
	}
	w.has("they take turns", 10, 400, 400)
}

func TestSilentNode(t *testing.T) {
	w := newTown(t)
	one := w.controller("one")
	w.wants(800, 0, 0)
	w.runs(20*time.Second, one)
	// It says nothing and applies nothing: what it has is not given to others, however long that lasts.
	w.members[0].silent, w.members[0].late = true, true
	had := w.members[0].limit
	w.wants(800, 800, 0)
	w.runs(time.Minute, one)
	if w.members[0].limit != had {
		t.Errorf("%d, and had %d", w.members[0].limit, had)
	}
	// another controller, without a memory
	w.runs(leaseFor+time.Minute, w.controller("two"))
	w.members[0].silent, w.members[0].late = false, false
	w.runs(20*time.Second, one, w.controller("three"))
	// its pod is gone, then its Node
	w.objects.put(podsPath, map[string]any{"items": w.objects.at[podsPath]["items"].([]any)[1:]})
	w.members[0].silent = true
	w.runs(time.Minute, one)
	held := w.members[0].limit
	if held < 100*mega {
		t.Errorf("a node without the plugin loses its part: %d", held)
	}
	delete(w.objects.at, "/api/v1/nodes/n0")
	w.members[0].limit, w.members[0].late = 0, true
	w.runs(time.Minute, one)
	w.has("the part of a node that is gone goes to others", 0, 700, 10)
}

// What the server answers with errors to is said, and the next round goes on.
func TestRoundErrors(t *testing.T) {
	w := newTown(t)
	one := w.controller("one")
	pods := w.objects.at[podsPath]
	delete(w.objects.at, podsPath)
	if err := one.round(); err == nil || !strings.Contains(err.Error(), podsPath) {
		t.Error(err)
	}
	one.rounds = 0
	w.objects.at[podsPath] = pods
	w.objects.put(budgetsPath, map[string]any{"data": map[string]any{"shop": "{", "other": `{"n0":{"part":1,"held":1}}`}})
	if err := one.round(); err == nil || !strings.Contains(err.Error(), "shop") {
		t.Error(err)
	}
	if data := w.data(); len(data) != 1 || data["shop"] != "{" {
		t.Errorf("what cannot be read is left alone, and what has no budget goes: %v", data)
	}
	one.conf.budgets["shop"] = 3 * pod.LeastRate
	w.objects.put(budgetsPath, map[string]any{})
	if err := one.round(); err != nil {
		t.Error(err)
	}
	one.conf.budgets["shop"]--
	if err := one.round(); err == nil || !strings.Contains(err.Error(), "too small for 3 nodes") {
		t.Error(err)
	}
	delete(w.objects.at, leasePath)
	if err := one.round(); err == nil {
		t.Error("there is no lease, and no error")
	}
}

func TestParts(t *testing.T) {
	var p parts
	if part, known := p.part("shop"); part != limitless || known {
		t.Error(part, known)
	}
	for _, c := range []struct {
		text string
		part uint64
		err  string
	}{
		{"", limitless, ""},
		{"{}", limitless, ""},
		{`{"n1":{"part":5000000,"held":9000000}}`, 5 * mega, ""},
		{`{"n2":{"part":5000000,"held":9000000}}`, pod.LeastRate, ""},
		{`{"n1":{"part":7000000,"held":9000000}}`, 7 * mega, ""},
		{`{"n1":`, 7 * mega, `netnice-budgets: "shop": `},
		{`{"n1":{"part":-1}}`, 7 * mega, `netnice-budgets: "shop": `},
		{"", limitless, ""},
	} {
		data := map[string]string{"shop": c.text}
		if c.text == "" {
			data = nil
		}
		err := p.read("n1", data)
		if part, known := p.part("shop"); part != c.part || !known || (err == nil) != (c.err == "") ||
			err != nil && !strings.Contains(err.Error(), c.err) {
			t.Errorf("%s: %d, %v, %v", c.text, part, known, err)
		}
	}
	p.set("shop", 5, nil)
	p.set("shop", 6, net.ErrClosed)
	if _, is := p.inForce["shop"]; is {
		t.Error("what failed is in force")
	}
}

func TestFollow(t *testing.T) {
	o := &objects{at: map[string]map[string]any{}}
	a := served(t, "n1", o.ServeHTTP)
	if err := a.follow(budgetsName, func(map[string]string) { t.Error("there is none") }); !hasCode(err, http.StatusNotFound) {
		t.Error(err)
	}
	o.put(budgetsPath, map[string]any{"data": map[string]any{"shop": "1"}})
	o.watch = make(chan map[string]any, 3)
	for _, text := range []string{"2", "3"} {
		o.watch <- map[string]any{"data": map[string]any{"shop": text}}
	}
	close(o.watch)
	said := ""
	if err := a.follow(budgetsName, func(data map[string]string) { said += data["shop"] }); err != nil || said != "123" {
		t.Error(said, err)
	}
}

// The plugin answers the controller for budgets whose limit is known, and only with -budgets.
func TestServeBudgets(t *testing.T) {
	p := &plugin{}
	get := func() (int, string) {
		w := httptest.NewRecorder()
		p.handler().ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/budgets", nil))
		return w.Code, strings.TrimSpace(w.Body.String())
	}
	if code, _ := get(); code != http.StatusNotFound {
		t.Error(code)
	}
	p.follows = true
	if code, text := get(); code != http.StatusOK || text != "{}" {
		t.Error(code, text)
	}
	if n := numberIn("egress_packets 1\negress_bytes 1234\ningress_bytes 5", "egress_bytes"); n != 1234 {
		t.Error(n)
	}
	for text, want := range map[string]string{
		"namespaces: { shop: { budget: 10G } }":                    "",
		"namespaces: { shop: { budget: 7k } }":                     "namespaces: shop: budget: \"7k\" is not accepted",
		"namespaces: { shop: { budget: egress 10G } }":             "budget",
		"namespaces: { shop: { budget: 1000001g } }":               "from 8k to 1000000g",
		"namespaces: { shop: { budget: max, bandwidth: 5M } }":     "budget",
		"kubepods: { budget: 10G }":                                "there is no budget",
		"namespaces: { shop: { budget: 2000G, bandwidth: 100M } }": "",
	} {
		c, err := parseConfig(text)
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", text, err)
		}
		if err == nil && c.budgets["shop"] < 1e10 {
			t.Errorf("%s: %v", text, c.budgets)
		}
	}
}
