package stats

import (
	"math"
	"slices"
	"sync"

	"github.com/aclements/go-moremath/stats"
)

// Rank distributions are counted exactly up to this many values in all, and
// taken from the normal distribution beyond, where both agree to 1e-3 of a
// tail of 0.025.
const exactRanks = 100

// crossMeans are the means of one value of a and one of b. Under a shift of
// both, the number of them at or below the true value is Mann and Whitney's U
// over all ways to deal the labels a and b, which are the balanced flips.
func crossMeans(m Method, a, b []float64) typical {
	means := make([]float64, 0, len(a)*len(b))
	for _, va := range a {
		for _, vb := range b {
			means = append(means, (va+vb)/2)
		}
	}
	slices.Sort(means)
	return typical{method: m, values: means, tail: rankSumTail(len(a), len(b))}
}

// walshMeans are the means of every two values, each with itself included.
// The number of them at or below the true value is Wilcoxon's signed-rank
// statistic over all 2^n flips.
func walshMeans(y []float64) typical {
	means := make([]float64, 0, len(y)*(len(y)+1)/2)
	for i, v := range y {
		for _, w := range y[i:] {
			means = append(means, (v+w)/2)
		}
	}
	slices.Sort(means)
	return typical{method: SignedRanks, values: means, tail: signedRankTail(len(y))}
}

// rankSumTails keeps exact tails by [2]int{smaller, larger}: a report asks for
// the same few again and again.
var rankSumTails sync.Map

// rankSumTail is P(U <= c) for samples of n1 and n2.
func rankSumTail(n1, n2 int) func(int) float64 {
	n1, n2 = min(n1, n2), max(n1, n2)
	if n := n1 + n2; n > exactRanks {
		v := float64(n1) * float64(n2)
		return normalTail(v/2, v*float64(n+1)/12)
	}
	if t, ok := rankSumTails.Load([2]int{n1, n2}); ok {
		return t.(func(int) float64)
	}
	t := cumulative(rankSumCounts(n1, n2))
	rankSumTails.Store([2]int{n1, n2}, t)
	return t
}

// rankSumCounts is how many choices of n1 of the ranks 1 to n1+n2 give each U.
func rankSumCounts(n1, n2 int) []float64 {
	// ways[k][u]: choices of k of the ranks so far whose sum is u above the
	// least possible, k(k+1)/2. Adding rank r as the k-th adds r-k to u.
	ways := make([][]float64, n1+1)
	for k := range ways {
		ways[k] = make([]float64, n1*n2+1)
	}
	ways[0][0] = 1
	for r := 1; r <= n1+n2; r++ {
		for k := min(n1, r); k >= 1; k-- {
			for u := n1 * n2; u >= r-k; u-- {
				ways[k][u] += ways[k-1][u-(r-k)]
			}
		}
	}
	return ways[n1]
}

// signedRankTail is P(W <= c) for n values.
func signedRankTail(n int) func(int) float64 {
	if n > exactRanks {
		m := float64(n) * float64(n+1) / 4
		return normalTail(m, m*float64(2*n+1)/6)
	}
	ways := make([]float64, n*(n+1)/2+1)
	ways[0] = 1
	for r := 1; r <= n; r++ {
		for w := len(ways) - 1; w >= r; w-- {
			ways[w] += ways[w-r]
		}
	}
	return cumulative(ways)
}

// cumulative turns counts into P(at most c).
func cumulative(counts []float64) func(int) float64 {
	sum := 0.0
	upTo := make([]float64, len(counts))
	for i, c := range counts {
		sum += c
		upTo[i] = sum
	}
	return func(c int) float64 {
		if c < 0 {
			return 0
		}
		return upTo[min(c, len(upTo)-1)] / sum
	}
}

func normalTail(mean, variance float64) func(int) float64 {
	d := stats.NormalDist{Mu: mean, Sigma: math.Sqrt(variance)}
	return func(c int) float64 { return d.CDF(float64(c) + 0.5) }
}
