package writer

import (
	"context"
	"errors"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/shufflebench/shufflebench/pkg/metrics"
	"github.com/shufflebench/shufflebench/pkg/writer/encode"
	"github.com/shufflebench/shufflebench/pkg/writer/merge"
	"github.com/shufflebench/shufflebench/pkg/writer/output"
	"github.com/shufflebench/shufflebench/pkg/writer/pages"
	"github.com/shufflebench/shufflebench/pkg/writer/segment"
	"github.com/shufflebench/shufflebench/pkg/writer/sortedrows"
	"github.com/shufflebench/shufflebench/pkg/writer/spill"
	"github.com/shufflebench/shufflebench/pkg/writer/unsaferow"
)

const sortedRowsName = "sorted-rows"

// sortedRows is the strategy of Comet's shuffle of Spark's own rows: rows lie
// in pages in Spark's binary form, pointers to them are sorted by partition at
// a spill, and the rows are turned into blocks in one call a partition or one
// call a spill. Spills are merged as those of ranges are.
type sortedRows struct {
	t      *task
	rows   *unsaferow.Writer
	store  *pages.Store
	shape  sortedrows.Shape
	spills *spill.Ranges
	sums   *sortedrows.Sums
	rooms  [][]byte
}

// rowEngine is an engine that holds rows in a form of its own, and spills by
// itself; the task's buffer stays empty.
type rowEngine interface {
	engine
	// insert takes the rows of a batch, of which row i goes to parts[i].
	insert(batch arrow.RecordBatch, parts []uint32) error
	// checksums are those of the partitions' bytes, complete when the merge
	// ends; nil if it makes none.
	checksums() []uint32
}

var _ rowEngine = (*sortedRows)(nil)

// givenSums are the checksums that an engine makes by itself.
func givenSums(e engine) []uint32 {
	if rows, ok := e.(rowEngine); ok {
		return rows.checksums()
	}
	return nil
}

func newSortedRows(t *task) (engine, error) {
	o := &t.opts
	layout, err := unsaferow.NewLayout(t.layout)
	if err != nil {
		return nil, err
	}
	s := &sortedRows{t: t, rows: unsaferow.NewWriter(layout), sums: sortedrows.NewSums(o.Checksum, o.Partitions)}
	if s.store, err = pages.NewStore(int(o.PageSize), o.RecordLength); err != nil {
		return nil, err
	}
	if s.shape, err = s.newShape(); err != nil {
		return nil, err
	}
	fsys := o.FS
	if o.Calls == PerPartition {
		fsys = sortedrows.Reopening(fsys)
	}
	s.spills = spill.NewRanges(fsys, o.SpillDir, o.Partitions)
	return s, nil
}

func (s *sortedRows) newShape() (sortedrows.Shape, error) {
	o := &s.t.opts
	opts := sortedrows.Options{
		Layout:          s.t.layout,
		Template:        s.t.template,
		Codec:           s.t.codec(),
		Partitions:      o.Partitions,
		BlockRows:       o.BatchSize,
		DictionaryRatio: o.DictionaryRatio,
		Buffer:          int(o.WriteBufferSize),
		Sums:            s.sums,
		Clock:           &s.t.clock,
	}
	if o.Calls == PerPartition {
		return sortedrows.NewPerPartition(opts), nil
	}
	return sortedrows.NewPerSpill(opts)
}

func (s *sortedRows) checksums() []uint32 {
	if s.sums == nil {
		return nil
	}
	return s.sums.ByPartition
}

// stretch is how many rows are written into the pages at a time: few enough for
// their bytes to stay in a core's nearest cache from one column to the next.
const stretch = 256

func (s *sortedRows) insert(batch arrow.RecordBatch, parts []uint32) error {
	s.rows.Use(batch)
	defer s.rows.Release()
	for lo := 0; lo < len(parts); {
		n := min(stretch, len(parts)-lo)
		if most := s.t.opts.SpillRows; most > 0 {
			n = min(n, most-s.store.Rows())
		}
		taken, err := s.insertStretch(lo, parts[lo:lo+n])
		if err != nil {
			return err
		}
		lo += taken
		if taken < n || s.store.Rows() == s.t.opts.SpillRows {
			if err := s.spillRows(); err != nil {
				return err
			}
		}
	}
	s.t.result.PeakBuffer = max(s.t.result.PeakBuffer, s.store.Bytes())
	if limit := s.t.opts.BufferLimit(); limit > 0 && s.store.Bytes() > limit {
		return s.spillRows()
	}
	return nil
}

// insertStretch writes rows from lo on into the pages, as many as there is room
// for in the page table.
func (s *sortedRows) insertStretch(lo int, parts []uint32) (taken int, err error) {
	sizes, err := s.rows.Sizes(lo, lo+len(parts))
	if err != nil {
		return 0, err
	}
	s.rooms = s.rooms[:0]
	for i, size := range sizes {
		room, err := s.store.Insert(parts[i], size)
		if errors.Is(err, pages.ErrFull) {
			break
		}
		if err != nil {
			return 0, err
		}
		s.rooms = append(s.rooms, room)
	}
	s.rows.Write(lo, s.rooms)
	return len(s.rooms), nil
}

// source sorts the rows.
func (s *sortedRows) source() sortedrows.Source {
	return sortedrows.Source{Pointers: s.store.Sort(), Table: &s.store.Table}
}

// spillRows moves all rows to disk, if there are any.
func (s *sortedRows) spillRows() error {
	if s.store.Rows() == 0 {
		return nil
	}
	s.t.result.PeakBuffer = max(s.t.result.PeakBuffer, s.store.Bytes())
	s.t.result.Spills++
	if err := s.spills.Begin(); err != nil {
		return err
	}
	if err := s.shape.Spill(s.source(), s); err != nil {
		return err
	}
	s.store.Reset()
	return nil
}

// Write implements sortedrows.Sink: it appends blocks to the spill file and
// notes their ranges.
func (s *sortedRows) Write(b []byte, runs []encode.Run) error {
	defer s.t.clock.Enter(s.t.clock.Enter(metrics.PhaseSpillWrite))
	base, start := s.spills.Size(), 0
	if err := s.spills.Write(b); err != nil {
		return err
	}
	for _, run := range runs {
		s.spills.Add(run.Partition, spill.Range{Offset: base + int64(start), Length: int64(run.End - start)})
		start = run.End
	}
	return nil
}

// spill implements engine for a buffer that is always empty.
func (s *sortedRows) spill([]*segment.Segment) error { return s.spillRows() }

func (s *sortedRows) merge(ctx context.Context, _ []*segment.Segment, out *output.Pair) error {
	s.store.Trim()
	copier := merge.Copy{
		Ranges: s.spills, Memory: s.shape.Blocks(s.source()), Out: out,
		Partitions: s.t.opts.Partitions,
		Budget:     s.t.opts.MergeBudget,
		Release:    s.t.opts.SpillMetadata == Release,
		Clock:      &s.t.clock,
	}
	return copier.Run(ctx)
}

func (s *sortedRows) metadata() (inner, outer int64) { return s.spills.Inner(), s.spills.Outer() }

func (s *sortedRows) report(res *TaskResult) {
	res.SpillBytes = s.spills.Size()
	res.Ranges = s.spills.Count()
	res.Blocks = s.shape.Made()
}

func (s *sortedRows) close() error { return errors.Join(s.spills.Close(), s.shape.Close()) }
