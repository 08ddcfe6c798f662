package repartition

import (
	"reflect"
	"unsafe"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"

	"github.com/shufflebench/shufflebench/pkg/writer/segment"
)

// Account is the memory of everything that waits in the streams, counted in
// three ways. All figures but the first are bytes.
//
//	a batch of 100 rows, of which 2 slices wait, of 10 rows each:
//
//	ArrayBytes     200 rows   each slice reports the arrays it is a slice of
//	LiveBytes       20 rows   each slice's own rows
//	DistinctBytes  100 rows   what is really held
type Account struct {
	Slices        int64
	ArrayBytes    int64 // sum of array sizes: the buffers of every slice, whole, once a slice
	LiveBytes     int64 // of the slices' rows, without what else they hold
	DistinctBytes int64 // memory behind the buffers, every piece once by its start address
	ObjectBytes   int64 // the objects around the buffers, each once, and the streams' own lists
}

// Held is DistinctBytes and ObjectBytes: what would be free if nothing waited.
func (a *Account) Held() int64 { return a.DistinctBytes + a.ObjectBytes }

// Account counts what waits now.
func (r *Repartitioner) Account() Account {
	c := counter{layout: r.layout, padding: r.padding(), sizes: sizer{}, seen: map[unsafe.Pointer]bool{}, groups: map[*group]int64{}}
	c.ObjectBytes = r.slab.begun(c.sizes)
	for p := range r.queues {
		q := &r.queues[p]
		c.object(unsafe.Pointer(unsafe.SliceData(q.all)), cap(q.all)*int(unsafe.Sizeof(item{})))
		for _, it := range q.items() {
			c.item(it)
		}
	}
	return c.Account
}

// counter makes an Account. Every piece of memory counts when it is seen first.
type counter struct {
	Account
	layout  *segment.Layout
	padding int
	sizes   sizer
	seen    map[unsafe.Pointer]bool
	groups  map[*group]int64 // array sizes of a whole group
}

func (c *counter) item(it item) {
	c.Slices++
	if it.group == nil {
		c.record(it.own)
		return
	}
	size, ok := c.groups[it.group]
	if !ok {
		size = c.group(it.group)
		c.groups[it.group] = size
	}
	c.ArrayBytes += size
	c.LiveBytes += it.group.liveBytes(c.layout, it.lo, it.rows)
}

func (c *counter) group(g *group) (size int64) {
	c.object(unsafe.Pointer(g), int(unsafe.Sizeof(*g)))
	c.object(unsafe.Pointer(unsafe.SliceData(g.columns)), cap(g.columns)*int(unsafe.Sizeof(g.columns[0])))
	c.object(unsafe.Pointer(unsafe.SliceData(g.pieces)), cap(g.pieces)*int(unsafe.Sizeof(g.pieces[0])))
	for _, p := range g.pieces {
		c.memory(p)
	}
	for _, d := range g.columns {
		c.data(d, false)
		size += arraySize(d)
	}
	return size
}

func (c *counter) record(r arrow.RecordBatch) {
	v := reflect.ValueOf(r)
	c.object(v.UnsafePointer(), int(v.Type().Elem().Size()))
	columns := r.Columns()
	c.object(unsafe.Pointer(unsafe.SliceData(columns)), cap(columns)*int(unsafe.Sizeof(arrow.Array(nil))))
	for i, a := range columns {
		c.array(a)
		c.data(a.Data(), true)
		c.LiveBytes += liveBytes(c.layout.Columns[i], a.Data(), 0, a.Len())
	}
	c.ArrayBytes += recordSize(r)
}

// array counts the typed array and those inside it.
func (c *counter) array(a arrow.Array) {
	v := reflect.ValueOf(a)
	c.object(v.UnsafePointer(), int(v.Type().Elem().Size()))
	switch a := a.(type) {
	case *array.Map:
		c.object(unsafe.Pointer(a.List), int(unsafe.Sizeof(*a.List)))
		c.array(a.ListValues())
	case *array.Struct:
		c.ObjectBytes += c.sizes.of(a.NumField() * int(unsafe.Sizeof(arrow.Array(a))))
		for i := range a.NumField() {
			c.array(a.Field(i))
		}
	case interface{ ListValues() arrow.Array }:
		c.array(a.ListValues())
	case array.ExtensionArray:
		c.array(a.Storage())
	}
}

