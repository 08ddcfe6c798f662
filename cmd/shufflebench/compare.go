package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/shufflebench/shufflebench/internal/compare"
	"github.com/shufflebench/shufflebench/internal/report"
	"github.com/shufflebench/shufflebench/pkg/fixture"
)

const compareLong = `Measure two variants side by side and say which is better.

Each side is a revision, which is checked out and built once outside of your
tree, a command, or this very program with other arguments. After one warm-up a
side and case follow rounds of pairs, every run a fresh process, the order
flipped every round. Every output is proved before its time counts. The verdict
is better, worse, no difference or inconclusive, from the interval of the paired
ratio against a threshold; exact columns are compared for equality.

Two revisions of this program, the second the tree as it is:

    shufflebench compare --base main --head . --case 200p_1task --case 16000p_8tasks --out cmp

Another project:

    shufflebench compare --repo ../comet --base main --head my-branch \
      --build 'cd native && cargo build --release -p datafusion-comet-shuffle --features shuffle-bench' \
      --run '{worktree}/native/target/release/shuffle_bench --input {input} --output-dir {output}
             --partitions {partitions} --concurrent-tasks {tasks} --batch-size {batch} --codec {codec}'

Any two commands:

    shufflebench compare --base-cmd 'theirs {input} {output} {partitions}' --head-cmd 'ours {input} {output} {partitions}'

Placeholders of commands: {input} {output} {csv} {tmp} {case} {side}, each option of
the case ({partitions} {tasks} {batch} {codec} ...), and for revisions {worktree}
{bin} {commit}. A command that writes a row to {csv} is judged by what it says
there; others are measured from outside. Output that they leave is proved.

Exit code 4 is a regression, 3 wrong output, 5 an open question under --strict.
See docs/benchmarking.md.`

const compareExample = `  # one option against another, in a small case; then the page for it
  shufflebench compare --input rows.parquet --case 64p_1task --rounds 6 --threshold 1000% --base-args --workers=1 --head-args --workers=2 --out cmp
  shufflebench report cmp --format html > cmp.html

  # what would be done, and how long it would take
  shufflebench compare --self-test --case seed --dry-run`

// compareFlags is what the command line of compare says.
type compareFlags struct {
	compare.Config
	input, file            string
	cases                  []string
	axes                   map[string]*[]string // option to values
	args, baseArgs         string
	headArgs, validateArgs string
	threshold              string
	equal                  []string
	validate, dryRun       bool
	format                 string
	changed                func(flag string) bool
}

// sweeps are options of write that compare takes as lists.
var sweeps = []string{"partitions", "concurrent-tasks", "batch-size", "codec", "engine", "max-buffer-bytes"}

func newCompare(st *state) *cobra.Command {
	f := &compareFlags{axes: map[string]*[]string{}, validate: true, format: "table"}
	f.Rounds, f.Warmups = compare.DefaultRounds, 1
	cmd := &cobra.Command{
		Use: "compare", Short: "Two revisions or commands, side by side, with a verdict",
		Long: compareLong, Example: compareExample, Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			f.changed = cmd.Flags().Changed
			return f.run(cmd.Context(), st)
		},
	}
	cmd.Flags().SortFlags = false
	f.bindSides(cmd)
	f.bindCases(cmd)
	f.bindMeasuring(cmd)
	return cmd
}

func (f *compareFlags) bindSides(cmd *cobra.Command) {
	fs := cmd.Flags()
	fs.StringVar(&f.Base.Rev, "base", "", "`revision` of the base side; . is the tree as it is")
	fs.StringVar(&f.Head.Rev, "head", "", "`revision` of the head side (default with --base: .)")
	fs.StringVar(&f.Repo, "repo", ".", "`directory` of the repository")
	fs.StringVar(&f.Build, "build", "", "shell `command` that builds a revision in its worktree (default: this program's)")
	fs.StringVar(&f.Run, "run", "", "`command` of a run of a built revision (default: {bin} write ...)")
	fs.StringVar(&f.Base.Cmd, "base-cmd", "", "`command` of base's runs in place of a revision")
	fs.StringVar(&f.Head.Cmd, "head-cmd", "", "`command` of head's runs in place of a revision")
	fs.StringVar(&f.args, "args", "", "more flags of write for both sides, as one `text`")
	fs.StringVar(&f.baseArgs, "base-args", "", "more flags of write for base, as one `text`")
	fs.StringVar(&f.headArgs, "head-args", "", "more flags of write for head, as one `text`")
	fs.BoolVar(&f.SelfTest, "self-test", false, "compare a side with itself; anything that is found is the bench's fault")
	fs.BoolVar(&f.Rebuild, "rebuild", false, "build even what the cache has")
}

