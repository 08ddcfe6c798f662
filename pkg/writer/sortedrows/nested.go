package sortedrows

import (
	"fmt"
	"slices"

	"github.com/shufflebench/shufflebench/internal/shufflefile"
	"github.com/shufflebench/shufflebench/pkg/writer/segment"
	"github.com/shufflebench/shufflebench/pkg/writer/unsaferow"
)

// cell is a value that may lie anywhere: in the slot of a row or struct, or as
// an element of an array.
type cell struct {
	b    []byte // what references count from; nil: nothing is there, the value is hidden by a null above it
	at   int    // where in b
	null bool
}

// hiddenCell reads as zero, not null: it shows in no row.
var hiddenCell cell

// slotCells are field k of the rows.
func (b *buffers) slotCells(k, slot int, rows [][]byte) []cell {
	b.cells = slices.Grow(b.cells[:0], len(rows))[:len(rows)]
	for i, r := range rows {
		b.cells[i] = cell{r, slot, unsaferow.IsNull(r, k)}
	}
	return b.cells
}

// nested fills a node of any kind, and those below it, from cells.
func (c *columns) nested(f *unsaferow.Field, cells []cell) (err error) {
	b, v := &c.bufs[f.Node.Index], &c.views[f.Node.Index]
	*v = segment.View{}
	if f.Kind != unsaferow.Null {
		v.Valid = b.cellValidity(cells)
	}
	switch f.Kind {
	case unsaferow.Null:
	case unsaferow.Bool:
		b.bytes = bits(b.bytes, len(cells))
		for i := range cells {
			if cells[i].shows() && cells[i].b[cells[i].at] != 0 {
				b.bytes[i>>3] |= 1 << (i & 7)
			}
		}
		v.Data = b.bytes
	case unsaferow.Slot, unsaferow.Small:
		v.Data = b.cellValues(f, cells)
	case unsaferow.Big, unsaferow.Blob:
		v.Data, err = b.cellBytes(f, cells)
	case unsaferow.Bytes:
		v.Off, v.Data, err = b.cellStrings(f, cells)
	case unsaferow.Struct:
		err = c.structs(f, cells)
	case unsaferow.List:
		v.Off, err = c.lists(f, cells)
	case unsaferow.Map:
		v.Off, err = c.maps(f, cells)
	}
	return err
}

func (x *cell) shows() bool { return x.b != nil && !x.null }

// ref is the bytes that a cell refers to, none for one that does not show.
func (x *cell) ref(f *unsaferow.Field) ([]byte, error) {
	if !x.shows() {
		return nil, nil
	}
	v, ok := unsaferow.Ref(x.b, unsaferow.Word(x.b, x.at))
	if !ok {
		return nil, outside(f)
	}
	return v, nil
}

// cellValidity is nil when no cell is null.
func (b *buffers) cellValidity(cells []cell) []byte {
	if !slices.ContainsFunc(cells, func(x cell) bool { return x.null }) {
		return nil
	}
	b.valid = bits(b.valid, len(cells))
	for i := range cells {
		if !cells[i].null {
			b.valid[i>>3] |= 1 << (i & 7)
		}
	}
	return b.valid
}

// cellValues copies numbers, from Size bytes to the node's width.
func (b *buffers) cellValues(f *unsaferow.Field, cells []cell) []byte {
	width := f.Node.Width
	raw := b.raw(width * len(cells))
	clear(raw)
	for i := range cells {
		x := &cells[i]
		if !x.shows() {
			continue
		}
		dst := raw[i*width : (i+1)*width]
		copy(dst, x.b[x.at:x.at+f.Size])
		if width > f.Size && int8(dst[f.Size-1]) < 0 {
			for k := f.Size; k < width; k++ {
				dst[k] = 0xff
			}
		}
	}
	return raw
}

// cellBytes copies values of a fixed width that lie behind references.
func (b *buffers) cellBytes(f *unsaferow.Field, cells []cell) ([]byte, error) {
	width := f.Node.Width
	raw := b.raw(width * len(cells))
	clear(raw)
	for i := range cells {
		v, err := cells[i].ref(f)
		if err != nil {
			return nil, err
		}
		dst := raw[i*width : (i+1)*width]
		switch {
		case !cells[i].shows():
		case f.Kind == unsaferow.Big:
			lo, hi, ok := unsaferow.Decimal(v)
			if !ok {
				return nil, shufflefile.Corrupt("column %q: a decimal of %d bytes", f.Node.Name, len(v))
			}
			copy(dst, asBytes([]uint64{lo, hi}))
		case len(v) != width:
			return nil, shufflefile.Corrupt("column %q: a value of %d bytes, not %d", f.Node.Name, len(v), width)
		default:
			copy(dst, v)
		}
	}
	return raw, nil
}

