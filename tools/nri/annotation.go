// SPDX-License-Identifier: GPL-2.0

package main

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"netnice/tools/pod"
)

// The names of a pod's annotations: those that netnice applies, those that are nearly so, and those of
// other networks. What is in them is value.go's.

const prefix = "netnice.io/"

// The plugin for CNI applies these: the runtime hands them to it.
var ofCNI = []string{"kubernetes.io/egress-bandwidth", "kubernetes.io/ingress-bandwidth"}

// known are all annotations that something of netnice's applies.
func known() []string {
	all := slices.Clone(ofCNI)
	for _, k := range kinds {
		all = append(all, prefix+k.file)
	}
	return all
}

// isOurs tells a name that was meant for netnice from the rest. An OCI annotation of netnice's
// (netnice.bandwidth) has no prefix with a slash: the hook for OCI reads that one.
func isOurs(key string) bool {
	domain, name, is := strings.Cut(strings.ToLower(key), "/")
	return is && (strings.Contains(domain, "netnice") || domain == "kubernetes.io" && strings.Contains(name, "bandwidth"))
}

// misspelt are the names that were meant for netnice and that nothing applies.
func misspelt(annotations map[string]string) []string {
	var all []string

	applied := known()
	for key := range annotations {
		if isOurs(key) && !slices.Contains(applied, key) {
			all = append(all, key)
		}
	}
	return all
}

// noAnnotation names the first one only: a tenant must not fill the administrator's log.
func noAnnotation(unknown []string) error {
	others := ""

	if len(unknown) > 1 {
		others = fmt.Sprintf(", nor %d others", len(unknown)-1)
	}
	first := slices.Min(unknown)
	return fmt.Errorf("there is no annotation %s%s%s: there are %sbandwidth, minimum, weight, priority",
		shown(first), others, meant(first), prefix)
}

// meant is a hint: the name that is nearest to what was written.
func meant(key string) string {
	best, least := "", 4

	for _, name := range known() {
		if d := pod.Distance(key, name); d < least {
			best, least = name, d
		}
	}
	if best == "" {
		return ""
	}
	return " (did you mean " + best + "?)"
}

// Other networks limit pods by annotations of their own.
var others = []struct {
	form *regexp.Regexp
	of   string
}{
	{regexp.MustCompile(`^qos\.projectcalico\.org/`), "Calico"},
	{regexp.MustCompile(`^bandwidth\.cilium\.io/`), "Cilium"},
	{regexp.MustCompile(`^ovn\.kubernetes\.io/(in|e)gress_rate$`), "Kube-OVN"},
	{regexp.MustCompile(`^k8s\.aliyun\.com/(in|e)gress-bandwidth$`), "Terway"},
}

// foreign says once for each network that its annotations do nothing here.
func foreign(annotations map[string]string) (notes []string) {
	for _, other := range others {
		var keys []string
		for key := range annotations {
			if other.form.MatchString(key) {
				keys = append(keys, key)
			}
		}
		if len(keys) > 0 {
			notes = append(notes, fmt.Sprintf("netnice does not apply %s, an annotation of %s: use %s or %sbandwidth",
				shown(slices.Min(keys)), other.of, ofCNI[0], prefix))
		}
	}
	return notes
}
