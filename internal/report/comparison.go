package report

import (
	"encoding/json"
	"io"
	"path"
	"strings"
	"time"

	"github.com/shufflebench/shufflebench/internal/stats"
	"github.com/shufflebench/shufflebench/pkg/metrics"
)

// ComparisonVersion is the version of a Comparison's JSON. Keys are added,
// never renamed.
const ComparisonVersion = 1

// Comparison is everything that one comparison has to say. All of its faces
// (Table, Markdown, CSV, JSON, GoBench, GitHub, HTML) show this one value and
// compute no figure of their own.
type Comparison struct {
	Version int             `json:"compare_version"`
	State   State           `json:"state"`
	Outcome Outcome         `json:"outcome"`
	Command []string        `json:"command"` // arguments, without the program's name
	Build   metrics.Build   `json:"build"`   // what compared
	Machine metrics.Machine `json:"machine"`
	Started time.Time       `json:"started"`
	Ended   time.Time       `json:"ended,omitzero"`
	Input   Input           `json:"input"`
	Plan    Plan            `json:"plan"`
	Base    Variant         `json:"base"`
	Head    Variant         `json:"head"`
	Saved   *Saved          `json:"saved,omitempty"` // where base was measured, if at another time
	Cases   []Case          `json:"cases"`
	Overall []Overall       `json:"overall,omitempty"`
	// SelfTest sums up an A/A comparison.
	SelfTest *stats.SelfTest `json:"self_test,omitempty"`
	Notes    []string        `json:"notes"`
	// Rows are all runs in the order of time, warm-ups and failed ones too.
	Rows []*metrics.Row `json:"rows"`
}

// State says how far a comparison came.
type State string

// The states.
const (
	Running     State = "running" // under way, or killed
	Complete    State = "complete"
	Interrupted State = "interrupted"
)

// OutcomeKind is what a script wants to know.
type OutcomeKind string

// The kinds, the graver first: the gravest that applies is the outcome.
const (
	Stopped        OutcomeKind = "interrupted"
	WrongOutput    OutcomeKind = "wrong output"     // validation found a fault
	Regression     OutcomeKind = "regression"       // worse beyond the threshold, or unequal where equal was asked for
	Failed         OutcomeKind = "failed"           // runs failed, or nothing could be compared
	SelfTestFailed OutcomeKind = "self-test failed" // a program was found to differ from itself
	NotConclusive  OutcomeKind = "inconclusive"     // an open question, where --strict asks for none
	NoRegression   OutcomeKind = "no regression"
	SelfTestPassed OutcomeKind = "self-test passed"
	NoOutcome      OutcomeKind = "" // still running
)

// Outcome is the whole in one sentence, with a reason a line.
type Outcome struct {
	Kind    OutcomeKind `json:"kind"`
	Text    string      `json:"text"`
	Reasons []string    `json:"reasons,omitempty"`
}

// Input describes the fixture that both sides read.
type Input struct {
	Path    string `json:"path"`
	SHA256  string `json:"footer_sha256"`
	Rows    int64  `json:"rows"`
	Bytes   int64  `json:"bytes"`
	Columns string `json:"columns,omitempty"`
}

// Plan is what was asked for.
type Plan struct {
	Rounds     int         `json:"rounds"`
	Warmups    int         `json:"warmups"` // a side and case
	Thresholds []Threshold `json:"thresholds"`
	Equal      []string    `json:"equal"` // exact columns that must be equal
	Strict     bool        `json:"strict"`
	SelfTest   bool        `json:"self_test"`
	Validate   bool        `json:"validate"`
	Paired     bool        `json:"paired"`
	CoolDown   float64     `json:"cool_down_secs,omitempty"` // pause before each run
	CPUs       []int       `json:"cpus,omitempty"`           // that the runs were pinned to
	OutputDir  string      `json:"output_dir"`               // where the runs wrote
}

// Threshold is the least change of a metric that counts, as a fraction.
type Threshold struct {
	Metric string  `json:"metric"` // as it was named: time
	Column string  `json:"column"` // write_secs
	Least  float64 `json:"least"`
}

