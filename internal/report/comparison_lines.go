package report

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/dustin/go-humanize"

	"github.com/shufflebench/shufflebench/internal/stats"
	"github.com/shufflebench/shufflebench/pkg/metrics"
)

// verdictLine is one metric of one case as all faces for people show it.
type verdictLine struct {
	Case, Metric             string
	Base, Head               string // median with unit
	BaseSpread, HeadSpread   string // "1%": half of the samples are within median ± this
	BaseRange, HeadRange     string // "0.201 … 0.210", without unit
	Ratio, Interval, Verdict string
	Kind                     stats.Verdict
	Notes                    []int // numbers of footnotes, from 1
}

// footnotes are remarks that lines refer to by number.
type footnotes struct{ texts []string }

func (f *footnotes) add(text string) int {
	if at := slices.Index(f.texts, text); at >= 0 {
		return at + 1
	}
	f.texts = append(f.texts, text)
	return len(f.texts)
}

// lines are the verdicts of all cases, then those over all cases.
func (c *Comparison) lines(f *footnotes) []verdictLine {
	var out []verdictLine
	for i := range c.Cases {
		said := map[stats.WarningCode]bool{} // of this case
		for k := range c.Cases[i].Judged {
			out = append(out, c.Cases[i].Judged[k].line(c.Cases[i].Name, said, f))
		}
	}
	for i := range c.Overall {
		if len(c.Overall[i].Cases) > 1 {
			out = append(out, c.Overall[i].line(c.label(c.Overall[i].Metric)))
		}
	}
	return out
}

// ofRuns are warnings about a case's runs rather than about one metric: they
// are said once.
var ofRuns = []stats.WarningCode{stats.WarnLeftOut, stats.WarnOrder, stats.WarnGauge, stats.WarnAnotherTime}

func (j *Judged) line(name string, said map[stats.WarningCode]bool, f *footnotes) verdictLine {
	col, _ := metrics.LookupColumn(j.Column)
	l := verdictLine{
		Case: name, Metric: col.Label, Kind: j.Verdict, Verdict: string(j.Verdict),
		Base: medianText(col, j.Base), Head: medianText(col, j.Head),
		BaseSpread: spreadText(j.Base), HeadSpread: spreadText(j.Head),
		BaseRange: spanText(col, j.Base), HeadRange: spanText(col, j.Head),
	}
	if j.Ratio > 0 {
		l.Ratio = fmt.Sprintf("%.3f", j.Ratio)
	}
	if j.Interval != nil {
		l.Interval = intervalText(j.Interval)
	}
	switch {
	case j.Verdict == stats.NoDifference:
		l.Verdict += " (±" + shareText(j.Threshold) + ")"
	case !j.Verdict.Decided():
		l.Notes = append(l.Notes, f.add(j.Explain()))
	}
	for _, w := range j.Warnings {
		if !said[w.Code] {
			l.Notes = append(l.Notes, f.add(name+", "+col.Label+": "+w.Text))
		}
	}
	for _, w := range j.Warnings {
		said[w.Code] = said[w.Code] || slices.Contains(ofRuns, w.Code)
	}
	return l
}

// label is what a metric's column is called.
func (c *Comparison) label(metric string) string {
	for _, t := range c.Plan.Thresholds {
		if col, ok := metrics.LookupColumn(t.Column); ok && t.Metric == metric {
			return col.Label
		}
	}
	return metric
}

func (o *Overall) line(label string) verdictLine {
	l := verdictLine{Case: "all cases", Metric: label, Verdict: fmt.Sprintf("geometric mean of %d", len(o.Cases))}
	if n := len(o.Lone); n > 0 {
		l.Verdict += fmt.Sprintf(" of %s", plural(len(o.Cases)+n, "case"))
	}
	if o.Ratio > 0 {
		l.Ratio = fmt.Sprintf("%.3f", o.Ratio)
	}
	if o.Interval != nil {
		l.Interval = intervalText(o.Interval)
	}
	return l
}

