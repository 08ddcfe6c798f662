package encode

import (
	"encoding/binary"
	"slices"

	"github.com/shufflebench/shufflebench/internal/ipcwire"
	"github.com/shufflebench/shufflebench/internal/shufflefile"
	"github.com/shufflebench/shufflebench/pkg/writer/lz4"
	"github.com/shufflebench/shufflebench/pkg/writer/segment"
)

// body lays payloads out one behind the other in one buffer.
type body struct {
	t       *Template
	buf     []byte
	start   int // of the present payload
	nodes   int // position of the next field node in buf
	buffers int // position of the next buffer struct in buf
	nulls   int // nulls in the present payload, over all nodes
	regions []lz4.Region
	planes  []byte            // scratch of cutPlanes
	pieces  [][]segment.Piece // of nested nodes, one slice a depth
	w       *segment.Window
	mayNull []bool // by node: some source of the window has nulls there
}

// payload is one laid out stream.
type payload struct {
	partition  uint32
	rows       int
	start, end int // in body.buf
	regions    [2]int
	nulls      bool
}

// reset forgets all payloads.
func (b *body) reset() {
	b.buf = b.buf[:0]
	b.regions = b.regions[:0]
}

// use makes w the window that rows come from.
func (b *body) use(w *segment.Window) {
	b.w = w
	b.mayNull = slices.Grow(b.mayNull[:0], w.Nodes)[:w.Nodes]
	clear(b.mayNull)
	for i := range w.Views {
		if w.Views[i].Valid != nil {
			b.mayNull[i%w.Nodes] = true
		}
	}
}

// add lays out rows of one partition as one stream, from the window that
// use has set.
func (b *body) add(partition uint32, rows int, pieces []segment.Piece) (payload, error) {
	t := b.t.ipc
	p := payload{partition: partition, rows: rows, start: len(b.buf), regions: [2]int{len(b.regions)}}
	b.start, b.nulls = p.start, 0
	copy(b.grow(len(t.Bytes)), t.Bytes)
	b.nodes, b.buffers = p.start+t.Nodes, p.start+t.Buffers
	for _, n := range b.t.layout.Columns {
		if err := b.node(n, rows, pieces, 0); err != nil {
			return p, err
		}
	}
	size := len(b.buf) - p.start - len(t.Bytes)
	b.put(p.start+t.Length, rows)
	b.put(p.start+t.BodyLength, size)
	copy(b.grow(ipcwire.EOSSize), ipcwire.EOS[:])
	p.end, p.regions[1], p.nulls = len(b.buf), len(b.regions), b.nulls != 0
	if p.end-p.start > shufflefile.MaxBlock-shufflefile.HeaderSize {
		return p, shufflefile.Limit("partition %d: a block of %d rows would have %d bytes; use a smaller batch size", partition, rows, p.end-p.start)
	}
	return p, nil
}

func (b *body) put(at, v int) { binary.LittleEndian.PutUint64(b.buf[at:], uint64(v)) }

// grow appends n bytes of any content.
func (b *body) grow(n int) []byte {
	at := len(b.buf)
	b.buf = slices.Grow(b.buf, n)[:at+n]
	return b.buf[at : at+n]
}

// buffer appends an aligned body buffer of n bytes, notes it in the record
// batch, and returns its memory, which holds anything; the padding is zero.
func (b *body) buffer(n int, kind lz4.Kind, stride int) []byte {
	at := len(b.buf)
	b.put(b.buffers, at-b.start-len(b.t.ipc.Bytes))
	b.put(b.buffers+8, n)
	b.buffers += ipcwire.BufferSize
	if n == 0 {
		return nil
	}
	padded := (n + ipcwire.Alignment - 1) &^ (ipcwire.Alignment - 1)
	mem := b.grow(padded)
	clear(mem[n:])
	b.regions = append(b.regions, lz4.Region{Start: at - b.start, End: at - b.start + n, Kind: kind, Stride: stride})
	return mem[:n]
}

// node appends a node and its children.
func (b *body) node(n *segment.Node, rows int, pieces []segment.Piece, depth int) error {
	b.put(b.nodes, rows)
	nulls := b.nodes + 8
	b.nodes += ipcwire.FieldNodeSize
	if n.Kind == segment.Null {
		b.put(nulls, rows)
		return nil
	}
	b.put(nulls, b.validity(n, rows, pieces))
	views := b.w.Views[n.Index:]
	switch n.Kind {
	case segment.Fixed:
		segment.CopyFixed(b.buffer(rows*n.Width, lz4.Fixed, n.Width), n.Width, pieces, views, b.w.Nodes)
	case segment.Bits:
		segment.CopyBits(b.buffer((rows+7)/8, lz4.Bits, 0), pieces, views, b.w.Nodes)
	case segment.Var:
		size, err := b.offsets(n, rows, pieces)
		if err != nil {
			return err
		}
		segment.CopyVar(b.buffer(size, lz4.Opaque, 0), pieces, views, b.w.Nodes)
	case segment.List:
		size, err := b.offsets(n, rows, pieces)
		if err != nil {
			return err
		}
		return b.node(n.Children[0], size, b.childPieces(n, pieces, depth), depth+1)
	case segment.FixedList:
		return b.node(n.Children[0], rows*n.Width, b.childPieces(n, pieces, depth), depth+1)
	case segment.Struct:
		for _, c := range n.Children {
			if err := b.node(c, rows, pieces, depth+1); err != nil {
				return err
			}
		}
	}
	return nil
}

// validity appends a node's validity buffer, empty when nothing is null, and
// returns the number of nulls.
func (b *body) validity(n *segment.Node, rows int, pieces []segment.Piece) int {
	nulls := 0
	if b.mayNull[n.Index] {
		nulls = segment.CountNulls(pieces, b.w.Views[n.Index:], b.w.Nodes)
	}
	if nulls == 0 {
		b.buffer(0, lz4.Bits, 0)
		return 0
	}
	b.nulls += nulls
	segment.CopyValidity(b.buffer((rows+7)/8, lz4.Bits, 0), pieces, b.w.Views[n.Index:], b.w.Nodes)
	return nulls
}

// offsets appends a node's offsets buffer and returns the last offset.
func (b *body) offsets(n *segment.Node, rows int, pieces []segment.Piece) (int, error) {
	views := b.w.Views[n.Index:]
	size := b.w.Values(n, pieces)
	if size > maxOffset && (n.Kind == segment.Var || !n.Wide) {
		return 0, shufflefile.Limit("column %q: %d bytes or values are more than one block can hold; use a smaller batch size", n.Name, size)
	}
	if n.Wide {
		segment.CopyOffsets(segment.As[int64](b.buffer(8*(rows+1), lz4.Offsets, 8)), pieces, views, b.w.Nodes)
	} else {
		segment.CopyOffsets(segment.As[int32](b.buffer(4*(rows+1), lz4.Offsets, 4)), pieces, views, b.w.Nodes)
	}
	return size, nil
}

// maxOffset is what 32-bit offsets reach, and more bytes than a block can have.
const maxOffset = 1<<31 - 1

// childPieces are the rows of n's children that belong to rows of n.
func (b *body) childPieces(n *segment.Node, pieces []segment.Piece, depth int) []segment.Piece {
	for len(b.pieces) <= depth {
		b.pieces = append(b.pieces, nil)
	}
	b.pieces[depth] = b.w.ChildPieces(b.pieces[depth][:0], n, pieces)
	return b.pieces[depth]
}
