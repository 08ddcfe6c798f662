package compare

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/shufflebench/shufflebench/internal/report"
	"github.com/shufflebench/shufflebench/internal/stats"
	"github.com/shufflebench/shufflebench/pkg/metrics"
)

// TestGateFires: a revision whose rows say 20 % more time is called worse, and
// everything about the schedule is as it should be.
func TestGateFires(t *testing.T) {
	t.Parallel()
	p := newProject(t)
	p.edit("claims", `"0.0240"`)
	slow := p.commit("slower")
	self := testSelf(t)
	before := p.git("status", "--porcelain") + p.git("worktree", "list") + p.git("for-each-ref")
	cfg := p.config("HEAD~1", "main")
	c := p.mustRun(cfg, self)
	wantOutcome(t, c, report.Regression)
	if got := verdictsOf(c); got != "time worse, rss no difference" {
		t.Errorf("verdicts: %s", got)
	}
	if c.Head.Revision != slow || c.Base.Revision != p.git("rev-parse", "HEAD~1") || c.Head.Subject != "slower" {
		t.Errorf("compared %s with %s (%s)", c.Base.Revision, c.Head.Revision, c.Head.Subject)
	}
	if after := p.git("status", "--porcelain") + p.git("worktree", "list") + p.git("for-each-ref"); after != before {
		t.Errorf("the repository changed from\n%s\nto\n%s", before, after)
	}
	checkSchedule(t, c)
	checkDirectory(t, cfg.Out, c)
}

// TestGateFiresForReal: a revision that really sleeps 20 % longer. A machine
// that is too busy to tell must say so, and never the opposite.
func TestGateFiresForReal(t *testing.T) {
	if testing.Short() {
		t.Skip("takes ten rounds of sleeping")
	}
	p := newProject(t)
	p.edit("claims", `""`, "work", "250 * time.Millisecond")
	p.commit("real")
	p.edit("work", "300 * time.Millisecond")
	p.commit("slower")
	cfg := p.config("HEAD~1", "HEAD")
	cfg.Rounds = 10
	c := p.mustRun(cfg, testSelf(t))
	secs := c.Cases[0].Judged[0]
	switch {
	case secs.Verdict == stats.Worse:
		wantOutcome(t, c, report.Regression)
	case secs.Verdict == stats.Inconclusive && secs.Gauge.Swing > 0.2:
		t.Skipf("the machine is too busy to tell: its gauge swings by %.0f%%; %s", 100*secs.Gauge.Swing, secs.Explain())
	default:
		t.Errorf("20%% more time is called %s", secs.Explain())
	}
}

// checkSchedule: a warm-up a side, then rounds whose order flips, each run
// started after the one before.
func checkSchedule(t *testing.T, c *report.Comparison) {
	t.Helper()
	var order []string
	last := ""
	for _, r := range c.Rows {
		order = append(order, r.Variant[:1])
		if r.Started <= last {
			t.Errorf("run %d started at %s, the one before at %s", len(order), r.Started, last)
		}
		last = r.Started
		if r.Verified != metrics.Proved || r.GaugeSecs <= 0 || r.BinarySHA256 == "" || r.RowVersion != metrics.RowVersion {
			t.Errorf("row %d: %s, gauge %v, binary %q", len(order), r.Verified, r.GaugeSecs, r.BinarySHA256)
		}
		if r.ProcessSecs <= 0 || r.ProcessRSSMiB <= 0 {
			t.Errorf("row %d: a process of %v s with %v MiB", len(order), r.ProcessSecs, r.ProcessRSSMiB)
		}
	}
	if got := strings.Join(order, ""); got != "bh"+"bhhbbhhbbhhb" {
		t.Errorf("the runs are %s", got)
	}
	if r := c.Rows[4]; r.Round != 2 || r.Slot != 1 || r.Variant != "head" || r.Repeat != 3 || r.Warmup || !c.Rows[0].Warmup {
		t.Errorf("the fifth run is round %d, slot %d, %s, repeat %d", r.Round, r.Slot, r.Variant, r.Repeat)
	}
}

// checkDirectory: the files are there, say the same, and nothing else is left.
func checkDirectory(t *testing.T, dir string, c *report.Comparison) {
	t.Helper()
	if got := tree(t, dir); got != "commands.sh\ncompare.json\nsamples.csv\n" {
		t.Errorf("the directory holds\n%s", got)
	}
	rows, err := ReadRows(filepath.Join(dir, SamplesFile))
	if err != nil || len(rows) != len(c.Rows) {
		t.Fatalf("%d rows in the file, %v", len(rows), err)
	}
	for i := range rows {
		if got, want := strings.Join(rows[i].Record(), ","), strings.Join(c.Rows[i].Record(), ","); got != want {
			t.Errorf("row %d is\n%s in the file, and\n%s", i, got, want)
		}
	}
	again, err := Load(dir)
	if err != nil {
		t.Fatal(err)
	}
	var a, b strings.Builder
	if err := again.JSON(&a); err != nil {
		t.Fatal(err)
	}
	if err := c.JSON(&b); err != nil {
		t.Fatal(err)
	}
	if a.String() != b.String() {
		t.Error("what is loaded differs from what was stored")
	}
}

// TestNothingIsFound: two commits that differ in no code are not called
// different, and share nothing but the cache.
func TestNothingIsFound(t *testing.T) {
	t.Parallel()
	p := newProject(t)
	p.write("README.md", "text")
	p.git("add", "--all")
	p.commit("words")
	self := testSelf(t)
	log := filepath.Join(t.TempDir(), "validated")
	self.Env = append(self.Env, "VALIDATE_LOG="+log)
	c := p.mustRun(p.config("HEAD~1", "HEAD"), self)
	wantOutcome(t, c, report.NoRegression)
	for _, rc := range c.Cases {
		for _, j := range rc.Judged {
			if j.Verdict.Difference() {
				t.Errorf("%s: %s", j.Metric, j.Explain())
			}
		}
		for _, e := range rc.Exact {
			if e.Result != "equal" {
				t.Errorf("%s: %s", e.Column, e.String())
			}
		}
	}
	text, err := os.ReadFile(log)
	if err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(string(text), "\n"); n != 1 {
		t.Errorf("equal output was proved %d times:\n%s", n, text)
	}
	if !strings.Contains(string(text), "--input=/input.parquet") || !strings.Contains(string(text), "--partitions=200") || !strings.Contains(string(text), "--hash-columns=0") {
		t.Errorf("proved with %s", text)
	}
	again := p.mustRun(p.config("HEAD~1", "HEAD"), self)
	if !again.Base.Cached || !again.Head.Cached || c.Base.Cached {
		t.Error("the second comparison built anew")
	}
}

func TestSelfTest(t *testing.T) {
	t.Parallel()
	p := newProject(t)
	cfg := p.config("HEAD", "")
	cfg.SelfTest = true
	c := p.mustRun(cfg, testSelf(t))
	wantOutcome(t, c, report.SelfTestPassed)
	if c.SelfTest == nil || c.SelfTest.Differences != 0 || c.SelfTest.Comparisons != 2 {
		t.Errorf("self-test: %+v", c.SelfTest)
	}
	cfg = p.config("HEAD", "main")
	if _, err := p.run(cfg, testSelf(t)); err == nil || !strings.Contains(err.Error(), "same commit") {
		t.Errorf("A against A without --self-test: %v", err)
	}
}
