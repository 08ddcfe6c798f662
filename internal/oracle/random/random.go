// Package random makes Arrow data for tests that is as awkward as the format
// allows: arrays that begin in the middle of their buffers, at every level;
// offsets that do not begin at 0; child values that no row owns; bytes hidden
// behind nulls; validity bitmaps that are absent, full, or not counted yet,
// with anything in the bits around them.
//
//	buffers   ░░░░░░▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓░░░░
//	          before  rows           behind    ░ may hold anything
//
// The same seed gives the same data.
package random

import (
	"fmt"
	"math/rand/v2"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
)

// Gen makes random types, arrays and batches.
type Gen struct {
	R *rand.Rand
	// Plain makes arrays that begin at their buffers' start and own all of
	// their content, and lists that hide nothing behind nulls, as builders do.
	Plain bool
}

// New makes a generator.
func New(seed uint64) *Gen { return &Gen{R: rand.New(rand.NewPCG(seed, 0x5eed))} }

// Schema makes a schema of n columns nested up to depth levels.
func (g *Gen) Schema(n, depth int) *arrow.Schema {
	fields := make([]arrow.Field, n)
	for i := range fields {
		fields[i] = g.field(fmt.Sprintf("c%d", i), depth)
	}
	return arrow.NewSchema(fields, nil)
}

// SchemaOf makes a schema of nullable columns of the given types.
func SchemaOf(types ...arrow.DataType) *arrow.Schema {
	fields := make([]arrow.Field, len(types))
	for i, t := range types {
		fields[i] = arrow.Field{Name: fmt.Sprintf("c%d", i), Type: t, Nullable: true}
	}
	return arrow.NewSchema(fields, nil)
}

// Batch makes rows of a schema.
func (g *Gen) Batch(s *arrow.Schema, rows int) arrow.RecordBatch {
	cols := make([]arrow.Array, s.NumFields())
	for i, f := range s.Fields() {
		cols[i] = g.Array(f.Type, rows, f.Nullable)
	}
	return array.NewRecordBatch(s, cols, int64(rows))
}

// Array makes an array; nullable says that it may have nulls.
func (g *Gen) Array(t arrow.DataType, rows int, nullable bool) arrow.Array {
	return array.MakeFromData(g.data(t, rows, nullable))
}

// data makes an array's data of any offset.
func (g *Gen) data(t arrow.DataType, rows int, nullable bool) arrow.ArrayData {
	offset, size := g.room(rows)
	if e, ok := t.(arrow.ExtensionType); ok {
		d := g.data(e.StorageType(), rows, nullable)
		return array.NewData(t, rows, d.Buffers(), d.Children(), d.NullN(), d.Offset())
	}
	if t.ID() == arrow.NULL {
		return array.NewData(t, rows, []*memory.Buffer{nil}, nil, rows, offset)
	}
	bits, nulls := g.validity(offset, rows, size, nullable)
	buffers, children := g.content(t, bits, offset, rows, size)
	return array.NewData(t, rows, append([]*memory.Buffer{bits}, buffers...), children, nulls, offset)
}

// room picks an array's offset and how many values its buffers hold.
func (g *Gen) room(rows int) (offset, size int) {
	if g.Plain || g.R.IntN(3) == 0 {
		return 0, rows
	}
	offset = g.R.IntN(20)
	return offset, offset + rows + g.R.IntN(10)
}

// validity makes a bitmap of some style, nil where nothing is null.
func (g *Gen) validity(offset, rows, size int, nullable bool) (bits *memory.Buffer, nulls int) {
	const (
		absent = iota
		full
		uncounted // full, but nobody has counted
		most      // null
		styles    = 7
	)
	style := g.R.IntN(styles)
	if !nullable {
		style = absent
	}
	if style == absent || size == 0 {
		return nil, 0
	}
	b := g.bytes((size + 7) / 8)
	for i := range rows {
		at := offset + i
		valid := style == full || style == uncounted || g.R.IntN(4) > 0
		if style == most {
			valid = g.R.IntN(8) == 0
		}
		b[at/8] &^= 1 << (at % 8)
		if valid {
			b[at/8] |= 1 << (at % 8)
		} else {
			nulls++
		}
	}
	if style == uncounted || g.R.IntN(3) == 0 {
		nulls = array.UnknownNullCount
	}
	return memory.NewBufferBytes(b), nulls
}

func (g *Gen) bytes(n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(g.R.Uint32())
	}
	return b
}
