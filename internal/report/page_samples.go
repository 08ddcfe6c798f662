package report

import (
	"fmt"
	"html/template"
	"math"
	"slices"

	"github.com/shufflebench/shufflebench/internal/stats"
	"github.com/shufflebench/shufflebench/pkg/metrics"
)

// The frame of a chart of samples.
const (
	chartWidth  = 420.0
	chartHeight = 210.0
	chartLeft   = 52.0
	chartRight  = 412.0
	chartTop    = 10.0
	chartBottom = 150.0
	gaugeTop    = 172.0
	gaugeBottom = 198.0
)

// samplesChart shows every run of a case in the order of time: base as
// circles, head as diamonds, warm-ups hollow, failed runs as crosses, outliers
// in a ring, the two of a round joined; below, the noise gauge before each run.
func samplesChart(rows []*metrics.Row, col metrics.Column, j *Judged) template.HTML {
	ch := &samples{rows: rows, col: col, svg: newSVG(chartWidth, chartHeight, fmt.Sprintf("%s of %d runs in the order of time", col.Label, len(rows)))}
	ch.x = scale{-0.5, max(float64(len(rows))-0.5, 0.5), chartLeft, chartRight}
	ch.y = ch.vertical()
	ch.frame()
	ch.medianLine("base", j.Base)
	ch.medianLine("head", j.Head)
	ch.rounds()
	for i, r := range rows {
		ch.point(i, r, j.Outliers)
	}
	ch.gauge()
	return ch.svg.html()
}

type samples struct {
	rows []*metrics.Row
	col  metrics.Column
	svg  *svg
	x, y scale
}

func (c *samples) value(r *metrics.Row) (float64, bool) {
	v, ok := c.col.Number(r)
	return v, ok && r.Failure == ""
}

// vertical spans the values with some room; it does not begin at 0, for it is
// differences that are looked for.
func (c *samples) vertical() scale {
	lo, hi := math.Inf(1), math.Inf(-1)
	for _, r := range c.rows {
		if v, ok := c.value(r); ok {
			lo, hi = min(lo, v), max(hi, v)
		}
	}
	if lo > hi {
		lo, hi = 0, 1
	}
	room := max((hi-lo)*0.08, hi*0.005)
	return scale{max(lo-room, 0), hi + room, chartBottom, chartTop}
}

func (c *samples) frame() {
	for _, t := range niceTicks(c.y.lo, c.y.hi) {
		c.svg.line("grid", chartLeft, c.y.at(t), chartRight, c.y.at(t))
		c.svg.text("tick", chartLeft-6, c.y.at(t)+4, "end", tick(t))
	}
	c.svg.line("axis", chartLeft, chartBottom, chartRight, chartBottom)
	n := len(c.rows)
	for i := range n {
		if i == 0 || i == n-1 || (n > 12 && i == n/2) {
			c.svg.text("tick", c.x.at(float64(i)), chartBottom+14, "middle", fmt.Sprint(i+1))
		}
	}
}

// tick writes a round value without needless digits.
func tick(v float64) string { return fmt.Sprintf("%.4g", v) }

func (c *samples) medianLine(class string, s stats.Summary) {
	if s.N > 0 {
		c.svg.line("median "+class, chartLeft, c.y.at(s.Median), chartRight, c.y.at(s.Median))
	}
}

// rounds joins the two runs of each round.
func (c *samples) rounds() {
	for i := 1; i < len(c.rows); i++ {
		a, b := c.rows[i-1], c.rows[i]
		va, oka := c.value(a)
		vb, okb := c.value(b)
		if oka && okb && a.Round == b.Round && a.Round > 0 && a.Variant != b.Variant {
			c.svg.line("pair", c.x.at(float64(i-1)), c.y.at(va), c.x.at(float64(i)), c.y.at(vb))
		}
	}
}

// sideOf is head, or base for all else: rows of no comparison have one side.
func sideOf(r *metrics.Row) string {
	if r.Variant == string(stats.Head) {
		return r.Variant
	}
	return string(stats.Base)
}

func (c *samples) point(i int, r *metrics.Row, outliers []stats.Outlier) {
	x := c.x.at(float64(i))
	title := fmt.Sprintf("run %d", i+1)
	if r.Variant != "" {
		title += fmt.Sprintf(", round %d, %s", r.Round, r.Variant)
	}
	v, ok := c.value(r)
	if !ok {
		c.svg.cross("failed", x, chartBottom-6, 4, title+": "+orElse(r.Failure, "not measured"))
		return
	}
	title += ": " + Human(c.col, v)
	class := sideOf(r)
	if r.Warmup {
		class, title = class+" hollow", title+" (warm-up)"
	}
	if slices.ContainsFunc(outliers, func(o stats.Outlier) bool { return int64(o.Round) == r.Round && o.Of == r.Variant }) {
		c.svg.circle("ring", x, c.y.at(v), 7, "")
		title += " (outlier)"
	}
	if sideOf(r) == string(stats.Head) {
		c.svg.diamond(class, x, c.y.at(v), 5, title)
	} else {
		c.svg.circle(class, x, c.y.at(v), 4, title)
	}
}

// gauge shows the noise gauge before each run as bars from 0.
func (c *samples) gauge() {
	most := 0.0
	for _, r := range c.rows {
		if metrics.Known(r.GaugeSecs) {
			most = max(most, r.GaugeSecs)
		}
	}
	if most == 0 {
		return
	}
	c.svg.text("tick", chartLeft-6, gaugeBottom, "end", "gauge")
	h := scale{0, most, 0, gaugeBottom - gaugeTop}
	w := min(6, (chartRight-chartLeft)/float64(len(c.rows))*0.6)
	for i, r := range c.rows {
		if metrics.Known(r.GaugeSecs) {
			c.svg.rect("gauge", c.x.at(float64(i))-w/2, gaugeBottom-h.at(r.GaugeSecs), w, h.at(r.GaugeSecs),
				fmt.Sprintf("noise gauge before run %d: %.1f ms", i+1, 1000*r.GaugeSecs))
		}
	}
	c.svg.line("axis", chartLeft, gaugeBottom, chartRight, gaugeBottom)
}
