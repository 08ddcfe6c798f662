package segment

import "math"

// Regroup makes one segment of the rows of a loaded window, so that many small
// segments can become few large ones before they are merged. The segment lies
// in mem if that is large enough.
func (w *Window) Regroup(l *Layout, mem []byte) (*Segment, error) {
	pieces := w.pieces
	s := &Segment{Bufs: make([]Bufs, len(l.Nodes)), layout: l}
	entries := make([]Entry, len(w.Parts))
	for i, p := range w.Parts {
		entries[i] = Entry{p.Partition, uint32(p.Rows)}
		s.Rows += p.Rows
	}
	s.Entries = len(entries)
	size := countsBound(entries) + footerSize(l) + 2*alignment
	for _, n := range l.Columns {
		size += w.nodeSize(n, pieces)
	}
	if size > math.MaxInt32 {
		return nil, ErrTooLong
	}
	if cap(mem) < size {
		mem = make([]byte, 0, size)
	}
	s.Mem = mem[:0]
	for _, n := range l.Columns {
		w.regroup(s, n, s.Rows, pieces)
	}
	s.finish(entries)
	return s, nil
}

// nodeSize is the most bytes that a node's buffers and its children's take.
func (w *Window) nodeSize(n *Node, pieces []Piece) int {
	rows := 0
	for _, p := range pieces {
		rows += int(p.Rows)
	}
	size := 3*alignment + (rows+7)/8
	switch n.Kind {
	case Fixed:
		size += rows * n.Width
	case Bits:
		size += (rows + 7) / 8
	case Var:
		size += 4*(rows+1) + w.Values(n, pieces)
	case List:
		size += 4 * (rows + 1)
	}
	for _, c := range n.Children {
		size += w.nodeSize(c, w.ChildPieces(nil, n, pieces))
	}
	return size
}

// Values is the number of bytes or child values behind the offsets of rows.
func (w *Window) Values(n *Node, pieces []Piece) int {
	size := 0
	for i := range pieces {
		p := &pieces[i]
		off := w.Views[n.Index+int(p.Source)*w.Nodes].Off
		size += int(off[p.Lo+p.Rows] - off[p.Lo])
	}
	return size
}

// ChildPieces appends to dst the rows of n's children that belong to rows of n.
func (w *Window) ChildPieces(dst []Piece, n *Node, pieces []Piece) []Piece {
	for _, p := range pieces {
		switch n.Kind {
		case List:
			v := &w.Views[n.Index+int(p.Source)*w.Nodes]
			lo, hi := v.Off[p.Lo], v.Off[p.Lo+p.Rows]
			if lo == hi {
				continue
			}
			p.Lo, p.Rows = uint32(lo-v.Base), uint32(hi-lo)
		case FixedList:
			p.Lo, p.Rows = p.Lo*uint32(n.Width), p.Rows*uint32(n.Width)
		}
		dst = append(dst, p)
	}
	return dst
}

func (w *Window) regroup(s *Segment, n *Node, rows int, pieces []Piece) {
	b, views := &s.Bufs[n.Index], w.Views[n.Index:]
	if n.Kind != Null && CountNulls(pieces, views, w.Nodes) != 0 {
		b.Valid = s.reserve((rows + 7) / 8)
		CopyValidity(b.Valid, pieces, views, w.Nodes)
	}
	switch n.Kind {
	case Fixed:
		b.Data = s.reserve(rows * n.Width)
		CopyFixed(b.Data, n.Width, pieces, views, w.Nodes)
	case Bits:
		b.Data = s.reserve((rows + 7) / 8)
		CopyBits(b.Data, pieces, views, w.Nodes)
	case Var, List:
		b.Off = As[int32](s.reserve(4 * (rows + 1)))
		CopyOffsets(b.Off, pieces, views, w.Nodes)
		if n.Kind == Var {
			b.Data = s.reserve(int(b.Off[rows]))
			CopyVar(b.Data, pieces, views, w.Nodes)
		} else {
			rows = int(b.Off[rows])
		}
	case FixedList:
		rows *= n.Width
	}
	for _, c := range n.Children {
		w.regroup(s, c, rows, w.ChildPieces(nil, n, pieces))
	}
}