// data counts a Data with its buffers, and those below it. Buffers that own
// count with their memory; the others are views of a group's.
func (c *counter) data(d arrow.ArrayData, own bool) {
	c.object(reflect.ValueOf(d).UnsafePointer(), int(unsafe.Sizeof(array.Data{})))
	if b := d.Buffers(); len(b) > 0 {
		c.object(unsafe.Pointer(unsafe.SliceData(b)), cap(b)*int(unsafe.Sizeof(b[0])))
	}
	for _, b := range d.Buffers() {
		if b == nil {
			continue
		}
		c.object(unsafe.Pointer(b), int(unsafe.Sizeof(*b)))
		if own {
			c.memory(b.Buf())
		}
	}
	if k := d.Children(); len(k) > 0 {
		c.object(unsafe.Pointer(unsafe.SliceData(k)), cap(k)*int(unsafe.Sizeof(k[0])))
	}
	for _, k := range d.Children() {
		c.data(k, own)
	}
}

// memory counts a piece of memory as the allocator made it.
func (c *counter) memory(b []byte) {
	at := unsafe.Pointer(unsafe.SliceData(b))
	if cap(b) > 0 && !c.seen[at] {
		c.seen[at] = true
		c.DistinctBytes += c.sizes.of(cap(b) + c.padding)
	}
}

// padding is what the allocator adds to a buffer.
func (r *Repartitioner) padding() int {
	if collected(r.opts.Alloc) {
		return padding
	}
	return 0
}

func (c *counter) object(at unsafe.Pointer, size int) {
	if !c.seen[at] {
		c.seen[at] = true
		c.ObjectBytes += c.sizes.of(size)
	}
}

// recordSize is the sum of the array sizes of a record.
func recordSize(r arrow.RecordBatch) (sum int64) {
	for _, c := range r.Columns() {
		sum += arraySize(c.Data())
	}
	return sum
}

// arraySize is what an array says of itself: all of its buffers, whole.
func arraySize(d arrow.ArrayData) (sum int64) {
	for _, b := range d.Buffers() {
		if b != nil {
			sum += int64(b.Len())
		}
	}
	for _, k := range d.Children() {
		sum += arraySize(k)
	}
	return sum
}

// liveBytes is what rows of an array, counted from its offset, take without
// the rest of it.
func liveBytes(n *segment.Node, d arrow.ArrayData, lo, rows int) (sum int64) {
	if n.Kind != segment.Null && d.Buffers()[0] != nil {
		sum = int64(rows+7) / 8
	}
	lo += d.Offset()
	from, many := lo, rows // of the children
	switch n.Kind {
	case segment.Fixed:
		sum += int64(rows * n.Width)
	case segment.Bits:
		sum += int64(rows+7) / 8
	case segment.Var, segment.List:
		from, many = offsetAt(n, d, lo), offsetAt(n, d, lo+rows)
		many -= from
		sum += int64(rows+1) * offsetWidth(n)
		if n.Kind == segment.Var {
			sum += int64(many)
		}
	case segment.FixedList:
		from, many = lo*n.Width, rows*n.Width
	}
	for i, k := range n.Children {
		sum += liveBytes(k, d.Children()[i], from, many)
	}
	return sum
}

func offsetWidth(n *segment.Node) int64 {
	if n.Wide {
		return 8
	}
	return 4
}

// offsetAt is entry i of the offsets buffer, 0 where there is none.
func offsetAt(n *segment.Node, d arrow.ArrayData, i int) int {
	raw := content(d, 1)
	switch {
	case len(raw) == 0:
		return 0
	case n.Wide:
		return int(segment.As[int64](raw)[i])
	}
	return int(segment.As[int32](raw)[i])
}
