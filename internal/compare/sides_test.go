package compare

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/shufflebench/shufflebench/internal/report"
	"github.com/shufflebench/shufflebench/internal/stats"
	"github.com/shufflebench/shufflebench/pkg/metrics"
)

// TestDirtyTree: "." is the tree as it is, and stays as it is.
func TestDirtyTree(t *testing.T) {
	t.Parallel()
	p := newProject(t)
	self := testSelf(t)
	p.write("cmd/shufflebench/more.go", "package main\n\nvar unused = 1\n") // untracked
	p.write("ignored", "x")
	p.write("compare-20250101-120000/compare.json", "{}")
	p.write(".gitignore", "ignored\n")
	p.edit("claims", `"0.0240"`)
	p.git("add", ".gitignore") // staged
	before := p.git("status", "--porcelain=v2", "--ignored") + p.git("diff") + p.git("diff", "--cached")
	cfg := p.config("main", "")
	cfg.Out = filepath.Join(p.dir, "result")
	c := p.mustRun(cfg, self)
	wantOutcome(t, c, report.Regression)
	if !c.Head.Dirty || c.Head.Name != "." || c.Base.Dirty || !strings.Contains(c.Head.Label(), "working tree, changed") {
		t.Errorf("head is %q (%+v)", c.Head.Label(), c.Head)
	}
	first := c.Head.Revision
	again, err := openRepo(t.Context(), p.dir, self.Env)
	if err != nil {
		t.Fatal(err)
	}
	if id, err := again.resolve(t.Context(), ".", cfg.Out); err != nil || id.id != first {
		t.Errorf("the same tree is %v now, %v; it was %s", id, err, first)
	}
	if got := p.git("ls-tree", "-r", "--name-only", first); got != ".gitignore\ncmd/shufflebench/main.go\ncmd/shufflebench/more.go\ngo.mod" {
		t.Errorf("the commit of the tree holds\n%s", got)
	}
	if err := os.RemoveAll(cfg.Out); err != nil {
		t.Fatal(err)
	}
	if after := p.git("status", "--porcelain=v2", "--ignored") + p.git("diff") + p.git("diff", "--cached"); after != before {
		t.Errorf("the tree changed from\n%s\nto\n%s", before, after)
	}
	p.git("add", "--all")
	p.commit("all of it")
	if id, err := again.resolve(t.Context(), "."); err != nil || id.dirty || id.id != p.git("rev-parse", "HEAD") {
		t.Errorf("a tree without changes is %+v, %v", id, err)
	}
}

// TestOtherProjects: a build command, a run command in the worktree, its output.
func TestOtherProjects(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("needs sh")
	}
	p := newProject(t)
	p.write("tool.sh", "#!/bin/sh\nset -e\ntest \"$(pwd)\" = \"$8\"\nmkdir -p $2/task_0\nprintf good > $2/task_0/data.out\nprintf i > $2/task_0/index.out\n"+
		"test $1 = /input.parquet; test $3 = 200; test $4 = 1; test $5 = 8192; test $6 = lz4; test -d $7\n")
	p.git("add", "--all")
	p.commit("tool")
	p.write("tool.sh", "#!/bin/sh\nmkdir -p $2\necho x > $2/other\n")
	p.commit("leaves nothing")
	cfg := p.config("HEAD~1", "HEAD")
	cfg.Build = "cp tool.sh {worktree}/built.sh && chmod +x built.sh"
	cfg.Run = "./built.sh {input} {output} {partitions} {tasks} {batch} {codec} {tmp} {worktree}"
	c := p.mustRun(cfg, testSelf(t))
	if c.Outcome.Kind != report.NoRegression && c.Outcome.Kind != report.Regression {
		t.Errorf("outcome %q: %q", c.Outcome.Text, c.Outcome.Reasons)
	}
	runs := c.Cases[0].Runs
	if runs.Base.Proved != 6 || runs.Head.Unverified != 6 || runs.Base.Runs != 6 {
		t.Errorf("tallies are %+v", runs)
	}
	if j := c.Cases[0].Judged[0]; j.Column != "process_secs" || j.N != 6 {
		t.Errorf("judged by %s with %d pairs", j.Column, j.N)
	}
	if j := c.Cases[0].Judged[1]; j.Column != "process_rss_mib" || j.N != 6 {
		t.Errorf("judged by %s with %d pairs", j.Column, j.N)
	}
	if len(c.Notes) == 0 || !strings.Contains(strings.Join(c.Notes, "\n"), "head of 200p_1task leaves no pair of data and index file") {
		t.Errorf("notes are %q", c.Notes)
	}
	r := c.Rows[len(c.Rows)-1]
	if r.Partitions != 200 || r.Tasks != 1 || r.BatchSize != 8192 || r.Codec != "lz4" || r.HashColumns != "0" {
		t.Errorf("asked for: %+v", r)
	}
}

