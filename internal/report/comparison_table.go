package report

import (
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/shufflebench/shufflebench/internal/stats"
)

// Table writes the verdicts for people to read.
func (c *Comparison) Table(w io.Writer, style Style) error {
	var b strings.Builder
	var notes footnotes
	fmt.Fprintf(&b, "%s\n", style.bold(c.title()))
	if c.Saved != nil {
		fmt.Fprintf(&b, "base: %s on %s\n", stats.AnotherTime, c.Saved.Started.Format("2006-01-02 15:04"))
	}
	writeGrid(&b, c.grid(&notes, style))
	for i := range c.Cases {
		c.Cases[i].table(&b, style)
	}
	for i, text := range notes.texts {
		fmt.Fprintf(&b, "%s %s\n", superscript(i+1), text)
	}
	for _, n := range c.Notes {
		fmt.Fprintf(&b, "note: %s\n", n)
	}
	fmt.Fprintf(&b, "%s\n", c.outcomeLine(style))
	for _, r := range c.Outcome.Reasons {
		fmt.Fprintf(&b, "  %s\n", r)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// cell is a table's cell; text is what is shown, paint how.
type cell struct {
	text  string
	right bool
	paint func(string) string
}

func (c *Comparison) grid(notes *footnotes, style Style) [][]cell {
	head := func(s string, right bool) cell { return cell{s, right, style.dim} }
	rows := [][]cell{{
		head("case", false), head("", false), head("base", true), head("", true), head("head", true), head("", true),
		head("ratio", true), head("interval", false), head("verdict", false),
	}}
	last := ""
	for _, l := range c.lines(notes) {
		name := l.Case
		if name == last {
			name = ""
		}
		last = l.Case
		rows = append(rows, []cell{
			{text: name}, {text: l.Metric}, {text: l.Base, right: true}, {text: within(l.BaseSpread)},
			{text: l.Head, right: true}, {text: within(l.HeadSpread)}, {text: l.Ratio, right: true}, {text: l.Interval},
			{text: l.Verdict + references(l.Notes), paint: style.verdict(l.Kind)},
		})
	}
	return rows
}

func within(spread string) string {
	if spread == "" {
		return ""
	}
	return "± " + spread
}

func (st Style) verdict(v stats.Verdict) func(string) string {
	switch v {
	case stats.Better:
		return st.green
	case stats.Worse:
		return st.red
	}
	return func(s string) string { return s }
}

// writeGrid aligns columns; no line ends in blanks.
func writeGrid(b *strings.Builder, rows [][]cell) {
	var widths []int
	for _, r := range rows {
		for i, c := range r {
			if i == len(widths) {
				widths = append(widths, 0)
			}
			widths[i] = max(widths[i], utf8.RuneCountInString(c.text))
		}
	}
	for _, r := range rows {
		var line strings.Builder
		for i, c := range r {
			text := pad(c.text, widths[i])
			if c.right {
				text = padLeft(c.text, widths[i])
			}
			if i == len(r)-1 {
				text = c.text
			}
			if c.paint != nil && c.text != "" {
				text = c.paint(text)
			}
			if i > 0 && widths[i] > 0 {
				line.WriteString("  ")
			}
			line.WriteString(text)
		}
		fmt.Fprintf(b, "%s\n", strings.TrimRight(line.String(), " "))
	}
}

// table writes what the grid has no place for: exact columns and proofs.
func (rc *Case) table(b *strings.Builder, style Style) {
	if rc.Lone != "" {
		fmt.Fprintln(b, rc.loneLine())
		return
	}
	differing, equal := rc.exactLines()
	fmt.Fprintf(b, "%s: %s", style.bold(rc.Name), rc.proofLine())
	if equal != "" {
		fmt.Fprintf(b, "; equal: %s", equal)
	}
	b.WriteByte('\n')
	for _, l := range differing {
		text := fmt.Sprintf("  %s: base %s, head %s: %s", l.Label, l.Base, l.Head, l.Result)
		if l.Broken {
			text = style.red(text)
		}
		fmt.Fprintln(b, text)
	}
}

// references are footnote numbers behind a text.
func references(notes []int) string {
	if len(notes) == 0 {
		return ""
	}
	marks := make([]string, len(notes))
	for i, n := range notes {
		marks[i] = superscript(n)
	}
	return " " + strings.Join(marks, "·")
}

var superscripts = [10]rune{'⁰', '¹', '²', '³', '⁴', '⁵', '⁶', '⁷', '⁸', '⁹'}

func superscript(n int) string {
	var out strings.Builder
	for _, d := range fmt.Sprint(n) {
		out.WriteRune(superscripts[d-'0'])
	}
	return out.String()
}

func (c *Comparison) outcomeLine(style Style) string {
	switch c.Outcome.Kind {
	case NoRegression, SelfTestPassed:
		return style.green(c.Outcome.Text)
	case NotConclusive, NoOutcome:
		return c.Outcome.Text
	}
	return style.red(c.Outcome.Text)
}
