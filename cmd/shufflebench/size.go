package main

import (
	"fmt"
	"math"
	"math/big"
	"strings"
)

// size is a flag's number of bytes: 1048576, 1_000_000, 64MB, 1.5GiB.
type size int64

var sizeUnits = map[string]int64{
	"": 1, "b": 1,
	"kb": 1e3, "mb": 1e6, "gb": 1e9, "tb": 1e12,
	"kib": 1 << 10, "mib": 1 << 20, "gib": 1 << 30, "tib": 1 << 40,
}

// parseSize reads a size. The result is a whole number of bytes, exactly.
func parseSize(s string) (int64, error) {
	text := strings.TrimSpace(s)
	end := strings.IndexFunc(text, func(r rune) bool { return !strings.ContainsRune("0123456789._", r) })
	if end < 0 {
		end = len(text)
	}
	digits, unit := text[:end], strings.ToLower(strings.TrimSpace(text[end:]))
	factor, ok := sizeUnits[unit]
	if !ok {
		return 0, fmt.Errorf("%q is no size: unknown unit %q%s", s, text[end:], unitHint(unit))
	}
	if !properDigits(digits) {
		return 0, fmt.Errorf("%q is no size, such as 1048576, 64MB or 1.5GiB", s)
	}
	v, ok := new(big.Rat).SetString(strings.ReplaceAll(digits, "_", ""))
	if !ok {
		return 0, fmt.Errorf("%q is no size, such as 1048576, 64MB or 1.5GiB", s)
	}
	v.Mul(v, new(big.Rat).SetInt64(factor))
	switch {
	case !v.IsInt():
		return 0, fmt.Errorf("%q is no whole number of bytes", s)
	case v.Cmp(new(big.Rat).SetInt64(math.MaxInt64)) > 0:
		return 0, fmt.Errorf("%q is more bytes than a file can have", s)
	}
	return v.Num().Int64(), nil
}

func unitHint(unit string) string {
	if len(unit) == 1 && strings.Contains("kmgt", unit) {
		u := strings.ToUpper(unit)
		return fmt.Sprintf("; did you mean %siB (binary) or %sB?", u, u)
	}
	return " (known: B, kB, MB, GB, TB, KiB, MiB, GiB, TiB)"
}

// properDigits wants digits on both sides of an underscore or point.
func properDigits(s string) bool {
	if len(s) > 40 || strings.Count(s, ".") > 1 {
		return false
	}
	isDigit := func(i int) bool { return i >= 0 && i < len(s) && s[i] >= '0' && s[i] <= '9' }
	for i := range len(s) {
		if !isDigit(i) && (!isDigit(i-1) || !isDigit(i+1)) {
			return false
		}
	}
	return s != ""
}

// String is the canonical form: the largest binary unit that divides it.
func (s *size) String() string {
	v := int64(*s)
	for _, u := range []struct {
		name string
		n    int64
	}{{"TiB", 1 << 40}, {"GiB", 1 << 30}, {"MiB", 1 << 20}, {"KiB", 1 << 10}} {
		if v >= u.n && v%u.n == 0 {
			return fmt.Sprintf("%d%s", v/u.n, u.name)
		}
	}
	return fmt.Sprint(v)
}

// Set implements pflag.Value.
func (s *size) Set(text string) error {
	v, err := parseSize(text)
	*s = size(v)
	return err
}

// Type implements pflag.Value.
func (s *size) Type() string { return "size" }
