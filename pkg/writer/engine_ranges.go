package writer

import (
	"context"
	"errors"

	"github.com/shufflebench/shufflebench/pkg/metrics"
	"github.com/shufflebench/shufflebench/pkg/writer/encode"
	"github.com/shufflebench/shufflebench/pkg/writer/merge"
	"github.com/shufflebench/shufflebench/pkg/writer/output"
	"github.com/shufflebench/shufflebench/pkg/writer/segment"
	"github.com/shufflebench/shufflebench/pkg/writer/spill"
)

// ranges is the strategy of Comet's writer: a spill encodes every partition's
// rows into blocks in one spill file a task and keeps a list of ranges a
// partition; the merge copies bytes.
type ranges struct {
	t      *task
	spills *spill.Ranges
	enc    *encode.Encoder
	held   heldBlocks // reused from spill to spill
	blocks int64
}

func newRanges(t *task) (engine, error) {
	enc, err := t.newEncoder(&t.clock)
	if err != nil {
		return nil, err
	}
	return &ranges{t: t, enc: enc, spills: spill.NewRanges(t.opts.FS, t.opts.SpillDir, t.opts.Partitions)}, nil
}

// windowBudget is the bytes of rows that blocks are made from at a time, when
// the rows are in memory anyway.
const windowBudget = 64 << 10

func (r *ranges) spill(held []*segment.Segment) error {
	if err := r.spills.Begin(); err != nil {
		return err
	}
	blocks, err := r.blocksOf(held)
	if err != nil {
		return err
	}
	r.enc.Reset()
	for {
		more, err := blocks.window()
		if err != nil {
			return err
		}
		if int64(len(r.enc.Out)) >= r.t.opts.WriteBufferSize || !more {
			if err := r.flush(); err != nil {
				return err
			}
		}
		if !more {
			return nil
		}
	}
}

// flush writes the encoder's blocks to the spill file and notes their ranges.
func (r *ranges) flush() error {
	defer r.t.clock.Enter(r.t.clock.Enter(metrics.PhaseSpillWrite))
	base, start := r.spills.Size(), 0
	if err := r.spills.Write(r.enc.Out); err != nil {
		return err
	}
	for _, run := range r.enc.Runs {
		r.spills.Add(run.Partition, spill.Range{Offset: base + int64(start), Length: int64(run.End - start)})
		start = run.End
		r.blocks += int64(run.Blocks)
	}
	r.enc.Reset()
	return nil
}

func (r *ranges) blocksOf(held []*segment.Segment) (*heldBlocks, error) {
	h := &r.held
	h.enc, h.sources, h.next, h.count = r.enc, sourcesOf(held), 0, 0
	if h.planner == nil {
		var err error
		h.planner, err = segment.NewPlanner(r.t.layout, h.sources, r.t.opts.Partitions, r.t.opts.BatchSize, windowBudget)
		return h, err
	}
	return h, h.planner.Renew(h.sources, windowBudget)
}

func (r *ranges) merge(ctx context.Context, held []*segment.Segment, out *output.Pair) error {
	blocks, err := r.blocksOf(held)
	if err != nil {
		return err
	}
	r.enc.Reset()
	copier := merge.Copy{
		Ranges: r.spills, Memory: blocks, Out: out,
		Partitions: r.t.opts.Partitions,
		Budget:     r.t.opts.MergeBudget,
		Release:    r.t.opts.SpillMetadata == Release,
		Clock:      &r.t.clock,
	}
	err = copier.Run(ctx)
	r.blocks += blocks.count
	return err
}

func (r *ranges) metadata() (inner, outer int64) { return r.spills.Inner(), r.spills.Outer() }

func (r *ranges) report(res *TaskResult) {
	res.SpillBytes = r.spills.Size()
	res.Ranges = r.spills.Count()
	res.Blocks = r.blocks
}

func (r *ranges) close() error { return errors.Join(r.spills.Close(), r.enc.Close()) }

// heldBlocks makes the blocks of rows in memory, window by window.
type heldBlocks struct {
	enc     *encode.Encoder
	planner *segment.Planner
	sources []segment.Source
	w       segment.Window
	next    int   // run to give out next
	count   int64 // blocks given out
}

var _ merge.Blocks = (*heldBlocks)(nil)

// window appends the blocks of the next window to the encoder's output.
func (h *heldBlocks) window() (bool, error) {
	more, err := h.planner.Next(&h.w)
	if err != nil || !more {
		return false, err
	}
	if err := h.w.Load(h.sources); err != nil {
		return false, err
	}
	return true, h.enc.Window(&h.w)
}

// Next implements merge.Blocks.
func (h *heldBlocks) Next() (partition uint32, blocks []byte, ok bool, err error) {
	for h.next == len(h.enc.Runs) {
		h.enc.Reset()
		h.next = 0
		if more, err := h.window(); err != nil || !more {
			return 0, nil, false, err
		}
	}
	run := h.enc.Runs[h.next]
	start := 0
	if h.next > 0 {
		start = h.enc.Runs[h.next-1].End
	}
	h.next++
	h.count += int64(run.Blocks)
	return run.Partition, h.enc.Out[start:run.End], true, nil
}

func sourcesOf(held []*segment.Segment) []segment.Source {
	sources := make([]segment.Source, len(held))
	for i, s := range held {
		sources[i] = s
	}
	return sources
}
