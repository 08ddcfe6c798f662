package stats

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
)

// plainTest is the sign-flip test as a textbook has it: enumerate renamings,
// count those at least as extreme. It is the twin of the typical values.
type plainTest struct {
	y         []float64
	baseFirst []bool
	balanced  bool
}

// statistic is the effect under a renaming: the mean over both orders' means
// for balanced flips, the plain mean otherwise.
func (p plainTest) statistic(flip uint, shift float64) float64 {
	var sum [2]float64
	var n [2]int
	for i, y := range p.y {
		v, order := y-shift, 0
		if p.baseFirst[i] != (flip>>i&1 == 1) { // a flip also swaps the order's name
			order = 1
		}
		if flip>>i&1 == 1 {
			v = -v
		}
		sum[order] += v
		n[order]++
	}
	if p.balanced {
		return (sum[0]/float64(n[0]) + sum[1]/float64(n[1])) / 2
	}
	return (sum[0] + sum[1]) / float64(len(p.y))
}

func (p plainTest) allowed(flip uint) bool {
	if !p.balanced {
		return true
	}
	balance := 0
	for i := range p.y {
		switch {
		case flip>>i&1 == 0:
		case p.baseFirst[i]:
			balance++
		default:
			balance--
		}
	}
	return balance == 0
}

// pValue is twice the smaller one-sided p of the effect being shift.
func (p plainTest) pValue(shift float64) float64 {
	truth := p.statistic(0, shift)
	var all, above, below int
	for flip := range uint(1) << len(p.y) {
		if !p.allowed(flip) {
			continue
		}
		all++
		s := p.statistic(flip, shift)
		if s >= truth-1e-12 {
			above++
		}
		if s <= truth+1e-12 {
			below++
		}
	}
	return min(1, 2*float64(min(above, below))/float64(all))
}

func randomPlainTest(r *rand.Rand, n int, ties bool) plainTest {
	p := plainTest{}
	for i := range n {
		y := 0.01 + 0.05*r.NormFloat64()
		if ties {
			y = math.Round(y*20) / 20
		}
		p.y = append(p.y, y)
		p.baseFirst = append(p.baseFirst, i%2 == 0)
	}
	return p
}

func (p plainTest) split() (a, b []float64) {
	for i, y := range p.y {
		if p.baseFirst[i] {
			a = append(a, y)
		} else {
			b = append(b, y)
		}
	}
	return a, b
}

func TestFlipsAgainstBruteForce(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for n := 6; n <= 13; n++ {
		for _, ties := range []bool{false, true} {
			for trial := range 4 {
				t.Run(fmt.Sprintf("n=%d/ties=%v/%d", n, ties, trial), func(t *testing.T) {
					checkFlips(t, randomPlainTest(r, n, ties))
				})
			}
		}
	}
}

// checkFlips holds p-values, and the interval's ends, to the twin.
func checkFlips(t *testing.T, p plainTest) {
	const alpha = 0.05
	a, b := p.split()
	values := typicalOf(a, b, alpha)
	p.balanced = values.method == BalancedFlips
	if want := len(p.y) >= 8; p.balanced != want {
		t.Fatalf("%d rounds use %s", len(p.y), values.method)
	}
	for _, at := range []float64{0, 0.01, -0.05, 0.05} {
		if got, want := values.p(at), p.pValue(at); math.Abs(got-want) > 1e-12 {
			t.Errorf("p(%v) = %v, brute force %v", at, got, want)
		}
	}
	lo, hi, confidence, ok := values.bounds(alpha)
	if !ok || confidence < 1-alpha {
		t.Fatalf("no interval at 95 %%: %v %v", ok, confidence)
	}
	const nudge = 1e-9
	for _, at := range []float64{lo, hi, lo + nudge, hi - nudge} {
		if lo < hi && p.pValue(at) <= alpha {
			t.Errorf("%v is inside [%v, %v] but rejected", at, lo, hi)
		}
	}
	for _, at := range []float64{lo - nudge, hi + nudge} {
		if p.pValue(at) > alpha {
			t.Errorf("%v is outside [%v, %v] but not rejected", at, lo, hi)
		}
	}
}

