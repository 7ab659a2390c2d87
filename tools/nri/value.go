// SPDX-License-Identifier: GPL-2.0

package main

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"netnice/tools/pod"
)

// What is said of a VIF, by the configuration or by annotations, in the words of its files
// (Documentation/interface.rst): VALUE, egress VALUE, ingress VALUE. It is understood here, as
// what a pod asks for has to be compared with what it may have.

// A pair has a number for each direction: a rate in bits per second, or a plain one.
type pair struct {
	egress, ingress uint64
}

func both(n uint64) pair { return pair{n, n} }

// limitless is the rate of what has none.
const limitless = math.MaxUint64

// A kind is what the values of a file are like.
type kind struct {
	file     string
	number   func(string) (uint64, bool)
	accepted string
	preset   uint64 // of a VIF of which nothing is said,
	none     string // and its word, if it is no number
	isMore   func(a, b uint64) bool
	// bound replaces a number that no VIF can have; nil: there is no such number
	bound func(uint64) uint64
}

const acceptedRate = "bits per second, from 8k to 400g, as 10M or 1.5mbit, or "

var kinds = []*kind{bandwidth, minimum, weight, priority}

var (
	bandwidth = &kind{"bandwidth", rate, acceptedRate + "max", limitless, "max", greater, limitBound}
	minimum   = &kind{"minimum", rate, acceptedRate + "none", 0, "none", greater, minimumBound}
	weight    = &kind{"weight", between(1, 10000), "1 to 10000", 100, "", greater, nil}
	priority  = &kind{"priority", between(0, 7), "0 to 7, of which 0 comes first", 4, "", less, nil}
)

func kindOf(file string) *kind {
	for _, k := range kinds {
		if k.file == file {
			return k
		}
	}
	return nil
}

// hasShares: has a pod other shares than one that asks for nothing?
func (s settings) hasShares() bool {
	preset := presets()
	return s[minimum] != preset[minimum] || s[weight] != preset[weight] || s[priority] != preset[priority]
}

func greater(a, b uint64) bool { return a > b }
func less(a, b uint64) bool    { return a < b }

var rateUnits = map[string]float64{"": 1, "bit": 1, "k": 1e3, "kbit": 1e3, "m": 1e6, "mbit": 1e6,
	"g": 1e9, "gbit": 1e9}

const letters = "abcdefghijklmnopqrstuvwxyz"

// mostNumber is a rate that no link has. A greater number would not fit into 64 bits.
const mostNumber = 1e18

// rate knows those units of the kernel's that cannot be mistaken for others.
func rate(word string) (uint64, bool) {
	word = strings.ToLower(word)
	digits := strings.TrimRight(word, letters)
	// what ParseFloat takes besides: 1e3, 0x10, 1_0
	if strings.Trim(digits, "0123456789.") != "" {
		return 0, false
	}
	n, err := strconv.ParseFloat(digits, 64)
	unit, known := rateUnits[word[len(digits):]]
	n *= unit
	if err != nil || !known || !(n >= 1) {
		return 0, false
	}
	return uint64(math.Min(n, mostNumber) + 0.5), true
}

// limitBound is what a limit becomes that no VIF can have: a rate above the greatest one limits nothing.
func limitBound(n uint64) uint64 {
	if n > pod.MostRate {
		return limitless
	}
	return max(n, pod.LeastRate)
}

func minimumBound(n uint64) uint64 {
	return min(max(n, pod.LeastRate), pod.MostRate)
}

func between(least, most uint64) func(string) (uint64, bool) {
	return func(word string) (uint64, bool) {
		n, err := strconv.ParseUint(word, 10, 64)
		return n, err == nil && n >= least && n <= most
	}
}

// shown: a tenant's words go to the administrator's log.
func shown(text string) string {
	const most = 64

	if len(text) > most {
		text = text[:most] + "..."
	}
	return strconv.QuoteToASCII(text)
}

func (k *kind) value(word string) (uint64, error) {
	if k.none != "" && word == k.none {
		return k.preset, nil
	}
	n, ok := k.number(word)
	if !ok {
		return 0, fmt.Errorf("%s is not accepted: %s", shown(word), k.accepted)
	}
	return n, nil
}

// bounded replaces what no VIF can have, and says so; the note is empty if there is nothing to say.
func (k *kind) bounded(word string, n uint64) (uint64, string) {
	if k.bound == nil || n == k.preset || k.bound(n) == n {
		return n, ""
	}
	return k.bound(n), fmt.Sprintf("%s is out of range and counts as %s: %s", shown(word), k.word(k.bound(n)), k.accepted)
}

// parse changes the directions of p of which the text says something, or nothing at all. The note says
// what was out of range.
func (k *kind) parse(text string, p *pair) (note string, err error) {
	words := strings.Fields(text)
	said := map[string]uint64{}

	if len(words) == 1 {
		words = []string{"egress", words[0], "ingress", words[0]}
	}
	for i := 0; i+1 < len(words); i += 2 {
		n, err := k.value(words[i+1])
		if err != nil {
			return "", err
		}
		n, found := k.bounded(words[i+1], n)
		if found != "" {
			note = found
		}
		said[words[i]] = n
	}
	now := *p
	for direction, n := range said {
		switch direction {
		case "egress":
			now.egress = n
		case "ingress":
			now.ingress = n
		default:
			said = nil
		}
	}
	if len(said) == 0 || len(words) != 2*len(said) {
		return "", fmt.Errorf("%s is not accepted: VALUE, egress VALUE, ingress VALUE, or both of these, where VALUE is %s",
			shown(text), k.accepted)
	}
	*p = now
	return note, nil
}

// within is p, but no more in either direction than most.
func (k *kind) within(p, most pair) pair {
	if k.isMore(p.egress, most.egress) {
		p.egress = most.egress
	}
	if k.isMore(p.ingress, most.ingress) {
		p.ingress = most.ingress
	}
	return p
}

func (k *kind) word(n uint64) string {
	if k.none != "" && n == k.preset {
		return k.none
	}
	return strconv.FormatUint(n, 10)
}

// text is what is written to the file.
func (k *kind) text(p pair) string {
	return "egress " + k.word(p.egress) + " ingress " + k.word(p.ingress)
}

// settings of a VIF, all there are here
type settings map[*kind]pair

func presets() settings {
	s := settings{}
	for _, k := range kinds {
		s[k] = both(k.preset)
	}
	return s
}

// sent is the part of a value for sent packets. Packets that a device receives for another network namespace
// have no owner there: a minimum for them would be lost.
func (s settings) sent() settings {
	all := settings{}
	for k, p := range s {
		all[k] = pair{p.egress, k.preset}
	}
	return all
}

// say has what the texts, by the names of files, say. Errors are about texts that are not accepted, notes
// about values that are out of range.
func (s settings) say(texts map[string]string, prefix string) (notes []string, errs []error) {
	for _, k := range kinds {
		text, is := texts[prefix+k.file]
		if !is {
			continue
		}
		p := s[k]
		note, err := k.parse(text, &p)
		if note != "" {
			notes = append(notes, fmt.Sprintf("%s%s: %s", prefix, k.file, note))
		}
		if err != nil {
			errs = append(errs, &refused{k.file, fmt.Errorf("%s%s: %w", prefix, k.file, err)})
		}
		s[k] = p
	}
	return notes, errs
}
