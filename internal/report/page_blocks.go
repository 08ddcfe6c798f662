package report

import (
	"html/template"
	"math"
	"time"

	"github.com/dustin/go-humanize"

	"github.com/shufflebench/shufflebench/pkg/metrics"
)

// blocksChart is the histogram of blocks' encode times over all runs that
// count, as shares of a side's blocks; "" if no run recorded them.
func blocksChart(rows []*metrics.Row) template.HTML {
	sides := histograms(rows)
	lo, hi, most := histogramRange(sides[:])
	if most == 0 {
		return ""
	}
	const w, h, left, bottom = 420.0, 190.0, 44.0, 160.0
	s := newSVG(w, h, "times to encode a block")
	x := scale{math.Log2(lo.Seconds()), math.Log2(hi.Seconds()), left, w - 8}
	y := scale{0, most * 1.3, bottom, 8} // room for the legend
	for _, t := range niceTicks(0, most*1.3) {
		s.line("grid", left, y.at(t), w-8, y.at(t))
		s.text("tick", left-6, y.at(t)+4, "end", shareText(t))
	}
	timeTicks(s, x, lo, hi, bottom)
	for side, name := range []string{"base", "head"} {
		if n := sides[side].Count(); n > 0 {
			s.path("steps "+name, steps(&sides[side], x, y))
			text := humanize.Comma(n) + " blocks"
			if sides[1].Count() > 0 {
				text = name + ": " + text
			}
			s.text("tick "+name, w-8, 20+14*float64(side), "end", text)
		}
	}
	s.line("axis", left, bottom, w-8, bottom)
	return s.html()
}

// histograms adds up each side's.
func histograms(rows []*metrics.Row) (sides [2]metrics.Histogram) {
	for _, r := range rows {
		h, err := metrics.ParseHistogram(r.BlockEncodeHistogram)
		switch {
		case err != nil || r.Warmup || r.Failure != "":
		case sideOf(r) == "head":
			sides[1].Add(h)
		default:
			sides[0].Add(h)
		}
	}
	return sides
}

// histogramRange finds the first and last bound, and the highest share.
func histogramRange(sides []metrics.Histogram) (lo, hi time.Duration, most float64) {
	for i := range sides {
		n := float64(sides[i].Count())
		for bounds, count := range sides[i].Buckets() {
			if lo == 0 || bounds[0] < lo {
				lo = bounds[0]
			}
			hi = max(hi, bounds[1])
			most = max(most, float64(count)/n)
		}
	}
	return lo, hi, most
}

// steps outlines a histogram; buckets that are missing are at 0.
func steps(h *metrics.Histogram, x, y scale) [][2]float64 {
	var out [][2]float64
	total := float64(h.Count())
	var last time.Duration
	for bounds, count := range h.Buckets() {
		from, to := x.at(math.Log2(bounds[0].Seconds())), x.at(math.Log2(bounds[1].Seconds()))
		top := y.at(float64(count) / total)
		if bounds[0] != last {
			if last != 0 {
				out = append(out, [2]float64{x.at(math.Log2(last.Seconds())), y.at(0)})
			}
			out = append(out, [2]float64{from, y.at(0)})
		}
		out = append(out, [2]float64{from, top}, [2]float64{to, top})
		last = bounds[1]
	}
	return append(out, [2]float64{x.at(math.Log2(last.Seconds())), y.at(0)})
}

// timeTicks marks 1, 10, 100 of each unit; where those are few, also 2 and 5.
func timeTicks(s *svg, x scale, lo, hi time.Duration, bottom float64) {
	factors := []time.Duration{1}
	if hi < 100*lo {
		factors = []time.Duration{1, 2, 5}
	}
	for unit := time.Nanosecond; unit <= hi; unit *= 10 {
		for _, f := range factors {
			if t := unit * f; t >= lo && t <= hi {
				s.line("axis", x.at(math.Log2(t.Seconds())), bottom, x.at(math.Log2(t.Seconds())), bottom+4)
				s.text("tick", x.at(math.Log2(t.Seconds())), bottom+17, "middle", t.String())
			}
		}
	}
}
