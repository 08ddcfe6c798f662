package stats

import (
	"math"
	"slices"
	"sort"
)

// Method names how an interval was made.
type Method string

// The methods; the package comment says when each is used.
const (
	SignFlips         Method = "sign flips"
	BalancedFlips     Method = "balanced sign flips"
	SignedRanks       Method = "sign flips of ranks"
	BalancedRanks     Method = "balanced sign flips of ranks"
	MannWhitney       Method = "Mann-Whitney"
	rankFrom                 = 14 // rounds from which ranks replace means
	roundingTolerance        = 1e-12
)

// typical is a sorted set of values that cut the line into gaps of known
// probability: tail(c) is the chance, whatever the noise, that at most c of
// them lie at or below the true value. It never falls as c grows.
type typical struct {
	method Method
	values []float64
	tail   func(count int) float64
}

// typicalOf picks the family for log-ratios of base-first (a) and head-first
// (b) rounds, by their numbers alone.
func typicalOf(a, b []float64, alpha float64) typical {
	n := len(a) + len(b)
	balanced := slotRemovable(len(a), len(b), alpha)
	switch {
	case balanced && n < rankFrom:
		return balancedMeans(a, b)
	case balanced:
		return crossMeans(BalancedRanks, a, b)
	case n < rankFrom:
		return subsetMeans(slices.Concat(a, b))
	default:
		return walshMeans(slices.Concat(a, b))
	}
}

// slotRemovable reports whether there are enough balanced flips for alpha.
func slotRemovable(a, b int, alpha float64) bool {
	return 2/choose(a+b, min(a, b)) <= alpha*(1+roundingTolerance)
}

// bounds inverts the test: the smallest and largest value that a two-sided
// test at alpha does not reject, and the level that results. ok is false when
// there are too few values to reject anything.
func (t typical) bounds(alpha float64) (lo, hi, confidence float64, ok bool) {
	k := sort.Search(len(t.values), func(c int) bool { return t.tail(c) > alpha/2*(1+roundingTolerance) })
	if k == 0 {
		return math.Inf(-1), math.Inf(1), 1, false
	}
	return t.values[k-1], t.values[len(t.values)-k], 1 - 2*t.tail(k-1), true
}

// p is the two-sided p-value of the true value being at: twice the smaller
// tail. Values that equal at up to rounding count on both sides.
func (t typical) p(at float64) float64 {
	if len(t.values) == 0 {
		return 1
	}
	slack := roundingTolerance * max(math.Abs(t.values[0]), math.Abs(t.values[len(t.values)-1]), math.Abs(at))
	below := sort.Search(len(t.values), func(i int) bool { return t.values[i] > at+slack })
	above := len(t.values) - sort.SearchFloat64s(t.values, at-slack)
	return min(1, 2*min(t.tail(below), t.tail(above)))
}

// choose is the binomial coefficient.
func choose(n, k int) float64 {
	c := 1.0
	for i := 1; i <= k; i++ {
		c = c * float64(n-k+i) / float64(i)
	}
	return math.Round(c)
}
