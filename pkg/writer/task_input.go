package writer

import (
	"context"
	"math/bits"

	"github.com/shufflebench/shufflebench/pkg/metrics"
	"github.com/shufflebench/shufflebench/pkg/writer/convert"
	"github.com/shufflebench/shufflebench/pkg/writer/segment"
	"github.com/shufflebench/shufflebench/pkg/writer/spill"
	"github.com/shufflebench/shufflebench/pkg/writer/streams"
)

// taskInput is one of the inputs of a consolidated task: a task of its own up to
// the merge, over its part of the row groups.
type taskInput struct {
	sub    *task
	enc    *streams.Encoder
	spills *spill.Ranges
	memory streams.Memory

	budgeted     bool // the task's budget is what ends the buffer, not the pool
	batches      int64
	budgetSpills int
	poolSpills   int
}

func newInput(t *task, template *streams.Template, number int) (*taskInput, error) {
	o := t.opts
	o.Workers = 1
	sub := &task{
		opts: o, src: t.src, plan: convert.New(t.src.Schema()), layout: t.layout,
		taker: segment.NewTaker(t.layout), input: number, inputs: o.Inputs,
	}
	in := &taskInput{sub: sub, spills: spill.NewRanges(o.FS, o.SpillDir, o.Partitions)}
	sub.spiller = in
	in.limit(&t.opts)
	var err error
	if sub.parts, err = newPartitioner(sub.plan.Schema, o, t.bounds); err != nil {
		return nil, err
	}
	in.enc, err = streams.New(template, o.BatchSize, &sub.clock)
	return in, err
}

// limit gives the input its share of the task's budget and of the pool: as much
// of it as it has of the rows. So inputs spill when, and only when, a task whose
// inputs advance evenly is over its budget; and each by its own rows alone, so
// that runs of a case leave the same bytes however the goroutines are scheduled.
func (in *taskInput) limit(o *Options) {
	all := in.sub.scan()
	all.Part, all.Parts = 0, 1
	mine, rows := in.sub.src.PartRows(in.sub.scan()), in.sub.src.PartRows(all)
	budget := share(o.taskBudget(), mine, rows)
	pool := share(o.MemoryLimit, mine, rows*int64(o.ConcurrentTasks))
	in.budgeted = pool == 0 || budget != 0 && budget <= pool
	limit := &in.sub.opts
	limit.MemoryLimit, limit.MaxBufferBytes = pool, budget
}

// share is part of whole's share of a limit, at least 1; 0 stays no limit.
func share(limit, part, whole int64) int64 {
	if limit == 0 || whole == 0 {
		return limit
	}
	hi, lo := bits.Mul64(uint64(limit), uint64(part))
	if hi >= uint64(whole) {
		return limit
	}
	q, _ := bits.Div64(hi, lo, uint64(whole))
	return max(1, int64(q))
}

// spill implements spiller: it encodes the rows, and writes the streams.
func (in *taskInput) spill(held []*segment.Segment) error {
	if in.budgeted {
		in.budgetSpills++
	} else {
		in.poolSpills++
	}
	if err := in.spills.Begin(); err != nil {
		return err
	}
	sources := sourcesOf(held)
	planner, err := in.planner(sources)
	if err != nil {
		return err
	}
	in.enc.Reset()
	var w segment.Window
	for {
		more, err := planner.Next(&w)
		if err != nil {
			return err
		}
		if more {
			if err := w.Load(sources); err != nil {
				return err
			}
			if err := in.enc.Window(&w); err != nil {
				return err
			}
		}
		if int64(len(in.enc.Out)) >= in.sub.opts.WriteBufferSize || !more {
			if err := in.flush(); err != nil {
				return err
			}
		}
		if !more {
			return nil
		}
	}
}

func (in *taskInput) planner(sources []segment.Source) (*segment.Planner, error) {
	o := &in.sub.opts
	return segment.NewPlanner(in.sub.layout, sources, o.Partitions, o.BatchSize, windowBudget)
}

// flush writes what is encoded to the spill file and notes the ranges.
func (in *taskInput) flush() error {
	defer in.sub.clock.Enter(in.sub.clock.Enter(metrics.PhaseSpillWrite))
	base, start := in.spills.Size(), 0
	if err := in.spills.Write(in.enc.Out); err != nil {
		return err
	}
	for _, run := range in.enc.Runs {
		in.spills.Add(run.Partition, spill.Range{Offset: base + int64(start), Length: int64(run.End - start)})
		start = run.End
		in.batches += int64(run.Batches)
	}
	in.enc.Reset()
	return nil
}

// encode turns what is still buffered into streams in memory, and gives up the
// rows.
func (in *taskInput) encode(ctx context.Context) error {
	sources := sourcesOf(in.sub.buffer.held)
	planner, err := in.planner(sources)
	if err != nil {
		return err
	}
	if err := in.memory.Keep(ctx, in.enc, planner, sources); err != nil {
		return err
	}
	in.sub.buffer = buffer{}
	return nil
}
