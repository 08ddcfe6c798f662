package main

import (
	"math"
	"strings"
	"testing"
)

func TestSizes(t *testing.T) {
	for text, want := range map[string]int64{
		"0": 0, "1": 1, "1048576": 1 << 20, "1_000_000": 1e6, "64MB": 64e6, "64mb": 64e6, "1MiB": 1 << 20, "1 MiB": 1 << 20,
		"1.5GiB": 3 << 29, "0.5kib": 512, "2TiB": 2 << 40, "7B": 7, "1.5kB": 1500, "9223372036854775807": math.MaxInt64,
	} {
		if got, err := parseSize(text); err != nil || got != want {
			t.Errorf("%q is %d (%v), want %d", text, got, err, want)
		}
	}
	for text, want := range map[string]string{
		"": "no size", "MiB": "no size", "1.2.3": "no size", "_1": "no size", "1_": "no size", "1__0": "no size", ".5MB": "no size",
		"5.": "no size", "-1": "unknown unit", "1e6": "unknown unit", "64M": "did you mean MiB (binary) or MB?", "1.5": "whole number",
		"1.0001KiB": "whole number", "9223372036854775808": "more bytes", "8388608TiB": "more bytes", "0x10": "unknown unit",
		strings.Repeat("9", 100): "no size",
	} {
		if got, err := parseSize(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q is %d (%v), want an error with %q", text, got, err, want)
		}
	}
}

func TestSizesPrintCanonically(t *testing.T) {
	for v, want := range map[size]string{
		0: "0", 1: "1", 1000: "1000", 1024: "1KiB", 1 << 20: "1MiB", 3 << 29: "1536MiB", 1 << 40: "1TiB", 64e6: "62500KiB",
	} {
		if got := v.String(); got != want {
			t.Errorf("%d prints %q, want %q", int64(v), got, want)
		}
		var back size
		if err := back.Set(v.String()); err != nil || back != v {
			t.Errorf("%d comes back as %d (%v)", int64(v), int64(back), err)
		}
	}
}

func FuzzParseSize(f *testing.F) {
	for _, s := range []string{"1MiB", "1_000", "1.5GiB", "-3", "64M", "", "９"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		v, err := parseSize(text)
		if err != nil {
			return
		}
		s := size(v)
		if back, err := parseSize(s.String()); v < 0 || err != nil || back != v {
			t.Errorf("%q is %d, prints %s, which is %d (%v)", text, v, &s, back, err)
		}
	})
}

func TestCounts(t *testing.T) {
	var n int
	c := newCount(&n, 1, 1<<24)
	for text, want := range map[string]int{"1": 1, "16_000": 16000, "16777216": 1 << 24} {
		if err := c.Set(text); err != nil || n != want {
			t.Errorf("%q is %d (%v), want %d", text, n, err, want)
		}
	}
	n = 7
	for _, text := range []string{"0", "16777217", "-1", "1.5", "x", "", "1e3", "0x10", "99999999999999999999", "+-1", "--1"} {
		if err := c.Set(text); err == nil || n != 7 {
			t.Errorf("%q is taken as %d", text, n)
		}
	}
}

func TestNearest(t *testing.T) {
	known := []string{"lz4", "zstd", "snappy", "none"}
	for got, want := range map[string]string{
		"lzr": "lz4", "LZ4": "lz4", "zst": "zstd", "std": "zstd", "snapy": "snappy", "non": "none", "zsdt": "zstd",
		"brotli": "", "gzip": "", "": "", "x": "",
	} {
		if name, _ := nearest(got, known); name != want {
			t.Errorf("nearest to %q is %q, want %q", got, name, want)
		}
	}
}

func TestDistance(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want int
	}{{"", "", 0}, {"a", "", 1}, {"", "ab", 2}, {"kitten", "sitting", 3}, {"ab", "ba", 1}, {"wrte", "write", 1}, {"abc", "abc", 0}} {
		if got := distance(c.a, c.b); got != c.want || distance(c.b, c.a) != c.want {
			t.Errorf("distance of %q and %q is %d, want %d", c.a, c.b, got, c.want)
		}
	}
}