// TestCommands: any two commands, one of which speaks rows.
func TestCommands(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("needs sh")
	}
	p := newProject(t)
	script := `mkdir -p {output}; printf bad > {output}/x.data; printf i > {output}/x.index; echo '` +
		strings.Join(metrics.ColumnNames()[:14], ",") + "' > {csv}; echo 'x,,1,false,0.001,1,,,,,,,,' >> {csv}"
	cfg := p.config("", "")
	cfg.Base, cfg.Head = Source{Cmd: "sh -c 'true # {partitions}'"}, Source{Cmd: "sh -c '" + strings.ReplaceAll(script, "'", `'\''`) + "'"}
	cfg.Rounds, cfg.NoValidate = 1, true
	c := p.mustRun(cfg, testSelf(t))
	wantOutcome(t, c, report.NoRegression)
	last := c.Rows[len(c.Rows)-1]
	if last.WriteSecs != 0.001 || last.OutputBytesPerTask != 3 || last.OutputSHA256 == "" || last.Failure != "" {
		t.Errorf("head's row: %v s, %v bytes, failure %q", last.WriteSecs, last.OutputBytesPerTask, last.Failure)
	}
	if j := c.Cases[0].Judged[0]; j.Column != "process_secs" {
		t.Errorf("an inside figure is compared with an outside one: %s", j.Column)
	}
	cfg.NoValidate, cfg.Out = false, cfg.Out+"2"
	c = p.mustRun(cfg, testSelf(t))
	wantOutcome(t, c, report.WrongOutput)
}

// TestSaved: head against rows of another time.
func TestSaved(t *testing.T) {
	t.Parallel()
	p := newProject(t)
	p.edit("claims", `"0.0240"`)
	p.commit("slower")
	self := testSelf(t)
	cfg := p.config("HEAD~1", "HEAD~1")
	cfg.Base, cfg.SelfTest = Source{}, true
	cfg.Rounds, cfg.Save = 4, filepath.Join(t.TempDir(), "saved.json")
	p.mustRun(cfg, self)

	cfg = p.config("", "HEAD")
	cfg.Baseline, cfg.Rounds = filepath.Join(filepath.Dir(cfg.Out), "none"), 4
	if _, err := p.run(cfg, self); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("no such file: %v", err)
	}
	saved, err := filepath.Glob(filepath.Join(filepath.Dir(filepath.Dir(cfg.Out)), "*", "saved.json"))
	if err != nil || len(saved) != 1 {
		t.Fatal(saved, err)
	}
	cfg.Baseline = saved[0]
	c := p.mustRun(cfg, self)
	wantOutcome(t, c, report.Regression)
	j := c.Cases[0].Judged[0]
	if j.Paired || j.Threshold != 0.06 || j.Verdict != stats.Worse || c.Saved == nil || c.Base.Revision == c.Head.Revision {
		t.Errorf("%s; saved %+v", j.Explain(), c.Saved)
	}
	if len(c.Rows) != 5 || c.Rows[1].Slot != 0 || c.Rows[1].Round != 1 {
		t.Errorf("%d rows", len(c.Rows))
	}

	text, err := os.ReadFile(saved[0])
	if err != nil {
		t.Fatal(err)
	}
	other := strings.Replace(string(text), `"cores_logical": `, `"cores_logical": 9`, 1)
	if err := os.WriteFile(saved[0], []byte(other), 0o666); err != nil {
		t.Fatal(err)
	}
	cfg.Out += "2"
	if _, err := p.run(cfg, self); err == nil || !strings.Contains(err.Error(), "another machine (cores 9") {
		t.Errorf("another machine: %v", err)
	}
	cfg.OtherMachine, cfg.Rounds = true, 1
	p.mustRun(cfg, self)
	cfg.Out += "3"
	cfg.Input.SHA256 = "other"
	if _, err := p.run(cfg, self); err == nil || !strings.Contains(err.Error(), "another input") {
		t.Errorf("another input: %v", err)
	}
}

