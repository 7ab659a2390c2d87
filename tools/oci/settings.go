// SPDX-License-Identifier: GPL-2.0

package main

import (
	"fmt"
	"sort"
	"strconv"
	"strings"

	"netnice/tools/pod"
)

const prefix = "netnice."

const annotationsHelp = `Annotations:
netnice.bandwidth RATE        what it sends, and what it receives, at most
netnice.bandwidth.up RATE     what it sends
netnice.bandwidth.down RATE   what it receives
netnice.burst TIME|SIZE       how much may pass at once; up to a second's
netnice.required true|false   it does not start where the machine cannot limit
On the host's network also:
netnice.weight, netnice.priority, netnice.minimum
                              its part, beside others of the same device
`

// What the names mean; the order is that in which they are told.
var names = []string{"bandwidth", "bandwidth.up", "bandwidth.down", "burst", "weight", "priority", "minimum", "required"}

// What netnice gives who asks for nothing. More than that takes from others.
const (
	usualWeight   = 100
	usualPriority = 4
)

// wanted is what a container is to have.
type wanted struct {
	limits pod.Limits
	// its part of a device that it has not for itself: as the VIF's files take it; or ""
	weight, priority, minimum string
	required                  bool
}

// any: is there anything to be done?
func (w *wanted) any() bool {
	return w.limits.Any() || w.part() != ""
}

// part is the name of a setting that has a meaning beside others only.
func (w *wanted) part() string {
	switch {
	case w.weight != "":
		return "weight"
	case w.priority != "":
		return "priority"
	case w.minimum != "":
		return "minimum"
	}
	return ""
}

func bad(format string, args ...interface{}) error {
	return &pod.Error{Kind: pod.BadValue, Message: fmt.Sprintf(format, args...)}
}

// nearest is the most similar known name: up to two letters more, less or different.
func nearest(word string) string {
	for _, name := range names {
		if pod.Distance(word, name) <= 2 {
			return name
		}
	}
	return ""
}

func unknown(word string) error {
	text := fmt.Sprintf("there is no annotation '%s%s'", prefix, word)
	if near := nearest(word); near != "" {
		text += fmt.Sprintf("; did you mean '%s%s'?", prefix, near)
	}
	return bad("%s; there are %s", text, prefix+strings.Join(names, ", "+prefix))
}

func known(word string) bool {
	for _, name := range names {
		if word == name {
			return true
		}
	}
	return false
}

// ours are the annotations for netnice, without the prefix, with all their values. It is not known which of
// them come from the image and which from the user.
func ours(sources []map[string]string) (map[string][]string, error) {
	found := map[string][]string{}
	var strange []string

	for _, source := range sources {
		for key, value := range source {
			if !strings.HasPrefix(key, prefix) {
				continue
			}
			word := strings.TrimPrefix(key, prefix)
			found[word] = append(found[word], strings.TrimSpace(value))
			if !known(word) {
				strange = append(strange, word)
			}
		}
	}
	sort.Strings(strange)
	if len(strange) > 0 {
		return nil, unknown(strange[0])
	}
	for _, name := range names {
		for _, value := range found[name] {
			if value == "" {
				return nil, bad("%s%s: there is no value", prefix, name)
			}
		}
	}
	return found, nil
}

// lower of two values, of which 0 is none.
func lower(a, b uint64) uint64 {
	if a == 0 || b != 0 && b < a {
		return b
	}
	return a
}

// least of the rates that are given
func least(name string, rates ...string) (uint64, error) {
	var result uint64

	for _, text := range rates {
		if text == "" || text == "max" {
			continue
		}
		rate, err := pod.ParseRate(text)
		if err != nil {
			return 0, fmt.Errorf("%s: %w", name, err)
		}
		result = lower(result, rate)
	}
	return result, nil
}

