package stats

import (
	"fmt"
	"slices"
	"strings"
)

// Exact is the outcome of an exact column: rows, bytes, spills, capacities,
// sha. Such values are not tested but compared; any difference is one.
type Exact struct {
	Result ExactResult `json:"result"`
	Base   []Count     `json:"base"` // distinct values in order of appearance
	Head   []Count     `json:"head"`
}

// Count is a value and how many runs had it.
type Count struct {
	Value string `json:"value"`
	Runs  int    `json:"runs"`
}

// ExactResult says how the sides of an exact column relate.
type ExactResult string

// The results. A side that varies is not comparable: whoever said that the
// column is exact was wrong, or a run was.
const (
	Equal   ExactResult = "equal"   // one value, the same on both sides
	Differs ExactResult = "differs" // one value a side, not the same
	Varies  ExactResult = "varies"  // more than one value within a side
	Absent  ExactResult = "absent"  // a side has no value at all
)

// CompareExact compares the values of all runs, order and number of no
// account. Values are printed with fmt.
func CompareExact[T comparable](base, head []T) Exact {
	e := Exact{Base: tally(base), Head: tally(head)}
	switch {
	case len(base) == 0 || len(head) == 0:
		e.Result = Absent
	case len(e.Base) > 1 || len(e.Head) > 1:
		e.Result = Varies
	case base[0] != head[0]:
		e.Result = Differs
	default:
		e.Result = Equal
	}
	return e
}

func tally[T comparable](values []T) []Count {
	out := []Count{}
	at := map[T]int{}
	for _, v := range values {
		i, seen := at[v]
		if !seen {
			i = len(out)
			at[v] = i
			out = append(out, Count{Value: fmt.Sprint(v)})
		}
		out[i].Runs++
	}
	return out
}

// VariesWithin are the sides with more than one value.
func (e Exact) VariesWithin() []Side {
	var out []Side
	if len(e.Base) > 1 {
		out = append(out, Base)
	}
	if len(e.Head) > 1 {
		out = append(out, Head)
	}
	return out
}

// String is "equal: 5", "differs: base 5, head 6" or "varies within head:
// base 5, head 6 (9 runs), 7 (1 run)".
func (e Exact) String() string {
	s := string(e.Result)
	if e.Result == Equal {
		return s + ": " + e.Base[0].Value
	}
	if v := e.VariesWithin(); len(v) > 0 {
		names := make([]string, len(v))
		for i, side := range v {
			names[i] = string(side)
		}
		s += " within " + strings.Join(names, " and ")
	}
	return fmt.Sprintf("%s: base %s, head %s", s, listCounts(e.Base), listCounts(e.Head))
}

func listCounts(counts []Count) string {
	switch len(counts) {
	case 0:
		return "none"
	case 1:
		return counts[0].Value
	}
	var parts []string
	for c := range slices.Values(counts) {
		parts = append(parts, fmt.Sprintf("%s (%s)", c.Value, plural(c.Runs, "run")))
	}
	return strings.Join(parts, ", ")
}

// Warnings names sides that vary, with all their values.
func (e Exact) Warnings() []Warning {
	if e.Result != Varies {
		return nil
	}
	return []Warning{warn(WarnVaries, "an exact column %s", e)}
}
