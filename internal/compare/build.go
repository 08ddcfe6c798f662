package compare

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/shufflebench/shufflebench/internal/report"
	"github.com/shufflebench/shufflebench/internal/rundir"
)

// defaultBuild builds this program's own revisions.
const defaultBuild = "go build -buildvcs=false -ldflags '-X main.stampedRevision={commit}' -o {bin} ./cmd/shufflebench"

// builder builds revisions of one repository, each once:
//
//	CACHE/compare/REPO/COMMIT-KEY/
//	├── tree/        worktree; removed after the default build
//	├── program      what {bin} stands for
//	├── build.log
//	└── build.json   written last: without it, nothing here counts
//
// The key is made of the build command and the versions of its tools.
type builder struct {
	repo    *repo
	dir     string // CACHE/compare/REPO
	command string // shell command with {worktree}, {bin}, {commit}
	keep    bool   // the worktree, for commands that run in it
	rebuild bool
	env     []string
	now     func() time.Time
}

// built is build.json.
type built struct {
	Commit    string  `json:"commit"`
	Command   string  `json:"command"`
	Toolchain string  `json:"toolchain"`
	Secs      float64 `json:"build_secs"`
	SHA256    string  `json:"binary_sha256,omitempty"` // of {bin}, if the build made it

	dir    string
	cached bool
}

func (b *built) tree() string { return filepath.Join(b.dir, "tree") }
func (b *built) bin() string  { return filepath.Join(b.dir, "program") }

// build gives the build of a commit, from the cache if it has it.
func (b *builder) build(ctx context.Context, id string) (*built, error) {
	tools := b.toolchain(ctx)
	key := sha256.Sum256([]byte(b.command + "\x00" + tools))
	dir := filepath.Join(b.dir, id[:min(len(id), 16)]+"-"+hex.EncodeToString(key[:6]))
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return nil, fmt.Errorf("build cache: %w", err)
	}
	unlock, err := lockDir(ctx, dir)
	if err != nil {
		return nil, fmt.Errorf("build cache: %w", err)
	}
	defer unlock()
	if done := readBuilt(dir); done != nil && done.Commit == id && !b.rebuild && b.whole(done) {
		done.cached = true
		return done, nil
	}
	return b.anew(ctx, &built{Commit: id, Command: b.command, Toolchain: tools, dir: dir})
}

func readBuilt(dir string) *built {
	text, err := os.ReadFile(filepath.Join(dir, "build.json"))
	if err != nil {
		return nil
	}
	out := &built{dir: dir}
	if json.Unmarshal(text, out) != nil {
		return nil
	}
	return out
}

// whole reports whether what was built is still there, unchanged.
func (b *builder) whole(done *built) bool {
	if b.keep {
		if _, err := os.Stat(filepath.Join(done.tree(), ".git")); err != nil {
			return false
		}
	}
	if done.SHA256 == "" {
		return b.keep
	}
	sum, err := rundir.SHA256(context.Background(), done.bin())
	return err == nil && sum == done.SHA256
}

// anew checks out and builds.
func (b *builder) anew(ctx context.Context, out *built) (_ *built, err error) {
	if err := b.clear(out); err != nil {
		return nil, err
	}
	if err := b.repo.checkOut(ctx, out.Commit, out.tree()); err != nil {
		return nil, err
	}
	defer func() {
		if err != nil || !b.keep {
			err = errors.Join(err, b.repo.remove(out.tree()))
		}
	}()
	start := b.now()
	if err := b.run(ctx, out); err != nil {
		return nil, err
	}
	out.Secs = b.now().Sub(start).Seconds()
	if sum, err := rundir.SHA256(ctx, out.bin()); err == nil {
		out.SHA256 = sum
	} else if !b.keep {
		return nil, usage("the build made no {bin}, so --run must say what to run: %w", err)
	}
	text, err := json.MarshalIndent(out, "", "  ")
	if err != nil {
		return nil, err
	}
	return out, os.WriteFile(filepath.Join(out.dir, "build.json"), text, 0o666)
}

// clear removes what an earlier build left.
func (b *builder) clear(out *built) error {
	var errs []error
	for _, name := range []string{"build.json", "build.log", "program"} {
		if err := os.Remove(filepath.Join(out.dir, name)); !errors.Is(err, os.ErrNotExist) {
			errs = append(errs, err)
		}
	}
	if _, err := os.Stat(out.tree()); err == nil {
		errs = append(errs, b.repo.remove(out.tree()))
	}
	return errors.Join(errs...)
}

// run runs the build command in the worktree, its talk in build.log.
func (b *builder) run(ctx context.Context, out *built) (err error) {
	var unknown []string
	line := fillText(b.command, out.value, report.Quote, &unknown)
	if len(unknown) > 0 {
		return usage("--build: no placeholder is called {%s}; known are {worktree}, {bin}, {commit}", unknown[0])
	}
	name := filepath.Join(out.dir, "build.log")
	log, err := os.Create(name)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, log.Close()) }()
	cmd := exec.CommandContext(ctx, "sh", "-c", line)
	cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr, cmd.SysProcAttr = out.tree(), gitEnv(b.env), log, log, ownGroup()
	cmd.Cancel = func() error { signalGroup(cmd.Process.Pid, true); return nil }
	cmd.WaitDelay = time.Second
	err = cmd.Run()
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err != nil {
		said, _ := os.ReadFile(name)
		return fmt.Errorf("build of %s: %w: %s (all of it: %s)", out.Commit[:min(len(out.Commit), 12)], err, lastLines(said, 3), name)
	}
	return nil
}

// value fills the build command's placeholders.
func (b *built) value(name string) (string, bool) {
	switch name {
	case "worktree":
		return b.tree(), true
	case "bin":
		return b.bin(), true
	case "commit":
		return b.Commit, true
	}
	return "", false
}

// toolchain asks the compilers that the build command seems to use for their
// versions, so that a new compiler means a new build.
func (b *builder) toolchain(ctx context.Context) string {
	var said []string
	for _, t := range []struct {
		word string
		ask  []string
	}{
		{"go", []string{"go", "env", "GOVERSION", "GOFLAGS", "GOEXPERIMENT", "GOAMD64", "CGO_ENABLED"}},
		{"cargo", []string{"rustc", "--version"}},
		{"rustc", []string{"rustc", "--version"}},
		{"gcc", []string{"gcc", "--version"}},
		{"clang", []string{"clang", "--version"}},
		{"javac", []string{"javac", "-version"}},
	} {
		if !mentions(b.command, t.word) {
			continue
		}
		cmd := exec.CommandContext(ctx, t.ask[0], t.ask[1:]...)
		cmd.Dir, cmd.Env = b.repo.top, b.env
		if out, err := cmd.Output(); err == nil {
			said = append(said, strings.Join(strings.Fields(string(out)), " "))
		}
	}
	for _, e := range b.env {
		if strings.HasPrefix(e, "RUSTFLAGS=") {
			said = append(said, e)
		}
	}
	return strings.Join(said, "; ")
}

// mentions reports whether word is a word of a shell command.
func mentions(command, word string) bool {
	for _, f := range strings.FieldsFunc(command, func(r rune) bool { return strings.ContainsRune(" \t\n;&|()'\"", r) }) {
		if filepath.Base(f) == word {
			return true
		}
	}
	return false
}
