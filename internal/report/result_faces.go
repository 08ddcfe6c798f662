package report

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/shufflebench/shufflebench/internal/stats"
	"github.com/shufflebench/shufflebench/pkg/metrics"
)

// CSV writes the rows alone.
func (r *Result) CSV(w io.Writer) error { return writeRows(w, r.Rows) }

// writeRows writes a header and rows.
func writeRows(w io.Writer, rows []*metrics.Row) error {
	csv, err := NewCSV(w, "standard output")
	if err != nil {
		return err
	}
	for _, row := range rows {
		if err := csv.Append(row); err != nil {
			return err
		}
	}
	return nil
}

// GoBench writes the runs that count in Go's benchmark format.
func (r *Result) GoBench(w io.Writer) error {
	var b strings.Builder
	fmt.Fprintf(&b, "pkg: github.com/shufflebench/shufflebench\n")
	if r.Machine.CPU != "" {
		fmt.Fprintf(&b, "goos: %s\ngoarch: %s\ncpu: %s\n", r.Machine.OS, r.Machine.Arch, oneLine(r.Machine.CPU))
	}
	for _, row := range r.Rows {
		if !row.Warmup && row.Failure == "" && row.Verified != metrics.Faulty {
			benchLine(&b, row, max(int(row.Cores), 1))
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// Markdown writes the medians of every case, with ranges.
func (r *Result) Markdown(w io.Writer) error {
	var b strings.Builder
	for _, s := range Summarize(r.Rows) {
		if len(s.rows) == 0 {
			continue
		}
		fmt.Fprintf(&b, "### %s\n\n%s; %s\n\n", mdText(s.name()), mdText(setup(s.rows[0])), mdText(s.verdict(Style{})))
		mdRow(&b, "", "median", "range")
		b.WriteString("|---|--:|---|\n")
		for _, sec := range sections {
			for _, l := range s.lines(sec.columns) {
				mdRow(&b, mdText(l.label), mdText(l.median), mdText(l.spread))
			}
		}
		mdRow(&b, "output sha256", "", mdText(s.sha()))
		b.WriteByte('\n')
	}
	for _, n := range r.Notes {
		fmt.Fprintf(&b, "Note: %s<br>\n", mdText(n))
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// name is the case, with the variant if there is one.
func (s *Summary) name() string {
	if s.Variant == "" {
		return s.Case
	}
	return s.Case + " (" + s.Variant + ")"
}

// HTML writes a page like that of a comparison, with one side.
func (r *Result) HTML(w io.Writer) error {
	p := page{
		Title: "Runs of shufflebench write", Notes: r.Notes, SampleColumns: sampleColumns, Samples: sampleCells(r.Rows),
	}
	if r.Machine.CPU != "" {
		p.Facts = append(p.Facts, [2]string{"machine", (&Comparison{Machine: r.Machine}).machine()})
	}
	if r.Input != "" {
		p.Facts = append(p.Facts, [2]string{"input", r.Input})
	}
	if len(r.Command) > 0 {
		p.Commands = []string{CommandLine(append([]string{"shufflebench"}, r.Command...))}
	}
	var cases []Case
	for _, s := range Summarize(r.Rows) {
		if len(s.rows) > 0 {
			rc := s.asCase()
			cases = append(cases, rc)
			p.Cases = append(p.Cases, r.pageCase(&s, &rc))
		}
	}
	p.Legend = phaseLegend(cases)
	return pageTemplate.Execute(w, &p)
}

// asCase gives a summary's figures as one side of a case.
func (s *Summary) asCase() Case {
	rc := Case{Name: s.name()}
	for _, col := range metrics.Columns() {
		if f, ok := s.Figures[col.Name]; ok && col.Kind == metrics.Noisy {
			rc.Figures = append(rc.Figures, Paired{Column: col.Name, Base: &f})
		}
	}
	return rc
}

func (r *Result) pageCase(s *Summary, rc *Case) pageCase {
	key := identity(s.rows[0])
	rows := slices.DeleteFunc(slices.Clone(r.Rows), func(row *metrics.Row) bool { return identity(row) != key })
	out := pageCase{Name: rc.Name, Proof: s.verdict(Style{}), Equal: ""}
	for _, name := range []string{"write_secs", "max_rss_mib"} {
		col, _ := metrics.LookupColumn(name)
		var vs []float64
		for _, row := range s.rows {
			if v, ok := col.Number(row); ok && v > 0 {
				vs = append(vs, v)
			}
		}
		j := &Judged{Column: name, Comparison: &stats.Comparison{Base: stats.Summarize(vs, stats.DefaultConfidence)}}
		out.Charts = append(out.Charts, pageChart{fmt.Sprintf("%s in the order of the runs, %s", col.Label, col.Unit), samplesChart(rows, col, j)})
	}
	out.Phases, out.PhaseTable = phasesChart(rc, baseSide)
	out.Memory = memoryChart(rows, baseSide)
	out.Blocks = blocksChart(rows)
	return out
}
