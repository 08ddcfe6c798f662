package report

import (
	"fmt"
	"io"
	"strings"

	"github.com/shufflebench/shufflebench/pkg/metrics"
)

// Markdown writes the comparison ready for a pull request: verdicts, ranges,
// what was counted, and in folds the method, the machine, every sample and the
// commands to repeat it.
func (c *Comparison) Markdown(w io.Writer) error {
	var b strings.Builder
	var notes footnotes
	fmt.Fprintf(&b, "## %s\n\n%s **%s**\n\n", mdText(c.title()), c.mark(), mdText(c.Outcome.Text))
	for _, r := range c.Outcome.Reasons {
		fmt.Fprintf(&b, "- %s\n", mdText(r))
	}
	if len(c.Outcome.Reasons) > 0 {
		b.WriteByte('\n')
	}
	c.mdVerdicts(&b, &notes)
	c.mdCounted(&b)
	for i, text := range notes.texts {
		fmt.Fprintf(&b, "%s %s<br>\n", superscript(i+1), mdText(text))
	}
	for _, n := range c.Notes {
		fmt.Fprintf(&b, "Note: %s<br>\n", mdText(n))
	}
	c.mdMethod(&b)
	c.mdFigures(&b)
	c.mdSamples(&b)
	c.mdCommands(&b)
	_, err := io.WriteString(w, b.String())
	return err
}

// mark is a sign that shows in a list of comments.
func (c *Comparison) mark() string {
	switch c.Outcome.Kind {
	case NoRegression, SelfTestPassed:
		return "✅"
	case NotConclusive, Stopped, NoOutcome:
		return "❔"
	}
	return "❌"
}

func (c *Comparison) mdVerdicts(b *strings.Builder, notes *footnotes) {
	mdRow(b, "case", "", "base", "head", "ratio", "interval", "verdict")
	b.WriteString("|---|---|--:|--:|--:|---|---|\n")
	for _, l := range c.lines(notes) {
		verdict := l.Verdict
		if l.Kind.Difference() {
			verdict = "**" + verdict + "**"
		}
		mdRow(b, mdText(l.Case), mdText(l.Metric), withRange(l.Base, l.BaseRange), withRange(l.Head, l.HeadRange),
			l.Ratio, l.Interval, verdict+references(l.Notes))
	}
	b.WriteByte('\n')
}

func withRange(median, span string) string {
	if span == "" {
		return median
	}
	return median + "<br><sub>" + span + "</sub>"
}

func (c *Comparison) mdCounted(b *strings.Builder) {
	var differing strings.Builder
	for i := range c.Cases {
		rc := &c.Cases[i]
		if rc.Lone != "" {
			fmt.Fprintf(b, "- %s\n", mdText(rc.loneLine()))
			continue
		}
		lines, equal := rc.exactLines()
		text := rc.proofLine()
		if equal != "" {
			text += "; equal: " + equal
		}
		fmt.Fprintf(b, "- %s: %s\n", mdText(rc.Name), mdText(text))
		for _, l := range lines {
			result := mdText(l.Result)
			if l.Broken {
				result = "**" + result + "**"
			}
			mdRow(&differing, mdText(rc.Name), mdText(l.Label), mdText(l.Base), mdText(l.Head), result)
		}
	}
	b.WriteByte('\n')
	if differing.Len() > 0 {
		mdRow(b, "case", "counted", "base", "head", "")
		fmt.Fprintf(b, "|---|---|--:|--:|---|\n%s\n", differing.String())
	}
}

func (c *Comparison) mdMethod(b *strings.Builder) {
	fold(b, "Method and machine", func() {
		fmt.Fprintf(b, "%s\n\n", mdText(c.method()))
		for _, p := range c.facts() {
			fmt.Fprintf(b, "- %s: %s\n", p[0], mdText(p[1]))
		}
	})
}

// facts are where, when and by what, as name and value.
func (c *Comparison) facts() [][2]string {
	out := [][2]string{
		{"machine", c.machine()}, {"input", c.input()},
		{"base", c.Base.describe()}, {"head", c.Head.describe()},
		{"measured", c.Started.Format("2006-01-02 15:04:05 MST")},
		{"compared by", "shufflebench " + c.Build.String() + ", " + c.Build.GoVersion},
	}
	if !c.Ended.IsZero() {
		out[4][1] += ", for " + c.Ended.Sub(c.Started).Round(1e9).String()
	}
	if c.Saved != nil {
		out = append(out, [2]string{"base was measured", c.Saved.Started.Format("2006-01-02 15:04:05 MST")})
	}
	return out
}

