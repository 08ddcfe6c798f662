package stats

import (
	"math/bits"
	"slices"
)

// subsetMeans are the means of all non-empty sets of rounds. A flip of set F
// is at least as extreme as the truth when F's mean is at or below the value
// under test, and flipping nothing always is, so tail(c) = (1+c)/2^n.
func subsetMeans(y []float64) typical {
	sums := subsetSums(y)
	for set := 1; set < len(sums); set++ {
		sums[set] /= float64(bits.OnesCount(uint(set)))
	}
	return flipped(SignFlips, sums[1:])
}

// balancedMeans are the means of all sets that hold as many rounds of a as of
// b. A shift of a by -ψ and of b by +ψ leaves every one of them as it is.
func balancedMeans(a, b []float64) typical {
	byA, byB := sumsBySize(a), sumsBySize(b)
	var means []float64
	for size := 1; size <= min(len(a), len(b)); size++ {
		for _, sa := range byA[size] {
			for _, sb := range byB[size] {
				means = append(means, (sa+sb)/float64(2*size))
			}
		}
	}
	return flipped(BalancedFlips, means)
}

// flipped is the family of a group of flips from the means of its sets, the
// empty set not among them.
func flipped(m Method, means []float64) typical {
	slices.Sort(means)
	all := float64(len(means) + 1)
	return typical{method: m, values: means, tail: func(c int) float64 { return min(1, float64(1+c)/all) }}
}

// subsetSums[set] is the sum of the values whose bits are in set.
func subsetSums(y []float64) []float64 {
	sums := make([]float64, 1<<len(y))
	for set := 1; set < len(sums); set++ {
		sums[set] = sums[set&(set-1)] + y[bits.TrailingZeros(uint(set))]
	}
	return sums
}

// sumsBySize groups the subset sums by the number of values in them.
func sumsBySize(y []float64) [][]float64 {
	by := make([][]float64, len(y)+1)
	for set, sum := range subsetSums(y) {
		size := bits.OnesCount(uint(set))
		by[size] = append(by[size], sum)
	}
	return by
}
