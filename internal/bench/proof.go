package bench

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os/exec"

	"github.com/shufflebench/shufflebench/internal/rundir"
	"github.com/shufflebench/shufflebench/internal/shufflefile"
)

// exitFault is the exit code with which validate says that it found a fault.
const exitFault = 3

// pair identifies an output by content.
type pair struct{ data, index string }

// prove validates the output of one task in a process of its own, unless equal
// files were proved before. All tasks of a run are equal, so one stands for
// all. faults is the validator's report, nil when there is none.
func (d *driver) prove(ctx context.Context, t rundir.Task) (faults json.RawMessage, err error) {
	key := pair{t.SHA256, t.IndexSHA256}
	if d.proved[key] {
		return nil, nil
	}
	cmd := exec.CommandContext(ctx, d.self.Exe, "validate", "--json", "--input", d.cfg.Input, "--output", d.dir.Path(), "--task", "0")
	cmd.Args[0], cmd.Env = d.self.Name, d.self.Env
	var out, talk bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &talk
	err = cmd.Run()
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	var exit *exec.ExitError
	switch {
	case err == nil:
		d.proved[key] = true
		return nil, nil
	case errors.As(err, &exit) && exit.ExitCode() == exitFault && json.Valid(out.Bytes()):
		return json.RawMessage(bytes.TrimSpace(out.Bytes())), nil
	}
	return nil, fmt.Errorf("the output could not be proved: %w: %s", err, firstLine(talk.Bytes()))
}

func firstLine(b []byte) string {
	line, _, _ := bytes.Cut(bytes.TrimSpace(b), []byte("\n"))
	return string(bytes.TrimPrefix(line, []byte("shufflebench: ")))
}

// summary says what the validator found first, and where.
func summary(faults json.RawMessage) string {
	var r struct {
		Findings []struct {
			Kind, File, Message string
			Partition, Block    *int
			Offset              *int64
		}
	}
	if json.Unmarshal(faults, &r) != nil || len(r.Findings) == 0 {
		return "its report names no finding"
	}
	f := r.Findings[0]
	place := shufflefile.In(f.File)
	if f.Partition != nil {
		place.Partition = *f.Partition
	}
	if f.Block != nil {
		place.Block = *f.Block
	}
	if f.Offset != nil {
		place.Offset = *f.Offset
	}
	return fmt.Sprintf("%s: %s: %s", f.Kind, place, f.Message)
}
