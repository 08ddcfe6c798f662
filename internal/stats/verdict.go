package stats

import (
	"fmt"
	"math"
)

// Verdict is what a comparison shows.
type Verdict string

// The verdicts. The last two are none: the samples do not suffice for any.
const (
	Better        Verdict = "better"
	Worse         Verdict = "worse"
	NoDifference  Verdict = "no difference"
	Inconclusive  Verdict = "inconclusive"
	TooFewPairs   Verdict = "too few pairs"
	TooFewSamples Verdict = "too few samples" // unpaired
)

// Difference reports whether the verdict is better or worse.
func (v Verdict) Difference() bool { return v == Better || v == Worse }

// TooFew reports whether there are too few samples for any verdict.
func (v Verdict) TooFew() bool { return v == TooFewPairs || v == TooFewSamples }

// Decided reports whether the verdict settles the question.
func (v Verdict) Decided() bool { return v.Difference() || v == NoDifference }

// Lean is what an inconclusive interval shows all the same.
type Lean string

// The leans.
const (
	LeanNone   Lean = ""           // the interval crosses both edges of the band
	LeanWorse  Lean = "worse"      // wholly beyond 1, but perhaps within the band
	LeanBetter Lean = "better"     // likewise on the other side
	NotWorse   Lean = "not worse"  // worse by more than the threshold is excluded
	NotBetter  Lean = "not better" // better by more than the threshold is excluded
)

// judge holds the interval [lo, hi] of the log-ratio against the band
// [-tau, tau]. Positive is worse.
func judge(lo, hi, tau float64) (Verdict, Lean) {
	switch {
	case lo > tau:
		return Worse, LeanNone
	case hi < -tau:
		return Better, LeanNone
	case lo >= -tau && hi <= tau:
		return NoDifference, LeanNone
	case lo > 0:
		return Inconclusive, LeanWorse
	case hi < 0:
		return Inconclusive, LeanBetter
	case hi <= tau:
		return Inconclusive, NotWorse
	case lo >= -tau:
		return Inconclusive, NotBetter
	}
	return Inconclusive, LeanNone
}

// judge sets verdict and lean from the interval.
func (c *Comparison) judge(lo, hi float64) {
	if c.Options.HigherIsBetter {
		lo, hi = -hi, -lo
	}
	c.Verdict, c.Lean = judge(lo, hi, math.Log1p(c.Threshold))
}

// Explain is the verdict with its grounds, in one line.
func (c *Comparison) Explain() string {
	if c.Interval == nil {
		return c.explainTooFew()
	}
	s := fmt.Sprintf("%s: ratio %.3f, %s interval %.3f to %.3f", c.Verdict, c.Ratio, share(c.Options.Confidence), c.Interval.Lo, c.Interval.Hi)
	bar := "±" + share(c.Threshold)
	switch c.Verdict {
	case Better, Worse:
		return s + ", beyond " + bar
	case NoDifference:
		return s + ", within " + bar
	}
	return s + c.explainOpen(bar)
}

func (c *Comparison) explainTooFew() string {
	if c.Paired {
		return fmt.Sprintf("%s: %d, a verdict needs %d", c.Verdict, c.N, c.Needed)
	}
	return fmt.Sprintf("%s: %d and %d, a verdict needs %d on either side", c.Verdict, c.Base.N, c.Head.N, c.Needed)
}

func (c *Comparison) explainOpen(bar string) string {
	s := ", across the edge of " + bar
	switch c.Lean {
	case LeanWorse, LeanBetter:
		s = fmt.Sprintf("; %s, but perhaps by less than %s", c.Lean, share(c.Threshold))
	case NotWorse, NotBetter:
		s = fmt.Sprintf("; %s by more than %s", c.Lean, share(c.Threshold))
	}
	if c.Further != nil {
		s += "; " + c.Further.String()
	}
	return s
}
