package compare

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/shufflebench/shufflebench/pkg/metrics"
)

const mib = 1 << 20

// place in the schedule of a run.
type position struct {
	warmup bool
	round  int // 0 for warm-ups
	slot   int // 1 or 2; 0 where there is only one side
	repeat int // runs of this side and case so far, this one included
}

// one is one run with all that belongs to it. The row is never nil without an
// error; a run that went wrong is a row that says so. The error is about the
// bench itself, or an interrupt.
func (d *driver) one(ctx context.Context, v *variant, c *Case, at position) (_ *metrics.Row, err error) {
	p := placesIn(filepath.Join(d.store.work, fmt.Sprintf("%d-%s", len(d.res.Rows)+1, v.Side)), d.cfg.Input.Path)
	if err := os.MkdirAll(p.temp, 0o777); err != nil {
		return nil, fmt.Errorf("directory of a run: %w", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(p.root)) }()
	if v.template != nil {
		if err := os.Mkdir(p.output, 0o777); err != nil {
			return nil, fmt.Errorf("directory of a run: %w", err)
		}
	}
	if err := pause(ctx, d.cfg.CoolDown); err != nil {
		return nil, err
	}
	gauge, err := d.gauge.take()
	if err != nil {
		return nil, err
	}
	words, err := v.command(c, p)
	if err != nil {
		return nil, err
	}
	j := d.job(v, p, words)
	if at.warmup && v.template != nil && !d.cfg.NoValidate {
		j.Watch, j.Catch = p.output, p.caught // never in a run that is measured
	}
	m, err := d.self.measure(ctx, j)
	if err != nil {
		return nil, err
	}
	row := d.rowOf(v, c, p, m)
	d.placed(row, v, c, at, gauge, m)
	if err := d.settle(ctx, v, c, p, row); err != nil {
		return nil, err
	}
	return row, d.emit(row)
}

// job is what the shim is told. Temporary files of the run go where its output
// goes, to the same disk and away with it.
func (d *driver) job(v *variant, p places, words []string) job {
	return job{
		Argv: words, Name: v.name, Dir: v.runsIn(p), Env: slices.Concat(d.self.Env, []string{"TMPDIR=" + p.temp}),
		Stdout: p.stdout, Stderr: p.stderr, CPUs: d.cfg.CPUs,
	}
}

func pause(ctx context.Context, d time.Duration) error {
	if d <= 0 {
		return ctx.Err()
	}
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(d):
		return nil
	}
}

// runsIn is the working directory: a worktree for its commands, the user's own
// for other commands, the run's for this program.
func (v *variant) runsIn(p places) string {
	if v.template != nil {
		return v.dir
	}
	return p.root
}

// rowOf is the row that the run left, or one made of what was seen from
// outside. Its failure is set if there should have been one.
func (d *driver) rowOf(v *variant, c *Case, p places, m *measured) *metrics.Row {
	if f := m.failure(); f != "" {
		row := d.asked(v, c)
		said, _ := os.ReadFile(p.stderr)
		row.Failure = strings.TrimSuffix(f+": "+strings.TrimPrefix(lastLines(said, 1), "shufflebench: "), ": ")
		return row
	}
	if !v.speaksRows() {
		return d.asked(v, c)
	}
	rows, err := ReadRows(p.csv)
	if err == nil && len(rows) != 1 {
		err = fmt.Errorf("%d rows in place of one", len(rows))
	}
	if err != nil {
		row := d.asked(v, c)
		row.Failure = fmt.Sprintf("it left no proper row: %v", err)
		return row
	}
	rows[0].Verified = metrics.Unverified // until this program has proved it
	return rows[0]
}

// asked is a row that says only what was asked for.
func (d *driver) asked(v *variant, c *Case) *metrics.Row {
	row := metrics.NewRow()
	for _, col := range metrics.Columns() {
		flag := flagOf(col.Name)
		if col.Kind != metrics.Asked || flag == "" {
			continue
		}
		if s := v.effective(c, flag); s != "" {
			_ = col.SetText(row, s) // sizes with a unit stay unknown
		}
	}
	return row
}

// flagOf is write's flag behind a column that says what was asked for.
func flagOf(column string) string {
	switch column {
	case "tasks":
		return optTasks
	case "batch_size_rows":
		return "batch-size"
	case "limit_rows":
		return "limit"
	case "engine", "partitioning", "hash_columns", "partitions", "codec":
		return strings.ReplaceAll(column, "_", "-")
	}
	return ""
}

