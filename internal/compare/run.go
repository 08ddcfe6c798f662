package compare

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"time"

	"github.com/shufflebench/shufflebench/internal/report"
	"github.com/shufflebench/shufflebench/internal/stats"
	"github.com/shufflebench/shufflebench/pkg/metrics"
)

// driver carries one comparison.
type driver struct {
	cfg    Config
	self   *Self
	hooks  *Hooks
	store  *store
	gauge  *gauge
	base   *variant // nil with saved rows
	head   *variant
	saved  *savedFile
	res    *report.Comparison
	proved map[proof]bool
	faults map[string]bool // sides and cases whose wrong output was kept
	noted  map[string]bool
	done   int // runs
	total  int
	began  time.Time
}

// Run compares. The result has all rows that were measured and what they say,
// also when err is not nil: then err says why there are no more. Regressions,
// wrong output and failed runs are no errors but the result's Outcome.
func Run(ctx context.Context, cfg Config, self Self, hooks Hooks) (*report.Comparison, error) {
	d := &driver{cfg: cfg, self: &self, hooks: &hooks, proved: map[proof]bool{}, faults: map[string]bool{}, noted: map[string]bool{}}
	d.cfg.EnsureDefaults()
	if err := d.cfg.Check(); err != nil {
		return nil, err
	}
	if err := d.readSaved(); err != nil {
		return nil, err
	}
	sides := &variants{cfg: &d.cfg, self: d.self, hooks: d.hooks}
	if err := sides.resolve(ctx); err != nil {
		return nil, err
	}
	if err := sides.early(); err != nil {
		return nil, err
	}
	var err error
	if d.store, err = openStore(d.cfg.Out, d.cfg.WorkDir); err != nil {
		return nil, err
	}
	err = d.prepare(ctx, sides)
	if err == nil {
		err = d.awaitQuiet(ctx)
	}
	if err == nil {
		err = d.cases(ctx)
	}
	return d.finish(err)
}

// prepare makes the sides ready and writes down the plan.
func (d *driver) prepare(ctx context.Context, sides *variants) error {
	d.gauge = newGauge(d.store.work, d.self.Now)
	d.began = d.self.Now()
	d.res = &report.Comparison{
		Version: report.ComparisonVersion, State: report.Running, Command: d.cfg.Command, Build: d.self.Build,
		Machine: metrics.ReadMachine(d.store.work), Started: d.began.UTC(), Input: d.cfg.Input, Plan: d.plan(),
	}
	for _, side := range sides.sides() {
		v, err := sides.prepare(ctx, side)
		if err != nil {
			return err
		}
		if side == stats.Base {
			d.base, d.res.Base = v, v.Variant
		} else {
			d.head, d.res.Head = v, v.Variant
		}
	}
	if d.saved != nil {
		d.res.Base, d.res.Saved = d.saved.Variant, d.saved.origin(d.cfg.Baseline)
		d.res.Base.Side = stats.Base
	}
	if err := d.fit(); err != nil {
		return err
	}
	d.warnOfMachine()
	return d.store.keep(d.res)
}

func (d *driver) plan() report.Plan {
	c := &d.cfg
	return report.Plan{
		Rounds: c.Rounds, Warmups: c.Warmups, Thresholds: c.Thresholds, Equal: c.Equal, Strict: c.Strict, SelfTest: c.SelfTest,
		Validate: !c.NoValidate, Paired: c.Baseline == "", CoolDown: c.CoolDown.Seconds(), CPUs: c.CPUs, OutputDir: d.store.work,
	}
}

// fit finds out which side can run which case. A case that only one side can
// run is not run, and listed; one that neither can is a mistake.
func (d *driver) fit() error {
	for i := range d.cfg.Cases {
		c := &d.cfg.Cases[i]
		rc := report.Case{Name: c.Name, Options: c.Options()}
		var cannot []error
		for _, v := range d.sides() {
			if err := v.fits(c); err != nil {
				cannot = append(cannot, err)
				rc.Only = other(v.Side)
			}
		}
		switch {
		case len(cannot) == len(d.sides()):
			return &UsageError{fmt.Errorf("case %s: %w", c.Name, cannot[0])}
		case len(cannot) > 0:
			rc.Lone = cannot[0].Error()
		case d.saved != nil && !d.saved.has(c):
			rc.Lone, rc.Only = "no such case was saved", stats.Head
		}
		if rc.Lone == "" {
			d.showCommands(&rc, c)
			d.total += len(d.sides()) * (d.cfg.Warmups + d.cfg.Rounds)
		}
		d.res.Cases = append(d.res.Cases, rc)
	}
	if d.total == 0 {
		return fmt.Errorf("no case can be compared: %s: %s", d.res.Cases[0].Name, d.res.Cases[0].Lone)
	}
	return nil
}

// showCommands records each side's command line; RUN is a run's directory.
func (d *driver) showCommands(rc *report.Case, c *Case) {
	for _, v := range d.sides() {
		words, err := v.command(c, placesIn("RUN", d.cfg.Input.Path))
		switch {
		case err != nil: // found when it is run
		case v.Side == stats.Base:
			rc.Base = words
		default:
			rc.Head = words
		}
	}
}