func medianText(col metrics.Column, s stats.Summary) string {
	if s.N == 0 {
		return "-"
	}
	return Human(col, s.Median)
}

func spreadText(s stats.Summary) string {
	if s.N < 2 {
		return ""
	}
	return fmt.Sprintf("%.0f%%", 100*s.Spread)
}

func spanText(col metrics.Column, s stats.Summary) string {
	if s.N < 2 {
		return ""
	}
	return number(col, s.Min) + " … " + number(col, s.Max)
}

func intervalText(i *stats.Interval) string { return fmt.Sprintf("%.3f … %.3f", i.Lo, i.Hi) }

func shareText(fraction float64) string {
	if fraction >= 10 {
		return fmt.Sprintf("%.0f%%", 100*fraction)
	}
	return fmt.Sprintf("%.3g%%", 100*fraction)
}

// exactLine is one exact column of one case.
type exactLine struct {
	Label, Base, Head string
	Result            string
	Broken            bool
}

// exactLines are the columns that differ, and in one sentence those that do
// not. Columns of nothing but zeros say nothing and are left out.
func (rc *Case) exactLines() (differing []exactLine, equal string) {
	var same []string
	for i := range rc.Exact {
		e := &rc.Exact[i]
		col, _ := metrics.LookupColumn(e.Column)
		l := exactLine{Label: col.Label, Base: counts(col, e.Exact.Base), Head: counts(col, e.Exact.Head), Result: e.verdict(), Broken: e.Broken}
		switch {
		case e.onlyZero():
		case e.Result != stats.Equal:
			differing = append(differing, l)
		default:
			same = append(same, l.Label+" "+l.Base)
		}
	}
	return differing, strings.Join(same, ", ")
}

// onlyZero reports whether no side has a value but 0.
func (e *Exact) onlyZero() bool {
	return !slices.ContainsFunc(slices.Concat(e.Exact.Base, e.Exact.Head), func(c stats.Count) bool { return c.Value != "0" })
}

func (e *Exact) verdict() string {
	s := string(e.Result)
	if e.Result == stats.Absent {
		if len(e.Exact.Base) == 0 {
			return "only of head"
		}
		return "only of base"
	}
	if v := e.VariesWithin(); len(v) > 0 {
		s += " within " + string(v[0])
		if len(v) > 1 {
			s += " and " + string(v[1])
		}
	}
	if e.Ratio > 0 && e.Result == stats.Differs {
		s += fmt.Sprintf(", ratio %.3f", e.Ratio)
	}
	switch {
	case e.Broken && e.Threshold != nil:
		s += fmt.Sprintf(": worse than the %s allowed", shareText(*e.Threshold))
	case e.Broken:
		s += ": must be equal"
	}
	return s
}

// counts are a side's values for people.
func counts(col metrics.Column, cs []stats.Count) string {
	var out []string
	for i, c := range cs {
		if i == 3 {
			out = append(out, fmt.Sprintf("%d more values", len(cs)-i))
			break
		}
		s := exactText(col, c.Value)
		if len(cs) > 1 {
			s += fmt.Sprintf(" (%s)", plural(c.Runs, "run"))
		}
		out = append(out, s)
	}
	if len(out) == 0 {
		return "-"
	}
	return strings.Join(out, ", ")
}

// exactText is a value as CSV has it, for people; sums are shortened.
func exactText(col metrics.Column, value string) string {
	if col.Unit == metrics.Text {
		return value[:min(len(value), 16)]
	}
	v, err := strconv.ParseFloat(value, 64)
	if err != nil {
		return value
	}
	return Human(col, v)
}

// proofLine says how many runs of a case were proved and how many failed.
func (rc *Case) proofLine() string {
	b, h := rc.Runs.Base, rc.Runs.Head
	total := func(of func(Tally) int) int { return of(b) + of(h) }
	runs := total(func(t Tally) int { return t.Runs })
	parts := []string{fmt.Sprintf("proved %d of %s", total(func(t Tally) int { return t.Proved }), plural(runs, "run"))}
	for _, p := range []struct {
		n    int
		what string
	}{
		{total(func(t Tally) int { return t.Unverified }), "unverified"},
		{total(func(t Tally) int { return t.Failed }), "failed"},
		{total(func(t Tally) int { return t.Faulty }), "with wrong output"},
	} {
		if p.n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", p.n, p.what))
		}
	}
	return strings.Join(parts, ", ")
}

