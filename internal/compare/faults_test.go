package compare

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/shufflebench/shufflebench/internal/report"
	"github.com/shufflebench/shufflebench/internal/stats"
	"github.com/shufflebench/shufflebench/pkg/metrics"
)

// TestWrongOutput: a row that says so, no verdict, the output kept once.
func TestWrongOutput(t *testing.T) {
	t.Parallel()
	p := newProject(t)
	p.edit("content", `"bad"`)
	p.commit("wrong")
	cfg := p.config("HEAD~1", "HEAD")
	cfg.Warmups, cfg.Rounds = -1, 4
	c := p.mustRun(cfg, testSelf(t))
	wantOutcome(t, c, report.WrongOutput)
	if want := "200p_1task, head: validation: the output is faulty: block 0 (3 runs)"; len(c.Outcome.Reasons) == 0 || c.Outcome.Reasons[0] != want {
		t.Errorf("reasons are %q, want %q", c.Outcome.Reasons, want)
	}
	runs := c.Cases[0].Runs
	if runs.Head.Faulty != 3 || runs.Head.Proved != 0 || runs.Base.Proved != 3 {
		t.Errorf("tallies are %+v", runs) // given up after the third
	}
	if j := c.Cases[0].Judged[0]; j.Verdict != stats.TooFewPairs || j.N != 0 {
		t.Errorf("verdict: %s", j.Explain())
	}
	for _, r := range c.Rows {
		if (r.Variant == "head") != (r.Verified == metrics.Faulty) || (r.Failure == "") != (r.Variant == "base") {
			t.Errorf("a row of %s is %s: %q", r.Variant, r.Verified, r.Failure)
		}
	}
	want := `commands.sh
compare.json
failed
failed/200p_1task-head-1
failed/200p_1task-head-1/task_0
failed/200p_1task-head-1/task_0/data.out
failed/200p_1task-head-1/task_0/index.out
failed/200p_1task-head-1.findings.json
failed/200p_1task-head-1.stderr
failed/200p_1task-head-1.stdout
failed/200p_1task-head-2.findings.json
failed/200p_1task-head-2.stderr
failed/200p_1task-head-2.stdout
failed/200p_1task-head-3.findings.json
failed/200p_1task-head-3.stderr
failed/200p_1task-head-3.stdout
samples.csv
`
	if got := tree(t, cfg.Out); got != want {
		t.Errorf("the directory holds\n%s", got)
	}
}

// TestFailedRun: a warm-up that fails ends its case, and only that.
func TestFailedRun(t *testing.T) {
	t.Parallel()
	p := newProject(t)
	p.edit("dies", "true")
	p.commit("dies")
	cfg := p.config("HEAD~1", "HEAD")
	c := p.mustRun(cfg, testSelf(t))
	wantOutcome(t, c, report.Failed)
	if want := "200p_1task, head: exit status 7: out of luck"; len(c.Outcome.Reasons) != 1 || c.Outcome.Reasons[0] != want {
		t.Errorf("reasons are %q, want %q", c.Outcome.Reasons, want)
	}
	if len(c.Rows) != 2 || c.Rows[1].Failure != "exit status 7: out of luck" || metrics.Known(c.Rows[1].WriteSecs) || c.Rows[1].Verified != metrics.Unverified {
		t.Errorf("rows: %d, the last failed with %q", len(c.Rows), c.Rows[len(c.Rows)-1].Failure)
	}
	if said, err := os.ReadFile(filepath.Join(cfg.Out, "failed/200p_1task-head-1.stderr")); err != nil || !strings.Contains(string(said), "out of luck") {
		t.Errorf("what it said: %q, %v", said, err)
	}
}

// TestLyingRows: rows are held against the files, the input and the clock.
func TestLyingRows(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		edit []string
		want string
		kind report.OutcomeKind
	}{
		"rows":    {[]string{"rows", `"2000"`}, "wrote 2000 rows of an input with 1000", report.WrongOutput},
		"time":    {[]string{"claims", `"90.5"`}, "its row says 90.500 s, but the whole process took", report.Failed},
		"garbage": {[]string{"claims", `"fast"`}, "no proper row", report.Failed},
	} {
		t.Run(name, func(t *testing.T) {
			p := newProject(t)
			p.edit(c.edit...)
			p.commit("lies")
			cfg := p.config("HEAD~1", "HEAD")
			cfg.NoValidate = true
			got := p.mustRun(cfg, testSelf(t))
			wantOutcome(t, got, c.kind)
			if f := got.Rows[1].Failure; !strings.Contains(f, c.want) {
				t.Errorf("failure %q, want one with %q", f, c.want)
			}
			if got.Rows[0].Verified != metrics.Unverified {
				t.Errorf("without validation a row is %s", got.Rows[0].Verified)
			}
		})
	}
}