// sides are the variants that are run, base first.
func (d *driver) sides() []*variant {
	if d.base == nil {
		return []*variant{d.head}
	}
	return []*variant{d.base, d.head}
}

func other(s stats.Side) stats.Side {
	if s == stats.Base {
		return stats.Head
	}
	return stats.Base
}

// cases runs one case after the other.
func (d *driver) cases(ctx context.Context) error {
	for i := range d.cfg.Cases {
		if d.res.Cases[i].Lone != "" {
			continue
		}
		if err := d.rounds(ctx, &d.cfg.Cases[i]); err != nil {
			return err
		}
		if err := d.profile(ctx, &d.cfg.Cases[i]); err != nil {
			return err
		}
		d.report(i)
	}
	return nil
}

// mostFailures is how many runs of a side may fail before a case is given up.
const mostFailures = 3

// rounds are all runs of a case: warm-ups, then pairs whose order flips.
func (d *driver) rounds(ctx context.Context, c *Case) error {
	repeats, failures := map[stats.Side]int{}, map[stats.Side]int{}
	run := func(v *variant, at position) error {
		repeats[v.Side]++
		at.repeat = repeats[v.Side]
		d.announce(v, c, at)
		row, err := d.one(ctx, v, c, at)
		d.done++
		if err == nil && row.Failure != "" {
			failures[v.Side]++
			d.hooks.say("%s, %s: %s", c.Name, v.Side, row.Failure)
		}
		return err
	}
	for range d.cfg.Warmups {
		for _, v := range d.sides() {
			if err := run(v, position{warmup: true}); err != nil {
				return err
			}
		}
	}
	for r := 1; r <= d.cfg.Rounds; r++ {
		for side, n := range failures {
			if n >= mostFailures || (r == 1 && n > 0) {
				d.note("%s was given up: %s failed %s", c.Name, side, times(n))
				return nil
			}
		}
		for slot, v := range d.order(r) {
			at := position{round: r, slot: slot + 1}
			if d.base == nil {
				at.slot = 0
			}
			if err := run(v, at); err != nil {
				return err
			}
		}
	}
	return nil
}

// order is AB in odd rounds and BA in even ones.
func (d *driver) order(round int) []*variant {
	sides := slices.Clone(d.sides())
	if round%2 == 0 {
		slices.Reverse(sides)
	}
	return sides
}

func times(n int) string {
	if n == 1 {
		return "in the warm-up"
	}
	return fmt.Sprintf("%d times", n)
}

// note adds what a reader must know.
func (d *driver) note(format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	d.res.Notes = append(d.res.Notes, text)
	d.hooks.say("%s", text)
}

func (d *driver) noteOnce(format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	if !d.noted[text] {
		d.noted[text] = true
		d.note("%s", text)
	}
}

// finish judges what there is, writes it down and cleans up.
func (d *driver) finish(cause error) (*report.Comparison, error) {
	if d.res == nil || len(d.res.Rows) == 0 {
		if cause == nil {
			cause = errors.New("nothing was measured")
		}
		return nil, errors.Join(cause, d.store.close(true))
	}
	d.res.Ended = d.self.Now().UTC()
	d.res.State = report.Complete
	if cause != nil {
		d.res.State = report.Interrupted
		if !errors.Is(cause, context.Canceled) {
			d.note("the comparison ended early: %v", cause)
		}
	}
	err := judge(d.res, d.saved)
	err = errors.Join(err, d.store.keep(d.res), d.writeCommands(), d.save(), d.store.close(false))
	return d.res, errors.Join(cause, err)
}

// announce says what begins, with the ratio so far and the time left.
func (d *driver) announce(v *variant, c *Case, at position) {
	what := fmt.Sprintf("%s, round %d, %s", c.Name, at.round, v.Side)
	if at.warmup {
		what = fmt.Sprintf("%s, warm-up, %s", c.Name, v.Side)
	}
	if r := d.ratioSoFar(c.Name); r > 0 {
		what += fmt.Sprintf(", ratio %.3f", r)
	}
	if d.done > 0 {
		left := d.self.Now().Sub(d.began) / time.Duration(d.done) * time.Duration(d.total-d.done)
		what += fmt.Sprintf(", about %v left", left.Round(time.Second))
	}
	d.hooks.step(d.done+1, d.total, what)
}

// ratioSoFar is the median ratio of the pairs of a case, 0 without any.
func (d *driver) ratioSoFar(name string) float64 {
	set := rowsOf(d.res.Rows, name)
	col := set.column("write_secs")
	var ratios []float64
	for _, p := range set.pairs(col) {
		if p.Base.Missing == "" && p.Head.Missing == "" {
			ratios = append(ratios, p.Head.Value/p.Base.Value)
		}
	}
	if len(ratios) == 0 {
		return 0
	}
	return report.Median(ratios)
}

// report says what came of a case as soon as it is done.
func (d *driver) report(i int) {
	one := *d.res
	one.Cases = []report.Case{d.res.Cases[i]}
	if judge(&one, d.saved) != nil {
		return
	}
	for _, j := range one.Cases[0].Judged {
		d.hooks.say("%s, %s: %s", one.Cases[0].Name, j.Metric, j.Explain())
	}
}

// absolute is a path for the record.
func absolute(path string) string {
	if abs, err := filepath.Abs(path); err == nil {
		return abs
	}
	return path
}
