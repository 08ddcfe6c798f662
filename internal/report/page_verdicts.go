package report

import (
	"fmt"
	"html/template"
	"math"

	"github.com/shufflebench/shufflebench/internal/stats"
)

// reach is how far the intervals' common axis goes on either side of 1, as a
// logarithm: as far as the farthest interval, but at least twice the largest
// threshold and at most a factor of 4.
func (c *Comparison) reach() float64 {
	far := 0.0
	for i := range c.Cases {
		for _, j := range c.Cases[i].Judged {
			far = max(far, 2*math.Log1p(j.Threshold))
			if j.Interval != nil {
				far = max(far, math.Abs(math.Log(j.Interval.Lo)), math.Abs(math.Log(j.Interval.Hi)))
			} else if j.Ratio > 0 {
				far = max(far, math.Abs(math.Log(j.Ratio)))
			}
		}
	}
	return min(far*1.1, math.Log(4))
}

// intervalPlot shows a ratio with its interval against the band that the
// threshold leaves around 1. Left of the line, head is smaller.
func intervalPlot(j *stats.Comparison, reach float64) template.HTML {
	if j.Ratio <= 0 || reach == 0 {
		return ""
	}
	const w, h, middle = 180.0, 22.0, 11.0
	x := scale{-reach, reach, 4, w - 4}
	at := func(ratio float64) float64 { return x.at(min(max(math.Log(ratio), -reach), reach)) }
	label := fmt.Sprintf("ratio %.3f, threshold ±%s", j.Ratio, shareText(j.Threshold))
	if j.Interval != nil {
		label = fmt.Sprintf("ratio %.3f, interval %.3f to %.3f, threshold ±%s", j.Ratio, j.Interval.Lo, j.Interval.Hi, shareText(j.Threshold))
	}
	s := newSVG(w, h, label)
	s.rect("band", at(1/(1+j.Threshold)), 0, at(1+j.Threshold)-at(1/(1+j.Threshold)), h, "")
	s.line("axis", x.at(0), 0, x.at(0), h)
	tone := "mark " + verdictTone(j.Verdict)
	if j.Interval != nil {
		lo, hi := at(j.Interval.Lo), at(j.Interval.Hi)
		s.line(tone, lo, middle, max(hi, lo+1), middle)
		s.line(tone, lo, middle-4, lo, middle+4)
		s.line(tone, hi, middle-4, hi, middle+4)
	}
	s.circle(tone+" dot", at(j.Ratio), middle, 4, label)
	return s.html()
}
