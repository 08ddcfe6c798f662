package unsaferow

import (
	"encoding/binary"
	"slices"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/shufflebench/shufflebench/pkg/writer/segment"
)

// Writer turns Arrow batches into rows, column by column over a stretch of rows
// at a time. Its memory is reused.
type Writer struct {
	layout  *Layout
	columns []column
	sizes   []int
	cursors []int // where each row's next variable bytes go
}

// NewWriter makes a writer of a layout's rows.
func NewWriter(l *Layout) *Writer {
	return &Writer{layout: l, columns: make([]column, len(l.Fields))}
}

// Use makes batch, which is of the layout's schema, the one whose rows are
// sized and written.
func (w *Writer) Use(batch arrow.RecordBatch) {
	for i, f := range w.layout.Fields {
		w.columns[i].bind(f, batch.Column(i).Data())
	}
}

// Release forgets the batch.
func (w *Writer) Release() { clear(w.columns) }

// Sizes gives the bytes of each of the rows lo to hi, valid until the next
// call. It fails, naming the column, when a value does not fit a row; then the
// error is of class shufflefile.ErrLimit.
func (w *Writer) Sizes(lo, hi int) ([]int, error) {
	w.sizes = slices.Grow(w.sizes[:0], hi-lo)[:hi-lo]
	for i := range w.sizes {
		w.sizes[i] = w.layout.Fixed
	}
	for k := range w.columns {
		if err := w.columns[k].addSizes(w.sizes, lo); err != nil {
			return nil, err
		}
	}
	return w.sizes, nil
}

// addSizes adds what rows from lo on take in the variable part.
func (c *column) addSizes(sizes []int, lo int) error {
	if c.checked {
		for i := range sizes {
			if err := c.check(lo + i); err != nil {
				return err
			}
		}
	}
	switch {
	case c.Kind < Big:
	case c.Kind == Bytes && c.valid == nil && c.narrow != nil:
		off := c.narrow[lo : lo+len(sizes)+1]
		for i := range sizes {
			sizes[i] += padded(int(off[i+1] - off[i]))
		}
	default:
		for i := range sizes {
			sizes[i] += c.extra(lo + i)
		}
	}
	return nil
}

// Write writes rows from lo on, each into room of the size that Sizes told.
func (w *Writer) Write(lo int, rooms [][]byte) {
	w.cursors = slices.Grow(w.cursors[:0], len(rooms))[:len(rooms)]
	for i := range rooms {
		w.cursors[i] = w.layout.Fixed
		clear(rooms[i][:w.layout.Slots])
	}
	for k := range w.columns {
		w.columns[k].write(k, w.layout.Slots+word*k, lo, rooms, w.cursors)
	}
}

// write writes rows from lo on as field k.
func (c *column) write(k, slot, lo int, rooms [][]byte, cursors []int) {
	switch {
	case c.Kind == Slot || c.Kind == Small && c.Node.Width == 8:
		c.writeSlots(slot, lo, rooms)
	case c.Kind == Bool || c.Kind == Small:
		for i, b := range rooms {
			putWord(b, slot, c.fixed(lo+i))
		}
	case c.Kind == Bytes && c.valid == nil && c.narrow != nil:
		c.writeBytes(slot, lo, rooms, cursors)
		return
	default:
		for i, b := range rooms {
			putWord(b, slot, 0)
			cursors[i] = c.putField(b, k, slot, cursors[i], lo+i)
		}
		return
	}
	if c.valid != nil {
		c.writeNulls(k, slot, lo, rooms)
	}
}

// writeSlots writes values of 1 to 8 bytes, those hidden behind nulls too.
func (c *column) writeSlots(slot, lo int, rooms [][]byte) {
	lo += c.off
	switch c.Node.Width {
	case 1:
		for i, v := range c.data[lo : lo+len(rooms)] {
			putWord(rooms[i], slot, uint64(v))
		}
	case 2:
		for i, v := range segment.As[uint16](c.data)[lo : lo+len(rooms)] {
			putWord(rooms[i], slot, uint64(v))
		}
	case 4:
		for i, v := range segment.As[uint32](c.data)[lo : lo+len(rooms)] {
			putWord(rooms[i], slot, uint64(v))
		}
	case 8:
		for i, v := range segment.As[uint64](c.data)[lo : lo+len(rooms)] {
			putWord(rooms[i], slot, v)
		}
	}
}

// writeNulls sets the null bits and clears the slots of nulls.
func (c *column) writeNulls(k, slot, lo int, rooms [][]byte) {
	for i, b := range rooms {
		if c.null(lo + i) {
			setNull(b, k)
			putWord(b, slot, 0)
		}
	}
}

// writeBytes writes strings without nulls. The last word is written as zero
// first, so that what a value leaves of it is padding.
func (c *column) writeBytes(slot, lo int, rooms [][]byte, cursors []int) {
	off := c.narrow[lo : lo+len(rooms)+1]
	for i, b := range rooms {
		v := c.data[off[i]:off[i+1]]
		at := cursors[i]
		putRef(b, slot, at, len(v))
		if len(v) == 0 {
			continue
		}
		end := at + padded(len(v))
		binary.LittleEndian.PutUint64(b[end-word:], 0)
		copy(b[at:], v)
		cursors[i] = end
	}
}