// placed adds where the run belongs and what was seen from outside.
func (d *driver) placed(row *metrics.Row, v *variant, c *Case, at position, gauge time.Duration, m *measured) {
	row.RowVersion = metrics.RowVersion
	row.Case, row.Variant, row.Repeat, row.Warmup = c.Name, string(v.Side), int64(at.repeat), at.warmup
	row.Round, row.Slot, row.GaugeSecs = int64(at.round), int64(at.slot), gauge.Seconds()
	row.ProcessSecs, row.ProcessCPUSecs = m.Wall.Seconds(), (m.UserCPU + m.SysCPU).Seconds()
	if m.PeakRSS > 0 {
		row.ProcessRSSMiB = float64(m.PeakRSS) / mib
	}
	row.Started = m.Started.UTC().Format("2006-01-02T15:04:05.000Z07:00")
	row.BinarySHA256, row.Fixture = v.SHA256, d.cfg.Input.SHA256
	row.CPU, row.Cores = d.res.Machine.CPU, int64(d.res.Machine.GOMAXPROCS)
	if row.Revision == "" {
		row.Revision = v.Revision[:min(12, len(v.Revision))]
	}
	if row.Failure == "" {
		row.Failure = implausible(row)
	}
}

// A row's own clock and an outside one may differ by this.
const (
	clockShare = 0.03
	clockSlack = 0.030 // seconds
)

// implausible finds figures that cannot be: a program cannot write for longer
// than it lives.
func implausible(row *metrics.Row) string {
	if metrics.Known(row.WriteSecs) && row.WriteSecs > row.ProcessSecs*(1+clockShare)+clockSlack {
		return fmt.Sprintf("its row says %s s, but the whole process took %s s",
			strconv.FormatFloat(row.WriteSecs, 'f', 3, 64), strconv.FormatFloat(row.ProcessSecs, 'f', 3, 64))
	}
	return ""
}

// settle proves a run that did not fail, and keeps what a failed one said.
func (d *driver) settle(ctx context.Context, v *variant, c *Case, p places, row *metrics.Row) error {
	if row.Failure == "" {
		err := d.examine(ctx, v, c, p, row)
		var fault *faultError
		switch {
		case errors.As(err, &fault):
			row.Verified, row.Failure = metrics.Faulty, fault.msg
			return d.keepFault(p, row, fault)
		case ctx.Err() != nil:
			return ctx.Err()
		case err != nil:
			row.Failure = err.Error()
		}
	}
	if row.Failure == "" {
		return nil
	}
	return d.keepTalk(p, row)
}

// runName names a run's files.
func runName(row *metrics.Row) string {
	return fmt.Sprintf("%s-%s-%d", fileName(row.Case), row.Variant, row.Repeat)
}

// fileName makes a case's name one of a file.
func fileName(name string) string {
	return strings.Map(func(r rune) rune {
		if strings.ContainsRune(`/\:*?"<>| `, r) {
			return '_'
		}
		return r
	}, name)
}

// keepTalk keeps what a failed run printed.
func (d *driver) keepTalk(p places, row *metrics.Row) error {
	dir := filepath.Join(d.store.dir, failedDir)
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	for _, f := range []struct{ from, suffix string }{{p.stdout, "stdout"}, {p.stderr, "stderr"}} {
		to := filepath.Join(dir, runName(row)+"."+f.suffix)
		if err := os.Rename(f.from, to); err != nil && !errors.Is(err, os.ErrNotExist) {
			if err := copyFile(f.from, to); err != nil {
				return err
			}
		}
	}
	return nil
}

func copyFile(from, to string) error {
	b, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	return os.WriteFile(to, b, 0o666)
}

// keepFault keeps the findings, and the output of the first fault a side and
// case.
func (d *driver) keepFault(p places, row *metrics.Row, f *faultError) error {
	if err := d.keepTalk(p, row); err != nil {
		return err
	}
	name := filepath.Join(d.store.dir, failedDir, runName(row))
	if f.findings != nil {
		if err := os.WriteFile(name+".findings.json", f.findings, 0o666); err != nil {
			return err
		}
	}
	key := row.Case + " " + row.Variant
	if d.faults[key] {
		return nil
	}
	d.faults[key] = true
	_ = os.Rename(p.output, name) // not across file systems: then it goes
	return nil
}

// emit hands a finished row to the file and the result.
func (d *driver) emit(row *metrics.Row) error {
	d.res.Rows = append(d.res.Rows, row)
	return d.store.csv.Append(row)
}
