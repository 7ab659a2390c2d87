// SPDX-License-Identifier: GPL-2.0

package main

import (
	"fmt"
	"math"
	"strconv"
	"strings"
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
}

const (
	leastRate    = 8000
	mostRate     = 100_000_000_000
	acceptedRate = "bits per second, from 8k to 100g, as 10M or 1.5mbit, or "
)

var kinds = []*kind{bandwidth, minimum, weight, priority}

var (
	bandwidth = &kind{"bandwidth", rate, acceptedRate + "max", limitless, "max", greater}
	minimum   = &kind{"minimum", rate, acceptedRate + "none", 0, "none", greater}
	weight    = &kind{"weight", between(1, 10000), "1 to 10000", 100, "", greater}
	priority  = &kind{"priority", between(0, 7), "0 to 7, of which 0 comes first", 4, "", less}
)

func kindOf(file string) *kind {
	for _, k := range kinds {
		if k.file == file {
			return k
		}
	}
	return nil
}

func greater(a, b uint64) bool { return a > b }
func less(a, b uint64) bool    { return a < b }

var rateUnits = map[string]float64{"": 1, "bit": 1, "k": 1e3, "kbit": 1e3, "m": 1e6, "mbit": 1e6,
	"g": 1e9, "gbit": 1e9}

const letters = "abcdefghijklmnopqrstuvwxyz"

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
	return uint64(n + 0.5), err == nil && known && n >= leastRate && n <= mostRate
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

// parse changes the directions of p of which the text says something, or nothing at all.
func (k *kind) parse(text string, p *pair) error {
	words := strings.Fields(text)
	said := map[string]uint64{}

	if len(words) == 1 {
		words = []string{"egress", words[0], "ingress", words[0]}
	}
	for i := 0; i+1 < len(words); i += 2 {
		n, err := k.value(words[i+1])
		if err != nil {
			return err
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
		return fmt.Errorf("%s is not accepted: VALUE, egress VALUE, ingress VALUE, or both of these, where VALUE is %s",
			shown(text), k.accepted)
	}
	*p = now
	return nil
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

// say has what the texts, by the names of files, say; it says which of them are not accepted.
func (s settings) say(texts map[string]string, prefix string) []error {
	var errs []error

	for _, k := range kinds {
		text, is := texts[prefix+k.file]
		if !is {
			continue
		}
		p := s[k]
		if err := k.parse(text, &p); err != nil {
			errs = append(errs, fmt.Errorf("%s%s: %w", prefix, k.file, err))
		}
		s[k] = p
	}
	return errs
}
