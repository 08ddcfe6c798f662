package main

import (
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

var update = flag.Bool("update", false, "rewrite the generated parts of README.md")

// TestMain makes the test binary the program itself when it is started as
// shufflebench, by a script or as a child of the program under test.
func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"shufflebench": main, "faulty": faulty})
}

// TestScripts runs the stories in testdata/script.
func TestScripts(t *testing.T) {
	skipProcesses(t)
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		RequireExplicitExec: true,
		Setup: func(env *testscript.Env) error {
			env.Setenv("XDG_CACHE_HOME", filepath.Join(env.WorkDir, ".cache"))
			return nil
		},
		Cmds: map[string]func(ts *testscript.TestScript, neg bool, args []string){
			"exits":     scriptExits,
			"damage":    scriptDamage,
			"no-esc":    scriptNoEscape,
			"no-spills": scriptNoSpills,
		},
	})
}

// skipProcesses leaves tests that are all in other processes to full runs:
// the race detector (-short) has little to see in them.
func skipProcesses(t *testing.T) {
	t.Helper()
	if testing.Short() {
		t.Skip("full runs only")
	}
}

// scriptExits runs shufflebench and wants an exit code: exits 3 validate ...
func scriptExits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits CODE ARGUMENT...")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	got := 0
	if err := ts.Exec("shufflebench", args[1:]...); err != nil {
		var exit interface{ ExitCode() int }
		if !errors.As(err, &exit) {
			ts.Fatalf("%v", err)
		}
		got = exit.ExitCode()
	}
	if got != want {
		ts.Fatalf("exit code %d, want %d", got, want)
	}
	if msg := ts.ReadFile("stderr"); got != 0 {
		oneSentence(ts, msg)
	}
}

// oneSentence holds the manners of every failure: the last line says why, in
// our name, and there is no trace of a panic.
func oneSentence(ts *testscript.TestScript, msg string) {
	lines := strings.Split(strings.TrimSpace(msg), "\n")
	if last := lines[len(lines)-1]; !strings.HasPrefix(last, "shufflebench: ") {
		ts.Fatalf("stderr does not end in one sentence of ours: %q", last)
	}
	for _, bad := range []string{"goroutine ", "panic:", "Usage:"} {
		if strings.Contains(msg, bad) {
			ts.Fatalf("stderr has %q", bad)
		}
	}
}

// scriptDamage changes a file: damage FILE flip OFFSET | cut BYTES | append N.
func scriptDamage(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 3 {
		ts.Fatalf("usage: damage FILE flip|cut|append N")
	}
	name := ts.MkAbs(args[0])
	b, err := os.ReadFile(name)
	ts.Check(err)
	n, err := strconv.Atoi(args[2])
	ts.Check(err)
	switch args[1] {
	case "flip":
		b[n] ^= 0xff
	case "cut":
		b = b[:len(b)-n]
	case "append":
		b = append(b, make([]byte, n)...)
	}
	ts.Check(os.WriteFile(name, b, 0o666))
}

// scriptNoEscape wants no escape sequence in the output so far.
func scriptNoEscape(ts *testscript.TestScript, _ bool, _ []string) {
	for _, name := range []string{"stdout", "stderr"} {
		if strings.Contains(ts.ReadFile(name), "\x1b") {
			ts.Fatalf("%s has an escape sequence", name)
		}
	}
}

// scriptNoSpills wants an empty temporary directory.
func scriptNoSpills(ts *testscript.TestScript, _ bool, _ []string) {
	left, err := filesBelow(ts.Getenv("TMPDIR"))
	ts.Check(err)
	if len(left) > 0 {
		ts.Fatalf("left behind: %q", left)
	}
}

// filesBelow lists everything below dir but dir itself.
func filesBelow(dir string) ([]string, error) {
	var out []string
	err := filepath.WalkDir(dir, func(path string, _ fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err == nil && path != dir {
			out = append(out, path)
		}
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("list %s: %w", dir, err)
	}
	return out, nil
}
