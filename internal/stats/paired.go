package stats

import (
	"math"
	"slices"
)

// Comparison is the result of comparing head with base in one metric. Ratios
// are head/base. Times and shares are fractions: 0.02 is 2 %.
type Comparison struct {
	Options Options `json:"options"`
	// Paired tells rounds measured side by side from samples "measured at
	// another time".
	Paired bool `json:"paired"`
	// Threshold is the one in force: that of Options, widened when unpaired.
	Threshold float64 `json:"threshold"`

	// N is the number of complete pairs; unpaired: of the smaller side.
	N    int     `json:"n"`
	Base Summary `json:"base"` // of complete pairs
	Head Summary `json:"head"`

	// Ratio is the Hodges-Lehmann estimate; 0 without any pair.
	Ratio float64 `json:"ratio,omitempty"`
	// Interval of the ratio; nil when there are too few samples for one.
	Interval *Interval `json:"interval,omitempty"`
	Method   Method    `json:"method,omitempty"`
	// P is the two-sided p-value of "no effect at all", by the same test as
	// the interval; 1 without one. The verdict rests on the interval.
	P float64 `json:"p"`

	Verdict Verdict `json:"verdict"`
	Lean    Lean    `json:"lean,omitempty"`
	// Needed is the fewest pairs (unpaired: samples a side) for a verdict.
	Needed int `json:"needed"`
	// Further is advice when the verdict is inconclusive or missing.
	Further *Further `json:"further,omitempty"`
	// Resolution is half the interval's width: the noise floor that was
	// measured. 0.021 reads "± 2.1 %".
	Resolution float64 `json:"resolution,omitempty"`
	// Detectable is the smallest change that an interval of this width would
	// have cleared the threshold with.
	Detectable float64 `json:"detectable,omitempty"`

	// FirstSlot is the value of the run that goes first over that of the
	// second, effect removed; 0 when the order was never flipped.
	FirstSlot float64 `json:"first_slot,omitempty"`
	// SlotRemoved reports that no first-slot effect can be in the interval.
	SlotRemoved bool `json:"slot_removed"`
	// Drift is both sides' common change from the first to the last round,
	// as a factor; 0 below four pairs.
	Drift float64 `json:"drift,omitempty"`

	LeftOut  []LeftOut `json:"left_out,omitempty"`
	Outliers []Outlier `json:"outliers,omitempty"`
	Gauge    *Gauge    `json:"gauge,omitempty"`
	Warnings []Warning `json:"warnings,omitempty"`
}

// ComparePaired compares the two halves of rounds, given in any sequence.
// Rounds with a missing half are left out and listed. The error is about
// options or a value that no ratio can be made of; too few pairs is no error
// but a verdict.
func ComparePaired(pairs []Pair, opts Options) (*Comparison, error) {
	opts, err := opts.ready()
	if err != nil {
		return nil, err
	}
	rs, err := collect(pairs)
	if err != nil {
		return nil, err
	}
	c := &Comparison{Options: opts, Paired: true, Threshold: opts.Threshold, P: 1, N: len(rs.pairs), LeftOut: rs.leftOut}
	c.Base = Summarize(rs.values(Base), opts.Confidence)
	c.Head = Summarize(rs.values(Head), opts.Confidence)
	c.Needed = pairsNeeded(opts.MinPairs, opts.alpha())
	c.warnLeftOut()
	if c.N == 0 {
		c.tooFew()
		return c, nil
	}
	a, b := rs.split()
	c.testPairs(a, b)
	c.describeOrder(&rs, a, b)
	c.findOutliers(&rs)
	c.readGauge(&rs)
	return c, nil
}

// testPairs fills in ratio, interval, verdict and advice.
func (c *Comparison) testPairs(a, b []float64) {
	alpha := c.Options.alpha()
	c.SlotRemoved = slotRemovable(len(a), len(b), alpha)
	theta := estimate(a, b, c.SlotRemoved)
	c.Ratio = math.Exp(theta)
	if c.N < c.Needed {
		c.tooFew()
		return
	}
	values := typicalOf(a, b, alpha)
	if !c.setInterval(values, alpha, theta) {
		c.tooFew()
		return
	}
	if c.Verdict == Inconclusive {
		c.Further = c.further(math.Log(c.Ratio), a, b)
	}
}

// setInterval fills in what follows from a family of typical values and a
// point estimate, and reports whether there is an interval.
func (c *Comparison) setInterval(values typical, alpha, theta float64) bool {
	lo, hi, confidence, ok := values.bounds(alpha)
	if !ok {
		return false
	}
	c.Ratio = math.Exp(min(max(theta, lo), hi))
	c.Interval = &Interval{Lo: math.Exp(lo), Hi: math.Exp(hi), Confidence: confidence}
	c.Method, c.P = values.method, values.p(0)
	half := (hi - lo) / 2
	c.Resolution = math.Expm1(half)
	c.Detectable = math.Expm1(half + math.Log1p(c.Threshold))
	c.judge(lo, hi)
	return true
}

// estimate is the Hodges-Lehmann estimate of θ: the median of the means of one
// a and one b, free of the slot effect, or of all two when the order was
// hardly ever flipped.
func estimate(a, b []float64, balanced bool) float64 {
	if balanced || flippedEnough(a, b) {
		return medianSorted(crossMeans("", a, b).values)
	}
	return medianSorted(walshMeans(slices.Concat(a, b)).values)
}

// flippedEnough reports whether each order makes up a third of the rounds.
func flippedEnough(a, b []float64) bool {
	return len(a) > 0 && len(b) > 0 && 2*min(len(a), len(b)) >= max(len(a), len(b))
}

// pairsNeeded is the fewest pairs that 2^n flips give an interval for.
func pairsNeeded(least int, alpha float64) int {
	return max(least, int(math.Ceil(math.Log2(2/alpha)-roundingTolerance)))
}

func (c *Comparison) tooFew() {
	c.Verdict = TooFewSamples
	if c.Paired {
		c.Verdict = TooFewPairs
	}
	c.Further = &Further{Rounds: max(c.Needed-c.N, 0)}
}

func (c *Comparison) warnLeftOut() {
	if n := len(c.LeftOut); n > 0 {
		first := c.LeftOut[0]
		c.warn(WarnLeftOut, "%s without a value, their rounds do not count; the first is round %d, %s: %s",
			plural(n, "run"), first.Round, first.Side, first.Why)
	}
}

func (c *Comparison) warn(code WarningCode, format string, args ...any) {
	c.Warnings = append(c.Warnings, warn(code, format, args...))
}
