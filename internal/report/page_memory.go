package report

import (
	"fmt"
	"html/template"
	"slices"

	"github.com/shufflebench/shufflebench/pkg/metrics"
)

// memoryColumns are shown as bars where they were measured.
var memoryColumns = []string{"max_rss_mib", "process_rss_mib", "heap_peak_mib", "inner_before_mib_sum", "inner_after_mib_sum"}

// memoryBars are one column's values of the runs that count, by side.
type memoryBars struct {
	col   metrics.Column
	sides map[string][]float64
}

// memoryOf collects the columns that are not 0 everywhere, and the largest
// value.
func memoryOf(rows []*metrics.Row) (bars []memoryBars, most float64) {
	for _, name := range memoryColumns {
		col, _ := metrics.LookupColumn(name)
		b := memoryBars{col, map[string][]float64{}}
		highest := 0.0
		for _, r := range rows {
			if v, ok := col.Number(r); ok && !r.Warmup && r.Failure == "" {
				b.sides[sideOf(r)] = append(b.sides[sideOf(r)], v)
				highest = max(highest, v)
			}
		}
		if highest > 0 {
			bars, most = append(bars, b), max(most, highest)
		}
	}
	return bars, most
}

// memoryChart shows medians as bars from 0, and every run as a mark on them.
func memoryChart(rows []*metrics.Row, sides ...side) template.HTML {
	bars, most := memoryOf(rows)
	if len(bars) == 0 {
		return ""
	}
	const w, left, height = 420.0, 44.0, 14.0
	step := 20 + 17*float64(len(sides))
	total := step*float64(len(bars)) + 24
	s := newSVG(w, total, "memory")
	x := scale{0, most, left, w - 8}
	for _, t := range niceTicks(0, most) {
		s.line("grid", x.at(t), 4, x.at(t), total-18)
		s.text("tick", x.at(t), total-4, "middle", tick(t)+" MiB")
	}
	for i, b := range bars {
		y := float64(i)*step + 16
		s.text("label", left, y-3, "start", b.col.Label)
		for k, sd := range sides {
			top := y + float64(k)*(height+3)
			if len(sides) > 1 {
				s.text("tick", left-6, top+height-3, "end", sd.name)
			}
			s.bar(b.col, sd.name, b.sides[sd.name], x, top, height)
		}
	}
	return s.html()
}

func (s *svg) bar(col metrics.Column, name string, values []float64, x scale, top, height float64) {
	if len(values) == 0 {
		return
	}
	m := Median(values)
	s.rect("bar "+name, x.from, top, x.at(m)-x.from, height, fmt.Sprintf("%s, %s: median %s, up to %s, %s", col.Label, name,
		Human(col, m), Human(col, slices.Max(values)), plural(len(values), "run")))
	for _, v := range values {
		s.line("sample", x.at(v), top+2, x.at(v), top+height-2)
	}
}