// A shift of one order against the other must not move balanced values at all.
func TestBalancedFlipsIgnoreTheSlot(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 2))
	for _, n := range []int{8, 9, 10, 13, 14, 15, 20} {
		a, b := randomPlainTest(r, n, false).split()
		before := typicalOf(a, b, 0.05)
		const psi = 0.25
		for i := range a {
			a[i] -= psi
		}
		for i := range b {
			b[i] += psi
		}
		after := typicalOf(a, b, 0.05)
		for i := range before.values {
			if math.Abs(before.values[i]-after.values[i]) > 1e-12 {
				t.Fatalf("n=%d: value %d moved from %v to %v", n, i, before.values[i], after.values[i])
			}
		}
	}
}

// Rank tails against counting every deal of labels and every choice of signs.
func TestRankTailsAgainstBruteForce(t *testing.T) {
	for n1 := 1; n1 <= 6; n1++ {
		for n2 := 1; n2 <= 6; n2++ {
			counts := make([]float64, n1*n2+1)
			for set := range uint(1) << (n1 + n2) {
				if u, size := mannWhitneyU(set, n1+n2); size == n1 {
					counts[u]++
				}
			}
			checkTail(t, fmt.Sprintf("rank sum %d, %d", n1, n2), rankSumTail(n1, n2), counts)
		}
	}
	for n := 1; n <= 12; n++ {
		counts := make([]float64, n*(n+1)/2+1)
		for set := range uint(1) << n {
			w := 0
			for i := range n {
				if set>>i&1 == 1 {
					w += i + 1
				}
			}
			counts[w]++
		}
		checkTail(t, fmt.Sprintf("signed rank %d", n), signedRankTail(n), counts)
	}
}

// mannWhitneyU counts the pairs of a member above a non-member.
func mannWhitneyU(set uint, n int) (u, size int) {
	others := 0
	for i := range n {
		if set>>i&1 == 1 {
			u += others
			size++
		} else {
			others++
		}
	}
	return u, size
}

func checkTail(t *testing.T, what string, tail func(int) float64, counts []float64) {
	t.Helper()
	all, sum := 0.0, 0.0
	for _, c := range counts {
		all += c
	}
	for i, c := range counts {
		sum += c
		if got := tail(i); math.Abs(got-sum/all) > 1e-12 {
			t.Errorf("%s: P(at most %d) = %v, want %v", what, i, got, sum/all)
		}
	}
	if tail(-1) != 0 || tail(len(counts)) != 1 {
		t.Errorf("%s: outside its range the tail is %v and %v", what, tail(-1), tail(len(counts)))
	}
}

// Critical values at 5 % two-sided from published tables.
func TestRankTailsAgainstTables(t *testing.T) {
	for _, row := range []struct {
		name string
		tail func(int) float64
		crit int
	}{
		{"U 4,4", rankSumTail(4, 4), 0},
		{"U 5,5", rankSumTail(5, 5), 2},
		{"U 6,6", rankSumTail(6, 6), 5},
		{"U 7,7", rankSumTail(7, 7), 8},
		{"U 10,10", rankSumTail(10, 10), 23},
		{"U 8,12", rankSumTail(8, 12), 22},
		{"U 20,20", rankSumTail(20, 20), 127},
		{"W 6", signedRankTail(6), 0},
		{"W 10", signedRankTail(10), 8},
		{"W 20", signedRankTail(20), 52},
		{"W 25", signedRankTail(25), 89},
	} {
		if at, next := row.tail(row.crit), row.tail(row.crit+1); at > 0.025 || next <= 0.025 {
			t.Errorf("%s: %d has %v, %d has %v", row.name, row.crit, at, row.crit+1, next)
		}
	}
}

// The normal distribution that takes over is within 1e-3 where it does.
func TestRankTailsJoinTheNormal(t *testing.T) {
	exact := rankSumTail(50, 50)
	approx := normalTail(50*50/2, 50*50*101/12.0)
	signed := signedRankTail(exactRanks)
	signedApprox := normalTail(100*101/4, 100*101*201/24.0)
	for _, share := range []float64{0.3, 0.35, 0.4, 0.5} {
		u, w := int(2500*share), int(5050*share)
		if d := math.Abs(exact(u) - approx(u)); d > 1e-3 {
			t.Errorf("U %d: exact and normal differ by %v", u, d)
		}
		if d := math.Abs(signed(w) - signedApprox(w)); d > 1e-3 {
			t.Errorf("W %d: exact and normal differ by %v", w, d)
		}
	}
}
