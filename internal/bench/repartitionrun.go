package bench

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"github.com/shufflebench/shufflebench/internal/report"
	"github.com/shufflebench/shufflebench/pkg/fixture"
	"github.com/shufflebench/shufflebench/pkg/metrics"
	"github.com/shufflebench/shufflebench/pkg/writer/repartition"
)

// RepartitionConfig says what to repartition and how often.
type RepartitionConfig struct {
	Input      string
	Order      RepartitionOrder
	Both       bool // run both takes in turns
	Iterations int
	Warmup     int
}

// Check names every contradiction, in one UsageError.
func (c *RepartitionConfig) Check() error {
	o := &c.Order
	opts := repartition.Options{Take: o.Take, Partitions: o.Partitions, CopyOut: o.CopyOut}
	opts.EnsureDefaults()
	errs := []error{opts.Validate()}
	switch {
	case o.Slow == NoPartition && o.Lag > 0:
		errs = append(errs, errors.New("--lag says how much a slow consumer holds back: name its partition by --slow-partition"))
	case o.Slow != NoPartition && o.Lag == 0:
		errs = append(errs, errors.New("--slow-partition needs --lag: how many slices its consumer holds back"))
	case o.Slow >= o.Partitions:
		errs = append(errs, fmt.Errorf("--slow-partition: partitions are 0-%d, not %d", o.Partitions-1, o.Slow))
	}
	if o.CopyOut != 0 && o.Slow == NoPartition {
		errs = append(errs, errors.New("--copy-out copies what a slow consumer holds back: name its partition by --slow-partition"))
	}
	if err := errors.Join(errs...); err != nil {
		return &UsageError{err}
	}
	return nil
}

// RepartitionHooks are told what happens: Row of each row as its run ends, Note
// once of every column that is converted.
type RepartitionHooks struct {
	Row  func(*report.RepartitionRow) error
	Note func(string)
}

func (h *RepartitionHooks) notes(all []string) {
	for _, n := range all {
		h.Note(n)
	}
}

// Repartition does all runs of a config, each in a process of its own, and tells
// hooks. Where both takes run, they alternate.
func Repartition(ctx context.Context, cfg RepartitionConfig, self Self, hooks RepartitionHooks) (rows []*report.RepartitionRow, err error) {
	if err := cfg.Check(); err != nil {
		return nil, err
	}
	src, err := fixture.Open(cfg.Input)
	if err != nil {
		return nil, err
	}
	if _, err := ResolveColumns(src.Schema(), cfg.Order.HashColumns); err != nil {
		return nil, err
	}
	if cfg.Input, err = filepath.Abs(cfg.Input); err != nil {
		return nil, err
	}
	machine := metrics.ReadMachine("")
	for i := range cfg.Warmup + cfg.Iterations {
		for _, take := range cfg.takes(i) {
			started := self.Now()
			o := cfg.Order
			o.Take = take
			reply, err := self.give(ctx, Order{Kind: kindRepartition, Input: cfg.Input, Repartition: &o})
			if err != nil {
				return rows, err
			}
			row := o.row(reply.Repartition, self)
			row.Repeat, row.Warmup = int64(i+1), i < cfg.Warmup
			row.Input, row.Started, row.Load1 = filepath.Base(cfg.Input), started.Format(time.RFC3339), machine.Load1
			rows = append(rows, row)
			if len(rows) == 1 {
				hooks.notes(reply.Repartition.Notes)
			}
			if err := hooks.Row(row); err != nil {
				return rows, err
			}
		}
	}
	return rows, nil
}

// takes is the order of round i: turned over every round.
func (c *RepartitionConfig) takes(i int) []string {
	switch {
	case !c.Both:
		return []string{c.Order.Take}
	case i%2 == 1:
		return []string{repartition.Grouped, repartition.PerPartition}
	}
	return []string{repartition.PerPartition, repartition.Grouped}
}

// row puts figures into a row.
func (o *RepartitionOrder) row(fig *RepartitionFigures, self Self) *report.RepartitionRow {
	secs := fig.Elapsed.Seconds()
	s, p := fig.Stats, fig.Peak
	r := &report.RepartitionRow{
		Case: fmt.Sprintf("%dp_%d", o.Partitions, o.BatchSize), Take: o.Take,
		RepartitionSecs: secs, CPUSecs: (fig.Usage.UserCPU + fig.Usage.SystemCPU).Seconds(),
		PartitionSecs: fig.Phases.Spent[metrics.PhasePartition].Seconds(),
		TakeSecs:      fig.Phases.Spent[metrics.PhaseTake].Seconds(),
		ConsumeSecs:   fig.Phases.Spent[metrics.PhaseOther].Seconds(),
		Rows:          s.Rows, Batches: s.Batches, Slices: s.Slices,
		AllocatedBytes: fig.Usage.Allocated,
		WaitingSlices:  p.Slices, ArrayBytes: p.ArrayBytes, LiveBytes: p.LiveBytes,
		DistinctBytes: p.DistinctBytes, ObjectBytes: p.ObjectBytes, HeldBytes: p.Held(), HeapBytes: fig.Heap,
		CopiedOut: s.CopiedOut, CopiedOutBytes: s.CopiedOutLen,
		Partitions: int64(o.Partitions), BatchSize: int64(o.BatchSize),
		SlowPartition: int64(o.Slow), Lag: int64(o.Lag), CopyOut: o.CopyOut,
		Verified: fig.Proof, Revision: self.Build.String(), GoVersion: self.Build.GoVersion,
	}
	if secs > 0 {
		r.RowsPerSec = float64(s.Rows) / secs
	}
	if fig.Heap > 0 {
		heap := float64(fig.Heap)
		r.ArrayRatio, r.LiveRatio = float64(p.ArrayBytes)/heap, float64(p.LiveBytes)/heap
		r.HeldRatio = float64(p.Held()) / heap
	}
	return r
}
