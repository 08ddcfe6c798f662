package metrics

import (
	"fmt"
	"math"
	"strconv"
)

// Kind says how a column may be compared between runs of one case.
type Kind uint8

// The kinds.
const (
	// Asked columns say what was run; they are equal within a case.
	Asked Kind = iota
	// Exact columns are counted, not timed: any difference between runs of one
	// case and revision is a fault.
	Exact
	// Noisy columns vary from run to run; compare them by medians and intervals.
	Noisy
	// Told columns say when, where and by what a run was made.
	Told
)

// String is asked, exact, noisy or told.
func (k Kind) String() string { return [...]string{"asked", "exact", "noisy", "told"}[k] }

// Unit is what a column counts.
type Unit string

// The units. The unit of a column is also part of its name, save for plain counts.
const (
	Text  Unit = ""
	Flag  Unit = "true/false"
	Count Unit = "count"
	Rows  Unit = "rows"
	Bytes Unit = "bytes"
	MiB   Unit = "MiB"
	Secs  Unit = "s"
	Ratio Unit = "ratio"
	PerS  Unit = "rows/s"
)

// Column describes one figure of a Row.
type Column struct {
	Name  string // in CSV and JSON
	Label string // on the terminal
	Unit  Unit
	Kind  Kind
	Doc   string // what it means, one or two sentences
	Omits string // what it leaves out, "" for nothing worth saying
	field func(*Row) any
}

// Unknown is the value of a number that was not measured: an empty CSV cell,
// null in JSON.
func Unknown() float64 { return math.NaN() }

// Known reports whether a number was measured.
func Known(v float64) bool { return !math.IsNaN(v) }

// Number gives the column's value of r as a number; ok is false for text,
// flags and numbers that were not measured.
func (c *Column) Number(r *Row) (v float64, ok bool) {
	switch p := c.field(r).(type) {
	case *float64:
		return *p, Known(*p)
	case *int64:
		return float64(*p), true
	}
	return 0, false
}

// Text gives the column's value of r as it stands in CSV: numbers exact and
// without an exponent, "" for unknown.
func (c *Column) Text(r *Row) string {
	switch p := c.field(r).(type) {
	case *string:
		return *p
	case *bool:
		return strconv.FormatBool(*p)
	case *int64:
		return strconv.FormatInt(*p, 10)
	case *float64:
		if !Known(*p) {
			return ""
		}
		return strconv.FormatFloat(*p, 'f', -1, 64)
	}
	return ""
}

// SetText is the inverse of Text.
func (c *Column) SetText(r *Row, s string) (err error) {
	switch p := c.field(r).(type) {
	case *string:
		*p = s
	case *bool:
		*p, err = strconv.ParseBool(s)
	case *int64:
		*p, err = strconv.ParseInt(s, 10, 64)
	case *float64:
		if s == "" {
			*p = Unknown()
			return nil
		}
		*p, err = strconv.ParseFloat(s, 64)
	}
	if err != nil {
		return fmt.Errorf("column %s: %q is no %s", c.Name, s, c.Unit)
	}
	return nil
}