func (f *compareFlags) bindCases(cmd *cobra.Command) {
	fs := cmd.Flags()
	fs.StringVar(&f.input, "input", "", "Parquet `file` or directory (default: the seed fixture)")
	fs.StringArrayVar(&f.cases, "case", nil, "`case` such as 16000p_8tasks, 200p_1task,codec=zstd or seed; repeat it for more (default "+compare.DefaultCase+")")
	fs.StringVar(&f.file, "cases", "", "YAML `file` of cases, which may sweep")
	for _, option := range sweeps {
		values := new([]string)
		f.axes[option] = values
		fs.StringSliceVar(values, option, nil, "write's option of this name; several `values` make a case each")
	}
}

func (f *compareFlags) bindMeasuring(cmd *cobra.Command) {
	fs := cmd.Flags()
	fs.Var(newCount(&f.Rounds, 1, 1_000_000), "rounds", "pairs of runs a case; below 6 there is no verdict")
	fs.Var(newCount(&f.Warmups, 0, 1000), "warmup", "runs a side and case before them")
	fs.StringVar(&f.threshold, "threshold", "time=3%,rss=5%", "least changes that count: `metric=share,...`; off drops a metric")
	fs.StringSliceVar(&f.equal, "equal", []string{"rows_per_task"}, "exact `columns` that must be equal")
	fs.BoolVar(&f.Strict, "strict", false, "exit with 5 when a verdict stays open")
	fs.StringVar(&f.Out, "out", "", "`directory` for the result (default: a new one here)")
	fs.StringVar(&f.WorkDir, "work-dir", "", "`directory` that runs write below (default: in --out)")
	fs.BoolVar(&f.validate, "validate", true, "prove outputs; without it rows say unverified")
	fs.StringVar(&f.validateArgs, "validate-args", "", "more flags of validate, as one `text`")
	fs.DurationVar(&f.CoolDown, "cool-down", 0, "pause before each run")
	fs.DurationVar(&f.WaitIdle, "wait-idle", 0, "wait up to this long for a quiet machine before the first run")
	fs.IntSliceVar(&f.CPUs, "cpus", nil, "processor `numbers` to pin the runs to")
	fs.BoolVar(&f.Profile, "profile", false, "one more run a side and case, with profiles, not measured")
	fs.StringVar(&f.Baseline, "baseline", "", "`file` of saved rows to compare head with, measured at another time")
	fs.BoolVar(&f.OtherMachine, "other-machine", false, "also if they were measured on another machine")
	fs.StringVar(&f.Save, "save", "", "`file` to save head's rows to, for --baseline")
	fs.BoolVar(&f.dryRun, "dry-run", false, "print cases, rounds, disk and time, and do nothing")
	name(cmd, &f.format, "format", "format", formats, "what to print at the end")
}

// run compares, shows what came of it, also after an interrupt, and turns the
// outcome into an exit code.
func (f *compareFlags) run(ctx context.Context, st *state) error {
	cfg, err := f.config(ctx, st)
	if err != nil {
		return compareError(err)
	}
	self, err := st.measuring()
	if err != nil {
		return err
	}
	if f.dryRun {
		return f.outline(ctx, st, cfg, self)
	}
	progress := st.newProgress()
	res, err := compare.Run(ctx, cfg, self, compare.Hooks{Step: progress.phase, Say: progress.say})
	progress.stop()
	if res == nil {
		return compareError(err)
	}
	st.talk("results are in %s", cfg.Out)
	err = errors.Join(compareError(err), st.show(res, f.format))
	if err != nil {
		return err
	}
	return outcomeOf(res)
}

func (f *compareFlags) outline(ctx context.Context, st *state, cfg compare.Config, self compare.Self) error {
	o, err := compare.Draft(ctx, cfg, self)
	if err != nil {
		return compareError(err)
	}
	return o.Print(st.stdout, cfg.Rounds, cfg.Warmups, f.threshold)
}

// config makes flags and case file a config. Flags override the file.
func (f *compareFlags) config(ctx context.Context, st *state) (compare.Config, error) {
	cfg := f.Config
	cfg.Command, cfg.NoValidate = st.args, !f.validate
	if cfg.Warmups == 0 {
		cfg.Warmups = -1
	}
	err := errors.Join(f.fromFile(&cfg), f.arguments(&cfg), f.sweep(&cfg))
	if err != nil {
		return cfg, &usageError{err}
	}
	if cfg.Thresholds, err = compare.ParseThresholds(f.threshold); err != nil {
		return cfg, &usageError{err}
	}
	cfg.Equal = f.equal
	if cfg.Out == "" {
		cfg.Out = "compare-" + st.now().Format("20060102-150405")
	}
	cfg.Input, err = st.describeInput(ctx, f.input)
	return cfg, err
}

