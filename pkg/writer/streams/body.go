package streams

import (
	"slices"

	"github.com/shufflebench/shufflebench/internal/shufflefile"
	"github.com/shufflebench/shufflebench/pkg/writer/lz4"
	"github.com/shufflebench/shufflebench/pkg/writer/segment"
)

// body gathers the buffers of one record batch, uncompressed, one behind the
// other.
type body struct {
	raw     []byte
	nodes   []node
	buffers []buffer
	pieces  [][]segment.Piece // of nested nodes, one slice a depth
	w       *segment.Window
}

// node is a field node: how many values, and how many of them null.
type node struct{ rows, nulls int }

// buffer lies in raw from start on; region says what its bytes are.
type buffer struct {
	start, size int
	kind        lz4.Kind
	stride      int
}

// gather lays out rows of the window.
func (b *body) gather(l *segment.Layout, rows int, pieces []segment.Piece) error {
	b.raw, b.nodes, b.buffers = b.raw[:0], b.nodes[:0], b.buffers[:0]
	for _, n := range l.Columns {
		if err := b.node(n, rows, pieces, 0); err != nil {
			return err
		}
	}
	return nil
}

// alignment of buffers in raw, which are looked at as words.
const alignment = 16

// add appends a buffer and returns its memory, which holds anything.
func (b *body) add(size int, kind lz4.Kind, stride int) []byte {
	at := (len(b.raw) + alignment - 1) &^ (alignment - 1)
	b.buffers = append(b.buffers, buffer{at, size, kind, stride})
	b.raw = slices.Grow(b.raw, at+size-len(b.raw))[:at+size]
	return b.raw[at : at+size : at+size]
}

// node appends a node and its children.
func (b *body) node(n *segment.Node, rows int, pieces []segment.Piece, depth int) error {
	at := len(b.nodes)
	b.nodes = append(b.nodes, node{rows, rows})
	if n.Kind == segment.Null {
		return nil
	}
	b.nodes[at].nulls = b.validity(n, rows, pieces)
	views, stride := b.w.Views[n.Index:], b.w.Nodes
	switch n.Kind {
	case segment.Fixed:
		segment.CopyFixed(b.add(rows*n.Width, lz4.Fixed, n.Width), n.Width, pieces, views, stride)
	case segment.Bits:
		segment.CopyBits(b.add((rows+7)/8, lz4.Bits, 0), pieces, views, stride)
	case segment.Var:
		size, err := b.offsets(n, rows, pieces)
		if err != nil {
			return err
		}
		segment.CopyVar(b.add(size, lz4.Opaque, 0), pieces, views, stride)
	}
	return b.children(n, rows, pieces, depth)
}

// children appends what lies below a nested node.
func (b *body) children(n *segment.Node, rows int, pieces []segment.Piece, depth int) (err error) {
	switch n.Kind {
	case segment.List:
		if rows, err = b.offsets(n, rows, pieces); err != nil {
			return err
		}
		pieces = b.childPieces(n, pieces, depth)
	case segment.FixedList:
		rows *= n.Width
		pieces = b.childPieces(n, pieces, depth)
	}
	for _, c := range n.Children {
		if err := b.node(c, rows, pieces, depth+1); err != nil {
			return err
		}
	}
	return nil
}

// validity appends a node's validity buffer, empty when nothing is null, and
// returns the number of nulls.
func (b *body) validity(n *segment.Node, rows int, pieces []segment.Piece) int {
	nulls := segment.CountNulls(pieces, b.w.Views[n.Index:], b.w.Nodes)
	if nulls == 0 {
		b.add(0, lz4.Bits, 0)
		return 0
	}
	segment.CopyValidity(b.add((rows+7)/8, lz4.Bits, 0), pieces, b.w.Views[n.Index:], b.w.Nodes)
	return nulls
}

// maxOffset is what 32-bit offsets reach, and more bytes than a batch can have.
const maxOffset = 1<<31 - 1

// offsets appends a node's offsets buffer and returns the last offset.
func (b *body) offsets(n *segment.Node, rows int, pieces []segment.Piece) (int, error) {
	views := b.w.Views[n.Index:]
	size := b.w.Values(n, pieces)
	if size > maxOffset && (n.Kind == segment.Var || !n.Wide) {
		return 0, shufflefile.Limit("column %q: %d bytes or values are more than one batch can hold; use a smaller batch size", n.Name, size)
	}
	if n.Wide {
		segment.CopyOffsets(segment.As[int64](b.add(8*(rows+1), lz4.Offsets, 8)), pieces, views, b.w.Nodes)
	} else {
		segment.CopyOffsets(segment.As[int32](b.add(4*(rows+1), lz4.Offsets, 4)), pieces, views, b.w.Nodes)
	}
	return size, nil
}

// childPieces are the rows of n's children that belong to rows of n.
func (b *body) childPieces(n *segment.Node, pieces []segment.Piece, depth int) []segment.Piece {
	for len(b.pieces) <= depth {
		b.pieces = append(b.pieces, nil)
	}
	b.pieces[depth] = b.w.ChildPieces(b.pieces[depth][:0], n, pieces)
	return b.pieces[depth]
}
