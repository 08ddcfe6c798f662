package report

import (
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/dustin/go-humanize"

	"github.com/shufflebench/shufflebench/pkg/metrics"
)

// Style says how a terminal may be written to.
type Style struct {
	Color bool // escape sequences are welcome
}

// The columns of the table, by section. What is missing here is in CSV and JSON.
var sections = []struct {
	title   string
	columns []string
}{
	{"", []string{
		"write_secs", "task_mean_secs", "rows_per_sec", "cpu_user_secs", "cpu_sys_secs", "max_rss_mib", "heap_peak_mib",
		"merge_task_median_secs", "encode_wall_secs", "copy_wall_secs", "serial_tail_ratio", "read_floor_secs", "write_floor_secs", "floor_ratio",
	}},
	{"task time by phase (mean; phases less overlap add up to the task)", append(phaseNames(), "overlap_secs")},
	{"counted", []string{
		"rows_per_task", "spills_per_task", "budget_spills_per_task", "pool_spills_per_task", "ranges_per_task", "spill_bytes_per_task", "peak_buffer_bytes_max",
		"inner_before_mib_sum", "inner_after_mib_sum", "outer_mib_sum", "blocks_per_task", "output_bytes_per_task",
	}},
}

func phaseNames() []string {
	var names []string
	for _, n := range metrics.ColumnNames() {
		if strings.HasPrefix(n, "phase_") {
			names = append(names, n)
		}
	}
	return names
}

