package repartition

import (
	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/shufflebench/shufflebench/pkg/writer/segment"
)

// gatherer takes rows of columns into memory of their own, a buffer at a time:
// what a take is where it is done once a partition. It shares no code with the
// grouped take, of which it is the twin in tests. Values are copied by loops
// over their width, without a call a row, and no memory is made that the result
// does not keep, but for the row numbers of nested values, which are reused.
type gatherer struct {
	alloc  memory.Allocator
	arrays []arrow.Array
	nested [][]uint32 // row numbers, one slice a depth
	rows   []uint32
}

// takeEach is the take once a partition.
func (r *Repartitioner) takeEach(batch arrow.RecordBatch, order []uint32, entries []segment.Entry) {
	columns := make([]arrow.ArrayData, batch.NumCols())
	for i := range columns {
		columns[i] = batch.Column(i).Data()
	}
	for _, e := range entries {
		r.queue(e.Partition, item{own: r.gather.record(r.layout, columns, order[:e.Rows])})
		order = order[e.Rows:]
	}
}

// record takes rows of all columns. Buffers, arrays and record are the library's
// own, made one by one, as they are where nothing is known of their neighbors.
func (g *gatherer) record(l *segment.Layout, columns []arrow.ArrayData, rows []uint32) arrow.RecordBatch {
	g.arrays = g.arrays[:0]
	for i, n := range l.Columns {
		d := g.node(n, columns[i], rows, 0)
		g.arrays = append(g.arrays, array.MakeFromData(d))
		d.Release()
	}
	rec := array.NewRecordBatch(l.Schema, g.arrays, int64(len(rows)))
	for _, a := range g.arrays {
		a.Release()
	}
	clear(g.arrays)
	return rec
}

// run lists consecutive rows.
func (g *gatherer) run(lo, rows int) []uint32 {
	g.rows = g.rows[:0]
	for i := range rows {
		g.rows = append(g.rows, uint32(lo+i))
	}
	return g.rows
}

// node takes rows of an array, which count from its offset.
func (g *gatherer) node(n *segment.Node, d arrow.ArrayData, rows []uint32, depth int) arrow.ArrayData {
	buffers, nulls := make([]*memory.Buffer, 1, 3), 0
	var valid []byte
	if n.Kind != segment.Null && d.NullN() != 0 && d.Buffers()[0] != nil {
		valid, nulls = g.bits(d.Buffers()[0].Bytes(), d.Offset(), rows), array.UnknownNullCount
		buffers[0] = g.buffer(valid)
	}
	var children []arrow.ArrayData
	switch n.Kind {
	case segment.Null:
		nulls = len(rows)
	case segment.Fixed:
		buffers = append(buffers, g.buffer(g.fixed(content(d, 1), d.Offset(), n.Width, rows)))
	case segment.Bits:
		buffers = append(buffers, g.buffer(g.bits(content(d, 1), d.Offset(), rows)))
	case segment.Var:
		off, data := g.variable(n.Wide, d, rows, valid)
		buffers = append(buffers, g.buffer(off), g.buffer(data))
	case segment.List:
		off, child := g.lists(n.Wide, d, rows, valid, depth)
		buffers = append(buffers, g.buffer(off))
		children = append(children, g.node(n.Children[0], d.Children()[0], child, depth+1))
	case segment.FixedList, segment.Struct:
		child := g.spread(n, d.Offset(), rows, depth)
		for i, c := range n.Children {
			children = append(children, g.node(c, d.Children()[i], child, depth+1))
		}
	}
	return owned(array.NewData(d.DataType(), len(rows), buffers, children, nulls, 0))
}

func (g *gatherer) buffer(b []byte) *memory.Buffer { return memory.NewBufferWithAllocator(b, g.alloc) }

func content(d arrow.ArrayData, i int) []byte {
	if b := d.Buffers()[i]; b != nil {
		return b.Bytes()
	}
	return nil
}

func (g *gatherer) bits(src []byte, offset int, rows []uint32) []byte {
	dst := g.alloc.Allocate((len(rows) + 7) / 8)
	clear(dst)
	for i, row := range rows {
		at := int(row) + offset
		dst[i>>3] |= src[at>>3] >> (at & 7) & 1 << (i & 7)
	}
	return dst
}