// loneLine is why a case was not compared.
func (rc *Case) loneLine() string {
	if rc.Only == "" {
		return fmt.Sprintf("%s: not compared: %s", rc.Name, rc.Lone)
	}
	return fmt.Sprintf("%s: only %s: %s", rc.Name, rc.Only, rc.Lone)
}

// method says in a paragraph how the figures came about.
func (c *Comparison) method() string {
	p := c.Plan
	if !p.Paired {
		return fmt.Sprintf("Base was %s, head now: nothing cancels what was different about the machine, so thresholds are doubled and "+
			"better or worse also needs Mann and Whitney's test to reject. %s of head a case after %s, a fresh process each.",
			stats.AnotherTime, plural(p.Rounds, "run"), plural(p.Warmups, "warm-up"))
	}
	s := fmt.Sprintf("%s a case after %s a side, a fresh process each, the order flipped every round (AB BA AB …). ",
		plural(p.Rounds, "round"), plural(p.Warmups, "warm-up"))
	s += "Figures are medians; the ratio is head/base round by round (Hodges-Lehmann), its interval holds all ratios that sign flips of whole rounds do not reject; " +
		"the verdict holds that interval against the threshold: " + c.thresholds() + ". "
	if p.Validate {
		s += "Every output was proved against its input before its time counted; equal files once."
	} else {
		s += "Outputs were not proved."
	}
	return s
}

func (c *Comparison) thresholds() string {
	var out []string
	for _, t := range c.Plan.Thresholds {
		out = append(out, t.Metric+" "+shareText(t.Least))
	}
	return strings.Join(out, ", ")
}

// machine is what the figures were measured on, in a line.
func (c *Comparison) machine() string {
	m := &c.Machine
	parts := []string{
		orElse(m.CPU, "unknown processor"), fmt.Sprintf("%d of %d cores", m.GOMAXPROCS, m.CoresLogical),
		humanize.IBytes(m.Memory), m.Kernel, m.OS + "/" + m.Arch,
	}
	if m.OutputFS != "" {
		parts = append(parts, m.OutputFS)
	}
	if m.Governor != "" {
		parts = append(parts, "governor "+m.Governor)
	}
	if m.CgroupMemory > 0 {
		parts = append(parts, "limited to "+humanize.IBytes(m.CgroupMemory))
	}
	parts = append(parts, fmt.Sprintf("load %.1f before", m.Load1))
	if swing := c.swing(); swing > 0 {
		parts = append(parts, fmt.Sprintf("noise gauge within %s", shareText(swing)))
	}
	return strings.Join(slices.DeleteFunc(parts, func(s string) bool { return s == "" }), ", ")
}

// swing is the widest range of the noise gauge over the cases, 0 without one.
func (c *Comparison) swing() float64 {
	widest := 0.0
	for i := range c.Cases {
		for _, j := range c.Cases[i].Judged {
			if j.Gauge != nil {
				widest = max(widest, j.Gauge.Swing)
			}
		}
	}
	return widest
}

// input is the fixture in a line.
func (c *Comparison) input() string {
	return fmt.Sprintf("%s rows, %s, footer sha256 %.16s", humanize.Comma(c.Input.Rows), humanize.IBytes(uint64(c.Input.Bytes)), c.Input.SHA256)
}

// title is the outcome as a heading.
func (c *Comparison) title() string {
	if c.Saved != nil {
		return fmt.Sprintf("%s against %s, %s", c.Head.Label(), c.Base.Label(), stats.AnotherTime)
	}
	return fmt.Sprintf("%s against %s", c.Head.Label(), c.Base.Label())
}
