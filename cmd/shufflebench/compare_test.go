package main

import (
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/shufflebench/shufflebench/internal/compare"
	"github.com/shufflebench/shufflebench/internal/report"
)

// TestCompareInterruptedAtAnyMoment: whenever the signal comes, the directory
// holds whole rows and nothing of the unfinished run, or is not there.
func TestCompareInterruptedAtAnyMoment(t *testing.T) {
	input := testFixture(t, 50_000)
	seed := uint64(time.Now().UnixNano())
	r := rand.New(rand.NewPCG(seed, 0))
	runs := 5
	if testing.Short() {
		runs = 3
	}
	kept := 0
	for range runs {
		tmp := t.TempDir()
		t.Setenv("TMPDIR", tmp)
		out := filepath.Join(t.TempDir(), "cmp")
		st, signals, _, talk := inProcess(t, "compare", "--input", input, "--self-test", "--rounds", "1000", "--out", out, "--case", "2000p_2tasks,max-buffer-bytes=1,batch-size=512")
		delay := 300*time.Millisecond + time.Duration(r.IntN(1500))*time.Millisecond
		time.AfterFunc(delay, func() { signals <- os.Interrupt })
		if code := run(st); code != exitInterrupted {
			t.Fatalf("seed %d, after %v: exit code %d: %s", seed, delay, code, talk)
		}
		left, err := filesBelow(tmp)
		if err != nil || len(left) > 0 {
			t.Errorf("seed %d, after %v: left in the temporary directory: %q, %v", seed, delay, left, err)
		}
		kept += checkInterrupted(t, out)
	}
	if kept == 0 {
		t.Log("no interrupt came late enough for a row")
	}
}

// checkInterrupted gives the number of rows.
func checkInterrupted(t *testing.T, out string) int {
	t.Helper()
	if _, err := os.Stat(out); os.IsNotExist(err) {
		return 0
	}
	var names []string
	entries, err := os.ReadDir(out)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		names = append(names, e.Name())
	}
	if want := []string{compare.CommandsFile, compare.ResultFile, compare.SamplesFile}; !slices.Equal(names, want) {
		t.Errorf("the directory holds %q", names)
	}
	c, err := compare.Load(out)
	if err != nil {
		t.Fatal(err)
	}
	rows, err := compare.ReadRows(filepath.Join(out, compare.SamplesFile))
	if err != nil || len(rows) != len(c.Rows) || c.Outcome.Kind != report.Stopped {
		t.Errorf("%d rows in the file, %d in the result, %v; outcome %q", len(rows), len(c.Rows), err, c.Outcome.Text)
	}
	return len(rows)
}

// TestCompareRevisions builds this program's own default command from two
// commits of a repository; the program there only hands on to this one.
func TestCompareRevisions(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("no git")
	}
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip("no go")
	}
	repo := handOnRepository(t)
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	out := filepath.Join(t.TempDir(), "cmp")
	st, _, stdout, talk := inProcess(t, "compare", "--repo", repo, "--base", "HEAD~1", "--input", testFixture(t, 20_000), "--rounds", "1", "--out", out, "--case", "16p_1task")
	if code := run(st); code != exitOK {
		t.Fatalf("exit code %d: %s", code, talk)
	}
	c, err := compare.Load(out)
	if err != nil {
		t.Fatal(err)
	}
	if n := c.Cases[0].Runs; n.Base.Proved != 1 || n.Head.Proved != 1 || len(c.Rows) != 4 {
		t.Errorf("tallies are %+v: %s", n, stdout)
	}
	if r := c.Rows[3]; r.Engine != "segments" || r.WriteSecs <= 0 || r.MaxRSSMiB <= 0 || r.ProcessRSSMiB < r.MaxRSSMiB*0.9 {
		t.Errorf("head's row: engine %s, %v s, %v MiB, %v MiB from outside", r.Engine, r.WriteSecs, r.MaxRSSMiB, r.ProcessRSSMiB)
	}
}

// handOnRepository has two commits of a program that starts this test's binary.
func handOnRepository(t *testing.T) string {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	text := `package main

import (
	"os"
	"os/exec"
)

func main() {
	cmd := exec.Command("` + exe + `", os.Args[1:]...)
	cmd.Args[0], cmd.Stdin, cmd.Stdout, cmd.Stderr = "shufflebench", os.Stdin, os.Stdout, os.Stderr
	if cmd.Run() != nil {
		os.Exit(1)
	}
}
`
	for name, text := range map[string]string{"go.mod": "module example.org/x\n\ngo 1.26\n", "cmd/shufflebench/main.go": text} {
		name = filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for _, args := range [][]string{
		{"init", "--quiet"}, {"add", "--all"}, {"commit", "--quiet", "-m", "first"}, {"commit", "--quiet", "--allow-empty", "-m", "second"},
	} {
		cmd := exec.Command("git", append([]string{"-C", dir, "-c", "user.name=a", "-c", "user.email=a@b"}, args...)...)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %q: %v: %s", args, err, out)
		}
	}
	return dir
}
