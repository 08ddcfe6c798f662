package stats

import "fmt"

// SelfTest sums up comparisons of a program with itself.
type SelfTest struct {
	Comparisons int `json:"comparisons"` // with an interval
	TooFew      int `json:"too_few"`
	// Differences is how many were called better or worse; must be 0.
	Differences int `json:"differences"`
	// Settled is how many were called no difference.
	Settled int `json:"settled"`
	// Excluding is how many intervals exclude 1. Of m, about m·(1-confidence)
	// do by chance.
	Excluding int `json:"excluding"`
	// Chance is the probability of Excluding or more, were the comparisons
	// independent.
	Chance float64 `json:"chance"`
	// Floor is the largest Resolution: smaller differences drown.
	Floor float64 `json:"floor"`
	// Suspect says that Chance is below 1 %: something favors a side, if not
	// by enough for a verdict. Metrics of the same runs move together, so it
	// is a reason to look, not to fail.
	Suspect bool `json:"suspect"`
	Pass    bool `json:"pass"`
}

// suspicious is the Chance below which a bench is distrusted although no
// single verdict came out wrong.
const suspicious = 0.01

// CheckSelf judges an A/A run as a whole: it passes when something was tested
// and no comparison called a difference. All comparisons must share one
// confidence.
func CheckSelf(comparisons []*Comparison) SelfTest {
	t := SelfTest{Chance: 1}
	alpha := 0.0
	for _, c := range comparisons {
		if c.Interval == nil {
			t.TooFew++
			continue
		}
		t.Comparisons++
		alpha = c.Options.alpha()
		t.Floor = max(t.Floor, c.Resolution)
		if c.Verdict.Difference() {
			t.Differences++
		}
		if c.Verdict == NoDifference {
			t.Settled++
		}
		if !c.Interval.Contains(1) {
			t.Excluding++
		}
	}
	t.Chance = atLeast(t.Excluding, t.Comparisons, alpha)
	t.Suspect = t.Chance < suspicious
	t.Pass = t.Comparisons > 0 && t.Differences == 0
	return t
}

// atLeast is the chance of k or more among n events of probability p.
func atLeast(k, n int, p float64) float64 {
	if k <= 0 {
		return 1
	}
	// below[j] is the chance of exactly j so far, j < k.
	below := make([]float64, k)
	below[0] = 1
	for range n {
		for j := k - 1; j > 0; j-- {
			below[j] = below[j]*(1-p) + below[j-1]*p
		}
		below[0] *= 1 - p
	}
	sum := 0.0
	for _, b := range below {
		sum += b
	}
	return max(0, 1-sum)
}

// String is the outcome in one line.
func (t SelfTest) String() string {
	outcome := "passed"
	if !t.Pass {
		outcome = "failed"
	}
	if t.Suspect {
		outcome += ", but looks one-sided"
	}
	return fmt.Sprintf("self-test %s: %d of %s called a difference, %d no difference, %d intervals exclude 1 (chance %.2g), noise floor ±%s",
		outcome, t.Differences, plural(t.Comparisons, "comparison"), t.Settled, t.Excluding, t.Chance, share(t.Floor))
}