// describe is all that identifies a side.
func (v *Variant) describe() string {
	parts := []string{v.Label()}
	add := func(what, value string) {
		if value != "" {
			parts = append(parts, what+value)
		}
	}
	add("commit ", v.Revision)
	add("command ", v.Template)
	add("", v.Subject)
	add("binary sha256 ", v.SHA256[:min(16, len(v.SHA256))])
	add("arguments ", strings.Join(v.Args, " "))
	add("", v.Program.GoVersion)
	add("built with ", v.Tools)
	return strings.Join(parts, ", ")
}

func (c *Comparison) mdFigures(b *strings.Builder) {
	fold(b, "Further figures (medians; measured, not judged)", func() {
		mdRow(b, "case", "", "base", "head")
		b.WriteString("|---|---|--:|--:|\n")
		for i := range c.Cases {
			for _, p := range c.Cases[i].Figures {
				col, _ := metrics.LookupColumn(p.Column)
				mdRow(b, mdText(c.Cases[i].Name), col.Label, figureText(col, p.Base), figureText(col, p.Head))
			}
		}
	})
}

func figureText(col metrics.Column, f *Figure) string {
	if f == nil {
		return "-"
	}
	return Human(col, f.Median)
}

// sampleColumns are what the table of samples shows; CSV and JSON have all.
var sampleColumns = []string{
	"case", "round", "slot", "variant", "started", "write_secs", "process_secs", "max_rss_mib", "process_rss_mib", "gauge_secs", "verified", "failure",
}

func (c *Comparison) mdSamples(b *strings.Builder) {
	fold(b, fmt.Sprintf("Raw samples (%s, in order of time; round 0 is the warm-up)", plural(len(c.Rows), "run")), func() {
		mdRow(b, sampleColumns...)
		b.WriteString(strings.Repeat("|---", len(sampleColumns)) + "|\n")
		for _, cells := range sampleCells(c.Rows) {
			for i := range cells {
				cells[i] = mdText(cells[i])
			}
			mdRow(b, cells...)
		}
	})
}

// sampleText is a cell of the table of samples.
func sampleText(r *metrics.Row, name string) string {
	col, _ := metrics.LookupColumn(name)
	if v, ok := col.Number(r); ok && col.Unit != metrics.Count {
		return significant(v, 5)
	}
	return col.Text(r)
}

func (c *Comparison) mdCommands(b *strings.Builder) {
	fold(b, "Commands to repeat it", func() {
		fence := "```"
		for strings.Contains(strings.Join(c.Command, " "), fence) {
			fence += "`"
		}
		fmt.Fprintf(b, "%ssh\n%s\n", fence, strings.Join(c.commands(), "\n"))
		b.WriteString(fence + "\n")
	})
}

// commands are the comparison's own command line, and each side's of each case.
func (c *Comparison) commands() []string {
	out := []string{CommandLine(append([]string{"shufflebench"}, c.Command...))}
	for _, v := range []*Variant{&c.Base, &c.Head} {
		if v.BuiltBy != "" {
			out = append(out, fmt.Sprintf("# %s was built by: %s", v.Side, oneLine(v.BuiltBy)))
		}
	}
	for i := range c.Cases {
		for _, one := range []struct {
			side  string
			words []string
		}{{"base", c.Cases[i].Base}, {"head", c.Cases[i].Head}} {
			if len(one.words) > 0 {
				out = append(out, fmt.Sprintf("# %s, %s:", c.Cases[i].Name, one.side), CommandLine(one.words))
			}
		}
	}
	return out
}

// fold writes a part that is closed until it is wanted.
func fold(b *strings.Builder, title string, body func()) {
	fmt.Fprintf(b, "\n<details>\n<summary>%s</summary>\n\n", title)
	body()
	b.WriteString("\n</details>\n")
}

func mdRow(b *strings.Builder, cells ...string) {
	b.WriteString("| " + strings.Join(cells, " | ") + " |\n")
}

var mdSpecial = strings.NewReplacer(
	"\\", "\\\\", "|", "\\|", "<", "&lt;", ">", "&gt;", "&", "&amp;", "*", "\\*", "_", "\\_", "`", "\\`", "[", "\\[", "]", "\\]", "~", "\\~", "\r", " ", "\n", " ",
)

// mdText makes text of anything, also in the cell of a table.
func mdText(s string) string { return mdSpecial.Replace(s) }

func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }
