package segment

import (
	"errors"
	"fmt"
	"math"

	"github.com/apache/arrow-go/v18/arrow"
)

// ErrTooLong says that a column's bytes pass what 32-bit offsets can reach;
// the batch has to be cut into smaller ones.
var ErrTooLong = errors.New("more than 2 GiB of values in one batch")

// Taker makes segments: the grouped take.
type Taker struct {
	layout *Layout
	orders [][]uint32 // row numbers of nested nodes, one slice a depth
}

// NewTaker makes a Taker for batches of layout's schema.
func NewTaker(layout *Layout) *Taker { return &Taker{layout: layout} }

// Size is the most bytes that the segment of a batch takes.
func (t *Taker) Size(batch arrow.RecordBatch, entries []Entry) (int, error) {
	size := countsBound(entries) + footerSize(t.layout) + 2*alignment
	for i, n := range t.layout.Columns {
		s, err := nodeBound(n, batch.Column(i).Data(), 0, int(batch.NumRows()))
		if err != nil {
			return 0, err
		}
		size += s
	}
	return size, nil
}

// Take gathers a batch's rows in the given order into mem, whose capacity is at
// least Size, and returns the segment that lies there. The batch is not needed
// afterwards.
func (t *Taker) Take(batch arrow.RecordBatch, order []uint32, entries []Entry, mem []byte) *Segment {
	s := &Segment{
		Rows:    len(order),
		Entries: len(entries),
		Bufs:    make([]Bufs, len(t.layout.Nodes)),
		Mem:     mem[:0],
		layout:  t.layout,
	}
	for i, n := range t.layout.Columns {
		t.node(s, n, batch.Column(i).Data(), order, 0)
	}
	s.finish(entries)
	return s
}

// nodeBound is the most bytes that rows lo to hi of an array take.
func nodeBound(n *Node, d arrow.ArrayData, lo, hi int) (int, error) {
	rows := hi - lo
	size := 3*alignment + (rows+7)/8
	clo, chi := lo+d.Offset(), hi+d.Offset()
	switch n.Kind {
	case Fixed:
		size += rows * n.Width
	case Bits:
		size += (rows + 7) / 8
	case Var, List:
		clo, chi = offsetAt(n, d, clo), offsetAt(n, d, chi)
		size += 4 * (rows + 1)
		if chi-clo > math.MaxInt32 {
			return 0, fmt.Errorf("column %q: %w", n.Name, ErrTooLong)
		}
		if n.Kind == Var {
			size += chi - clo
		}
	case FixedList:
		clo, chi = clo*n.Width, chi*n.Width
	}
	for i, c := range n.Children {
		s, err := nodeBound(c, d.Children()[i], clo, chi)
		if err != nil {
			return 0, err
		}
		size += s
	}
	return size, nil
}

// offsetAt is entry i of an array's offsets buffer, 0 where it has none.
func offsetAt(n *Node, d arrow.ArrayData, i int) int {
	b := d.Buffers()[1]
	switch {
	case b == nil || b.Len() == 0:
		return 0
	case n.Wide:
		return int(As[int64](b.Bytes())[i])
	}
	return int(As[int32](b.Bytes())[i])
}

// node gathers one node's buffers, then its children's. Row i of the order
// counts from the array's offset.
func (t *Taker) node(s *Segment, n *Node, d arrow.ArrayData, order []uint32, depth int) {
	b := &s.Bufs[n.Index]
	if n.Kind != Null && d.NullN() != 0 && d.Buffers()[0] != nil {
		b.Valid = s.reserve((len(order) + 7) / 8)
		gatherBits(b.Valid, d.Buffers()[0].Bytes(), d.Offset(), order)
	}
	switch n.Kind {
	case Fixed:
		b.Data = s.reserve(len(order) * n.Width)
		gatherFixed(b.Data, bytesOf(d, 1), d.Offset(), n.Width, order)
	case Bits:
		b.Data = s.reserve((len(order) + 7) / 8)
		gatherBits(b.Data, bytesOf(d, 1), d.Offset(), order)
	case Var:
		b.Off = As[int32](s.reserve(4 * (len(order) + 1)))
		ends := t.offsets(b, n, d, order)
		b.Data = s.reserve(int(b.Off[len(order)]))
		gatherVar(b.Data, b.Off, bytesOf(d, 2), ends, order)
	case List:
		b.Off = As[int32](s.reserve(4 * (len(order) + 1)))
		starts := t.offsets(b, n, d, order)
		child := t.expand(depth, b.Off, starts, order)
		t.node(s, n.Children[0], d.Children()[0], child, depth+1)
	case FixedList, Struct:
		child := t.childOrder(n, d.Offset(), order, depth)
		for i, c := range n.Children {
			t.node(s, c, d.Children()[i], child, depth+1)
		}
	}
}

func bytesOf(d arrow.ArrayData, i int) []byte {
	if b := d.Buffers()[i]; b != nil {
		return b.Bytes()
	}
	return nil
}

// source reads the offsets of an array, whatever their width.
type source struct {
	narrow []int32
	wide   []int64
}

func (o source) at(i uint32) int64 {
	if o.wide != nil {
		return o.wide[i]
	}
	return int64(o.narrow[i])
}

// offsets fills b.Off with rising offsets for the order; a null takes no room,
// whatever lies behind it.
func (t *Taker) offsets(b *Bufs, n *Node, d arrow.ArrayData, order []uint32) source {
	var src source
	b.Off[0] = 0
	raw := bytesOf(d, 1)
	switch {
	case len(order) == 0 || len(raw) == 0:
		clear(b.Off)
		return src
	case n.Wide:
		src.wide = As[int64](raw)[d.Offset():]
	default:
		src.narrow = As[int32](raw)[d.Offset():]
	}
	sum := int32(0)
	for i, row := range order {
		if b.Valid == nil || b.Valid[i>>3]>>(i&7)&1 != 0 {
			sum += int32(src.at(row+1) - src.at(row))
		}
		b.Off[i+1] = sum
	}
	return src
}

// gatherVar copies the values that off has room for.
func gatherVar(dst []byte, off []int32, data []byte, src source, order []uint32) {
	for i, row := range order {
		if n := off[i+1] - off[i]; n != 0 {
			from := src.at(row)
			copy(dst[off[i]:off[i+1]], data[from:from+int64(n)])
		}
	}
}

// expand lists the child rows of lists in order.
func (t *Taker) expand(depth int, off []int32, src source, order []uint32) []uint32 {
	child := t.scratch(depth, int(off[len(order)]))
	for i, row := range order {
		if n := off[i+1] - off[i]; n != 0 {
			from := uint32(src.at(row))
			for k := range uint32(n) {
				child = append(child, from+k)
			}
		}
	}
	return child
}

// childOrder is the order of a struct's or fixed-size list's children, which
// count from the parent's row 0.
func (t *Taker) childOrder(n *Node, offset int, order []uint32, depth int) []uint32 {
	if n.Kind == Struct && offset == 0 {
		return order
	}
	width := uint32(1)
	if n.Kind == FixedList {
		width = uint32(n.Width)
	}
	child := t.scratch(depth, len(order)*int(width))
	for _, row := range order {
		from := (row + uint32(offset)) * width
		for k := range width {
			child = append(child, from+k)
		}
	}
	return child
}

func (t *Taker) scratch(depth, size int) []uint32 {
	for len(t.orders) <= depth {
		t.orders = append(t.orders, nil)
	}
	if cap(t.orders[depth]) < size {
		t.orders[depth] = make([]uint32, 0, size)
	}
	return t.orders[depth][:0]
}
