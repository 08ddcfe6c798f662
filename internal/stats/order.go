package stats

import (
	"math"
	"slices"
)

// describeOrder fills in first-slot effect and drift and warns of what a
// reader should know of them.
func (c *Comparison) describeOrder(rs *rounds, a, b []float64) {
	if !flippedEnough(a, b) && c.N >= c.Needed {
		c.warn(WarnOrder, "base ran first in %d of %d rounds: what going first does cannot be told from what head does",
			len(a), c.N)
	}
	c.describeSlot(a, b)
	c.describeDrift(rs)
}

// describeSlot estimates ψ by the median of half the differences between one
// head-first and one base-first round.
func (c *Comparison) describeSlot(a, b []float64) {
	if len(a) == 0 || len(b) == 0 {
		return
	}
	psi := slotEffect(a, b)
	c.FirstSlot = math.Exp(psi)
	noise := 2 * pooledDeviation(a, b) / math.Sqrt(float64(c.N))
	if c.Interval == nil || math.Abs(psi) <= max(noise, math.Log1p(c.Threshold)) {
		return
	}
	if c.SlotRemoved {
		c.warn(WarnSlot, "the run that goes first differs by %s from the second; balanced flips take this out of the ratio",
			percent(math.Expm1(psi)))
		return
	}
	c.warn(WarnSlot, "the run that goes first differs by %s from the second; this stays in the interval and widens it, from %d evenly flipped rounds it does not",
		percent(math.Expm1(psi)), slotRounds(c.Options.alpha()))
}

// slotRounds is the fewest evenly flipped rounds that rid the interval of the
// slot effect: 8 at 95 %.
func slotRounds(alpha float64) int {
	n := 2
	for !slotRemovable(n/2, n/2, alpha) {
		n += 2
	}
	return n
}

func slotEffect(a, b []float64) float64 {
	minus := make([]float64, len(a))
	for i, v := range a {
		minus[i] = -v
	}
	return medianSorted(crossMeans("", minus, b).values)
}

// driftPairs is the fewest pairs that a drift is estimated from.
const driftPairs = 4

// describeDrift follows the pairs' common level over the rounds.
func (c *Comparison) describeDrift(rs *rounds) {
	if c.N < driftPairs {
		return
	}
	slope, z := trend(rs)
	most := math.Log(largest) // keeps absurd samples inside float64
	total := min(max(slope*float64(rs.pairs[c.N-1].Round-rs.pairs[0].Round), -most), most)
	c.Drift = math.Exp(total)
	if math.Abs(total) > math.Log1p(c.Threshold) && math.Abs(z) > 2 {
		c.warn(WarnDrift, "both sides moved by %s from the first to the last round; it cancels in the ratio, not in the medians",
			percent(math.Expm1(total)))
	}
}

// trend is the Theil-Sen slope of the pairs' level (the mean of both logs, in
// which slot effect and head's effect are constant) a round, and the normal
// score of Kendall's S.
func trend(rs *rounds) (slope, z float64) {
	var slopes []float64
	s := 0.0
	for i := range rs.pairs {
		for j := i + 1; j < len(rs.pairs); j++ {
			rise := rs.pairs[j].level() - rs.pairs[i].level()
			slopes = append(slopes, rise/float64(rs.pairs[j].Round-rs.pairs[i].Round))
			if rise != 0 {
				s += math.Copysign(1, rise)
			}
		}
	}
	n := float64(len(rs.pairs))
	slices.Sort(slopes)
	return medianSorted(slopes), s / math.Sqrt(n*(n-1)*(2*n+5)/18)
}

func (p *Pair) level() float64 { return (math.Log(p.Base.Value) + math.Log(p.Head.Value)) / 2 }
