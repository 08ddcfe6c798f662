package main

import (
	"bytes"
	"encoding/csv"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/shufflebench/shufflebench/internal/rundir"
	"github.com/shufflebench/shufflebench/pkg/fixture"
	"github.com/shufflebench/shufflebench/pkg/metrics"
)

// locked is an output that several goroutines write to.
type locked struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *locked) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *locked) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

// inProcess is a state whose process is this test; its children are the test
// binary under the program's name.
func inProcess(t *testing.T, args ...string) (st *state, signals chan os.Signal, out, talk *locked) {
	t.Helper()
	signals = make(chan os.Signal, 2)
	out, talk = &locked{}, &locked{}
	return &state{
		args: args, env: os.Getenv, environ: os.Environ(), stdin: strings.NewReader(""),
		stdout: stream{out, false}, stderr: stream{talk, false}, signals: signals, now: time.Now,
		exit: func(code int) { t.Errorf("exit(%d)", code) }, exe: os.Executable, name: "shufflebench",
	}, signals, out, talk
}

func testFixture(t *testing.T, rows int64) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "f.parquet")
	if err := fixture.MakeFile(name, fixture.Options{Rows: rows}); err != nil {
		t.Fatal(err)
	}
	return name
}

// TestInterruptAtAnyMoment: whenever the signal comes, nothing is left of the
// unfinished run, and the rows are whole.
func TestInterruptAtAnyMoment(t *testing.T) {
	input := testFixture(t, 50_000)
	seed := uint64(time.Now().UnixNano())
	r := rand.New(rand.NewPCG(seed, 0))
	kept, moments := 0, 20
	if testing.Short() {
		moments = 5
	}
	for i := range moments {
		dir, tmp := t.TempDir(), t.TempDir()
		t.Setenv("TMPDIR", tmp)
		rows := filepath.Join(dir, "rows.csv")
		args := []string{"write", "--input", input, "--partitions", "2000", "--max-buffer-bytes", "1", "--batch-size", "512",
			"--concurrent-tasks", "3", "--iterations", "1000", "--csv", rows}
		out := filepath.Join(dir, "out")
		if i%2 == 0 {
			args = append(args, "--output-dir", out)
		}
		st, signals, stdout, talk := inProcess(t, args...)
		delay := time.Duration(r.IntN(400)) * time.Millisecond
		time.AfterFunc(delay, func() { signals <- os.Interrupt })
		if code := run(st); code != exitInterrupted {
			t.Fatalf("seed %d, after %v: exit code %d: %s", seed, delay, code, talk)
		}
		if !strings.HasSuffix(talk.String(), "shufflebench: interrupted\n") {
			t.Errorf("seed %d, after %v: said %q", seed, delay, talk)
		}
		nothingLeft(t, tmp)
		wholeOutput(t, out)
		n := countRows(t, rows)
		kept += n
		if shown := strings.Contains(stdout.String(), "proved: "); shown != (n > 0) {
			t.Errorf("seed %d, after %v: %d rows in the CSV, but shown on the terminal: %v", seed, delay, n, shown)
		}
	}
	t.Logf("seed %d: %d rows were kept", seed, kept)
}

func nothingLeft(t *testing.T, dir string) {
	t.Helper()
	left, err := filesBelow(dir)
	if err != nil {
		t.Fatal(err)
	}
	if len(left) > 0 {
		t.Errorf("left behind: %q", left)
	}
}

// wholeOutput wants a complete output or none at all.
func wholeOutput(t *testing.T, out string) {
	t.Helper()
	left, err := filesBelow(out)
	if err != nil {
		t.Fatal(err)
	}
	if len(left) == 0 {
		return
	}
	if m, err := rundir.Read(out); err != nil || m.State != rundir.Complete {
		t.Errorf("output is neither whole nor gone: %q (%v)", left, err)
	}
}

func countRows(t *testing.T, name string) int {
	t.Helper()
	b, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	records, err := csv.NewReader(bytes.NewReader(b)).ReadAll()
	if err != nil || !bytes.HasSuffix(b, []byte("\n")) {
		t.Fatalf("the CSV is not whole: %v", err)
	}
	for _, rec := range records[1:] {
		if _, err := metrics.ParseRecord(records[0], rec); err != nil {
			t.Error(err)
		}
	}
	return len(records) - 1
}

// TestKillLeavesNoMixedPair: after kill -9 at any moment every index that is
// there fits its data file, and the directory can be written to again.
func TestKillLeavesNoMixedPair(t *testing.T) {
	skipProcesses(t)
	input := testFixture(t, 50_000)
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	out := filepath.Join(t.TempDir(), "out")
	r := rand.New(rand.NewPCG(uint64(time.Now().UnixNano()), 0))
	for range 8 {
		cmd := exec.Command(exe, "write", "--input", input, "--partitions", "500", "--concurrent-tasks", "2", "--iterations", "1000", "--output-dir", out)
		cmd.Args[0] = "shufflebench"
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Duration(r.IntN(300)) * time.Millisecond)
		if err := cmd.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		_ = cmd.Wait()
		for _, task := range []string{"task_0", "task_1"} {
			provePair(t, input, filepath.Join(out, task))
		}
	}
	waitForChildren(t, out)
	st, _, _, talk := inProcess(t, "write", "--input", input, "--partitions", "3", "--output-dir", out)
	if code := run(st); code != exitOK {
		t.Errorf("a rerun gives exit code %d: %s", code, talk)
	}
	if _, err := os.Stat(filepath.Join(out, "task_1")); err == nil {
		t.Error("the killed run's second task is left")
	}
}

// provePair validates a pair if its index is there. A child of the killed
// driver may still be taking it away.
func provePair(t *testing.T, input, task string) {
	t.Helper()
	data, index := filepath.Join(task, "data.out"), filepath.Join(task, "index.out")
	if _, err := os.Stat(index); err != nil {
		return
	}
	st, _, stdout, talk := inProcess(t, "validate", "--input", input, "--data", data, "--index", index)
	if code := run(st); code == exitFault {
		t.Errorf("%s is a mixed pair: %s%s", task, stdout, talk)
	}
}

// waitForChildren waits until no child of a killed driver writes any more.
func waitForChildren(t *testing.T, out string) {
	t.Helper()
	for deadline := time.Now().Add(10 * time.Second); ; time.Sleep(20 * time.Millisecond) {
		temps, err := filepath.Glob(filepath.Join(out, "task_*", "*.tmp"))
		if err != nil {
			t.Fatal(err)
		}
		if len(temps) == 0 {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("a child outlives its driver: %q", temps)
		}
	}
}

// TestSecondInterruptEndsAtOnce, but not when it is the first one twice.
func TestSecondInterruptEndsAtOnce(t *testing.T) {
	for _, gap := range []time.Duration{0, sameInterrupt} {
		st, signals, _, _ := inProcess(t)
		now := time.Now()
		st.now = func() time.Time { now = now.Add(gap); return now }
		exits := make(chan int, 1)
		st.exit = func(code int) { exits <- code }
		ctx, stop := st.interruptible()
		signals <- os.Interrupt
		<-ctx.Done()
		signals <- syscall.SIGTERM
		if gap > 0 {
			if code := <-exits; code != exitInterrupted {
				t.Errorf("exit code %d", code)
			}
		}
		stop()
		select {
		case code := <-exits:
			t.Errorf("gap %v: exit(%d)", gap, code)
		default:
		}
	}
}
