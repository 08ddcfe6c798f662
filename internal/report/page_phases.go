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
func phaseLegend(cases []Case) []pagePhase {
	var out []pagePhase
	for _, name := range phaseNames() {
		for i := range cases {
			phases, _ := phaseFigures(&cases[i])
			if slices.ContainsFunc(phases, func(p Paired) bool { return p.Column == name }) {
				col, _ := metrics.LookupColumn(name)
				out = append(out, pagePhase{phaseClass(name), col.Label})
				break
			}
		}
	}
	return out
}

// side picks one side's figures.
type side struct {
	name string
	of   func(*Paired) *Figure
}

var (
	baseSide = side{"base", func(p *Paired) *Figure { return p.Base }}
	headSide = side{"head", func(p *Paired) *Figure { return p.Head }}
)

// total is the sum of a side's phases.
func (s side) total(phases []Paired) (sum float64) {
	for i := range phases {
		sum += max(medianOf(s.of(&phases[i])), 0)
	}
	return sum
}

// phasesChart stacks the median times of a task's phases, base over head, and
// gives the same as a table.
func phasesChart(rc *Case, sides ...side) (template.HTML, [][]string) {
	phases, overlap := phaseFigures(rc)
	most := 0.0
	for _, sd := range sides {
		most = max(most, sd.total(phases))
	}
	if most == 0 {
		return "", nil
	}
	const w, left, bar, step = 420.0, 44.0, 26.0, 34.0
	bottom := step*float64(len(sides)) + 8
	s := newSVG(w, bottom+20, "task time by phase")
	x := scale{0, most, left, w - 8}
	for _, t := range niceTicks(0, most) {
		s.line("grid", x.at(t), 4, x.at(t), bottom)
		s.text("tick", x.at(t), bottom+14, "middle", tick(t)+" s")
	}
	for i, sd := range sides {
		y := 8 + float64(i)*step
		if len(sides) > 1 {
			s.text("label", left-6, y+bar/2+4, "end", sd.name)
		}
		s.stack(sd, phases, x, y, bar)
	}
	return s.html(), phaseTable(phases, overlap, sides)
}

// stack draws one side's phases one after the other.
func (s *svg) stack(sd side, phases []Paired, x scale, y, height float64) {
	at := 0.0
	for k := range phases {
		v := max(medianOf(sd.of(&phases[k])), 0)
		if v == 0 {
			continue
		}
		col, _ := metrics.LookupColumn(phases[k].Column)
		s.rect(phaseClass(col.Name), x.at(at), y, x.at(at+v)-x.at(at), height, fmt.Sprintf("%s, %s: %s", sd.name, col.Label, Human(col, v)))
		at += v
	}
}

func phaseTable(phases []Paired, overlap *Paired, sides []side) [][]string {
	if overlap != nil && (medianOf(overlap.Base) != 0 || medianOf(overlap.Head) != 0) {
		phases = append(slices.Clone(phases), *overlap)
	}
	var out [][]string
	for i := range phases {
		col, _ := metrics.LookupColumn(phases[i].Column)
		cells := []string{col.Label}
		for _, sd := range sides {
			cells = append(cells, figureText(col, sd.of(&phases[i])))
		}
		out = append(out, cells)
	}
	return out
}
