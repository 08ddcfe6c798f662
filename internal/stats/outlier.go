package stats

import (
	"fmt"
	"math"
	"strings"
)

// Outlier is a sample far from the others of its kind. It is kept: a run that
// took twice its time did take it.
type Outlier struct {
	Round int    `json:"round"` // unpaired: the value's number, from 1
	Of    string `json:"of"`    // base, head, or ratio (slot effect removed)
	// Times is the sample over the median of its kind.
	Times float64 `json:"times"`
	// Score is the modified z-score, above 3.5 (Iglewicz and Hoaglin, 1993).
	Score float64 `json:"score"`
}

// An outlier is outlierScore robust deviations and at least outlierFloor off
// the median; the floor keeps near-constant samples (115, 114, 115) quiet.
const (
	outlierScore   = 3.5
	outlierFloor   = 0.01
	outlierSamples = 5
)

// findOutliers looks at either side's values and at the pairs' ratios, all as
// logarithms, so that twice and half are equally far.
func (c *Comparison) findOutliers(rs *rounds) {
	if c.N < outlierSamples {
		return
	}
	numbers := make([]int, len(rs.pairs))
	for i, p := range rs.pairs {
		numbers[i] = p.Round
	}
	c.flag(string(Base), numbers, logs(rs.values(Base)))
	c.flag(string(Head), numbers, logs(rs.values(Head)))
	c.flag("ratio", numbers, rs.slotFree())
	c.warnOutliers()
}

// slotFree are the log-ratios with the estimated slot effect taken out.
func (rs *rounds) slotFree() []float64 {
	psi := 0.0
	if a, b := rs.split(); flippedEnough(a, b) {
		psi = slotEffect(a, b)
	}
	out := make([]float64, len(rs.pairs))
	for i, p := range rs.pairs {
		out[i] = p.logRatio() - psi
		if p.BaseFirst {
			out[i] = p.logRatio() + psi
		}
	}
	return out
}

func logs(values []float64) []float64 {
	out := make([]float64, len(values))
	for i, v := range values {
		out[i] = math.Log(v)
	}
	return out
}

// flag lists the outliers among values, which are logarithms.
func (c *Comparison) flag(of string, numbers []int, values []float64) {
	center := median(values)
	scale := robustScale(values, center)
	for i, v := range values {
		off := math.Abs(v - center)
		if off < math.Log1p(outlierFloor) || off <= outlierScore*scale {
			continue
		}
		c.Outliers = append(c.Outliers, Outlier{Round: numbers[i], Of: of, Times: math.Exp(v - center), Score: off / scale})
	}
}

// robustScale estimates the standard deviation by the median absolute
// deviation, or by the mean one when more than half of the values are equal.
func robustScale(values []float64, center float64) float64 {
	if mad := deviation(values, center); mad > 0 {
		return mad / 0.6745
	}
	sum := 0.0
	for _, v := range values {
		sum += math.Abs(v - center)
	}
	return 1.2533 * sum / float64(len(values))
}

func (c *Comparison) warnOutliers() {
	if len(c.Outliers) == 0 {
		return
	}
	const shown = 3
	number := "round"
	if !c.Paired {
		number = "value"
	}
	var list []string
	for _, o := range c.Outliers[:min(shown, len(c.Outliers))] {
		list = append(list, fmt.Sprintf("%s %d %s %.2f times the median", number, o.Round, o.Of, o.Times))
	}
	if more := len(c.Outliers) - shown; more > 0 {
		list = append(list, fmt.Sprintf("%d more", more))
	}
	c.warn(WarnOutliers, "%s, kept: %s", plural(len(c.Outliers), "outlier"), strings.Join(list, ", "))
}
