package stats

import (
	"fmt"
	"math"
)

// Further is how many more rounds would probably give a verdict.
type Further struct {
	// Rounds is even where order matters, so that both orders stay equally
	// frequent.
	Rounds int `json:"rounds"`
	// Beyond says that even the cap, which Rounds then holds, would probably
	// not do: the ratio is too near to an edge of the band for this noise.
	Beyond bool `json:"beyond,omitempty"`
}

// String is the advice in words.
func (f Further) String() string {
	if f.Beyond {
		return fmt.Sprintf("%d more rounds would probably not settle it", f.Rounds)
	}
	return fmt.Sprintf("about %s would probably settle it", plural(f.Rounds, "more round"))
}

// settleChance is how probable it shall be that the advised rounds suffice, if
// the estimate and the spread are the truth; settleZ is its normal quantile.
const (
	settleChance = 0.8
	settleZ      = 0.8416
)

// further looks for the fewest rounds after which the interval clears the edge
// of the band that is nearer to the estimate. The interval's half is taken as
// t·scale/√n, and the estimate then moves by a normal error of scale/√n.
func (c *Comparison) further(theta float64, a, b []float64) *Further {
	sd := pooledDeviation(a, b)
	rankScale := min(sd, rankDeviation(a, b))
	room := math.Abs(math.Abs(theta) - math.Log1p(c.Threshold))
	alpha, limit := c.Options.alpha(), c.N+c.Options.MaxFurther
	first := max(c.N+2-c.N%2, slotRounds(alpha))
	for n := first; n <= limit; n += 2 {
		scale := sd
		if n >= rankFrom {
			scale = rankScale
		}
		if (intervalFactor(n, alpha)+settleZ)*scale/math.Sqrt(float64(n)) <= room {
			return &Further{Rounds: n - c.N}
		}
	}
	return &Further{Rounds: c.Options.MaxFurther, Beyond: true}
}

// intervalFactor is about what the half width is in units of sd/√n: Student's
// quantile at n-2 degrees of freedom, with what small samples and ranks cost
// on top (1.2 at the fewest balanced rounds, 1.05 later; by simulation).
func intervalFactor(n int, alpha float64) float64 {
	z := math.Sqrt2 * math.Erfinv(1-alpha)
	v := float64(n - 2)
	t := z + (z*z*z+z)/(4*v) + (5*math.Pow(z, 5)+16*z*z*z+3*z)/(96*v*v)
	if n < slotRounds(alpha)+2 {
		return 1.2 * t
	}
	return 1.05 * t
}

// rankDeviation estimates the standard deviation as ranks will see it, hardly
// moved by a spike: from the middle half of the means of one a and one b, which
// for normal noise is 2·0.6745·sd/√2 wide; small samples come out too narrow
// by 1+1.2/n (by simulation).
func rankDeviation(a, b []float64) float64 {
	if len(a) == 0 || len(b) == 0 {
		return math.Inf(1)
	}
	v := crossMeans("", a, b).values
	small := 1 + 1.2/float64(len(a)+len(b))
	return small * (quantile(v, 0.75) - quantile(v, 0.25)) / 0.9539
}

// pooledDeviation is the standard deviation of the log-ratios within either
// order, which no slot effect inflates.
func pooledDeviation(a, b []float64) float64 {
	sum, freedom := 0.0, 0
	for _, y := range [][]float64{a, b} {
		if len(y) == 0 {
			continue
		}
		m := mean(y)
		for _, v := range y {
			sum += (v - m) * (v - m)
		}
		freedom += len(y) - 1
	}
	if freedom == 0 {
		return 0
	}
	return math.Sqrt(sum / float64(freedom))
}
