package sortedrows

import (
	"math"
	"slices"

	"github.com/shufflebench/shufflebench/internal/shufflefile"
	"github.com/shufflebench/shufflebench/pkg/writer/segment"
	"github.com/shufflebench/shufflebench/pkg/writer/unsaferow"
)

// columns are the builders: they turn rows into columns, one column over all
// rows at a time, and are filled anew with every call of fill. As many rows as
// they have held before need no memory.
type columns struct {
	layout *unsaferow.Layout
	views  []segment.View // by Node.Index, what fill made
	bufs   []buffers      // likewise, the memory behind the views
	nulls  []uint64       // null bits of all rows, or'ed
}

// buffers is the memory of one node.
type buffers struct {
	valid []byte
	off   []int32
	data  []uint64 // aligned for every width
	bytes []byte   // of strings
	cells []cell
}

func newColumns(l *segment.Layout) (*columns, error) {
	layout, err := unsaferow.NewLayout(l)
	if err != nil {
		return nil, err
	}
	return &columns{
		layout: layout,
		views:  make([]segment.View, len(l.Nodes)),
		bufs:   make([]buffers, len(l.Nodes)),
		nulls:  make([]uint64, layout.Slots/8),
	}, nil
}

// fill makes columns of rows. Rows that are no rows of the layout are errors of
// class shufflefile.ErrCorrupt that name the column.
func (c *columns) fill(rows [][]byte) error {
	clear(c.nulls)
	for _, r := range rows {
		if err := c.layout.CheckRow(r); err != nil {
			return err
		}
		for i := range c.nulls {
			c.nulls[i] |= unsaferow.Word(r, 8*i)
		}
	}
	for k, f := range c.layout.Fields {
		if err := c.column(k, f, rows); err != nil {
			return err
		}
	}
	return nil
}

// column fills column k, whose slots lie at the same place in every row.
func (c *columns) column(k int, f *unsaferow.Field, rows [][]byte) (err error) {
	b, v := &c.bufs[f.Node.Index], &c.views[f.Node.Index]
	*v = segment.View{}
	if f.Kind != unsaferow.Null && c.nulls[k/64]>>(k%64)&1 != 0 {
		v.Valid = b.validity(k, rows)
	}
	slot := c.layout.Slots + 8*k
	switch f.Kind {
	case unsaferow.Null:
	case unsaferow.Bool:
		v.Data = b.bools(slot, rows)
	case unsaferow.Slot:
		v.Data = b.slots(f.Size, slot, rows)
	case unsaferow.Small:
		v.Data = b.small(f.Node.Width, slot, rows)
	case unsaferow.Big:
		v.Data, err = b.big(f, slot, rows)
	case unsaferow.Bytes:
		v.Off, v.Data, err = b.strings(f, slot, rows)
	default:
		err = c.nested(f, b.slotCells(k, slot, rows))
	}
	return err
}

// raw gives n bytes of the node's memory, aligned to 8.
func (b *buffers) raw(n int) []byte {
	words := (n + 7) / 8
	b.data = slices.Grow(b.data[:0], words)[:words]
	if words == 0 {
		return nil
	}
	return segment.As[byte](asBytes(b.data))[:n]
}

// bits gives n bits of memory, all zero.
func bits(b []byte, n int) []byte {
	b = slices.Grow(b[:0], (n+7)/8)[:(n+7)/8]
	clear(b)
	return b
}

// validity collects null bit k of the rows.
func (b *buffers) validity(k int, rows [][]byte) []byte {
	b.valid = bits(b.valid, len(rows))
	at, shift := k>>3, k&7
	for i, r := range rows {
		b.valid[i>>3] |= (^r[at] >> shift & 1) << (i & 7)
	}
	return b.valid
}

// offsets gives room for the offsets of n values.
func (b *buffers) offsets(n int) []int32 {
	b.off = slices.Grow(b.off[:0], n+1)[:n+1]
	b.off[0] = 0
	return b.off
}

// tooLong refuses values that 32-bit offsets do not reach.
func tooLong(f *unsaferow.Field, size int) error {
	if size <= math.MaxInt32 {
		return nil
	}
	return shufflefile.Limit("column %q: %d bytes or values in one block pass what 32-bit offsets reach; use a smaller batch size", f.Node.Name, size)
}

func outside(f *unsaferow.Field) error {
	return shufflefile.Corrupt("column %q: a value lies outside its row", f.Node.Name)
}
