package segment

import (
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/shufflebench/shufflebench/internal/shufflefile"
)

// Extracted is a segment in a spill file, with its footer read.
type Extracted struct {
	file    *File
	layout  *Layout
	extent  Extent
	rows    int
	entries int
	counts  region
	bufs    []storedBufs
	chunks  []int64 // packed: where each chunk begins, and the last one ends
}

// region is a buffer: where it lies in the spill file, or, packed, its first
// chunk; and its length.
type region struct{ pos, len int64 }

type storedBufs struct{ valid, off, data region }

// Open reads a segment's footer.
func (f *File) Open(l *Layout, e Extent) (*Extracted, error) {
	b := make([]byte, footerSize(l))
	if err := f.readAt(b, e.Pos+e.Len-int64(len(b))); err != nil {
		return nil, err
	}
	s := &Extracted{file: f, layout: l, extent: e, bufs: make([]storedBufs, len(l.Nodes))}
	if !s.parseFooter(b) {
		return nil, f.misfit(e)
	}
	if f.pack != nil {
		return s, s.openPacked(int64(len(b)))
	}
	if end := s.counts.pos + s.counts.len + int64(len(b)); end != e.Pos+e.Len {
		return nil, f.misfit(e)
	}
	return s, nil
}

func (f *File) misfit(e Extent) error {
	return f.corrupt(e.Pos, "the footer of a spilled segment does not fit it")
}

// parseFooter reads the sizes and where they lead. It fails for a number that
// is negative or beyond all measure, so that sums of them mean something.
func (s *Extracted) parseFooter(b []byte) (ok bool) {
	ok = true
	next := func() int64 {
		v := binary.LittleEndian.Uint64(b)
		b = b[8:]
		ok = ok && v < 1<<48
		return int64(v)
	}
	s.rows, s.entries = int(next()), int(next())
	countsLen := next()
	at := int64(0)
	place := func() region {
		r := region{at, next()}
		if s.file.pack != nil {
			at += chunksOf(r.len)
		} else {
			r.pos += s.extent.Pos
			at = int64(align(int(at + r.len)))
		}
		return r
	}
	for i := range s.bufs {
		s.bufs[i] = storedBufs{valid: place(), off: place(), data: place()}
	}
	s.counts = region{s.extent.Pos + at, countsLen}
	if s.file.pack != nil {
		s.counts.pos = at // the number of chunks, until openPacked knows more
	}
	return ok
}

func (f *File) corrupt(pos int64, format string, args ...any) error {
	p := shufflefile.In(f.f.Name())
	p.Offset = pos
	return &shufflefile.Error{Class: shufflefile.ErrCorrupt, Place: p, Err: fmt.Errorf(format, args...)}
}

// Bytes implements Source.
func (s *Extracted) Bytes() int64 {
	size := s.counts.len
	for _, b := range s.bufs {
		size += b.valid.len + b.off.len + b.data.len
	}
	return size
}

// Len implements Source.
func (s *Extracted) Len() int { return s.rows }

// Stored implements Source.
func (s *Extracted) Stored() bool { return true }

// countsChunk is the bytes of counts read at a time.
const countsChunk = 4 << 10

// Counts implements Source, reading them in pieces.
func (s *Extracted) Counts() (*Counts, error) {
	pos, end := s.counts.pos, s.counts.pos+s.counts.len
	buf := make([]byte, min(countsChunk, int(s.counts.len)))
	refill := func(rest []byte) ([]byte, error) {
		n := copy(buf, rest)
		size := min(int64(len(buf)-n), end-pos)
		if size == 0 {
			return buf[:n], nil
		}
		if err := s.file.readAt(buf[n:n+int(size)], pos); err != nil {
			return nil, err
		}
		pos += size
		return buf[:n+int(size)], nil
	}
	c, err := newCounts(nil, s.entries, refill)
	if errors.Is(err, errCounts) {
		err = s.file.corrupt(s.counts.pos, "%w", err)
	}
	return c, err
}

// Load implements Source with one read a buffer.
func (s *Extracted) Load(views []View, lo, hi int, a *Arena) error {
	for _, n := range s.layout.Columns {
		if err := s.load(views, n, lo, hi, a); err != nil {
			return err
		}
	}
	return nil
}

func (s *Extracted) load(views []View, n *Node, lo, hi int, a *Arena) (err error) {
	b, v := &s.bufs[n.Index], &views[n.Index]
	*v = View{}
	if b.valid.len != 0 {
		v.VBit = lo & 7
		if v.Valid, err = s.read(b.valid, lo/8, (hi+7)/8, a); err != nil {
			return err
		}
	}
	clo, chi := lo, hi
	switch n.Kind {
	case Fixed:
		v.Data, err = s.read(b.data, lo*n.Width, hi*n.Width, a)
	case Bits:
		v.DBit = lo & 7
		v.Data, err = s.read(b.data, lo/8, (hi+7)/8, a)
	case Var, List:
		if clo, chi, err = s.loadOffsets(b, v, lo, hi, a); err == nil && n.Kind == Var {
			v.Data, err = s.read(b.data, clo, chi, a)
		}
	case FixedList:
		clo, chi = lo*n.Width, hi*n.Width
	}
	for _, c := range n.Children {
		if err != nil {
			return err
		}
		err = s.load(views, c, clo, chi, a)
	}
	return err
}

// loadOffsets reads and checks offsets, and gives the range they point to.
func (s *Extracted) loadOffsets(b *storedBufs, v *View, lo, hi int, a *Arena) (clo, chi int, err error) {
	raw, err := s.read(b.off, 4*lo, 4*(hi+1), a)
	if err != nil {
		return 0, 0, err
	}
	v.Off = As[int32](raw)
	v.Base = v.Off[0]
	prev := max(v.Base, 0)
	for _, o := range v.Off {
		if o < prev {
			return 0, 0, s.file.corrupt(s.at(b.off, 4*lo), "spilled offsets fall")
		}
		prev = o
	}
	return int(v.Base), int(prev), nil
}

// at is where byte i of a region lies in the spill file; packed, where its
// chunk begins.
func (s *Extracted) at(r region, i int) int64 {
	if s.chunks == nil {
		return r.pos + int64(i)
	}
	return s.chunks[min(r.pos+int64(i/chunkSize), int64(len(s.chunks)-1))] &^ storedFlag
}

// read fetches bytes from to to of a region.
func (s *Extracted) read(r region, from, to int, a *Arena) ([]byte, error) {
	if int64(to) > r.len {
		return nil, s.file.corrupt(s.at(r, 0), "a spilled buffer of %d bytes is read up to %d", r.len, to)
	}
	b := a.Alloc(to - from)
	if len(b) == 0 {
		return b, nil
	}
	if s.chunks != nil {
		return b, s.unpack(b, r, from, a)
	}
	return b, s.file.readAt(b, r.pos+int64(from))
}