func (g *gatherer) fixed(src []byte, offset, width int, rows []uint32) []byte {
	dst := g.alloc.Allocate(len(rows) * width)
	if len(rows) == 0 {
		return dst
	}
	src = src[offset*width:]
	switch width {
	case 4:
		pick(segment.As[uint32](dst), segment.As[uint32](src), rows)
	case 8:
		pick(segment.As[uint64](dst), segment.As[uint64](src), rows)
	case 16:
		pick(segment.As[[2]uint64](dst), segment.As[[2]uint64](src), rows)
	default:
		for i, row := range rows {
			copy(dst[i*width:(i+1)*width], src[int(row)*width:])
		}
	}
	return dst
}

func pick[T any](dst, src []T, rows []uint32) {
	for i, row := range rows {
		dst[i] = src[row]
	}
}

// variable takes strings and bytes; a null takes no room.
func (g *gatherer) variable(wide bool, d arrow.ArrayData, rows []uint32, valid []byte) (off, data []byte) {
	if wide {
		return variable[int64](g, d, rows, valid)
	}
	return variable[int32](g, d, rows, valid)
}

func variable[T int32 | int64](g *gatherer, d arrow.ArrayData, rows []uint32, valid []byte) (off, data []byte) {
	off, src := offsets[T](g, d, rows, valid)
	to := segment.As[T](off)
	data = g.alloc.Allocate(int(to[len(rows)]))
	from := content(d, 2)
	for i, row := range rows {
		if to[i] != to[i+1] {
			copy(data[to[i]:to[i+1]], from[src[row]:])
		}
	}
	return off, data
}

// lists takes the offsets of lists, and lists the child rows behind them.
func (g *gatherer) lists(wide bool, d arrow.ArrayData, rows []uint32, valid []byte, depth int) (off []byte, child []uint32) {
	if wide {
		return lists[int64](g, d, rows, valid, depth)
	}
	return lists[int32](g, d, rows, valid, depth)
}

func lists[T int32 | int64](g *gatherer, d arrow.ArrayData, rows []uint32, valid []byte, depth int) (off []byte, child []uint32) {
	off, src := offsets[T](g, d, rows, valid)
	to := segment.As[T](off)
	child = g.scratch(depth)
	for i, row := range rows {
		for k := range int(to[i+1] - to[i]) {
			child = append(child, uint32(int(src[row])+k))
		}
	}
	g.nested[depth] = child
	return off, child
}

// offsets makes those of the result, from 0, and gives those of the source,
// from its row 0.
func offsets[T int32 | int64](g *gatherer, d arrow.ArrayData, rows []uint32, valid []byte) (off []byte, src []T) {
	var t T
	size := 4
	if any(t) == any(int64(0)) {
		size = 8
	}
	off = g.alloc.Allocate(size * (len(rows) + 1))
	to := segment.As[T](off)
	to[0] = 0
	raw := segment.As[T](content(d, 1))
	if len(raw) == 0 { // an array without rows may have no offsets
		clear(off)
		return off, nil
	}
	src = raw[d.Offset():]
	sum := T(0)
	for i, row := range rows {
		if valid == nil || valid[i>>3]>>(i&7)&1 != 0 {
			sum += src[row+1] - src[row]
		}
		to[i+1] = sum
	}
	return off, src
}

// spread lists the child rows of structs and of lists of fixed size, which
// count from the parent's buffers' start.
func (g *gatherer) spread(n *segment.Node, offset int, rows []uint32, depth int) []uint32 {
	if n.Kind == segment.Struct && offset == 0 {
		return rows
	}
	width := 1
	if n.Kind == segment.FixedList {
		width = n.Width
	}
	child := g.scratch(depth)
	for _, row := range rows {
		from := (int(row) + offset) * width
		for k := range width {
			child = append(child, uint32(from+k))
		}
	}
	g.nested[depth] = child
	return child
}

func (g *gatherer) scratch(depth int) []uint32 {
	for len(g.nested) <= depth {
		g.nested = append(g.nested, nil)
	}
	return g.nested[depth][:0]
}
