package sortedrows

import (
	"github.com/shufflebench/shufflebench/pkg/metrics"
	"github.com/shufflebench/shufflebench/pkg/writer/encode"
	"github.com/shufflebench/shufflebench/pkg/writer/merge"
	"github.com/shufflebench/shufflebench/pkg/writer/pages"
	"github.com/shufflebench/shufflebench/pkg/writer/segment"
)

// PerSpill makes the blocks of a spill in one call, with state that it keeps
// from partition to partition and from spill to spill.
type PerSpill struct {
	count
	o     Options
	maker *blockMaker
	walk  walk
	rows  [][]byte
	parts []segment.Part
}

var _ Shape = (*PerSpill)(nil)

// NewPerSpill makes all state.
func NewPerSpill(o Options) (*PerSpill, error) {
	maker, err := newBlockMaker(&o, o.Layout, o.Template, newTemplates(o.Layout))
	return &PerSpill{o: o, maker: maker}, err
}

// Close implements Shape.
func (s *PerSpill) Close() error { return s.maker.enc.Close() }

// Spill implements Shape.
func (s *PerSpill) Spill(src Source, out Sink) error {
	s.begin(src)
	for more := true; more; {
		var err error
		if more, err = s.window(); err != nil {
			return err
		}
		if enc := s.maker.enc; len(enc.Out) >= s.o.Buffer || !more && len(enc.Out) > 0 {
			s.note(&s.o, enc)
			if err := out.Write(enc.Out, enc.Runs); err != nil {
				return err
			}
			enc.Reset()
		}
	}
	return nil
}

func (s *PerSpill) begin(src Source) {
	s.walk = walk{src: src, partitions: s.o.Partitions, blockRows: s.o.BlockRows}
	s.maker.enc.Reset()
}

// window appends the blocks of the next rows; false when there are none.
func (s *PerSpill) window() (more bool, err error) {
	defer s.o.Clock.Enter(s.o.Clock.Enter(metrics.PhaseEncode))
	s.rows, s.parts, err = s.walk.next(s.rows[:0], s.parts[:0])
	if err != nil || len(s.rows) == 0 {
		return false, err
	}
	return true, s.maker.add(s.rows, s.parts)
}

// windowBytes is how many bytes of rows are turned into columns at a time: few
// enough to stay in a core's cache from one column to the next.
const windowBytes = 128 << 10

// walk goes through sorted pointers.
type walk struct {
	src        Source
	partitions int
	blockRows  int
	at         int    // next pointer
	last       uint32 // partition of the one before
}

// next appends the rows of the next window and lists whose they are. A window
// has whole partitions, or of one that has more rows than fit it a multiple of
// a block's rows, so that blocks do not depend on windows.
func (w *walk) next(rows [][]byte, parts []segment.Part) ([][]byte, []segment.Part, error) {
	size, n := 0, 0 // bytes of the window, rows of the present partition
	for ; w.at < len(w.src.Pointers); w.at++ {
		p := w.src.Pointers[w.at]
		if len(parts) == 0 || p.Partition() != w.last {
			if size >= windowBytes {
				break
			}
			if err := w.turn(p); err != nil {
				return nil, nil, err
			}
			parts = append(parts, segment.Part{Partition: w.last})
			n = 0
		} else if n == w.blockRows {
			if size >= windowBytes {
				break
			}
			n = 0
		}
		row, err := w.src.Table.Row(p)
		if err != nil {
			return nil, nil, err
		}
		rows = append(rows, row)
		size += len(row)
		n++
		parts[len(parts)-1].Rows++
	}
	return rows, parts, nil
}

// turn goes on to the partition of p.
func (w *walk) turn(p pages.Pointer) error {
	part := p.Partition()
	if part >= w.last && int64(part) < int64(w.partitions) {
		w.last = part
		return nil
	}
	return pages.Check(w.src.Pointers[max(w.at-1, 0):w.at+1], w.partitions)
}

// blocks implements merge.Blocks.
type blocks struct {
	s   *PerSpill
	run int // to be given next
}

// Blocks implements Shape.
func (s *PerSpill) Blocks(src Source) merge.Blocks {
	s.begin(src)
	return &blocks{s: s}
}

// Next implements merge.Blocks.
func (b *blocks) Next() (partition uint32, data []byte, ok bool, err error) {
	enc := b.s.maker.enc
	for b.run == len(enc.Runs) {
		enc.Reset()
		b.run = 0
		if more, err := b.s.window(); err != nil || !more {
			return 0, nil, false, err
		}
		b.s.note(&b.s.o, enc)
	}
	start := 0
	if b.run > 0 {
		start = enc.Runs[b.run-1].End
	}
	run := enc.Runs[b.run]
	b.run++
	return run.Partition, enc.Out[start:run.End], true, nil
}

// blockMaker turns rows into blocks.
type blockMaker struct {
	o      *Options
	cols   *columns
	enc    *encode.Encoder
	dicts  *dictionaries // nil when no column can be one
	pieces []segment.Piece
	nodes  int
}

func newBlockMaker(o *Options, l *segment.Layout, t *encode.Template, cache *templates) (*blockMaker, error) {
	cols, err := newColumns(l)
	if err != nil {
		return nil, err
	}
	enc, err := encode.New(t, o.Codec, o.BlockRows, o.Clock)
	if err != nil {
		return nil, err
	}
	m := &blockMaker{o: o, cols: cols, enc: enc, nodes: len(l.Nodes)}
	m.dicts = newDictionaries(o.DictionaryRatio, cols, cache)
	return m, nil
}

// add appends the blocks of rows, which are those of parts one after another.
func (m *blockMaker) add(rows [][]byte, parts []segment.Part) error {
	if err := m.cols.fill(rows); err != nil {
		return err
	}
	m.cut(parts)
	w := segment.Window{Parts: parts, Views: m.cols.views, Nodes: m.nodes}
	if m.dicts == nil {
		return m.enc.Window(&w)
	}
	return m.withDictionaries(&w)
}

// cut gives every part its piece of the rows.
func (m *blockMaker) cut(parts []segment.Part) {
	m.pieces = m.pieces[:0]
	lo := uint32(0)
	for i := range parts {
		m.pieces = append(m.pieces, segment.Piece{Lo: lo, Rows: uint32(parts[i].Rows)})
		lo += uint32(parts[i].Rows)
	}
	for i := range parts {
		parts[i].Pieces = m.pieces[i : i+1 : i+1]
	}
}
