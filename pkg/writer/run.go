// Package writer writes shuffles: it reads a fixture, sends every row to its
// partition, and leaves one data file and one index a task.
//
//	batches ─► partition ─► segment (grouped take) ─► buffer ─┬─ over the limit ─► spill
//	                                                          └─ end of input ─► merge ─► data, index
//
// How rows are spilled and merged is the engine's: ranges spills encoded
// blocks and copies them, segments spills rows and encodes them once. Every
// part of the way is a package of its own below this one.
package writer

import (
	"context"
	"errors"
	"fmt"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/shufflebench/shufflebench/pkg/fixture"
	"github.com/shufflebench/shufflebench/pkg/writer/convert"
	"github.com/shufflebench/shufflebench/pkg/writer/output"
)

// Run writes the shuffle of src: ConcurrentTasks tasks side by side, each over
// all of it, into OutputDir/task_N. An old pair of files there goes first. When
// one task fails the others stop, and nothing of the tasks that did not finish
// is left. Spill files are removed after the last task's end, outside the time
// that is measured.
func Run(ctx context.Context, src *fixture.Dataset, o Options) (*Result, error) {
	o.EnsureDefaults()
	if err := o.Validate(); err != nil {
		return nil, err
	}
	notes := convert.New(src.Schema()).Notes
	if o.StrictTypes && len(notes) > 0 {
		return nil, &StrictTypesError{notes}
	}
	tasks := make([]*task, o.ConcurrentTasks)
	bounds, err := sampleBounds(ctx, src, o)
	if err != nil {
		return nil, err
	}
	for i := range tasks {
		t, err := newTaskWith(src, o, i, bounds)
		if err != nil {
			return nil, err
		}
		tasks[i] = t
	}
	for _, t := range tasks {
		if err := output.Clear(o.FS, t.dir); err != nil {
			return nil, err
		}
	}
	res := &Result{Tasks: make([]TaskResult, len(tasks)), Notes: notes}
	group, ctx := errgroup.WithContext(ctx)
	start := time.Now()
	for i, t := range tasks {
		group.Go(func() (err error) {
			if res.Tasks[i], err = t.run(ctx); err == nil {
				err = t.verifyRows()
			}
			if err != nil && len(tasks) > 1 {
				err = fmt.Errorf("task %d: %w", i, err)
			}
			return err
		})
	}
	err = group.Wait()
	res.Elapsed = time.Since(start)
	for _, t := range tasks {
		err = errors.Join(err, t.engine.close())
	}
	if err != nil {
		return nil, cause(ctx, err)
	}
	return res, nil
}

// cause prefers the reason for a cancellation over its symptoms.
func cause(ctx context.Context, err error) error {
	if errors.Is(err, context.Canceled) && context.Cause(ctx) != nil {
		return fmt.Errorf("interrupted: %w", context.Cause(ctx))
	}
	return err
}
