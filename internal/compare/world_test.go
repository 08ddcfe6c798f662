package compare

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/shufflebench/shufflebench/internal/report"
)

// fakeValidate is the validator of these tests: a data file that says
// "good" is right.
func fakeValidate(args []string) int {
	dir := ""
	for _, a := range args {
		if v, ok := strings.CutPrefix(a, "--output="); ok {
			dir = filepath.Join(v, "task_0", "data.out")
		}
		if v, ok := strings.CutPrefix(a, "--data="); ok {
			dir = v
		}
	}
	if log := os.Getenv("VALIDATE_LOG"); log != "" {
		f, err := os.OpenFile(log, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o666)
		if err == nil {
			fmt.Fprintln(f, strings.Join(args, " "))
			f.Close()
		}
	}
	text, err := os.ReadFile(dir)
	switch {
	case err != nil:
		fmt.Fprintln(os.Stderr, "shufflebench:", err)
		return 1
	case string(text) == "good":
		return 0
	}
	fmt.Println(`{"valid": false}`)
	fmt.Fprintln(os.Stderr, "shufflebench: the output is faulty: block 0")
	return exitFault
}

// project is a small repository whose program speaks the protocol.
type project struct {
	t   *testing.T
	dir string
}

func newProject(t *testing.T) *project {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not installed")
	}
	p := &project{t, filepath.Join(t.TempDir(), "project")}
	text, err := os.ReadFile("testdata/program/main.go.txt")
	if err != nil {
		t.Fatal(err)
	}
	p.write("go.mod", "module example.org/program\n\ngo 1.26\n")
	p.write("cmd/shufflebench/main.go", string(text))
	p.git("init", "--quiet", "--initial-branch=main")
	p.git("add", "--all")
	p.commit("first")
	return p
}

func (p *project) write(name, text string) {
	p.t.Helper()
	name = filepath.Join(p.dir, name)
	if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
		p.t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
		p.t.Fatal(err)
	}
}

func (p *project) git(args ...string) string {
	p.t.Helper()
	cmd := exec.Command("git", append([]string{"-C", p.dir, "-c", "user.name=a", "-c", "user.email=a@b"}, args...)...)
	out, err := cmd.CombinedOutput()
	if err != nil {
		p.t.Fatalf("git %q: %v: %s", args, err, out)
	}
	return strings.TrimSpace(string(out))
}

func (p *project) commit(subject string) string {
	p.git("commit", "--quiet", "--all", "--allow-empty", "-m", subject)
	return p.git("rev-parse", "HEAD")
}

// edit changes constants of the program: edit("work", "72 * time.Millisecond").
func (p *project) edit(constants ...string) {
	p.t.Helper()
	name := filepath.Join(p.dir, "cmd/shufflebench/main.go")
	text, err := os.ReadFile(name)
	if err != nil {
		p.t.Fatal(err)
	}
	lines := strings.Split(string(text), "\n")
	for i := 0; i < len(constants); i += 2 {
		for j, l := range lines {
			if strings.HasPrefix(l, "\t"+constants[i]+" ") && strings.Contains(l, "=") {
				lines[j] = "\t" + constants[i] + " = " + constants[i+1]
			}
		}
	}
	if err := os.WriteFile(name, []byte(strings.Join(lines, "\n")), 0o666); err != nil {
		p.t.Fatal(err)
	}
}

// config compares main with head in one small case.
func (p *project) config(base, head string) Config {
	p.t.Helper()
	one, err := ParseCase("200p_1task")
	if err != nil {
		p.t.Fatal(err)
	}
	return Config{
		Base: Source{Rev: base}, Head: Source{Rev: head}, Repo: p.dir, Cases: one, Rounds: 6,
		Input: report.Input{Path: "/input.parquet", SHA256: "abc", Rows: 1000, Bytes: 8000},
		Out:   filepath.Join(p.t.TempDir(), "out"), Command: []string{"compare"},
	}
}

func (p *project) run(cfg Config, self *Self) (*report.Comparison, error) {
	p.t.Helper()
	return Run(p.t.Context(), cfg, *self, Hooks{Say: p.t.Logf})
}

func (p *project) mustRun(cfg Config, self *Self) *report.Comparison {
	p.t.Helper()
	c, err := p.run(cfg, self)
	if err != nil {
		p.t.Fatal(err)
	}
	return c
}

func wantOutcome(t *testing.T, c *report.Comparison, want report.OutcomeKind) {
	t.Helper()
	if c.Outcome.Kind != want {
		t.Errorf("the outcome is %q (%q), want %q", c.Outcome.Text, c.Outcome.Reasons, want)
	}
}

func verdictsOf(c *report.Comparison) string {
	var out []string
	for _, rc := range c.Cases {
		for _, j := range rc.Judged {
			out = append(out, fmt.Sprintf("%s %s", j.Metric, j.Verdict))
		}
	}
	return strings.Join(out, ", ")
}

// tree lists a directory, for "nothing was left behind".
func tree(t *testing.T, dir string) string {
	t.Helper()
	var b bytes.Buffer
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err == nil && path != dir {
			rel, _ := filepath.Rel(dir, path)
			fmt.Fprintln(&b, rel)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return b.String()
}
