package stats

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"golang.org/x/perf/benchmath"
)

// AnotherTime heads comparisons with a saved baseline.
const AnotherTime = "measured at another time"

// unpairedSamples is the fewest a side: with 4 and 4, Mann-Whitney's smallest
// p-value is 0.029, with 3 and 3 it is 0.1.
const unpairedSamples = 4

// CompareUnpaired compares head with saved samples of base. Nothing cancels
// here: a machine that was busier on one of the days looks like a difference,
// and no test can tell. Therefore
//
//   - the threshold is widened (Options.UnpairedWiden, twice by default),
//   - better and worse also need Mann-Whitney's test to reject,
//   - and a warning says that the sides were measured at another time.
//
// The ratio is the Hodges-Lehmann estimate, the median of all head/base, and
// its interval inverts Mann-Whitney's test.
func CompareUnpaired(base, head []float64, opts Options) (*Comparison, error) {
	opts, err := opts.ready()
	if err != nil {
		return nil, err
	}
	if err := cmp.Or(checkValues(Base, base), checkValues(Head, head)); err != nil {
		return nil, err
	}
	c := &Comparison{Options: opts, Threshold: opts.Threshold * opts.UnpairedWiden, P: 1, N: min(len(base), len(head))}
	c.Base = Summarize(base, opts.Confidence)
	c.Head = Summarize(head, opts.Confidence)
	c.Needed = samplesNeeded(opts.alpha())
	c.warn(WarnAnotherTime, "%s: the threshold is widened from %s to %s, and what changed besides the program is unknown",
		AnotherTime, share(opts.Threshold), share(c.Threshold))
	if c.N > 0 {
		c.testUnpaired(base, head)
		c.flagSide(Base, base)
		c.flagSide(Head, head)
		c.warnOutliers()
	} else {
		c.tooFew()
	}
	return c, nil
}

func checkValues(side Side, values []float64) error {
	for i, v := range values {
		if msg := fault("value", v); msg != "" {
			return fmt.Errorf("unpaired samples: %w", &SampleError{Index: i, Side: side, Msg: msg})
		}
	}
	return nil
}

func (c *Comparison) testUnpaired(base, head []float64) {
	alpha := c.Options.alpha()
	values := shifts(logs(base), logs(head))
	theta := medianSorted(values.values)
	c.Ratio = math.Exp(theta)
	if c.N < c.Needed || !c.setInterval(values, alpha, theta) {
		c.tooFew()
		return
	}
	t := &benchmath.Thresholds{CompareAlpha: alpha}
	test := benchmath.AssumeNothing.Compare(
		benchmath.NewSample(slices.Clone(base), t), benchmath.NewSample(slices.Clone(head), t))
	c.P = test.P
	for _, w := range test.Warnings {
		c.warn(WarnTest, "Mann-Whitney: %v", w)
	}
	if c.Verdict.Difference() && c.P > alpha {
		c.Verdict = Inconclusive
	}
}

// shifts are all differences of a head and a base value; the number of them
// at or below the true shift is Mann and Whitney's U.
func shifts(base, head []float64) typical {
	minus := make([]float64, len(base))
	for i, v := range base {
		minus[i] = -v
	}
	t := crossMeans(MannWhitney, minus, head)
	for i := range t.values {
		t.values[i] *= 2
	}
	return t
}

// samplesNeeded is the fewest samples a side for an interval at alpha.
func samplesNeeded(alpha float64) int {
	n := unpairedSamples
	for 2/choose(2*n, n) > alpha*(1+roundingTolerance) {
		n++
	}
	return n
}

func (c *Comparison) flagSide(side Side, values []float64) {
	if len(values) < outlierSamples {
		return
	}
	numbers := make([]int, len(values))
	for i := range numbers {
		numbers[i] = i + 1
	}
	c.flag(string(side), numbers, logs(values))
}
