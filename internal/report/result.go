// Package report shows one Result with several faces: a table for people, CSV
// and JSON for programs.
//
//	              ┌── Table   medians and ranges, human units
//	Result ── Rows┼── JSON    rows, summaries, machine, notes
//	              └── CSV     rows only, appended as runs end
//
// No face computes a figure of its own: rows come from package metrics, and
// medians from Summarize, which Table and JSON share.
//
// A Comparison has more of them:
//
//	                  ┌── Table     verdicts, exact columns, footnotes
//	rows, verdicts,   ├── Markdown  for a pull request, with folds
//	plan, machine ────┼── GitHub    annotations, and the Markdown as a summary
//	  = Comparison    ├── GoBench   for benchstat
//	                  ├── HTML      one page: every sample in a plot
//	                  └── CSV, JSON rows alone; everything
//
// Its verdicts are made by package compare before it is shown. The faces for
// people share their lines (comparison_lines.go), so that they cannot disagree.
package report

import (
	"encoding/json"
	"io"

	"github.com/shufflebench/shufflebench/pkg/metrics"
)

// Version is the version of a Result's JSON. Keys are added, never renamed.
const Version = 1

// Result is everything that one invocation has to say.
type Result struct {
	Command []string         // arguments, without the program's name
	Build   metrics.Build    // what measured
	Machine metrics.Machine  // where
	Input   string           // absolute path of the fixture
	Output  string           // directory of the output, "" if it was private and is gone
	Rows    []*metrics.Row   // in the order of the runs
	Notes   []string         // what a reader of the figures must know; every face shows them but CSV
	Proof   *json.RawMessage // the validator's own report when it found a fault
}

// Failed reports whether a row's output did not pass validation.
func (r *Result) Failed() bool {
	for _, row := range r.Rows {
		if row.Verified == metrics.Faulty {
			return true
		}
	}
	return false
}

// JSON writes the result as one indented object.
func (r *Result) JSON(w io.Writer) error {
	enc := json.NewEncoder(w)
	enc.SetIndent("", "  ")
	enc.SetEscapeHTML(false)
	return enc.Encode(struct {
		Version   int              `json:"result_version"`
		Command   []string         `json:"command"`
		Build     metrics.Build    `json:"build"`
		Machine   metrics.Machine  `json:"machine"`
		Input     string           `json:"input"`
		Output    string           `json:"output,omitempty"`
		Rows      []*metrics.Row   `json:"rows"`
		Summaries []Summary        `json:"summaries"`
		Notes     []string         `json:"notes"`
		Proof     *json.RawMessage `json:"proof,omitempty"`
	}{
		Version, r.Command, r.Build, r.Machine, r.Input, r.Output,
		orEmpty(r.Rows), orEmpty(Summarize(r.Rows)), orEmpty(r.Notes), r.Proof,
	})
}

// orEmpty makes null lists empty ones, which readers of JSON expect.
func orEmpty[T any](s []T) []T {
	if s == nil {
		return []T{}
	}
	return s
}