// burst of one direction, the lowest. An annotation may be an image's: with as much as it likes at once there
// would be no limit.
func burst(rate uint64, texts ...string) (result uint64, err error) {
	if rate == 0 {
		return 0, nil
	}
	for _, text := range texts {
		bytes, err := pod.ParseBurst(text, rate)
		if err != nil {
			return 0, fmt.Errorf("%sburst: %w", prefix, err)
		}
		if bytes > rate/8 {
			return 0, bad("%sburst: '%s' is more than a second's at this bandwidth: that, %d bytes, is the most", prefix, text, rate/8)
		}
		result = lower(result, bytes)
	}
	return result, nil
}

// limitOf a direction: by annotations and by the administrator. If the administrator has set a limit,
// annotations do not set the burst.
func limitOf(said map[string][]string, name string, options ...string) (l pod.Limit, err error) {
	most, err := least("netnice-oci", options...)
	if err != nil {
		return l, err
	}
	if l.Rate, err = least(prefix+"bandwidth", append(said[name], said["bandwidth"]...)...); err != nil {
		return l, err
	}
	l.Burst, err = burst(l.Rate, said["burst"]...)
	if most != 0 {
		l = pod.Limit{Rate: lower(l.Rate, most)}
	}
	return l, err
}

func (w *wanted) setLimits(said map[string][]string, b *bounds) error {
	var err error

	if w.limits.Egress, err = limitOf(said, "bandwidth.up", b.both, b.up); err != nil {
		return err
	}
	if w.limits.Ingress, err = limitOf(said, "bandwidth.down", b.both, b.down); err != nil {
		return err
	}
	if len(said["burst"]) > 0 && !w.limits.Any() {
		return bad("%sburst: there is no bandwidth: it takes %sbandwidth", prefix, prefix)
	}
	return nil
}

// whole are numbers from first to last.
func whole(name string, texts []string, first, last int) (numbers []int, err error) {
	for _, text := range texts {
		n, err := strconv.Atoi(text)
		if err != nil || n < first || n > last {
			return nil, bad("%s%s: '%s' is not a whole number from %d to %d", prefix, name, text, first, last)
		}
		numbers = append(numbers, n)
	}
	sort.Ints(numbers)
	return numbers, nil
}

// setPart takes what leaves others most: the least weight, and the priority that comes last.
func (w *wanted) setPart(said map[string][]string, b *bounds) error {
	more := false

	weights, err := whole("weight", said["weight"], 1, 10000)
	if err != nil {
		return err
	}
	if len(weights) > 0 {
		w.weight = strconv.Itoa(weights[0])
		more = weights[0] > usualWeight
	}
	priorities, err := whole("priority", said["priority"], 0, 7)
	if err != nil {
		return err
	}
	if last := len(priorities) - 1; last >= 0 {
		w.priority = strconv.Itoa(priorities[last])
		more = more || priorities[last] < usualPriority
	}
	var minimum uint64
	for _, text := range said["minimum"] {
		rate, err := pod.ParseRate(text)
		if err != nil {
			return fmt.Errorf("%sminimum: %w", prefix, err)
		}
		minimum = lower(minimum, rate)
	}
	if minimum != 0 {
		w.minimum = strconv.FormatUint(minimum, 10)
		more = true
	}
	if more && !b.shares {
		return bad("more than others have (a weight above %d, a priority below %d, a minimum) is what the administrator grants: "+
			"by the option --shares of netnice-oci, see Documentation/containers.rst", usualWeight, usualPriority)
	}
	return nil
}

// ask finds what a container is to have, by what is said of it, and by what the administrator says.
func ask(b *bounds, sources ...map[string]string) (*wanted, error) {
	w := &wanted{required: b.required}

	said, err := ours(sources)
	if err != nil {
		return nil, err
	}
	for _, text := range said["required"] {
		switch text {
		case "false":
		case "true":
			w.required = true
		default:
			return nil, bad("%srequired: '%s' is neither true nor false", prefix, text)
		}
	}
	if err := w.setLimits(said, b); err != nil {
		return nil, err
	}
	return w, w.setPart(said, b)
}
