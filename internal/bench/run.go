package bench

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/shufflebench/shufflebench/internal/report"
	"github.com/shufflebench/shufflebench/internal/rundir"
	"github.com/shufflebench/shufflebench/internal/shufflefile"
	"github.com/shufflebench/shufflebench/pkg/fixture"
	"github.com/shufflebench/shufflebench/pkg/metrics"
	"github.com/shufflebench/shufflebench/pkg/writer"
)

// driver carries one invocation.
type driver struct {
	cfg      Config
	self     Self
	hooks    Hooks
	machine  metrics.Machine
	identity fixture.Identity
	rows     int64 // that each task must read
	dir      *rundir.Dir
	proved   map[pair]bool
	floor    *Floor
	result   *report.Result
	writing  bool // a run is under way whose output is not whole
}

// Run does all runs of cfg. The result has the rows of the runs that ended,
// also when err is not nil: then err says why there are no more. Output that
// validation rejects gives a FaultError, and stays for inspection in a
// directory that the caller named; a run that fails or is interrupted leaves
// no output.
func Run(ctx context.Context, cfg Config, self Self, hooks Hooks) (*report.Result, error) {
	cfg.EnsureDefaults()
	if err := cfg.Check(); err != nil {
		return nil, err
	}
	d := &driver{cfg: cfg, self: self, hooks: hooks, proved: map[pair]bool{}}
	if err := d.prepare(); err != nil {
		return nil, err
	}
	err := d.runs(ctx)
	return d.result, errors.Join(err, d.finish())
}

// prepare describes everything and claims the output directory.
func (d *driver) prepare() error {
	src, err := fixture.Open(d.cfg.Input)
	if err != nil {
		return err
	}
	if p := d.cfg.Writer.Partitioning; p == writer.Hash || p == writer.Range {
		if _, err := ResolveColumns(src.Schema(), d.cfg.Writer.HashColumns); err != nil {
			return err
		}
	}
	d.identity, d.rows = src.Identity(), src.Rows()
	if limit := d.cfg.Writer.Limit; limit > 0 {
		d.rows = min(d.rows, limit)
	}
	if d.cfg.Input, err = filepath.Abs(d.cfg.Input); err != nil {
		return err
	}
	return d.claim()
}

// names are what the engine calls a task's files.
func names(engine string) (n rundir.Names) {
	n.Data, n.Index = writer.OutputNames(engine)
	return n
}

// outputFiles lists what the tasks leave.
func outputFiles(o writer.Options) []string {
	files := names(o.Engine).OutputFiles(o.ConcurrentTasks)
	if o.Checksum == shufflefile.NoChecksum {
		return files
	}
	for i := range o.ConcurrentTasks {
		data, _ := names(o.Engine).TaskFiles(i)
		files = append(files, o.Checksum.Path(data))
	}
	return files
}

func (d *driver) claim() (err error) {
	m := &rundir.Manifest{
		Files:   outputFiles(d.cfg.Writer),
		Command: d.cfg.Command, Build: d.self.Build, Options: options(d.cfg.Writer),
		Input: d.cfg.Input, Fixture: d.identity,
	}
	out := d.cfg.Writer.OutputDir
	if out == "" {
		d.dir, err = rundir.Private(os.TempDir(), m)
	} else {
		d.dir, err = rundir.Claim(out, m)
	}
	if err != nil {
		return err
	}
	d.machine = metrics.ReadMachine(d.dir.Path())
	m.Machine = d.machine
	d.result = &report.Result{Command: d.cfg.Command, Build: d.self.Build, Machine: d.machine, Input: d.cfg.Input}
	d.warnOfLoad()
	return nil
}

// warnOfLoad notes what makes times worth less.
func (d *driver) warnOfLoad() {
	m := d.machine
	if free := float64(m.CoresLogical) - m.Load1; m.Load1 > 0 && free < float64(min(m.CoresLogical, d.cfg.Writer.ConcurrentTasks)) {
		d.note("the machine was busy before the first run: load %.1f on %d cores", m.Load1, m.CoresLogical)
	}
}

func (d *driver) note(format string, args ...any) {
	d.result.Notes = append(d.result.Notes, fmt.Sprintf(format, args...))
}

// runs is the loop over warm-ups and iterations.
func (d *driver) runs(ctx context.Context) error {
	total := d.cfg.Warmup + d.cfg.Iterations
	for i := 1; i <= total; i++ {
		if err := d.run(ctx, i, total); err != nil {
			return err
		}
	}
	return nil
}

