package writer

import (
	"context"
	"errors"
	"runtime"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/shufflebench/shufflebench/pkg/metrics"
	"github.com/shufflebench/shufflebench/pkg/writer/merge"
	"github.com/shufflebench/shufflebench/pkg/writer/output"
	"github.com/shufflebench/shufflebench/pkg/writer/segment"
	"github.com/shufflebench/shufflebench/pkg/writer/streams"
)

const consolidatedName = "consolidated"

// MaxInputs is the most inputs that a task may have.
const MaxInputs = 1024

// consolidated is the strategy of Ballista's sort shuffle: the row groups are
// dealt to inputs that read, partition, buffer and spill side by side; at the
// end each encodes what it still has, and one pass copies all streams into one
// file.
//
//	input 0  read, partition, buffer, spill ─► encode ─┐
//	input 1  read, partition, buffer, spill ─► encode ─┼─► copy, partition by partition
//	input 2  read, partition, buffer, spill ─► encode ─┘
type consolidated struct {
	t            *task
	template     *streams.Template
	inputs       []*taskInput
	encode, copy time.Duration
}

var _ inputEngine = (*consolidated)(nil)

func newConsolidated(t *task) (engine, error) {
	o := &t.opts
	template, err := streams.NewTemplate(t.layout, streams.Codec{Codec: o.Codec, ZstdLevel: o.ZstdLevel, LZ4: string(o.LZ4Encoder)})
	if err != nil {
		return nil, err
	}
	c := &consolidated{t: t, template: template, inputs: make([]*taskInput, o.Inputs)}
	for i := range c.inputs {
		if c.inputs[i], err = newInput(t, template, i); err != nil {
			return nil, err
		}
		t.helpers = append(t.helpers, &c.inputs[i].sub.clock)
	}
	return c, nil
}

// form implements inputEngine.
func (c *consolidated) form() output.Form {
	form := output.Streams
	form.Header = c.template.Header()
	return form
}

// consume implements inputEngine.
func (c *consolidated) consume(ctx context.Context) error {
	err := c.each(ctx, len(c.inputs), func(ctx context.Context, in *taskInput) error { return in.sub.consume(ctx) })
	res := &c.t.result
	for _, in := range c.inputs {
		part := &in.sub.result
		res.Rows += part.Rows
		res.Batches += part.Batches
		res.Spills += part.Spills
		res.PeakBuffer += part.PeakBuffer
	}
	return err
}

// each has inputs work, so many of them side by side, each on a goroutine and
// on the clock of its own, while the task waits. So work counts once and in its
// phase, however many work at a time.
func (c *consolidated) each(ctx context.Context, sideBySide int, work func(context.Context, *taskInput) error) error {
	defer c.t.clock.Enter(c.t.clock.Enter(metrics.PhaseWait))
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(sideBySide)
	for _, in := range c.inputs {
		group.Go(func() error {
			in.sub.ctx = ctx
			in.sub.clock.Start(metrics.PhaseOther)
			defer in.sub.clock.Stop()
			return work(ctx, in)
		})
	}
	return group.Wait()
}

// spill implements engine for a buffer that is always empty.
func (c *consolidated) spill([]*segment.Segment) error { return nil }

func (c *consolidated) merge(ctx context.Context, _ []*segment.Segment, out *output.Pair) error {
	start := time.Now()
	sideBySide := runtime.GOMAXPROCS(0) // more would only wait for a core
	if c.t.opts.Encode == Serial {
		sideBySide = 1
	}
	if err := c.each(ctx, sideBySide, func(ctx context.Context, in *taskInput) error { return in.encode(ctx) }); err != nil {
		return err
	}
	c.encode = time.Since(start)
	pass := merge.Consolidate{Partitions: c.t.opts.Partitions, Budget: c.t.opts.MergeBudget, Clock: &c.t.clock}
	for _, in := range c.inputs {
		pass.Inputs = append(pass.Inputs, &merge.Copy{
			Ranges: in.spills, Memory: &in.memory, Out: out, Release: c.t.opts.SpillMetadata == Release,
		})
	}
	err := pass.Run(ctx)
	c.copy = time.Since(start) - c.encode
	return err
}

func (c *consolidated) metadata() (inner, outer int64) {
	for _, in := range c.inputs {
		inner += in.spills.Inner()
		outer += in.spills.Outer()
	}
	return inner, outer
}

func (c *consolidated) report(res *TaskResult) {
	for _, in := range c.inputs {
		res.SpillBytes += in.spills.Size()
		res.Ranges += in.spills.Count()
		res.Blocks += in.batches + in.memory.Batches
		res.BudgetSpills += in.budgetSpills
		res.PoolSpills += in.poolSpills
	}
	res.Encode, res.Copy, res.SerialEncode = c.encode, c.copy, c.t.opts.Encode == Serial
}

func (c *consolidated) close() error {
	var errs []error
	for _, in := range c.inputs {
		errs = append(errs, in.spills.Close(), in.enc.Close())
	}
	return errors.Join(errs...)
}