// Table writes the medians of every case for people to read.
func (r *Result) Table(w io.Writer, style Style) error {
	var b strings.Builder
	for i, s := range Summarize(r.Rows) {
		if i > 0 {
			b.WriteByte('\n')
		}
		s.heading(&b, style)
		s.body(&b, style)
	}
	for _, n := range r.Notes {
		fmt.Fprintf(&b, "note: %s\n", n)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// heading is one line of what was asked for.
func (s *Summary) heading(b *strings.Builder, style Style) {
	name := s.Case
	if s.Variant != "" {
		name += " (" + s.Variant + ")"
	}
	fmt.Fprint(b, style.bold(name))
	if len(s.rows) > 0 {
		fmt.Fprint(b, ": ", setup(s.rows[0]))
	}
	fmt.Fprintf(b, "\n%s", plural(s.Runs, "run"))
	if s.Warmups > 0 {
		fmt.Fprintf(b, " after %s", plural(s.Warmups, "warm-up"))
	}
	b.WriteByte('\n')
}

func setup(r *metrics.Row) string {
	parts := []string{"engine " + r.Engine}
	switch r.Partitioning {
	case "hash":
		parts = append(parts, "hash of "+r.HashColumns)
	default:
		parts = append(parts, r.Partitioning)
	}
	codec := r.Codec
	switch codec {
	case "lz4":
		codec += " (" + r.LZ4Encoder + ")"
	case "zstd":
		codec += fmt.Sprintf(" level %d", r.ZstdLevel)
	}
	parts = append(parts, codec, "batch "+humanize.Comma(r.BatchSize))
	if limit := r.BufferLimit(); limit > 0 && r.Engine != "consolidated" {
		parts = append(parts, "buffer limit "+humanize.Comma(limit)+" B")
	}
	switch r.Engine {
	case "sorted-rows":
		parts = append(parts, "calls "+r.Calls)
	case "consolidated":
		parts = append(parts, inputs(r)...)
	}
	if r.Checksum != "" && r.Checksum != "none" {
		parts = append(parts, "checksum "+r.Checksum)
	}
	return strings.Join(parts, ", ")
}

// inputs is what was asked for of engine consolidated.
func inputs(r *metrics.Row) []string {
	parts := []string{plural(int(r.Inputs), "input"), "encode " + r.Encode}
	for _, limit := range []struct {
		name  string
		bytes int64
	}{{"task budget", r.TaskMemoryLimit}, {"buffer limit", r.MaxBufferBytes}, {"pool", r.MemoryLimit}} {
		if limit.bytes > 0 {
			parts = append(parts, limit.name+" "+humanize.Comma(limit.bytes)+" B")
		}
	}
	return parts
}

// line is one row of the table: label, median, and range where there are
// several runs.
type line struct{ label, median, spread string }

func (s *Summary) body(b *strings.Builder, style Style) {
	if s.Runs == 0 {
		return
	}
	widths := s.widths()
	for _, sec := range sections {
		lines := s.lines(sec.columns)
		if len(lines) == 0 {
			continue
		}
		if sec.title != "" {
			fmt.Fprintf(b, "%s\n", style.dim(sec.title))
		}
		for _, l := range lines {
			row := fmt.Sprintf("  %s  %s  %s", pad(l.label, widths.label), padLeft(l.median, widths.median), l.spread)
			fmt.Fprintln(b, strings.TrimRight(row, " "))
		}
	}
	fmt.Fprintf(b, "  %s  %s\n", pad("output sha256", widths.label), s.sha())
	fmt.Fprintf(b, "%s\n", s.verdict(style))
}

func (s *Summary) lines(names []string) []line {
	var out []line
	for _, name := range names {
		c, ok := metrics.LookupColumn(name)
		f, measured := s.Figures[name]
		if !ok || !measured || s.dull(name, f) {
			continue
		}
		l := line{label: c.Label, median: Human(c, f.Median)}
		switch {
		case s.Runs > 1 && f.Min != f.Max:
			l.spread = fmt.Sprintf("%s … %s", number(c, f.Min), number(c, f.Max))
		case s.Runs > 1 && c.Kind == metrics.Exact:
			l.spread = "="
		}
		if strings.HasPrefix(name, "phase_") && s.Figures["task_mean_secs"].Median > 0 {
			l.median += fmt.Sprintf(" %4.0f %%", 100*f.Median/s.Figures["task_mean_secs"].Median)
		}
		out = append(out, l)
	}
	return out
}

// dull hides what says nothing: zeros that only some engines fill, and the
// mean task where there is one task.
func (s *Summary) dull(name string, f Figure) bool {
	switch name {
	case "task_mean_secs":
		return s.rows[0].Tasks == 1
	case "overlap_secs", "ranges_per_task", "spill_bytes_per_task", "outer_mib_sum", "budget_spills_per_task", "pool_spills_per_task":
		return f.Min == 0 && f.Max == 0
	}
	return strings.HasPrefix(name, "phase_") && f.Max == 0
}

func (s *Summary) sha() string {
	sha := s.rows[0].OutputSHA256
	for _, r := range s.rows {
		if r.OutputSHA256 != sha {
			return "differs between runs"
		}
	}
	return sha
}

// verdict is the last line: whether the figures may be believed.
func (s *Summary) verdict(style Style) string {
	failed := 0
	for _, r := range s.rows {
		if r.Verified == metrics.Faulty {
			failed++
		}
	}
	switch {
	case failed > 0:
		return style.red(fmt.Sprintf("FAILED: %d of %s wrote output that did not pass validation; the figures mean nothing", failed, plural(s.Runs, "run")))
	case s.Proved == s.Runs:
		return style.green(fmt.Sprintf("proved: %d of %s", s.Proved, plural(s.Runs, "run")))
	}
	return style.red(fmt.Sprintf("unverified: %d of %s; validation was switched off", s.Runs-s.Proved, plural(s.Runs, "run")))
}

type widths struct{ label, median int }

func (s *Summary) widths() (w widths) {
	for _, sec := range sections {
		for _, l := range s.lines(sec.columns) {
			w.label = max(w.label, utf8.RuneCountInString(l.label))
			w.median = max(w.median, utf8.RuneCountInString(l.median))
		}
	}
	return w
}

func pad(s string, n int) string {
	return s + strings.Repeat(" ", max(0, n-utf8.RuneCountInString(s)))
}

func padLeft(s string, n int) string {
	return strings.Repeat(" ", max(0, n-utf8.RuneCountInString(s))) + s
}

func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

func (st Style) wrap(code, s string) string {
	if !st.Color {
		return s
	}
	return "\x1b[" + code + "m" + s + "\x1b[0m"
}

func (st Style) bold(s string) string  { return st.wrap("1", s) }
func (st Style) dim(s string) string   { return st.wrap("2", s) }
func (st Style) red(s string) string   { return st.wrap("31", s) }
func (st Style) green(s string) string { return st.wrap("32", s) }
