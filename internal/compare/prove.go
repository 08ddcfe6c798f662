package compare

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os/exec"
	"slices"
	"strconv"
	"strings"

	"github.com/shufflebench/shufflebench/pkg/metrics"
)

// exitFault is the exit code with which validate says that it found a fault.
const exitFault = 3

// proof is one pair of files under the options that decide what is right.
type proof struct{ data, index, options string }

// rules are the validator's flags for a run. They never come from the run
// itself.
func (d *driver) rules(v *variant, c *Case) []string {
	partitioning := v.effective(c, "partitioning")
	partitions := v.effective(c, optPartitions)
	if partitioning == "single" {
		partitions = "1"
	}
	rules := []string{"--partitioning=" + partitioning, "--partitions=" + partitions, "--limit=" + v.effective(c, "limit")}
	if partitioning == "hash" || partitioning == "range" {
		rules = append(rules, "--hash-columns="+v.effective(c, "hash-columns"))
	}
	return append(rules, d.cfg.ValidateArgs...)
}

// faultError says that output is wrong, with the validator's own report if it
// is that which says so.
type faultError struct {
	msg      string
	findings json.RawMessage
}

func (e *faultError) Error() string { return e.msg }

// examine hashes what a run left, holds it against what the run said of itself
// and proves what was not proved before. Wrong output is a faultError.
func (d *driver) examine(ctx context.Context, v *variant, c *Case, p places, row *metrics.Row) error {
	if want := d.wantRows(v, c); metrics.Known(row.RowsPerTask) && row.RowsPerTask != want {
		return &faultError{msg: fmt.Sprintf("a task wrote %v rows of an input with %v", row.RowsPerTask, want)}
	}
	outs, others, err := findOutputs(p.output)
	if err == nil && len(outs) == 0 && row.Warmup {
		if outs, _, err = findOutputs(p.caught); len(outs) > 0 {
			d.noteOnce("%s of %s removes its output; that of its warm-up was caught, later runs are unverified", v.Side, c.Name)
		}
	}
	if err != nil {
		return err
	}
	if len(outs) == 0 {
		return d.nothingLeft(v, c, others, row)
	}
	for i := range outs {
		if err := outs[i].hash(ctx); err != nil {
			return err
		}
	}
	if err := agree(v, c, outs, row); err != nil {
		return err
	}
	row.OutputSHA256, row.IndexSHA256, row.OutputBytesPerTask = outs[0].sha256, outs[0].indexSHA256, meanBytes(outs)
	if d.cfg.NoValidate {
		return nil
	}
	rules := d.rules(v, c)
	for i := range outs {
		key := proof{outs[i].sha256, outs[i].indexSHA256, strings.Join(rules, " ")}
		if d.proved[key] {
			continue
		}
		if err := d.prove(ctx, v, p, i, &outs[i], rules); err != nil {
			return err
		}
		d.proved[key] = true
	}
	row.Verified = metrics.Proved
	return nil
}

// wantRows is how many rows each task has to write.
func (d *driver) wantRows(v *variant, c *Case) float64 {
	limit, err := strconv.ParseInt(v.effective(c, "limit"), 10, 64)
	if err != nil || limit <= 0 {
		return float64(d.cfg.Input.Rows)
	}
	return float64(min(limit, d.cfg.Input.Rows))
}

// nothingLeft is a fault of this program's write; a command may clean up.
func (d *driver) nothingLeft(v *variant, c *Case, others int, row *metrics.Row) error {
	if v.template == nil {
		return &faultError{msg: "it left no output"}
	}
	if d.caught(c, row) {
		return nil // said before
	}
	what := "no output"
	if others > 0 {
		what = "no pair of data and index file that is known"
	}
	d.noteOnce("%s of %s leaves %s, so its rows are unverified", v.Side, c.Name, what)
	return nil
}

// caught reports whether output of the same side and case was proved in a
// warm-up.
func (d *driver) caught(c *Case, row *metrics.Row) bool {
	return slices.ContainsFunc(d.res.Rows, func(r *metrics.Row) bool {
		return r.Case == c.Name && r.Variant == row.Variant && r.Warmup && r.Verified == metrics.Proved
	})
}

// agree holds the files against each other and against the run's own row.
func agree(v *variant, c *Case, outs []output, row *metrics.Row) error {
	if v.template != nil {
		return nil
	}
	if tasks := v.effective(c, optTasks); fmt.Sprint(len(outs)) != tasks {
		return &faultError{msg: fmt.Sprintf("it left the output of %d tasks, not of %s", len(outs), tasks)}
	}
	for i := range outs {
		if outs[i].sha256 != outs[0].sha256 || outs[i].indexSHA256 != outs[0].indexSHA256 {
			return &faultError{msg: fmt.Sprintf("tasks 0 and %d read the same rows but wrote different files", i)}
		}
	}
	if row.OutputSHA256 != "" && row.OutputSHA256 != outs[0].sha256 {
		return &faultError{msg: fmt.Sprintf("its row says sha256 %.12s…, but its data file has %.12s…", row.OutputSHA256, outs[0].sha256)}
	}
	return nil
}

func meanBytes(outs []output) float64 {
	sum := int64(0)
	for i := range outs {
		sum += outs[i].bytes
	}
	return float64(sum) / float64(len(outs))
}

// prove has this program's own validator look at one output, in a process of
// its own.
func (d *driver) prove(ctx context.Context, v *variant, p places, task int, o *output, rules []string) error {
	args := []string{"validate", "--json", "--input=" + p.input}
	if v.template == nil {
		args = append(args, "--output="+p.output, fmt.Sprintf("--task=%d", task))
	} else {
		args = append(args, "--data="+o.data, "--index="+o.index)
	}
	cmd := exec.CommandContext(ctx, d.self.Exe, slices.Concat(args, rules)...)
	cmd.Args[0], cmd.Env, cmd.SysProcAttr = d.self.Name, d.self.Env, ownGroup()
	var out, talk bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &talk
	err := cmd.Run()
	if ctx.Err() != nil {
		return ctx.Err()
	}
	var exit *exec.ExitError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &exit) && exit.ExitCode() == exitFault && json.Valid(out.Bytes()):
		said := strings.TrimPrefix(lastLines(talk.Bytes(), 1), "shufflebench: ")
		return &faultError{"validation: " + said, json.RawMessage(bytes.Clone(out.Bytes()))}
	}
	return fmt.Errorf("the output could not be proved: %w: %s", err, lastLines(talk.Bytes(), 1))
}
