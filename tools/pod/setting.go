// SPDX-License-Identifier: GPL-2.0

package pod

import (
	"fmt"
	"math/bits"
	"strconv"
	"strings"
)

// A Limit is that of one direction; no rate: none.
type Limit struct {
	Rate  uint64 // bits per second
	Burst uint64 // bytes; 0: netnice's default
}

// Limits of an interface. Directions are its namespace's: egress is what is sent from there.
type Limits struct {
	Egress, Ingress Limit
}

// Any: is there a limit?
func (l Limits) Any() bool {
	return l.Egress.Rate != 0 || l.Ingress.Rate != 0
}

// What the files bandwidth and burst have (Documentation/interface.rst), written and read.

// rateUnits and sizeUnits are those the kernel prints.
var (
	rateUnits = map[string]uint64{"bit": 1, "kbit": 1e3, "mbit": 1e6, "gbit": 1e9}
	sizeUnits = map[string]uint64{
		"b": 1, "KiB": 1 << 10, "MB": 1e6, "MiB": 1 << 20, "GB": 1e9, "GiB": 1 << 30,
	}
)

func number(value uint64, none string) string {
	if value == 0 {
		return none
	}
	return strconv.FormatUint(value, 10)
}

// Bandwidth is one write(2), which sets both directions or neither.
func (l Limits) Bandwidth() string {
	return fmt.Sprintf("egress %s ingress %s", number(l.Egress.Rate, "max"), number(l.Ingress.Rate, "max"))
}

// Burst likewise.
func (l Limits) Burst() string {
	return fmt.Sprintf("egress %s ingress %s", number(l.Egress.Burst, "auto"), number(l.Ingress.Burst, "auto"))
}

// value of a word; 0 is none.
func value(word, none string, units map[string]uint64) (uint64, error) {
	if word == none {
		return 0, nil
	}
	digits := strings.TrimRight(word, "abcdefghijklmnopqrstuvwxyzBGKMT")
	n, err := strconv.ParseUint(digits, 10, 64)
	unit, known := units[word[len(digits):]]
	if err != nil || !known {
		return 0, fmt.Errorf("'%s' is no value that is known here", word)
	}
	high, product := bits.Mul64(n, unit)
	if high != 0 {
		return 0, fmt.Errorf("'%s' is too large", word)
	}
	return product, nil
}

// words of a file's two lines
func words(text string) (egress, ingress string, err error) {
	found := strings.Fields(text)
	if len(found) != 4 || found[0] != "egress" || found[2] != "ingress" {
		return "", "", fmt.Errorf("'%s' is not in the form that is known here", text)
	}
	return found[1], found[3], nil
}

// directions reads them.
func directions(text, none string, units map[string]uint64) (egress, ingress uint64, err error) {
	out, in, err := words(text)
	if err != nil {
		return 0, 0, err
	}
	if egress, err = value(out, none, units); err == nil {
		ingress, err = value(in, none, units)
	}
	return egress, ingress, err
}

// same rate: the kernel's are whole bytes per second.
func sameRate(found, wanted uint64) bool {
	return found/8 == wanted/8
}

// hasBandwidth: does the text of the file say these limits?
func (l Limits) hasBandwidth(text string) bool {
	egress, ingress, err := directions(text, "max", rateUnits)

	return err == nil && sameRate(egress, l.Egress.Rate) && sameRate(ingress, l.Ingress.Rate)
}

func (l Limits) hasBurst(text string) bool {
	egress, ingress, err := directions(text, "auto", sizeUnits)

	return err == nil && egress == l.Egress.Burst && ingress == l.Ingress.Burst
}

// limitsOf what the two files say. A burst may be a time, too, of a rate.
func limitsOf(bandwidth, burst string) (l Limits, err error) {
	if l.Egress.Rate, l.Ingress.Rate, err = directions(bandwidth, "max", rateUnits); err != nil {
		return l, err
	}
	out, in, err := words(burst)
	if err == nil && l.Egress.Rate != 0 {
		l.Egress.Burst, err = ParseBurst(out, l.Egress.Rate)
	}
	if err == nil && l.Ingress.Rate != 0 {
		l.Ingress.Burst, err = ParseBurst(in, l.Ingress.Rate)
	}
	return l, err
}
