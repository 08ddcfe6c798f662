package report

import (
	"fmt"
	"html/template"
	"slices"
	"strings"

	"github.com/shufflebench/shufflebench/pkg/metrics"
)

// pagePhase is a phase in the legend; Class has its color.
type pagePhase struct{ Class, Label string }

// phaseClass numbers the phases in the order of the columns, so that a phase
// has one color in all cases.
func phaseClass(column string) string {
	return fmt.Sprintf("phase p%d", slices.Index(phaseNames(), column))
}

// phaseFigures are the phases of a case that took any time, and the overlap.
func phaseFigures(rc *Case) (phases []Paired, overlap *Paired) {
	for i, p := range rc.Figures {
		switch {
		case p.Column == "overlap_secs":
			overlap = &rc.Figures[i]
		case strings.HasPrefix(p.Column, "phase_") && medianOf(p.Base)+medianOf(p.Head) > 0:
			phases = append(phases, p)
		}
	}
	return phases, overlap
}

func medianOf(f *Figure) float64 {
	if f == nil {
		return 0
	}
	return f.Median
}

// phaseLegend lists the phases that any case has.
func phaseLegend(c *Comparison) []pagePhase {
	var out []pagePhase
	for _, name := range phaseNames() {
		for i := range c.Cases {
			phases, _ := phaseFigures(&c.Cases[i])
			if slices.ContainsFunc(phases, func(p Paired) bool { return p.Column == name }) {
				col, _ := metrics.LookupColumn(name)
				out = append(out, pagePhase{phaseClass(name), col.Label})
				break
			}
		}
	}
	return out
}

// phasesChart stacks the median times of a task's phases, base over head, and
// gives the same as a table.
func phasesChart(rc *Case) (template.HTML, [][]string) {
	phases, overlap := phaseFigures(rc)
	total := func(of func(*Paired) *Figure) (sum float64) {
		for i := range phases {
			sum += max(medianOf(of(&phases[i])), 0)
		}
		return sum
	}
	base, head := func(p *Paired) *Figure { return p.Base }, func(p *Paired) *Figure { return p.Head }
	most := max(total(base), total(head))
	if most == 0 {
		return "", nil
	}
	const w, left, bar = 420.0, 44.0, 26.0
	s := newSVG(w, 2*bar+44, "task time by phase")
	x := scale{0, most, left, w - 4}
	for _, t := range niceTicks(0, most, 4) {
		s.line("grid", x.at(t), 4, x.at(t), 2*bar+24)
		s.text("tick", x.at(t), 2*bar+38, "middle", tick(t)+" s")
	}
	for i, side := range []struct {
		name string
		of   func(*Paired) *Figure
	}{{"base", base}, {"head", head}} {
		y := 8 + float64(i)*(bar+8)
		s.text("label", left-6, y+bar/2+4, "end", side.name)
		at := 0.0
		for k := range phases {
			v := max(medianOf(side.of(&phases[k])), 0)
			if v == 0 {
				continue
			}
			col, _ := metrics.LookupColumn(phases[k].Column)
			s.rect(phaseClass(col.Name), x.at(at), y, x.at(at+v)-x.at(at), bar, fmt.Sprintf("%s, %s: %s", side.name, col.Label, Human(col, v)))
			at += v
		}
	}
	return s.html(), phaseTable(phases, overlap)
}

func phaseTable(phases []Paired, overlap *Paired) [][]string {
	if overlap != nil && (medianOf(overlap.Base) != 0 || medianOf(overlap.Head) != 0) {
		phases = append(slices.Clone(phases), *overlap)
	}
	var out [][]string
	for _, p := range phases {
		col, _ := metrics.LookupColumn(p.Column)
		out = append(out, []string{col.Label, figureText(col, p.Base), figureText(col, p.Head)})
	}
	return out
}