func (b *buffers) cellStrings(f *unsaferow.Field, cells []cell) ([]int32, []byte, error) {
	off, data := b.offsets(len(cells)), b.bytes[:0]
	for i := range cells {
		v, err := cells[i].ref(f)
		if err != nil {
			return nil, nil, err
		}
		data = append(data, v...)
		off[i+1] = int32(len(data))
	}
	b.bytes = data
	return off, data, tooLong(f, len(data))
}

// structs fills the children field by field.
func (c *columns) structs(f *unsaferow.Field, cells []cell) error {
	for k, child := range f.Children {
		below := c.bufs[child.Node.Index].cells[:0]
		for i := range cells {
			if !cells[i].shows() {
				below = append(below, hiddenCell)
				continue
			}
			v, err := cells[i].ref(f)
			if err != nil {
				return err
			}
			slots, err := f.CheckStruct(v)
			if err != nil {
				return err
			}
			below = append(below, cell{v, slots + 8*k, unsaferow.IsNull(v, k)})
		}
		c.bufs[child.Node.Index].cells = below
		if err := c.nested(child, below); err != nil {
			return err
		}
	}
	return nil
}

// lists fills the elements; the offsets are not used where all lists have the
// same length.
func (c *columns) lists(f *unsaferow.Field, cells []cell) ([]int32, error) {
	child := f.Children[0]
	off := c.bufs[f.Node.Index].offsets(len(cells))
	below := c.bufs[child.Node.Index].cells[:0]
	for i := range cells {
		v, err := cells[i].ref(f)
		if err != nil {
			return nil, err
		}
		if below, err = appendElements(below, f, child, v, cells[i].shows()); err != nil {
			return nil, err
		}
		if err := tooLong(f, len(below)); err != nil {
			return nil, err
		}
		off[i+1] = int32(len(below))
	}
	c.bufs[child.Node.Index].cells = below
	return off, c.nested(child, below)
}

// appendElements appends the elements of one list.
func appendElements(cells []cell, f, child *unsaferow.Field, v []byte, shows bool) ([]cell, error) {
	if !shows {
		if f.Node.Kind == segment.FixedList {
			for range f.Node.Width {
				cells = append(cells, hiddenCell)
			}
		}
		return cells, nil
	}
	a, err := unsaferow.ParseArray(v, child.Size)
	if err != nil {
		return nil, inColumn(f, err)
	}
	if f.Node.Kind == segment.FixedList && a.Len != f.Node.Width {
		return nil, shufflefile.Corrupt("column %q: a list of %d elements, not %d", f.Node.Name, a.Len, f.Node.Width)
	}
	return appendArray(cells, &a), nil
}

func appendArray(cells []cell, a *unsaferow.Array) []cell {
	for i := range a.Len {
		cells = append(cells, cell{a.Bytes(), a.At(i), a.IsNull(i)})
	}
	return cells
}

// maps fills keys and values; the struct between has nothing of its own.
func (c *columns) maps(f *unsaferow.Field, cells []cell) ([]int32, error) {
	entries := f.Children[0]
	key, value := entries.Children[0], entries.Children[1]
	off := c.bufs[f.Node.Index].offsets(len(cells))
	keys, values := c.bufs[key.Node.Index].cells[:0], c.bufs[value.Node.Index].cells[:0]
	for i := range cells {
		v, err := cells[i].ref(f)
		if err != nil {
			return nil, err
		}
		if cells[i].shows() {
			k, w, err := parseMap(f, key, value, v)
			if err != nil {
				return nil, err
			}
			keys, values = appendArray(keys, &k), appendArray(values, &w)
		}
		if err := tooLong(f, len(keys)); err != nil {
			return nil, err
		}
		off[i+1] = int32(len(keys))
	}
	c.bufs[key.Node.Index].cells, c.bufs[value.Node.Index].cells = keys, values
	c.views[entries.Node.Index] = segment.View{}
	if err := c.nested(key, keys); err != nil {
		return nil, err
	}
	return off, c.nested(value, values)
}

// inColumn adds the column to an error about bytes in it.
func inColumn(f *unsaferow.Field, err error) error {
	return fmt.Errorf("column %q: %w", f.Node.Name, err)
}

func parseMap(f, key, value *unsaferow.Field, v []byte) (k, w unsaferow.Array, err error) {
	kb, vb, err := unsaferow.ParseMap(v)
	if err != nil {
		return k, w, inColumn(f, err)
	}
	if k, err = unsaferow.ParseArray(kb, key.Size); err != nil {
		return k, w, inColumn(f, err)
	}
	if w, err = unsaferow.ParseArray(vb, value.Size); err != nil {
		return k, w, inColumn(f, err)
	}
	if k.Len != w.Len {
		return k, w, shufflefile.Corrupt("column %q: a map of %d keys and %d values", f.Node.Name, k.Len, w.Len)
	}
	return k, w, nil
}
