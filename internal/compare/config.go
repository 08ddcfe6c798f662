package compare

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/shufflebench/shufflebench/internal/report"
	"github.com/shufflebench/shufflebench/internal/stats"
	"github.com/shufflebench/shufflebench/pkg/metrics"
)

// Config says what to compare and how. The zero value of a field means its
// default; EnsureDefaults fills them in.
type Config struct {
	Base, Head Source
	Repo       string // of the revisions; default "."
	Build      string // shell command that builds a worktree; default: this program's
	Run        string // command template of a run; default: the program's write
	Args       []string

	Input      report.Input
	Cases      []Case
	Rounds     int // default 10
	Warmups    int // a side and case; default 1, negative for none
	Thresholds []report.Threshold
	Equal      []string // exact columns that must be equal; default rows_per_task

	Out          string // directory of the result; made, and must hold no result yet
	WorkDir      string // where runs write; default OUT/work
	NoValidate   bool   // rows are then unverified
	ValidateArgs []string
	Strict       bool
	SelfTest     bool
	Profile      bool // one more run a side and case, profiled and not measured
	Rebuild      bool // build even if the cache has it

	CoolDown time.Duration // pause before each run
	WaitIdle time.Duration // how long to wait for a quiet machine before the first run
	CPUs     []int         // that runs are pinned to; none: all

	Baseline     string // file with saved rows to compare head with
	OtherMachine bool   // also if they are another machine's
	Save         string // file to save head's rows to

	Command []string // for the record
}

// Source says where a side comes from: a revision, a command template, or, if
// both are empty, this very program.
type Source struct {
	Rev  string
	Cmd  string
	Args []string // of write, on top of the case's
}

// Self is this program, which measures and proves, and the outside world.
type Self struct {
	Exe      string   // path of the program
	Name     string   // its argv[0]
	Env      []string // of all processes that are started
	Build    metrics.Build
	Now      func() time.Time
	CacheDir string // worktrees and binaries go below it
}

// Hooks are told what happens. Any may be nil.
type Hooks struct {
	// Step says what begins: run i of n, and what of it.
	Step func(run, runs int, what string)
	// Say gets a line for people, now and then.
	Say func(format string, args ...any)
}

func (h *Hooks) step(run, runs int, what string) {
	if h.Step != nil {
		h.Step(run, runs, what)
	}
}

func (h *Hooks) say(format string, args ...any) {
	if h.Say != nil {
		h.Say(format, args...)
	}
}

// Defaults of Config.
const (
	DefaultRounds = 10
	DefaultCase   = "200p_1task"
)

// EnsureDefaults fills every field that holds its zero value.
func (c *Config) EnsureDefaults() {
	if c.Repo == "" {
		c.Repo = "."
	}
	if c.Rounds == 0 {
		c.Rounds = DefaultRounds
	}
	if c.Warmups == 0 {
		c.Warmups = 1
	}
	c.Warmups = max(c.Warmups, 0)
	if len(c.Thresholds) == 0 {
		c.Thresholds = DefaultThresholds()
	}
	if c.Equal == nil {
		c.Equal = []string{"rows_per_task"}
	}
	c.defaultSides()
}

// defaultSides completes what was left unsaid: a base alone is compared with
// the working tree, and a self-test compares base with itself.
func (c *Config) defaultSides() {
	if c.SelfTest {
		if c.Base.empty() {
			c.Base = c.Head
		}
		c.Head = c.Base
		return
	}
	if c.Base.Rev != "" && c.Head.Rev == "" && c.Head.Cmd == "" {
		c.Head.Rev = "."
	}
}

func (s *Source) empty() bool { return s.Rev == "" && s.Cmd == "" && len(s.Args) == 0 }

func (s *Source) equal(o *Source) bool {
	return s.Rev == o.Rev && s.Cmd == o.Cmd && slices.Equal(s.Args, o.Args)
}

// UsageError says that a config cannot be meant.
type UsageError struct{ Err error }

// Error is the message.
func (e *UsageError) Error() string { return e.Err.Error() }

// Unwrap is the cause.
func (e *UsageError) Unwrap() error { return e.Err }

func usage(format string, args ...any) error { return &UsageError{fmt.Errorf(format, args...)} }

// Check names every contradiction in a config with defaults filled in, in one
// UsageError.
func (c *Config) Check() error {
	var errs []error
	bad := func(wrong bool, format string, args ...any) {
		if wrong {
			errs = append(errs, fmt.Errorf(format, args...))
		}
	}
	bad(c.Rounds < 1 || c.Rounds > 1e6, "rounds: %d is not between 1 and 1000000", c.Rounds)
	bad(len(c.Cases) == 0, "no case to compare")
	bad(c.Baseline != "" && !c.Base.empty(), "the base is named twice: by --baseline and by a --base flag")
	bad(c.Baseline != "" && c.SelfTest, "a self-test compares a program with itself, not with --baseline")
	bad(!c.SelfTest && c.Baseline == "" && c.Base.equal(&c.Head),
		"base and head are the same; name --base and --head, commands or arguments that differ, or say --self-test")
	for side, s := range map[stats.Side]*Source{stats.Base: &c.Base, stats.Head: &c.Head} {
		bad(s.Rev != "" && s.Cmd != "", "--%s and --%s-cmd name %s twice", side, side, side)
		bad(s.Cmd != "" && len(s.Args) > 0, "--%s-args are for this program's write; put them into --%s-cmd", side, side)
	}
	revisions := c.Base.Rev != "" || c.Head.Rev != ""
	bad(!revisions && (c.Build != "" || c.Run != ""), "--build and --run are for revisions; name --base and --head")
	bad(c.CoolDown < 0, "cool-down: %v is negative", c.CoolDown)
	errs = append(errs, checkNames(c.Cases), c.checkColumns())
	if err := errors.Join(errs...); err != nil {
		return &UsageError{err}
	}
	return nil
}

func checkNames(cases []Case) error {
	seen := map[string]bool{}
	for _, c := range cases {
		if seen[c.Name] {
			return fmt.Errorf("case %s is named twice", c.Name)
		}
		seen[c.Name] = true
	}
	return nil
}

func (c *Config) checkColumns() error {
	for _, name := range c.Equal {
		col, ok := metrics.LookupColumn(name)
		if !ok || col.Kind != metrics.Exact {
			return fmt.Errorf("%q is no exact column (shufflebench explain lists them)", name)
		}
	}
	return nil
}
