package sortedrows

import (
	"errors"

	"github.com/shufflebench/shufflebench/pkg/metrics"
	"github.com/shufflebench/shufflebench/pkg/writer/merge"
	"github.com/shufflebench/shufflebench/pkg/writer/segment"
)

// PerPartition makes the blocks of a spill in one call a partition, each of
// which begins with nothing but rows and schema.
type PerPartition struct {
	count
	o Options
}

var _ Shape = (*PerPartition)(nil)

// NewPerPartition makes the shape; o.Buffer bounds what a call gathers of a
// large partition before it writes.
func NewPerPartition(o Options) *PerPartition { return &PerPartition{o: o} }

// Close implements Shape.
func (s *PerPartition) Close() error { return nil }

// Spill implements Shape.
func (s *PerPartition) Spill(src Source, out Sink) error {
	b := s.calls(src)
	for {
		more, err := b.step()
		if err != nil || !more {
			return err
		}
		if err := out.Write(b.now.enc.Out, b.now.enc.Runs); err != nil {
			return err
		}
	}
}

// Blocks implements Shape.
func (s *PerPartition) Blocks(src Source) merge.Blocks { return s.calls(src) }

func (s *PerPartition) calls(src Source) *calls {
	return &calls{o: &s.o, count: &s.count, walk: walk{src: src, partitions: s.o.Partitions, blockRows: s.o.BlockRows}}
}

// calls makes one call after another.
type calls struct {
	o     *Options
	count *count
	walk  walk
	now   *call // nil before the first
}

// Next implements merge.Blocks.
func (c *calls) Next() (partition uint32, data []byte, ok bool, err error) {
	if ok, err = c.step(); !ok {
		return 0, nil, false, err
	}
	return c.now.partition, c.now.enc.Out, true, nil
}

// step makes the next blocks of the present call, or of a new one; false when
// no rows are left.
func (c *calls) step() (bool, error) {
	defer c.o.Clock.Enter(c.o.Clock.Enter(metrics.PhaseEncode))
	if c.now == nil || len(c.now.rows) == 0 {
		if err := c.turn(); err != nil || c.now == nil {
			return false, err
		}
	}
	if err := c.now.run(); err != nil {
		return false, errors.Join(err, c.now.enc.Close())
	}
	c.count.note(c.o, c.now.enc)
	return true, nil
}

// turn ends the present call and begins that of the next partition, if there is
// one.
func (c *calls) turn() error {
	if c.now != nil {
		if err := c.now.enc.Close(); err != nil {
			return err
		}
		c.now = nil
	}
	rows, err := c.walk.partition()
	if err != nil || len(rows) == 0 {
		return err
	}
	c.now, err = newCall(c.o, c.walk.last, rows)
	return err
}

// partition lists where the rows of the next partition lie and how long they
// are.
func (w *walk) partition() ([][]byte, error) {
	rest := w.src.Pointers[w.at:]
	if len(rest) == 0 {
		return nil, nil
	}
	if err := w.turn(rest[0]); err != nil {
		return nil, err
	}
	n := 1
	for n < len(rest) && rest[n].Partition() == w.last {
		n++
	}
	rows := make([][]byte, n)
	for i, p := range rest[:n] {
		row, err := w.src.Table.Row(p)
		if err != nil {
			return nil, err
		}
		rows[i] = row
	}
	w.at += n
	return rows, nil
}

// call is what lives as long as one call.
type call struct {
	*blockMaker
	partition uint32
	rows      [][]byte // left
}

// newCall makes everything anew: the types of the columns, builders, schema
// message, compressor.
func newCall(o *Options, partition uint32, rows [][]byte) (*call, error) {
	l, err := segment.NewLayout(o.Layout.Schema)
	if err != nil {
		return nil, err
	}
	t, err := o.Template.Anew(l)
	if err != nil {
		return nil, err
	}
	m, err := newBlockMaker(o, l, t, newTemplates(l))
	return &call{m, partition, rows}, err
}

// run makes the next blocks, up to the buffer's size.
func (c *call) run() error {
	c.enc.Reset()
	for len(c.rows) > 0 && len(c.enc.Out) < c.o.Buffer {
		n := min(len(c.rows), c.o.BlockRows)
		if err := c.add(c.rows[:n], []segment.Part{{Partition: c.partition, Rows: n}}); err != nil {
			return err
		}
		c.rows = c.rows[n:]
	}
	return nil
}
