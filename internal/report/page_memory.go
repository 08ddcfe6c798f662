package report

import (
	"fmt"
	"html/template"

	"github.com/shufflebench/shufflebench/pkg/metrics"
)

// memoryColumns are shown as bars where they were measured.
var memoryColumns = []string{"max_rss_mib", "process_rss_mib", "heap_peak_mib", "inner_before_mib_sum", "inner_after_mib_sum"}

// memoryChart shows medians as bars from 0, and every run as a mark on them.
func memoryChart(rows []*metrics.Row, rc *Case) template.HTML {
	type bar struct {
		col    metrics.Column
		values [2][]float64 // base, head
	}
	var bars []bar
	most := 0.0
	for _, name := range memoryColumns {
		col, _ := metrics.LookupColumn(name)
		b := bar{col: col}
		for _, r := range rows {
			if v, ok := col.Number(r); ok && !r.Warmup && r.Failure == "" {
				side := 0
				if r.Variant == "head" {
					side = 1
				}
				b.values[side] = append(b.values[side], v)
				most = max(most, v)
			}
		}
		if len(b.values[0])+len(b.values[1]) > 0 && anyPositive(b.values[:]) {
			bars = append(bars, b)
		}
	}
	if len(bars) == 0 || most == 0 {
		return ""
	}
	const w, left, height, step = 420.0, 44.0, 14.0, 54.0
	total := step*float64(len(bars)) + 24
	s := newSVG(w, total, "memory of "+rc.Name)
	x := scale{0, most, left, w - 8}
	for _, t := range niceTicks(0, most, 4) {
		s.line("grid", x.at(t), 4, x.at(t), total-18)
		s.text("tick", x.at(t), total-4, "middle", tick(t)+" MiB")
	}
	for i, b := range bars {
		y := float64(i)*step + 16
		s.text("label", left, y-3, "start", b.col.Label)
		for side, name := range []string{"base", "head"} {
			top := y + float64(side)*(height+3)
			s.text("tick", left-6, top+height-3, "end", name)
			vs := b.values[side]
			if len(vs) == 0 {
				continue
			}
			m := Median(vs)
			s.rect("bar "+name, left, top, x.at(m)-left, height, fmt.Sprintf("%s, %s: median %s of %d runs", b.col.Label, name, Human(b.col, m), len(vs)))
			for _, v := range vs {
				s.line("sample", x.at(v), top+2, x.at(v), top+height-2)
			}
		}
	}
	return s.html()
}

func anyPositive(lists [][]float64) bool {
	for _, l := range lists {
		for _, v := range l {
			if v > 0 {
				return true
			}
		}
	}
	return false
}