func TestRefusals(t *testing.T) {
	t.Parallel()
	p := newProject(t)
	p.commit("empty")
	for want, change := range map[string]func(*Config){
		"no revision \"nope\"":             func(c *Config) { c.Head.Rev = "nope" },
		"\"-x\" is no revision":            func(c *Config) { c.Head.Rev = "-x" },
		"is no git repository":             func(c *Config) { c.Repo = t.TempDir() },
		"base and head are the same":       func(c *Config) { c.Base, c.Head = Source{}, Source{} },
		"name head twice":                  func(c *Config) { c.Head.Cmd = "x" },
		"no case to compare":               func(c *Config) { c.Cases = nil },
		"named twice":                      func(c *Config) { c.Cases = append(c.Cases, c.Cases...) },
		"is not between 1 and":             func(c *Config) { c.Rounds = -1 },
		"is no exact column":               func(c *Config) { c.Equal = []string{"write_secs"} },
		"is no flag":                       func(c *Config) { c.Args = []string{"zstd"} },
		"belongs to the comparison":        func(c *Config) { c.Args = []string{"--csv=x"} },
		"unknown flag of base's write":     func(c *Config) { c.Args = []string{"--codek=x"} },
		"name --base and --head":           func(c *Config) { c.Base, c.Head, c.Build = Source{Cmd: "a"}, Source{Cmd: "b"}, "x" },
		"no placeholder is called {inptu}": func(c *Config) { c.Build, c.Run = "true", "./x {inptu}" },
		"exit status 3: first; why":        func(c *Config) { c.Build, c.Run = "echo first; echo why; exit 3", "./x" },
		"the build made no {bin}":          func(c *Config) { c.Build = "true" },
		"would not run with codec=zstd":    func(c *Config) { c.Run, c.Cases[0].set["codec"] = "go version", "zstd" },
		"holds a comparison already": func(c *Config) {
			if err := errors.Join(os.MkdirAll(c.Out, 0o777), os.WriteFile(filepath.Join(c.Out, ResultFile), nil, 0o666)); err != nil {
				t.Fatal(err)
			}
		},
	} {
		cfg := p.config("HEAD~1", "HEAD")
		change(&cfg)
		_, err := p.run(cfg, testSelf(t))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want one with %q", err, want)
		}
	}
	if out := p.git("worktree", "list"); strings.Count(out, "\n") != 0 {
		t.Errorf("worktrees are left:\n%s", out)
	}
}

func TestDraft(t *testing.T) {
	t.Parallel()
	p := newProject(t)
	p.commit("second")
	cfg := p.config("HEAD~1", "HEAD")
	o, err := Draft(t.Context(), cfg, *testSelf(t))
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	if err := o.Print(&b, 6, 1, "time=3%"); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"base: HEAD~1 ", "(first)", "(second)", "14 runs", "base first, head first, base first, …",
		"shufflebench write --input=/input.parquet --output-dir=RUN/out --csv=RUN/rows.csv", "--partitions=200",
	} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("no %q in\n%s", want, b.String())
		}
	}
	if _, err := os.Stat(cfg.Out); !errors.Is(err, os.ErrNotExist) {
		t.Error("a draft made something")
	}
}
