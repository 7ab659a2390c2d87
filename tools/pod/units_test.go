// SPDX-License-Identifier: GPL-2.0

package pod

import (
	"errors"
	"strings"
	"testing"
)

func TestParseRate(t *testing.T) {
	for text, want := range map[string]uint64{
		"8000": 8000, "8k": 8000, "8kbit": 8000, "10m": 10000000, "10M": 10000000, "1.5mbit": 1500000,
		"1ki": 0, "8kibit": 8192, "1kbps": 8000, "2MB/s": 16000000, "2MiB/s": 16777216, "1Mbit/s": 1000000,
		"400g": 400000000000, "0.4t": 400000000000, "8000.9": 8000, "1000bps": 8000, "1000B/s": 8000,
		"7999": 0, "401g": 0, "1t": 0, "99999999999999999999999999999999999999g": 0,
		"": 0, "fast": 0, "10": 0, "-1m": 0, "1e6": 0, "10 m": 0, "10m\n": 0, "1Mb/s": 0, "1mb": 0, "1.m": 0,
		".5m": 0, "max": 0, "1mm": 0, "10i": 0,
	} {
		got, err := ParseRate(text)
		if got != want || (err == nil) != (want != 0) {
			t.Errorf("%q: %d, %v", text, got, err)
		}
	}
	_, err := ParseRate("fast")
	var e *Error
	if !errors.As(err, &e) || e.Kind != BadValue || !strings.Contains(e.Message, "'fast' is not a rate: use bits") {
		t.Error(err)
	}
}

func TestParseBurst(t *testing.T) {
	for text, want := range map[string]uint64{
		"auto": 0, "1500": 1500, "16k": 16000, "16KB": 16000, "16KiB": 16384, "1.5kb": 1500, "8kbit": 1000,
		"8kibit": 1024, "4gb": 4000000000, "4GiB": 4 << 30, "1m": 1000000,
		"10ms": 12500, "1s": 1250000, "10s": 12500000, "100us": 125, "60s": 75000000,
		"3600s": MostBurst,
	} {
		if got, err := ParseBurst(text, 10000000); got != want || err != nil {
			t.Errorf("%q: %d, %v", text, got, err)
		}
	}
	for _, text := range []string{"", "0", "5gb", "3601s", "1h", "max", "-1", "1 ms", "0.1b", "1ns", "1i", "1ib", "1t", "4.1GiB"} {
		if got, err := ParseBurst(text, 10000000); err == nil {
			t.Errorf("%q: %d", text, got)
		}
	}
}

func FuzzUnits(f *testing.F) {
	for _, text := range []string{"10m", "1.5mbit", "2MB/s", "10ms", "16KiB", "auto", "8000.9", "1e9", "0.0000001t"} {
		f.Add(text, uint64(10000000))
	}
	f.Fuzz(func(t *testing.T, text string, rate uint64) {
		if got, err := ParseRate(text); err == nil && (got < LeastRate || got > MostRate) {
			t.Fatalf("%q: %d", text, got)
		}
		if got, err := ParseBurst(text, rate); err == nil && (got > MostBurst || got == 0 && text != "auto") {
			t.Fatalf("%q at %d: %d", text, rate, got)
		}
	})
}
