package main

import (
	"fmt"
	"strconv"
	"strings"
)

// count is a flag's whole number within limits: 200, 16_000.
type count[T int | int64] struct {
	value    *T
	min, max T
}

// newCount is a count that is *value by default.
func newCount[T int | int64](value *T, least, most T) *count[T] {
	return &count[T]{value, least, most}
}

// String implements pflag.Value.
func (c *count[T]) String() string {
	if c.value == nil {
		return "0"
	}
	return fmt.Sprint(*c.value)
}

// Set implements pflag.Value.
func (c *count[T]) Set(text string) error {
	if !properDigits(strings.TrimPrefix(text, "-")) || strings.Contains(text, ".") {
		return fmt.Errorf("%q is no whole number", text)
	}
	n, err := strconv.ParseInt(strings.ReplaceAll(text, "_", ""), 10, 64)
	if err != nil || n < int64(c.min) || n > int64(c.max) {
		return fmt.Errorf("%s is not between %d and %d", text, c.min, c.max)
	}
	*c.value = T(n)
	return nil
}

// Type implements pflag.Value.
func (c *count[T]) Type() string { return "n" }

// choice is a flag that takes one of a few names, in any letter case.
type choice struct {
	value *string
	what  string // "codec"
	known []string
}

// String implements pflag.Value.
func (c *choice) String() string {
	if c.value == nil {
		return ""
	}
	return *c.value
}

// Set implements pflag.Value.
func (c *choice) Set(text string) error {
	for _, k := range c.known {
		if strings.EqualFold(k, text) {
			*c.value = k
			return nil
		}
	}
	return unknownName(c.what, text, c.known)
}

// Type implements pflag.Value.
func (c *choice) Type() string { return "name" }