// fromFile takes from the case file what no flag says.
func (f *compareFlags) fromFile(cfg *compare.Config) error {
	if f.file == "" {
		return nil
	}
	file, err := compare.ReadFile(f.file)
	if err != nil {
		return err
	}
	if len(f.cases) > 0 {
		return errors.New("--cases and --case both name cases")
	}
	cfg.Cases, cfg.Args = file.Cases, file.Args
	cfg.Base.Args, cfg.Head.Args = file.BaseArgs, file.HeadArgs
	if file.Rounds != 0 && !f.changed("rounds") {
		cfg.Rounds = file.Rounds
	}
	if file.Threshold != "" && !f.changed("threshold") {
		f.threshold = file.Threshold
	}
	if file.Input != "" && f.input == "" {
		f.input = file.Input
		if !filepath.IsAbs(f.input) {
			f.input = filepath.Join(filepath.Dir(f.file), f.input)
		}
	}
	return nil
}

func (f *compareFlags) arguments(cfg *compare.Config) error {
	for _, a := range []struct {
		flag, text string
		to         *[]string
	}{
		{"args", f.args, &cfg.Args}, {"base-args", f.baseArgs, &cfg.Base.Args}, {"head-args", f.headArgs, &cfg.Head.Args},
		{"validate-args", f.validateArgs, &cfg.ValidateArgs},
	} {
		words, err := compare.ParseArgs(a.text)
		if err != nil {
			return fmt.Errorf("--%s: %w", a.flag, err)
		}
		*a.to = append(*a.to, words...)
	}
	return nil
}

// sweep makes the cases that flags name.
func (f *compareFlags) sweep(cfg *compare.Config) error {
	texts := f.cases
	if len(texts) == 0 && len(cfg.Cases) == 0 && !f.changed("partitions") && !f.changed("concurrent-tasks") {
		texts = []string{compare.DefaultCase}
	}
	for _, text := range texts {
		cases, err := compare.ParseCase(text)
		if err != nil {
			return err
		}
		cfg.Cases = append(cfg.Cases, cases...)
	}
	var axes []compare.Axis
	for _, option := range sweeps {
		if f.changed(option) {
			axes = append(axes, compare.Axis{Option: option, Values: *f.axes[option]})
		}
	}
	var err error
	cfg.Cases, err = compare.Sweep(cfg.Cases, axes)
	return err
}

// describeInput finds and describes the fixture.
func (st *state) describeInput(ctx context.Context, name string) (report.Input, error) {
	path, err := st.inputOrSeed(ctx, name)
	if err != nil {
		return report.Input{}, err
	}
	src, err := fixture.Open(path)
	if err != nil {
		return report.Input{}, err
	}
	if path, err = filepath.Abs(path); err != nil {
		return report.Input{}, err
	}
	id := src.Identity()
	var columns []string
	for _, field := range src.Schema().Fields() {
		columns = append(columns, fmt.Sprintf("%s %s", field.Name, field.Type))
	}
	return report.Input{Path: path, SHA256: id.SHA256, Rows: id.Rows, Bytes: id.Bytes, Columns: strings.Join(columns, ", ")}, nil
}

// measuring is this program as the one that measures and proves.
func (st *state) measuring() (compare.Self, error) {
	exe, err := st.exe()
	if err != nil {
		return compare.Self{}, err
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		return compare.Self{}, err
	}
	return compare.Self{
		Exe: exe, Name: st.name, Env: st.environ, Build: st.build(), Now: st.now, CacheDir: filepath.Join(cache, "shufflebench"),
	}, nil
}

// newShim is the process between the driver and a command that is measured.
func newShim(st *state) *cobra.Command {
	return &cobra.Command{
		Use: compare.ShimCommand, Hidden: true, Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return compare.Shim(cmd.Context(), st.stdin, st.stdout)
		},
	}
}

// compareError turns errors of a comparison into ours.
func compareError(err error) error {
	var (
		unknown *compare.UnknownNameError
		bad     *compare.UsageError
	)
	switch {
	case errors.As(err, &unknown):
		return &usageError{fmt.Errorf("%w%s", err, didYouMean(unknown.Got, unknown.Known))}
	case errors.As(err, &bad):
		return &usageError{err}
	}
	return err
}

// outcomeError is a finding that is no failure of the comparison.
type outcomeError struct {
	code int
	text string
}

func (e *outcomeError) Error() string { return e.text }

// outcomeOf gives the exit code of what was found, nil where nothing is against
// it.
func outcomeOf(c *report.Comparison) error {
	code := map[report.OutcomeKind]int{
		report.WrongOutput: exitFault, report.Regression: exitRegression, report.NotConclusive: exitInconclusive,
		report.Failed: exitFailed, report.SelfTestFailed: exitFailed, report.Stopped: exitInterrupted,
	}[c.Outcome.Kind]
	if code == exitOK {
		return nil
	}
	return &outcomeError{code, c.Outcome.Text}
}

// phase says what begins; before the first run there is no number.
func (p *progress) phase(run, runs int, what string) {
	if runs > 0 {
		p.step(run, runs, what)
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.text = what
}

// say prints a line above the progress.
func (p *progress) say(format string, args ...any) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.st.stderr.tty && p.st.env("TERM") != "dumb" {
		fmt.Fprint(p.st.stderr, "\r\x1b[K")
	}
	p.st.talk(format, args...)
}