// TestLoneCase: what only one side can run is listed and in no overall ratio.
func TestLoneCase(t *testing.T) {
	t.Parallel()
	p := newProject(t)
	p.edit("flags", `"input,output-dir,csv,iterations,warmup,validate,partitions,concurrent-tasks,engine,codec"`)
	p.commit("knows codecs")
	cfg := p.config("HEAD~1", "HEAD")
	cfg.Rounds = 1
	more, err := ParseCase("200p_1task,codec=lz4")
	if err != nil {
		t.Fatal(err)
	}
	cfg.Cases = append(cfg.Cases, more...)
	c := p.mustRun(cfg, testSelf(t))
	wantOutcome(t, c, report.NoRegression)
	lone := c.Cases[1]
	if lone.Only != stats.Head || !strings.Contains(lone.Lone, `unknown flag of base's write "codec"`) || len(lone.Judged) != 0 {
		t.Errorf("lone case: only %s, %q", lone.Only, lone.Lone)
	}
	if c.Cases[0].Judged[0].Verdict != stats.TooFewPairs {
		t.Errorf("one round gives the verdict %s", c.Cases[0].Judged[0].Verdict)
	}
	o := c.Overall[0]
	if len(o.Cases) != 1 || len(o.Lone) != 1 || o.Lone[0].Only != stats.Head {
		t.Errorf("overall: %+v", o)
	}
	cfg.Cases, cfg.Out = more, cfg.Out+"2"
	if _, err := p.run(cfg, testSelf(t)); err == nil || !strings.Contains(err.Error(), "no case can be compared") {
		t.Errorf("a lone case alone: %v", err)
	}
	cfg.Base, cfg.Head = cfg.Head, Source{Rev: "HEAD", Args: []string{"--engine=ranges"}}
	_, err = p.run(cfg, testSelf(t))
	var unknown *UnknownNameError
	if !errors.As(err, &unknown) || unknown.What != "engine of head" || unknown.Got != "ranges" {
		t.Errorf("an engine that head lacks: %v", err)
	}
}

// TestStrict: too few pairs are inconclusive where that is asked for.
func TestStrict(t *testing.T) {
	t.Parallel()
	p := newProject(t)
	p.commit("empty")
	cfg := p.config("HEAD~1", "HEAD")
	cfg.Rounds, cfg.Strict = 1, true
	c := p.mustRun(cfg, testSelf(t))
	wantOutcome(t, c, report.NotConclusive)
	if want := "200p_1task, time: too few pairs: 1, a verdict needs 6"; c.Outcome.Reasons[0] != want {
		t.Errorf("reasons are %q, want %q first", c.Outcome.Reasons, want)
	}
}

// TestEqualIsRequired: exact columns that must be equal, or may not grow.
func TestEqualIsRequired(t *testing.T) {
	t.Parallel()
	p := newProject(t)
	p.edit("content", `"good" + more`, "claims", `"0.02"; more = ""`)
	text, err := os.ReadFile(filepath.Join(p.dir, "cmd/shufflebench/main.go"))
	if err != nil || !strings.Contains(string(text), "88,") {
		t.Fatal(err)
	}
	p.write("cmd/shufflebench/main.go", strings.Replace(string(text), ",88,", ",99,", 1))
	p.commit("spills more")
	for name, change := range map[string]func(*Config){
		"equal":     func(c *Config) { c.Equal = []string{"spills_per_task"} },
		"threshold": func(c *Config) { c.Thresholds, _ = ParseThresholds("spills=12%") },
	} {
		cfg := p.config("HEAD~1", "HEAD")
		cfg.Rounds = 1
		change(&cfg)
		c := p.mustRun(cfg, testSelf(t))
		wantOutcome(t, c, report.Regression)
		if len(c.Outcome.Reasons) != 1 || !strings.Contains(c.Outcome.Reasons[0], "spills_per_task: differs: base 88, head 99, and m") {
			t.Errorf("%s: reasons are %q", name, c.Outcome.Reasons)
		}
	}
}

// TestInterrupt: the run under way is abandoned, what is complete is reported.
func TestInterrupt(t *testing.T) {
	t.Parallel()
	p := newProject(t)
	p.edit("work", "200 * time.Millisecond")
	p.commit("slow")
	ctx, cancel := context.WithCancel(t.Context())
	runs := 0
	hooks := Hooks{Step: func(run, _ int, _ string) {
		if runs = run; run == 5 {
			time.AfterFunc(20*time.Millisecond, cancel)
		}
	}}
	cfg := p.config("HEAD~1", "HEAD")
	cfg.Rounds = 1000
	c, err := Run(ctx, cfg, *testSelf(t), hooks)
	if !errors.Is(err, context.Canceled) || c == nil {
		t.Fatalf("result %v, error %v", c, err)
	}
	wantOutcome(t, c, report.Stopped)
	if c.State != report.Interrupted || len(c.Rows) < 4 || len(c.Rows) > runs {
		t.Errorf("%s after %d runs with %d rows", c.State, runs, len(c.Rows))
	}
	if got := tree(t, cfg.Out); got != "commands.sh\ncompare.json\nsamples.csv\n" {
		t.Errorf("the directory holds\n%s", got)
	}
	ctx, cancel = context.WithCancel(t.Context())
	cancel()
	cfg.Out += "-2"
	if _, err := Run(ctx, cfg, *testSelf(t), Hooks{}); !errors.Is(err, context.Canceled) {
		t.Errorf("interrupted before the first run: %v", err)
	}
	if _, err := os.Stat(cfg.Out); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a directory was left: %v", err)
	}
}

// TestKilled: the rows of a driver that was killed are not lost.
func TestKilled(t *testing.T) {
	t.Parallel()
	p := newProject(t)
	p.commit("empty")
	cfg := p.config("HEAD~1", "HEAD")
	c := p.mustRun(cfg, testSelf(t))
	c.State, c.Outcome, c.Rows, c.Cases[0].Judged = report.Running, report.Outcome{}, nil, nil
	if err := replaceFile(filepath.Join(cfg.Out, ResultFile), c.JSON); err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(cfg.Out, SamplesFile)
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, text[:len(text)-40], 0o666); err != nil { // killed while writing
		t.Fatal(err)
	}
	got, err := Load(cfg.Out)
	if err != nil {
		t.Fatal(err)
	}
	if got.State != report.Interrupted || len(got.Rows) != 13 || got.Cases[0].Judged[0].N != 5 {
		t.Errorf("%s, %d rows, %d pairs", got.State, len(got.Rows), got.Cases[0].Judged[0].N)
	}
}
