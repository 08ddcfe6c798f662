package report

import (
	_ "embed" // the page
	"fmt"
	"html/template"
	"io"
	"slices"

	"github.com/shufflebench/shufflebench/internal/stats"
	"github.com/shufflebench/shufflebench/pkg/metrics"
)

//go:embed page.html
var pageText string

var pageTemplate = template.Must(template.New("page").Parse(pageText))

// page is what the template shows.
type page struct {
	Title, Outcome, Tone string // tone: good, bad, open
	Reasons              []string
	Verdicts             []pageVerdict
	Footnotes            []string
	Notes                []string
	Base, Head           string
	AnotherTime          string
	Cases                []pageCase
	Lone                 []string
	Legend               []pagePhase
	Method               string
	Facts                [][2]string
	Commands             []string
	SampleColumns        []string
	Samples              [][]string
}

type pageVerdict struct {
	verdictLine
	Tone  string
	Plot  template.HTML
	Refs  string
	Again bool // the case is that of the line before
}

type pageCase struct {
	Name, Proof, Equal string
	Differing          []exactLine
	Charts             []pageChart // samples in run order
	Phases             template.HTML
	PhaseTable         [][]string
	Memory             template.HTML
	Blocks             template.HTML
}

type pageChart struct {
	Title string
	SVG   template.HTML
}

// HTML writes one self-contained page: nothing is loaded from anywhere.
func (c *Comparison) HTML(w io.Writer) error {
	var notes footnotes
	p := page{
		Title: c.title(), Outcome: c.Outcome.Text, Tone: c.tone(), Reasons: c.Outcome.Reasons, Notes: c.Notes,
		Base: c.Base.Label(), Head: c.Head.Label(), Legend: phaseLegend(c.Cases), Method: c.method(), Facts: c.facts(), Commands: c.commands(),
		SampleColumns: sampleColumns,
	}
	if c.Saved != nil {
		p.AnotherTime = fmt.Sprintf("base: %s, on %s", stats.AnotherTime, c.Saved.Started.Format("2006-01-02 15:04"))
	}
	p.Verdicts = c.pageVerdicts(&notes)
	for i := range c.Cases {
		if c.Cases[i].Lone != "" {
			p.Lone = append(p.Lone, c.Cases[i].loneLine())
			continue
		}
		p.Cases = append(p.Cases, c.pageCase(&c.Cases[i]))
	}
	for i, text := range notes.texts {
		p.Footnotes = append(p.Footnotes, superscript(i+1)+" "+text)
	}
	p.Samples = sampleCells(c.Rows)
	return pageTemplate.Execute(w, &p)
}

// sampleCells are the cells of the table of samples.
func sampleCells(rows []*metrics.Row) [][]string {
	var out [][]string
	for _, r := range rows {
		var cells []string
		for _, name := range sampleColumns {
			cells = append(cells, sampleText(r, name))
		}
		out = append(out, cells)
	}
	return out
}

// tone is good, bad or open.
func (c *Comparison) tone() string {
	return map[string]string{"✅": "good", "❌": "bad", "❔": "open"}[c.mark()]
}

func verdictTone(v stats.Verdict) string {
	switch v {
	case stats.Better:
		return "good"
	case stats.Worse:
		return "bad"
	}
	return "open"
}

func (c *Comparison) pageVerdicts(notes *footnotes) []pageVerdict {
	var out []pageVerdict
	reach := c.reach()
	at := 0
	lines := c.lines(notes)
	for i := range c.Cases {
		for k := range c.Cases[i].Judged {
			l := lines[at]
			at++
			plot := intervalPlot(c.Cases[i].Judged[k].Comparison, reach)
			out = append(out, pageVerdict{l, verdictTone(l.Kind), plot, references(l.Notes), k > 0})
		}
	}
	for i, l := range lines[at:] {
		out = append(out, pageVerdict{verdictLine: l, Tone: "soft", Again: i > 0})
	}
	return out
}

func (c *Comparison) pageCase(rc *Case) pageCase {
	out := pageCase{Name: rc.Name, Proof: rc.proofLine()}
	out.Differing, out.Equal = rc.exactLines()
	rows := slices.DeleteFunc(slices.Clone(c.Rows), func(r *metrics.Row) bool { return r.Case != rc.Name })
	for i := range rc.Judged {
		j := &rc.Judged[i]
		col, _ := metrics.LookupColumn(j.Column)
		out.Charts = append(out.Charts, pageChart{fmt.Sprintf("%s in the order of the runs, %s", col.Label, col.Unit), samplesChart(rows, col, j)})
	}
	out.Phases, out.PhaseTable = phasesChart(rc, baseSide, headSide)
	out.Memory = memoryChart(rows, baseSide, headSide)
	out.Blocks = blocksChart(rows)
	return out
}
