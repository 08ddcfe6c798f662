package stats

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/aclements/go-moremath/stats"
)

// The rank version of balanced flips is Mann and Whitney's test between the
// rounds' second-over-first ratios in either order; a library has that test.
func TestBalancedRanksAreMannWhitney(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 3))
	for _, n := range []int{14, 15, 18, 21} {
		for range 5 {
			a, b := randomPlainTest(r, n, false).split()
			got := typicalOf(a, b, 0.05)
			minus := make([]float64, len(b))
			for i, v := range b {
				minus[i] = -v
			}
			want, err := stats.MannWhitneyUTest(a, minus, stats.LocationDiffers)
			if err != nil {
				t.Fatal(err)
			}
			if got.method != BalancedRanks || math.Abs(got.p(0)-want.P) > 1e-9 {
				t.Errorf("n=%d: %s gives p = %v, the library %v", n, got.method, got.p(0), want.P)
			}
		}
	}
}

func TestSpearman(t *testing.T) {
	x := []float64{1, 2, 3, 4, 5, 6, 7, 8}
	for _, row := range []struct {
		y      []float64
		rho, p float64
	}{
		{[]float64{1, 2, 3, 4, 5, 6, 7, 8}, 1, 0},
		{[]float64{8, 7, 6, 5, 4, 3, 2, 1}, -1, 0},
		// 1 - 6·Σd²/(n(n²-1)) with Σd² = 2; t = 9.62 at 6 degrees of freedom.
		{[]float64{2, 1, 3, 4, 5, 6, 7, 8}, 1 - 12.0/504, 0.000027},
		// Ties share ranks: 1.5, 1.5, 3 ... against 1 ... 8.
		{[]float64{1, 1, 3, 4, 5, 6, 7, 8}, 0.994030, 0.0000006},
	} {
		c := spearman(x, row.y)
		if c == nil || math.Abs(c.Rho-row.rho) > 1e-5 || math.Abs(c.P-row.p) > 1e-5 {
			t.Errorf("%v: %+v, want rho %v, p %v", row.y, c, row.rho, row.p)
		}
	}
	if c := spearman(x, []float64{1, 1, 1, 1, 1, 1, 1, 1}); c != nil {
		t.Errorf("a constant correlates: %+v", c)
	}
	if c := spearman(x[:7], x[:7]); c != nil {
		t.Errorf("seven values correlate: %+v", c)
	}
}

func TestStudentFactor(t *testing.T) {
	// Student's 0.975 quantiles from tables.
	for n, want := range map[int]float64{10: 2.306, 12: 2.228, 22: 2.086, 42: 2.021, 102: 1.984} {
		if got := intervalFactor(n, 0.05) / 1.05; math.Abs(got-want) > 0.01 {
			t.Errorf("n=%d: %v, want %v", n, got, want)
		}
	}
}

func TestAtLeast(t *testing.T) {
	for _, row := range []struct {
		k, n int
		want float64
	}{{0, 10, 1}, {1, 10, 1 - math.Pow(0.95, 10)}, {10, 10, math.Pow(0.05, 10)}, {2, 2, 0.0025}, {3, 2, 0}} {
		if got := atLeast(row.k, row.n, 0.05); math.Abs(got-row.want) > 1e-12 {
			t.Errorf("%d of %d: %v, want %v", row.k, row.n, got, row.want)
		}
	}
}

func TestChoose(t *testing.T) {
	for _, row := range []struct {
		n, k int
		want float64
	}{{6, 3, 20}, {7, 3, 35}, {10, 5, 252}, {20, 10, 184756}, {9, 0, 1}, {60, 30, 118264581564861424}} {
		if got := choose(row.n, row.k); math.Abs(got/row.want-1) > 1e-14 {
			t.Errorf("choose(%d, %d) = %v", row.n, row.k, got)
		}
	}
}
