package report_test

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/perf/benchfmt"

	"github.com/shufflebench/shufflebench/internal/report"
	"github.com/shufflebench/shufflebench/internal/stats"
	"github.com/shufflebench/shufflebench/pkg/metrics"
)

// golden holds text to a file of testdata; -update writes it anew.
func golden(t *testing.T, name, got string) {
	t.Helper()
	name = filepath.Join("testdata", name)
	if report.UpdateGolden() {
		if err := os.WriteFile(name, []byte(got), 0o666); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(string(want), got); d != "" {
		t.Errorf("%s (-update writes it anew): %s", name, d)
	}
}

// TestGoldenComparison holds each face for people to its file.
func TestGoldenComparison(t *testing.T) {
	c := world(t)
	var table, markdown, bench, annotations, summary strings.Builder
	for _, err := range []error{
		c.Table(&table, report.Style{}), c.Markdown(&markdown), c.GoBench(&bench), c.GitHub(&annotations, &summary),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	golden(t, "comparison.txt", table.String())
	golden(t, "comparison.md", markdown.String())
	golden(t, "comparison.bench", bench.String())
	golden(t, "comparison.github", annotations.String())
	if summary.String() != markdown.String() {
		t.Error("the step summary is not the Markdown")
	}
	if strings.Contains(table.String(), "\x1b") {
		t.Error("a table without color has an escape sequence")
	}
}

// TestFacesAgree: every face shows the same verdicts, medians and failures.
func TestFacesAgree(t *testing.T) {
	c := world(t)
	faces := map[string]string{}
	for name, write := range map[string]func(b *strings.Builder) error{
		"table":    func(b *strings.Builder) error { return c.Table(b, report.Style{}) },
		"markdown": func(b *strings.Builder) error { return c.Markdown(b) },
		"html":     func(b *strings.Builder) error { return c.HTML(b) },
		"json":     func(b *strings.Builder) error { return c.JSON(b) },
		"csv":      func(b *strings.Builder) error { return c.CSV(b) },
		"gobench":  func(b *strings.Builder) error { return c.GoBench(b) },
	} {
		var b strings.Builder
		if err := write(&b); err != nil {
			t.Fatal(err)
		}
		faces[name] = b.String()
	}
	for _, rc := range c.Cases {
		for _, j := range rc.Judged {
			col, _ := metrics.LookupColumn(j.Column)
			for _, face := range []string{"table", "markdown", "html"} {
				for _, want := range []string{string(j.Verdict), report.Human(col, j.Base.Median), report.Human(col, j.Head.Median), fmt.Sprintf("%.3f", j.Ratio)} {
					if !strings.Contains(faces[face], want) {
						t.Errorf("%s of %s: the %s lacks %q", j.Metric, rc.Name, face, want)
					}
				}
			}
		}
	}
	for face, text := range faces {
		if face != "gobench" && !strings.Contains(text, "validation: misplaced: partition 3") {
			t.Errorf("%s does not say that a run failed", face)
		}
	}
	checkJSON(t, c, faces["json"])
	checkCSV(t, c, faces["csv"])
	checkBench(t, c, faces["gobench"])
}

func checkJSON(t *testing.T, c *report.Comparison, text string) {
	t.Helper()
	back := new(report.Comparison)
	if err := json.Unmarshal([]byte(text), back); err != nil {
		t.Fatal(err)
	}
	var again strings.Builder
	if err := back.JSON(&again); err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(text, again.String()); d != "" {
		t.Errorf("JSON does not survive a round trip: %s", d)
	}
	if len(back.Rows) != len(c.Rows) || back.Cases[1].Judged[0].Verdict != stats.Worse {
		t.Errorf("%d rows, verdict %s", len(back.Rows), back.Cases[1].Judged[0].Verdict)
	}
}

func checkCSV(t *testing.T, c *report.Comparison, text string) {
	t.Helper()
	records, err := csv.NewReader(strings.NewReader(text)).ReadAll()
	if err != nil || len(records) != len(c.Rows)+1 {
		t.Fatalf("%d records, %v", len(records), err)
	}
	for i, r := range c.Rows {
		if got := strings.Join(records[i+1], "\x00"); got != strings.Join(r.Record(), "\x00") {
			t.Errorf("row %d is %q", i, got)
		}
	}
}

// checkBench reads the benchmark format with the reader of benchstat.
func checkBench(t *testing.T, c *report.Comparison, text string) {
	t.Helper()
	var secs, want []string
	r := benchfmt.NewReader(strings.NewReader(text), "samples")
	for r.Scan() {
		switch rec := r.Result().(type) {
		case *benchfmt.Result:
			v, ok := rec.Value("sec/op")
			if !ok || rec.GetConfig("head") != c.Head.Label() {
				t.Fatalf("a result without its time or side: %v", rec)
			}
			secs = append(secs, fmt.Sprintf("%s %.6f", rec.Name, v))
		case *benchfmt.SyntaxError:
			t.Errorf("benchstat does not read it: %v", rec)
		}
	}
	for _, row := range c.Rows {
		if !row.Warmup && row.Failure == "" {
			want = append(want, fmt.Sprintf("ShuffleWrite/case=%s/variant=%s-8 %.6f", row.Case, row.Variant, row.WriteSecs))
		}
	}
	if d := cmp.Diff(want, secs); d != "" {
		t.Errorf("benchmarks: %s", d)
	}
}

// TestMarkdownIsSafe: what comes from outside cannot end a table or a fold.
func TestMarkdownIsSafe(t *testing.T) {
	c := world(t)
	c.Base.Subject = "</details> | x `y` \n## z"
	c.Notes = []string{"<script>alert(1)</script>"}
	c.Command = append(c.Command, "```", "</details>")
	var b bytes.Buffer
	if err := c.Markdown(&b); err != nil {
		t.Fatal(err)
	}
	text := b.String()
	if strings.Contains(text, "<script>") || strings.Contains(text, "\n## z") || strings.Count(text, "\n</details>\n") != strings.Count(text, "\n<details>\n") {
		t.Error("text from outside is not escaped")
	}
	if !strings.Contains(text, "\n````sh\n") {
		t.Error("a fence in a command ends the code block")
	}
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, "| ") && !strings.HasSuffix(line, " |\n") {
			t.Errorf("a row does not end: %q", line)
		}
	}
}

// TestOneOrNoRow: faces of very little.
func TestOneOrNoRow(t *testing.T) {
	empty := &report.Comparison{State: report.Interrupted, Cases: []report.Case{{Name: "1p_1task"}}}
	one := world(t)
	one.Rows, one.Cases, one.Overall, one.Notes = one.Rows[:3], one.Cases[:1], nil, nil
	one.Cases[0].Judged, one.Cases[0].Figures = nil, nil
	for _, c := range []*report.Comparison{empty, one} {
		var b strings.Builder
		for _, err := range []error{c.Table(&b, report.Style{Color: true}), c.Markdown(&b), c.HTML(&b), c.JSON(&b), c.CSV(&b), c.GoBench(&b), c.GitHub(&b, &b)} {
			if err != nil {
				t.Error(err)
			}
		}
		if strings.Contains(b.String(), "NaN") || strings.Contains(b.String(), "Inf") {
			t.Error("a face shows no number")
		}
	}
}
