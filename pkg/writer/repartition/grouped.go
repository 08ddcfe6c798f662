package repartition

import (
	"unsafe"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/shufflebench/shufflebench/pkg/writer/segment"
)

// group is one grouped take: a segment seen as arrays. It lives until no slice
// of it waits and no record with its memory is left.
type group struct {
	columns []arrow.ArrayData
	pieces  [][]byte // its memory: the segment, and widened offsets
	size    int64    // bytes of it
	live    int64    // of the slices that wait, while Settle runs
	waiting int
}

// takeOnce is the grouped take.
func (r *Repartitioner) takeOnce(batch arrow.RecordBatch, order []uint32, entries []segment.Entry) error {
	size, err := r.taker.Size(batch, entries)
	if err != nil {
		return err
	}
	g := r.newGroup(r.taker.Take(batch, order, entries, r.opts.Alloc.Allocate(size)))
	g.waiting = len(entries)
	lo := 0
	for _, e := range entries {
		r.queue(e.Partition, item{group: g, lo: lo, rows: int(e.Rows)})
		lo += int(e.Rows)
	}
	return nil
}

// newGroup makes arrays of a segment, and the segment's memory theirs.
func (r *Repartitioner) newGroup(s *segment.Segment) *group {
	v := viewer{alloc: r.opts.Alloc, seg: s, counted: !collected(r.opts.Alloc), pieces: [][]byte{s.Mem[:cap(s.Mem)]}}
	if v.counted {
		v.mem = memory.NewBufferWithAllocator(v.pieces[0], v.alloc)
		defer v.mem.Release()
	}
	g := &group{columns: make([]arrow.ArrayData, len(r.layout.Columns))}
	for i, n := range r.layout.Columns {
		g.columns[i] = v.node(n, r.layout.Schema.Field(i).Type, s.Rows)
	}
	g.pieces = v.pieces
	for _, p := range g.pieces {
		g.size += int64(cap(p))
	}
	return g
}

// slice makes rows of a group a record.
func (g *group) slice(from *slab, lo, rows int) *record {
	rec := from.next(rows)
	for i, c := range g.columns {
		rec.set(i, from.slice(c, lo, rows))
	}
	return rec
}

// drop says that one waiting slice less holds the group.
func (g *group) drop() {
	if g.waiting--; g.waiting > 0 {
		return
	}
	for _, c := range g.columns {
		c.Release()
	}
	g.columns, g.pieces = nil, nil
}

// liveBytes is what rows of a group take without the rest of it.
func (g *group) liveBytes(l *segment.Layout, lo, rows int) (sum int64) {
	for i, n := range l.Columns {
		sum += liveBytes(n, g.columns[i], lo, rows)
	}
	return sum
}

// viewer sees the buffers of a segment as Arrow's. Where references are counted
// they are slices of one buffer.
type viewer struct {
	alloc   memory.Allocator
	counted bool
	seg     *segment.Segment
	mem     *memory.Buffer // if counted
	pieces  [][]byte       // the segment, and offsets that had to be made 64 bits wide
}

// node makes the data of a node. Its reference is the caller's.
func (v *viewer) node(n *segment.Node, t arrow.DataType, rows int) arrow.ArrayData {
	b := &v.seg.Bufs[n.Index]
	buffers, nulls := make([]*memory.Buffer, 1, 3), 0
	if b.Valid != nil {
		buffers[0], nulls = v.view(b.Valid), array.UnknownNullCount
	}
	childRows := rows
	switch n.Kind {
	case segment.Null:
		nulls = rows
	case segment.Fixed, segment.Bits:
		buffers = append(buffers, v.view(b.Data))
	case segment.Var:
		buffers = append(buffers, v.offsets(n, b.Off), v.view(b.Data))
	case segment.List:
		buffers = append(buffers, v.offsets(n, b.Off))
		childRows = int(b.Off[rows])
	case segment.FixedList:
		childRows = rows * n.Width
	}
	var children []arrow.ArrayData
	for i, f := range fieldsOf(t) {
		children = append(children, v.node(n.Children[i], f.Type, childRows))
	}
	return owned(array.NewData(t, rows, buffers, children, nulls, 0))
}

// owned gives up the references of d's parts that were the maker's, so that they
// are d's alone.
func owned(d *array.Data) *array.Data {
	for _, b := range d.Buffers() {
		if b != nil {
			b.Release()
		}
	}
	for _, c := range d.Children() {
		c.Release()
	}
	return d
}

// view is part of the segment's memory.
func (v *viewer) view(b []byte) *memory.Buffer {
	if !v.counted {
		return memory.NewBufferBytes(b)
	}
	if len(b) == 0 {
		return memory.SliceBuffer(v.mem, 0, 0)
	}
	at := uintptr(unsafe.Pointer(unsafe.SliceData(b))) - uintptr(unsafe.Pointer(unsafe.SliceData(v.seg.Mem)))
	return memory.SliceBuffer(v.mem, int(at), len(b))
}

// offsets are as they lie in the segment, or widened into memory of their own.
func (v *viewer) offsets(n *segment.Node, off []int32) *memory.Buffer {
	if !n.Wide {
		return v.view(unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(off))), 4*len(off)))
	}
	mem := v.alloc.Allocate(8 * len(off))
	v.pieces = append(v.pieces, mem)
	for i, o := range off {
		segment.As[int64](mem)[i] = int64(o)
	}
	return owner(mem, v.alloc)
}

// fieldsOf are the nested fields of a type, with extensions looked through.
func fieldsOf(t arrow.DataType) []arrow.Field {
	switch t := t.(type) {
	case arrow.ExtensionType:
		return fieldsOf(t.StorageType())
	case arrow.NestedType:
		return t.Fields()
	}
	return nil
}
