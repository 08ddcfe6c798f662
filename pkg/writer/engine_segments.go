package writer

import (
	"context"
	"errors"
	"slices"
	"unsafe"

	"github.com/shufflebench/shufflebench/pkg/metrics"
	"github.com/shufflebench/shufflebench/pkg/writer/encode"
	"github.com/shufflebench/shufflebench/pkg/writer/merge"
	"github.com/shufflebench/shufflebench/pkg/writer/output"
	"github.com/shufflebench/shufflebench/pkg/writer/segment"
)

// segments moves rows to disk as they are, grouped by partition, and encodes
// them once, in the merge. What it keeps in memory of a spill is where the
// segment lies.
type segments struct {
	t       *task
	file    *segment.File      // nil before the first spill
	runs    [][]segment.Extent // one a spill: segments of partitions that rise
	fanIn   int                // most runs that are merged at once
	spilled int64              // bytes written by spills and passes
	blocks  int64
}

func newSegments(t *task) (engine, error) { return &segments{t: t, fanIn: merge.FanIn}, nil }

func (s *segments) spill(held []*segment.Segment) error {
	defer s.t.clock.Enter(s.t.clock.Enter(metrics.PhaseSpillWrite))
	if s.file == nil {
		f, err := s.t.newSpillFile()
		if err != nil {
			return err
		}
		s.file = f
	}
	if len(held) > 1 {
		return s.regroup(s.t.ctx, sourcesOf(held), &s.runs, s.file)
	}
	e, err := s.file.Append(held[0])
	s.runs = append(s.runs, []segment.Extent{e})
	return err
}

// regroup appends rows to file as one run.
func (s *segments) regroup(ctx context.Context, sources []segment.Source, runs *[][]segment.Extent, file *segment.File) error {
	o := &s.t.opts
	run, err := merge.Compact(ctx, s.t.layout, sources, o.Partitions, o.BatchSize, o.MergeBudget, file)
	*runs = append(*runs, run)
	return err
}

// compact brings the runs down to a number that can be merged at once, in as
// many passes as it takes, each into a spill file of its own.
func (s *segments) compact(ctx context.Context) error {
	defer s.t.clock.Enter(s.t.clock.Enter(metrics.PhaseSpillWrite))
	for len(s.runs) > s.fanIn {
		next, err := s.t.newSpillFile()
		if err != nil {
			return err
		}
		var runs [][]segment.Extent
		for group := range slices.Chunk(s.runs, s.fanIn) {
			sources, err := s.open(slices.Concat(group...))
			if err == nil {
				err = s.regroup(ctx, sources, &runs, next)
			}
			if err != nil {
				return errors.Join(err, next.Close())
			}
		}
		s.spilled += s.file.Size()
		old := s.file
		s.file, s.runs = next, runs
		if err := old.Close(); err != nil {
			return err
		}
	}
	return nil
}

func (s *segments) merge(ctx context.Context, held []*segment.Segment, out *output.Pair) error {
	if err := s.compact(ctx); err != nil {
		return err
	}
	sources, err := s.open(slices.Concat(s.runs...))
	if err != nil {
		return err
	}
	sources = append(sources, sourcesOf(held)...)
	o := &s.t.opts
	planner, err := segment.NewPlanner(s.t.layout, sources, o.Partitions, o.BatchSize, s.budget(len(s.runs)))
	if err != nil {
		return err
	}
	g := merge.Gather{Sources: sources, Planner: planner, Out: out, Budget: int(o.MergeBudget)}
	defer func() {
		for _, e := range g.Encoders {
			err = errors.Join(err, e.Close())
		}
	}()
	for i := range o.Workers {
		clock := &s.t.clock
		if i > 0 {
			clock = new(metrics.Clock)
			s.t.helpers = append(s.t.helpers, clock)
		}
		var e *encode.Encoder
		if e, err = s.t.newEncoder(clock); err != nil {
			return err
		}
		g.Encoders = append(g.Encoders, e)
		g.Clocks = append(g.Clocks, clock)
	}
	err = g.Run(ctx)
	s.blocks = g.Blocks
	return err
}

// Reads of spilled rows should have leastRead bytes; for that the budget is
// raised, up to mostBudget.
const (
	leastRead  = 2 << 10
	mostBudget = 8 << 20
)

// budget is the merge budget for a number of spilled runs: a window takes a read
// of every run and buffer, and many columns would make them tiny.
func (s *segments) budget(runs int) int64 {
	buffers := 0
	for _, n := range s.t.layout.Nodes {
		switch n.Kind {
		case segment.Var:
			buffers += 2
		case segment.Fixed, segment.Bits, segment.List:
			buffers++
		}
	}
	return max(s.t.opts.MergeBudget, min(int64(runs*buffers*leastRead), mostBudget))
}

// open reads the footers of spilled segments.
func (s *segments) open(extents []segment.Extent) ([]segment.Source, error) {
	defer s.t.clock.Enter(s.t.clock.Enter(metrics.PhaseSpillRead))
	sources := make([]segment.Source, len(extents))
	for i, e := range extents {
		stored, err := s.file.Open(s.t.layout, e)
		if err != nil {
			return nil, err
		}
		sources[i] = stored
	}
	return sources, nil
}

func (s *segments) metadata() (inner, outer int64) {
	for _, r := range s.runs {
		inner += int64(cap(r)) * int64(unsafe.Sizeof(segment.Extent{}))
	}
	return inner, int64(cap(s.runs)) * int64(unsafe.Sizeof([]segment.Extent{}))
}

func (s *segments) report(res *TaskResult) {
	res.Blocks = s.blocks
	res.SpillBytes = s.spilled
	if s.file != nil {
		res.SpillBytes += s.file.Size()
	}
}

func (s *segments) close() error {
	if s.file == nil {
		return nil
	}
	return s.file.Close()
}
