package stats

import (
	"fmt"
	"math"
	"slices"

	"github.com/aclements/go-moremath/stats"
)

// Gauge sums up the noise gauge: a fixed piece of work timed just before each
// run. It judges the machine; no sample is ever corrected by it.
type Gauge struct {
	N      int     `json:"n"` // runs with a gauge, of complete pairs
	Median float64 `json:"median"`
	Spread float64 `json:"spread"` // as in Summary
	// Swing is how far the middle 80 % of the runs range: the 90th percentile
	// over the 10th, less 1.
	Swing float64 `json:"swing"`
	// Ratio compares the gauge before head's runs with that before base's,
	// as a metric of its own; away from 1 it convicts the bench.
	Ratio    float64   `json:"ratio,omitempty"`
	Interval *Interval `json:"interval,omitempty"`
	// Level relates gauge and value over runs, Pairs their ratios over rounds.
	Level *Correlation `json:"level,omitempty"`
	Pairs *Correlation `json:"pairs,omitempty"`
}

// Correlation is Spearman's.
type Correlation struct {
	Rho float64 `json:"rho"`
	P   float64 `json:"p"` // two-sided, by Student's t
	N   int     `json:"n"`
}

// A correlation is worth a word when it is strong and no accident.
const (
	strongRho          = 0.5
	strongP            = 0.01
	correlationSamples = 8
)

func (c Correlation) strong() bool { return math.Abs(c.Rho) >= strongRho && c.P <= strongP }

// readGauge fills in Gauge from the rounds that have it on both sides.
func (c *Comparison) readGauge(rs *rounds) {
	with := rounds{pairs: slices.DeleteFunc(slices.Clone(rs.pairs), func(p Pair) bool {
		return p.Base.Gauge == 0 || p.Head.Gauge == 0
	})}
	if len(with.pairs) == 0 {
		return
	}
	var all []float64
	gauges := slices.Clone(with.pairs)
	for i, p := range gauges {
		gauges[i].Base.Value, gauges[i].Head.Value = p.Base.Gauge, p.Head.Gauge
		all = append(all, p.Base.Gauge, p.Head.Gauge)
	}
	slices.Sort(all)
	c.Gauge = &Gauge{
		N:      len(all),
		Median: median(all),
		Spread: spread(all),
		Swing:  quantile(all, 0.9)/quantile(all, 0.1) - 1,
	}
	c.Gauge.compare(&rounds{pairs: gauges}, c.Options)
	c.Gauge.correlate(&with)
	c.warnGauge()
}

// compare treats the gauge as the metric.
func (g *Gauge) compare(gauges *rounds, opts Options) {
	c := Comparison{Options: opts, Paired: true, Threshold: opts.Threshold, N: len(gauges.pairs)}
	c.Needed = pairsNeeded(opts.MinPairs, opts.alpha())
	c.testPairs(gauges.split())
	g.Ratio, g.Interval = c.Ratio, c.Interval
}

func (g *Gauge) correlate(rs *rounds) {
	var level, value, gaugeRatio, ratio []float64
	for _, side := range []Side{Base, Head} {
		vs := logs(rs.values(side))
		center := median(vs)
		for i := range rs.pairs {
			level = append(level, rs.pairs[i].run(side).Gauge)
			value = append(value, vs[i]-center)
		}
	}
	for _, p := range rs.pairs {
		gaugeRatio = append(gaugeRatio, p.Head.Gauge/p.Base.Gauge)
		ratio = append(ratio, p.logRatio())
	}
	g.Level, g.Pairs = spearman(level, value), spearman(gaugeRatio, ratio)
}

// spearman is nil for few or constant values.
func spearman(x, y []float64) *Correlation {
	n := len(x)
	if n < correlationSamples {
		return nil
	}
	rx, ry := ranks(x), ranks(y)
	middle := float64(n+1) / 2
	var xy, xx, yy float64
	for i := range rx {
		dx, dy := rx[i]-middle, ry[i]-middle
		xy, xx, yy = xy+dx*dy, xx+dx*dx, yy+dy*dy
	}
	if xx == 0 || yy == 0 {
		return nil
	}
	c := Correlation{Rho: min(max(xy/math.Sqrt(xx*yy), -1), 1), N: n}
	if r := math.Abs(c.Rho); r < 1 {
		t := stats.TDist{V: float64(n - 2)}
		c.P = 2 * t.CDF(-r*math.Sqrt(float64(n-2)/(1-r*r)))
	}
	return &c
}

// ranks gives equal values the mean of their ranks.
func ranks(x []float64) []float64 {
	order := make([]int, len(x))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(i, j int) int {
		switch {
		case x[i] < x[j]:
			return -1
		case x[i] > x[j]:
			return 1
		}
		return 0
	})
	out := make([]float64, len(x))
	for from := 0; from < len(order); {
		to := from + 1
		for to < len(order) && x[order[to]] == x[order[from]] {
			to++
		}
		for _, i := range order[from:to] {
			out[i] = float64(from+to+1) / 2
		}
		from = to
	}
	return out
}

func (c *Comparison) warnGauge() {
	g := c.Gauge
	if g.Swing > c.Threshold {
		c.warn(WarnGauge, "the noise gauge varied by %s between runs, more than the threshold of %s", share(g.Swing), share(c.Threshold))
	}
	if g.Interval != nil && !g.Interval.Contains(1) && math.Abs(math.Log(g.Ratio)) > math.Log1p(c.Threshold)/2 {
		c.warn(WarnGauge, "the noise gauge, the same work for both sides, differs by %s before head's runs: the bench favors a side, distrust the verdict",
			percent(g.Ratio-1))
	}
	if g.Level != nil && g.Level.strong() {
		c.warn(WarnGauge, "samples follow the noise gauge (%s): the machine moved them", g.Level)
	}
	if g.Pairs != nil && g.Pairs.strong() {
		c.warn(WarnGauge, "ratios follow the gauge's ratios (%s): noise inside the rounds makes up part of the differences", g.Pairs)
	}
}

// String is the coefficient in words.
func (c Correlation) String() string { return fmt.Sprintf("rank correlation %.2f", c.Rho) }