func (d *driver) step(run, runs int, what string) {
	if d.hooks.Step != nil {
		d.hooks.Step(run, runs, what)
	}
}

// run is one run with all that follows it.
func (d *driver) run(ctx context.Context, i, total int) error {
	row := metrics.NewRow()
	d.asked(row)
	row.Repeat, row.Warmup = int64(i), i <= d.cfg.Warmup
	d.step(i, total, "writing")
	reply, err := d.write(ctx, i, total)
	if err != nil {
		return err
	}
	d.step(i, total, "hashing")
	tasks, err := examine(ctx, reply.Result, d.rows)
	if err != nil {
		d.writing = !isFault(err) // a fault stays to be looked at
		return err
	}
	figures(row, reply, tasks)
	if err := d.complete(reply, tasks); err != nil {
		return err
	}
	if err := d.measureFloor(ctx, i, total); err != nil {
		return err
	}
	d.floor.floored(row)
	fault := d.judge(ctx, i, total, row, tasks[0])
	if fault != nil && !isFault(fault) {
		return fault
	}
	return errors.Join(fault, d.emit(row))
}

// write has a child do the run. While it writes, the output is not whole.
func (d *driver) write(ctx context.Context, i, total int) (*Reply, error) {
	if err := d.dir.Rerun(); err != nil {
		return nil, err
	}
	d.writing = true
	return d.self.give(ctx, Order{
		Kind: kindWrite, Input: d.cfg.Input, OutputDir: d.dir.Path(), Options: options(d.cfg.Writer),
		Profiles: d.cfg.Profiles.numbered(i, total),
	})
}

// complete records that the output is whole.
func (d *driver) complete(reply *Reply, tasks []rundir.Task) error {
	m := d.dir.Manifest()
	m.Schema, m.Tasks = reply.Schema, tasks
	if m.Notes == nil && len(reply.Result.Notes) > 0 {
		m.Notes = reply.Result.Notes
		d.result.Notes = append(d.result.Notes, m.Notes...)
		for _, n := range m.Notes {
			if d.hooks.Note != nil {
				d.hooks.Note(n)
			}
		}
	}
	if err := d.dir.Complete(); err != nil {
		return err
	}
	d.writing = false
	return nil
}

// measureFloor measures it once, when there is output to measure it with.
func (d *driver) measureFloor(ctx context.Context, i, total int) error {
	if !d.cfg.Floor || d.floor != nil {
		return nil
	}
	d.step(i, total, "measuring the floor")
	reply, err := d.self.give(ctx, Order{Kind: kindFloor, Input: d.cfg.Input, OutputDir: d.dir.Path(), Options: options(d.cfg.Writer)})
	if err != nil {
		return err
	}
	d.floor = reply.Floor
	return nil
}

// judge sets the row's verdict. A fault is returned as a FaultError.
func (d *driver) judge(ctx context.Context, i, total int, row *metrics.Row, t rundir.Task) error {
	if len(d.result.Rows) > 0 && d.result.Rows[0].OutputSHA256 != row.OutputSHA256 {
		row.Verified = metrics.Faulty
		return &FaultError{fmt.Sprintf("run %d wrote another data file than run 1 of the same case (sha256 %.12s… and %.12s…)",
			i, row.OutputSHA256, d.result.Rows[0].OutputSHA256)}
	}
	if !d.cfg.Validate {
		return nil
	}
	d.step(i, total, "proving")
	faults, err := d.prove(ctx, t)
	switch {
	case err != nil:
		return err
	case faults != nil:
		row.Verified = metrics.Faulty
		d.result.Proof = &faults
		return &FaultError{fmt.Sprintf("run %d: validation rejects the output: %s", i, summary(faults))}
	}
	row.Verified = metrics.Proved
	return nil
}

// emit hands a finished row to everyone who keeps rows.
func (d *driver) emit(row *metrics.Row) error {
	d.result.Rows = append(d.result.Rows, row)
	m := d.dir.Manifest()
	m.Rows = d.result.Rows
	err := d.dir.Complete()
	if d.hooks.Row != nil {
		err = errors.Join(err, d.hooks.Row(row))
	}
	return err
}

// finish removes what must not stay and gives the directory back.
func (d *driver) finish() error {
	private := d.cfg.Writer.OutputDir == ""
	keep := !d.writing && (!private || d.cfg.Keep)
	if keep {
		d.result.Output = d.dir.Path()
		return d.dir.Release()
	}
	return errors.Join(d.dir.Remove(), d.dir.Release())
}
