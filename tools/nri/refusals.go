// SPDX-License-Identifier: GPL-2.0

package main

import (
	"errors"
	"fmt"
	"io"
	"sort"
	"strings"
	"sync"
)

// A refused setting is one that a pod asks for and does not have. Its name is that of the file, or
// "annotation" for an annotation that there is not.
type refused struct {
	setting string
	err     error
}

func (r *refused) Error() string { return r.err.Error() }
func (r *refused) Unwrap() error { return r.err }

// place is the setting of a pod that has no VIF at all, or not on all devices.
const place = "place"

// settingsIn are the settings that the errors are about.
func settingsIn(err error) []string {
	var one *refused
	var all []string

	if several, is := err.(interface{ Unwrap() []error }); is {
		for _, err := range several.Unwrap() {
			all = append(all, settingsIn(err)...)
		}
		return all
	}
	switch {
	case err == nil:
		return nil
	case errors.As(err, &one):
		return []string{one.setting}
	default:
		return []string{place}
	}
}

// refusals are what the pods of this node ask for and do not have. A pod's go with the pod, so that there
// are no more than (settings + 2) for each pod.
type refusals struct {
	mu    sync.Mutex
	pods  map[podID]map[string]bool
	total map[string]uint64
}

// add what was refused just now.
func (r *refusals) add(id podID, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, setting := range settingsIn(err) {
		if r.pods == nil {
			r.pods = map[podID]map[string]bool{}
		}
		if r.pods[id] == nil {
			r.pods[id] = map[string]bool{}
		}
		if r.total == nil {
			r.total = map[string]uint64{}
		}
		r.pods[id][setting] = true
		r.total[setting]++
	}
}

func (r *refusals) forget(id podID) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.pods, id)
}

func (r *refusals) forgetAll() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.pods = nil
}

// label is a value in the text format of Prometheus.
func label(text string) string {
	return strings.NewReplacer("\\", `\\`, "\"", `\"`, "\n", `\n`).Replace(text)
}

// write prints them as metrics, always in the same order.
func (r *refusals) write(w io.Writer) {
	var lines []string

	r.mu.Lock()
	defer r.mu.Unlock()
	for id, settings := range r.pods {
		for setting := range settings {
			lines = append(lines, fmt.Sprintf("netnice_pod_refused{namespace=\"%s\",pod=\"%s\",uid=\"%s\",setting=\"%s\"} 1\n",
				label(id.namespace), label(id.name), label(id.uid), setting))
		}
	}
	sort.Strings(lines)
	fmt.Fprint(w, "# HELP netnice_pod_refused The pod asks for this setting and does not have it; the log says why.\n",
		"# TYPE netnice_pod_refused gauge\n", strings.Join(lines, ""))
	lines = nil
	for setting, n := range r.total {
		lines = append(lines, fmt.Sprintf("netnice_nri_refusals_total{setting=\"%s\"} %d\n", setting, n))
	}
	sort.Strings(lines)
	fmt.Fprint(w, "# HELP netnice_nri_refusals_total Settings of pods that were refused.\n",
		"# TYPE netnice_nri_refusals_total counter\n", strings.Join(lines, ""))
}