// Variant is one side of a comparison.
type Variant struct {
	Side     stats.Side    `json:"side"`
	Name     string        `json:"name"` // as it was asked for: v1.2, HEAD, a command
	Revision string        `json:"revision,omitempty"`
	Subject  string        `json:"subject,omitempty"` // of the commit
	Dirty    bool          `json:"dirty,omitempty"`   // a commit made of a working tree with changes
	Repo     string        `json:"repo,omitempty"`
	BuiltBy  string        `json:"built_by,omitempty"` // command line
	Tools    string        `json:"toolchain,omitempty"`
	Secs     float64       `json:"build_secs,omitempty"`
	Cached   bool          `json:"build_cached,omitempty"`
	Binary   string        `json:"binary,omitempty"`
	SHA256   string        `json:"binary_sha256,omitempty"`
	Program  metrics.Build `json:"program,omitzero"`   // as the binary describes itself
	Args     []string      `json:"args,omitempty"`     // on top of the case's
	Template string        `json:"template,omitempty"` // of a command, with its placeholders
}

// Label is the name with the short commit, where the name is not that.
func (v *Variant) Label() string {
	name, short := v.Name, v.Revision[:min(shortRevision, len(v.Revision))]
	if name == "." {
		name = "working tree"
	}
	if v.Template != "" && short == "" {
		name = shorten(name)
	}
	switch {
	case v.Dirty:
		return name + ", changed, as " + short
	case short == "" || name == "" || strings.HasPrefix(v.Revision, name):
		return orElse(short, name)
	}
	return name + " " + short
}

const shortRevision = 12

// shorten makes a command fit into a heading.
func shorten(command string) string {
	const most = 40
	if i := strings.IndexByte(command, ' '); i > 0 {
		command = path.Base(command[:i]) + command[i:]
	}
	if r := []rune(command); len(r) > most {
		return string(r[:most-1]) + "…"
	}
	return command
}

func orElse(s, other string) string {
	if s == "" {
		return other
	}
	return s
}

// Saved is where and when the base's rows were measured, if not side by side.
type Saved struct {
	File    string          `json:"file"`
	Started time.Time       `json:"started"`
	Machine metrics.Machine `json:"machine"`
}

// Case is one canonical set of options, compared.
type Case struct {
	Name    string   `json:"name"`
	Options []Option `json:"options"`
	// Base and Head are the command lines; RUN stands for a run's directory.
	Base []string `json:"base_command,omitempty"`
	Head []string `json:"head_command,omitempty"`
	// Lone says why the case cannot be compared, "" if it can.
	Lone    string     `json:"lone,omitempty"`
	Only    stats.Side `json:"only,omitempty"` // the side that has a lone case
	Judged  []Judged   `json:"judged"`
	Exact   []Exact    `json:"exact"`
	Figures []Paired   `json:"figures"` // measured, shown and not judged
	Runs    Tallies    `json:"runs"`
}

// Option is a flag of write with its value.
type Option struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// Judged is a metric with a verdict.
type Judged struct {
	Metric string `json:"metric"`
	Column string `json:"column"`
	*stats.Comparison
}

// Exact is a column that is compared for equality.
type Exact struct {
	Column string `json:"column"`
	stats.Exact
	// Required marks a column that must be equal; Threshold one that must not
	// grow by more. Broken says that it is not so.
	Required  bool     `json:"required,omitempty"`
	Threshold *float64 `json:"threshold,omitempty"`
	Ratio     float64  `json:"ratio,omitempty"` // of the only values, if numbers
	Broken    bool     `json:"broken,omitempty"`
}

// Paired is a figure of both sides.
type Paired struct {
	Column string  `json:"column"`
	Base   *Figure `json:"base,omitempty"`
	Head   *Figure `json:"head,omitempty"`
}

// Tallies count the runs of a case, warm-ups left out.
type Tallies struct {
	Base Tally `json:"base"`
	Head Tally `json:"head"`
}

// Tally counts the runs of one side.
type Tally struct {
	Runs       int    `json:"runs"`
	Proved     int    `json:"proved"`
	Unverified int    `json:"unverified"`
	Faulty     int    `json:"faulty"` // wrong output
	Failed     int    `json:"failed"` // ended badly
	First      string `json:"first_failure,omitempty"`
}

// Overall is one metric over all cases.
type Overall struct {
	Metric string `json:"metric"`
	stats.Overall
}

// JSON writes the whole as one indented object.
func (c *Comparison) JSON(w io.Writer) error {
	out := *c
	out.Version = ComparisonVersion
	out.Cases, out.Notes, out.Rows = orEmpty(c.Cases), orEmpty(c.Notes), orEmpty(c.Rows)
	enc := json.NewEncoder(w)
	enc.SetIndent("", "  ")
	enc.SetEscapeHTML(false)
	return enc.Encode(&out)
}

// CSV writes the rows alone.
func (c *Comparison) CSV(w io.Writer) error { return writeRows(w, c.Rows) }
