// SPDX-License-Identifier: GPL-2.0

package pod

import (
	"fmt"
	"math/big"
	"regexp"
	"strings"
)

// Rates and sizes as they may be written (Documentation/interface.rst, "bandwidth" and "burst"): who
// compares two of them, or has to refuse one before there is a file to write it to, reads them here.

// LeastRate and MostRate bound a bandwidth in bits per second, MostBurst bounds a burst in bytes.
const (
	LeastRate = 8000
	MostRate  = 400_000_000_000
	MostBurst = 4 << 30
)

const (
	mostTime = 3600 * 1000000000
)

const (
	rateAccepted  = "use bits per second with tc's suffixes (10m, 1.5mbit), or bytes per second (2MB/s), from 8kbit to 400gbit"
	burstAccepted = "use a time (10ms) up to 3600s, or a size in bytes (16kB, 16KiB) up to 4GiB, or auto"
)

var (
	rateForm  = regexp.MustCompile(`^([0-9]{1,40}(?:\.[0-9]{1,40})?)(?i:([kmgt])(i)?)?(?:((?i:bit|bit/s|bps))|(B/(?i:s)))?$`)
	burstForm = regexp.MustCompile(`^([0-9]{1,40}(?:\.[0-9]{1,40})?)([a-z]*)$`)
	sizeForm  = regexp.MustCompile(`^([kmgt]?)(i?)(b|bit)?$`)
)

var timeWords = map[string]int64{
	"nsecs": 1, "nsec": 1, "ns": 1, "usecs": 1e3, "usec": 1e3, "us": 1e3,
	"msecs": 1e6, "msec": 1e6, "ms": 1e6, "secs": 1e9, "sec": 1e9, "s": 1e9,
}

// product of a decimal number and a unit, cut off; what is too large is as large as can be
func product(number string, unit *big.Int) uint64 {
	exact, _ := new(big.Rat).SetString(number)
	exact.Mul(exact, new(big.Rat).SetInt(unit))
	whole := new(big.Int).Quo(exact.Num(), exact.Denom())
	if !whole.IsUint64() {
		return ^uint64(0)
	}
	return whole.Uint64()
}

func badValue(format string, args ...interface{}) error {
	return &Error{BadValue, fmt.Sprintf(format, args...), ""}
}

// bitsOf a unit with a prefix, which may be empty
func bitsOf(prefix, binary string, bits int64) *big.Int {
	base, power := int64(1000), int64(0)
	if binary != "" {
		base = 1024
	}
	if prefix != "" {
		power = int64(strings.Index(" kmgt", strings.ToLower(prefix)))
	}
	unit := new(big.Int).Exp(big.NewInt(base), big.NewInt(power), nil)
	return unit.Mul(unit, big.NewInt(bits))
}

// sizeUnit gives the bits of what stands behind a size; nil if it is no unit.
func sizeUnit(text string) *big.Int {
	found := sizeForm.FindStringSubmatch(text)
	if found == nil || (found[1] == "" && found[2] != "") {
		return nil
	}
	if found[3] == "bit" {
		return bitsOf(found[1], found[2], 1)
	}
	return bitsOf(found[1], found[2], 8)
}

// ParseRate gives bits per second.
func ParseRate(text string) (uint64, error) {
	found := rateForm.FindStringSubmatch(text)
	if found == nil {
		return 0, badValue("'%s' is not a rate: %s", text, rateAccepted)
	}
	bits := int64(1)
	if strings.EqualFold(found[4], "bps") || found[5] != "" {
		bits = 8
	}
	rate := product(found[1], bitsOf(found[2], found[3], bits))
	if rate < LeastRate || rate > MostRate {
		return 0, badValue("'%s' is out of range: %s", text, rateAccepted)
	}
	return rate, nil
}

// ParseBurst gives the bytes that a burst has at a rate; 0 is netnice's default.
func ParseBurst(text string, rate uint64) (uint64, error) {
	if text == "auto" {
		return 0, nil
	}
	found := burstForm.FindStringSubmatch(strings.ToLower(text))
	if found == nil {
		return 0, badValue("'%s' is not a burst: %s", text, burstAccepted)
	}
	size := sizeUnit(found[2])
	time, isTime := timeWords[found[2]]
	var bytes uint64
	switch {
	case size != nil:
		bytes = product(found[1], size) / 8
	case isTime:
		ns := product(found[1], big.NewInt(time))
		if ns > mostTime {
			return 0, badValue("'%s' is out of range: %s", text, burstAccepted)
		}
		exact := new(big.Int).Mul(new(big.Int).SetUint64(ns), new(big.Int).SetUint64(rate/8))
		exact.Quo(exact, big.NewInt(1e9))
		bytes = MostBurst
		if exact.Cmp(new(big.Int).SetUint64(MostBurst)) < 0 {
			bytes = exact.Uint64()
		}
	default:
		return 0, badValue("'%s' is not a burst: %s", text, burstAccepted)
	}
	if bytes == 0 || bytes > MostBurst {
		return 0, badValue("'%s' is out of range: %s", text, burstAccepted)
	}
	return bytes, nil
}
