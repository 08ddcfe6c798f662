package compare

import (
	"cmp"
	"maps"
	"slices"

	"github.com/shufflebench/shufflebench/internal/stats"
	"github.com/shufflebench/shufflebench/pkg/metrics"
)

// caseRows are the rows of a case that are no warm-ups, by side.
type caseRows struct {
	base, head []*metrics.Row
}

func rowsOf(rows []*metrics.Row, name string) caseRows {
	var out caseRows
	for _, r := range rows {
		switch {
		case r.Case != name || r.Warmup:
		case r.Variant == string(stats.Base):
			out.base = append(out.base, r)
		case r.Variant == string(stats.Head):
			out.head = append(out.head, r)
		}
	}
	return out
}

// counting are the rows whose runs did not fail.
func counting(rows []*metrics.Row) []*metrics.Row {
	return slices.DeleteFunc(slices.Clone(rows), func(r *metrics.Row) bool { return r.Failure != "" })
}

// outside is what stands in for a figure that a command does not tell.
var outside = map[string]string{"write_secs": "process_secs", "max_rss_mib": "process_rss_mib"}

// column is the column that a metric is judged by: what all runs of both sides
// say of themselves, or else what was seen of all from outside. Never one
// against the other.
func (s *caseRows) column(name string) metrics.Column {
	col, _ := metrics.LookupColumn(name)
	seen, ok := metrics.LookupColumn(outside[name])
	if !ok {
		return col
	}
	for _, r := range slices.Concat(counting(s.base), counting(s.head)) {
		if v, known := col.Number(r); !known || v <= 0 {
			return seen
		}
	}
	return col
}

// pairs are the rounds of a case in one metric. A round that was not begun is
// not among them.
func (s *caseRows) pairs(col metrics.Column) []stats.Pair {
	type round struct{ base, head *metrics.Row }
	rounds := map[int64]*round{}
	at := func(n int64) *round {
		if rounds[n] == nil {
			rounds[n] = new(round)
		}
		return rounds[n]
	}
	for _, r := range s.base {
		at(r.Round).base = r
	}
	for _, r := range s.head {
		at(r.Round).head = r
	}
	var out []stats.Pair
	for _, n := range slices.SortedFunc(maps.Keys(rounds), cmp.Compare) {
		r := rounds[n]
		out = append(out, stats.Pair{
			Round: int(n), BaseFirst: baseFirst(r.base, r.head), Base: runOf(r.base, col), Head: runOf(r.head, col),
		})
	}
	return out
}

func baseFirst(base, head *metrics.Row) bool {
	if base != nil {
		return base.Slot == 1
	}
	return head.Slot == 2
}

// runOf is a row as statistics want it.
func runOf(r *metrics.Row, col metrics.Column) stats.Run {
	if r == nil {
		return stats.Run{Missing: "it was not run"}
	}
	run := stats.Run{Missing: r.Failure}
	if metrics.Known(r.GaugeSecs) && r.GaugeSecs > 0 {
		run.Gauge = r.GaugeSecs
	}
	if run.Missing != "" {
		return run
	}
	v, known := col.Number(r)
	switch {
	case !known:
		run.Missing = col.Name + " was not measured"
	case v <= 0:
		run.Missing = col.Name + " is 0"
	default:
		run.Value = v
	}
	return run
}

// values are one side's positive figures.
func values(rows []*metrics.Row, col metrics.Column) []float64 {
	var out []float64
	for _, r := range rows {
		if run := runOf(r, col); run.Missing == "" {
			out = append(out, run.Value)
		}
	}
	return out
}
