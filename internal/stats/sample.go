package stats

import (
	"cmp"
	"fmt"
	"math"
	"slices"
)

// Side is base or head.
type Side string

// The sides.
const (
	Base Side = "base"
	Head Side = "head"
)

// Run is one process' value of one metric.
type Run struct {
	// Value is positive and finite: seconds, bytes, rows a second. Metrics
	// that may be 0 are exact columns; see CompareExact.
	Value float64 `json:"value"`
	// Gauge is the time of the fixed piece of work done just before the run,
	// in any unit; 0 means that it was not taken.
	Gauge float64 `json:"gauge,omitempty"`
	// Missing says why there is no Value, "exit status 1" or "wrong output".
	Missing string `json:"missing,omitempty"`
}

// Pair is one round.
type Pair struct {
	Round     int  `json:"round"` // from 1, in order of time, no number twice
	BaseFirst bool `json:"base_first"`
	Base      Run  `json:"base"`
	Head      Run  `json:"head"`
}

// LeftOut is a round that does not count, because a half of it is missing.
type LeftOut struct {
	Round int    `json:"round"`
	Side  Side   `json:"side"`
	Why   string `json:"why"`
}

// SampleError is a value that no statistic can be made of.
type SampleError struct {
	Round int // 0 in an unpaired sample, whose values have an Index
	Index int
	Side  Side
	Msg   string
}

// Error gives the place and the fault.
func (e *SampleError) Error() string {
	if e.Round != 0 {
		return fmt.Sprintf("round %d, %s: %s", e.Round, e.Side, e.Msg)
	}
	return fmt.Sprintf("%s, value %d: %s", e.Side, e.Index, e.Msg)
}

// Values outside these are no measurement in any unit, and their ratios would
// leave float64.
const smallest, largest = 1e-100, 1e100

// fault says what is wrong with a value, "" for nothing.
func fault(what string, v float64) string {
	switch {
	case math.IsNaN(v):
		return what + " is NaN"
	case v <= 0:
		return fmt.Sprintf("%s %v is not positive, so it has no ratio; compare it as an exact value", what, v)
	case v < smallest || v > largest:
		return fmt.Sprintf("%s %v is not between %v and %v", what, v, smallest, largest)
	}
	return ""
}

// rounds are the complete pairs in order of time, and what was left out.
type rounds struct {
	pairs   []Pair
	leftOut []LeftOut
}

// collect sorts and checks the pairs and sets incomplete ones aside.
func collect(pairs []Pair) (rounds, error) {
	var rs rounds
	sorted := slices.SortedStableFunc(slices.Values(pairs), func(a, b Pair) int { return cmp.Compare(a.Round, b.Round) })
	for i, p := range sorted {
		if i > 0 && p.Round == sorted[i-1].Round {
			return rounds{}, fmt.Errorf("round %d occurs twice", p.Round)
		}
		if err := p.check(); err != nil {
			return rounds{}, err
		}
		if missing := p.missing(); len(missing) > 0 {
			rs.leftOut = append(rs.leftOut, missing...)
			continue
		}
		rs.pairs = append(rs.pairs, p)
	}
	return rs, nil
}

func (p *Pair) missing() []LeftOut {
	var out []LeftOut
	for side, run := range p.sides() {
		if run.Missing != "" {
			out = append(out, LeftOut{Round: p.Round, Side: side, Why: run.Missing})
		}
	}
	return out
}

func (p *Pair) check() error {
	if p.Round < 1 {
		return fmt.Errorf("round %d: rounds are numbered from 1", p.Round)
	}
	for side, run := range p.sides() {
		msg := ""
		if run.Missing == "" {
			msg = fault("value", run.Value)
		}
		if msg == "" && run.Gauge != 0 {
			msg = fault("gauge", run.Gauge)
		}
		if msg != "" {
			return &SampleError{Round: p.Round, Side: side, Msg: msg}
		}
	}
	return nil
}

// sides yields base, then head.
func (p *Pair) sides() func(yield func(Side, *Run) bool) {
	return func(yield func(Side, *Run) bool) {
		_ = yield(Base, &p.Base) && yield(Head, &p.Head)
	}
}

// values are one side's values in order of time.
func (rs *rounds) values(side Side) []float64 {
	out := make([]float64, len(rs.pairs))
	for i := range rs.pairs {
		out[i] = rs.pairs[i].run(side).Value
	}
	return out
}

func (p *Pair) run(side Side) *Run {
	if side == Base {
		return &p.Base
	}
	return &p.Head
}

// logRatio is y of the package comment.
func (p *Pair) logRatio() float64 { return math.Log(p.Head.Value) - math.Log(p.Base.Value) }

// split gives the log-ratios of base-first and of head-first rounds.
func (rs *rounds) split() (a, b []float64) {
	for i := range rs.pairs {
		p := &rs.pairs[i]
		if p.BaseFirst {
			a = append(a, p.logRatio())
		} else {
			b = append(b, p.logRatio())
		}
	}
	return a, b
}
