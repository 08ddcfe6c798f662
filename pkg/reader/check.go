package reader

import (
	"github.com/apache/arrow-go/v18/arrow/bitutil"

	"github.com/shufflebench/shufflebench/internal/shufflefile"
)

// The full check of a block, for data from elsewhere: every value that says
// where another one lies. The loader has checked counts, sizes and the ends of
// offsets before; arrays are made afterwards.

// checker checks one message after the loader.
type checker struct {
	load *loader
	s    *stream
	p    *part
}

// check checks the parts of a stream from the given one on.
func (l *loader) check(s *stream, first int) error {
	for k := first; k < len(s.parts); k++ {
		c := checker{load: l, s: s, p: &s.parts[k]}
		if s.dead(k) {
			continue
		}
		for i := range c.p.plan.nodes {
			if err := c.node(&c.p.plan.nodes[i], c.field(i)); err != nil {
				return c.p.inColumn(i, err)
			}
		}
	}
	return nil
}

// field is the message's i-th.
func (c *checker) field(i int) *field { return c.load.field(c.p, i) }

// bytes is the k-th buffer of an array-to-be, validity first.
func (c *checker) bytes(f *field, k int) []byte { return c.load.bytes(f, k) }

func (c *checker) node(n *node, f *field) error {
	if err := c.validity(n, f); err != nil || f.length == 0 {
		return err
	}
	if n.dict >= 0 {
		return c.indices(n, f)
	}
	switch n.kind {
	case kindBinary, kindLargeBinary:
		return c.binary(n, f)
	case kindView:
		return c.views(n, f)
	case kindList:
		return increasing32(c.bytes(f, 1), f.length)
	case kindLargeList:
		return increasing64(c.bytes(f, 1), f.length)
	case kindListView:
		return listViews(c.bytes(f, 1), c.bytes(f, 2), 4, f.length, c.field(n.children[0]).length)
	case kindLargeListView:
		return listViews(c.bytes(f, 1), c.bytes(f, 2), 8, f.length, c.field(n.children[0]).length)
	case kindSparse, kindDense:
		return c.union(n, f)
	case kindRunEnd:
		return c.runs(n)
	}
	return nil
}

// validity compares the null count with the bitmap, which is then left out if
// there are no nulls, as in the trusted mode.
func (c *checker) validity(n *node, f *field) error {
	if n.kind == kindNull || n.kind >= kindSparse {
		return nil
	}
	v := &c.load.views[f.first]
	if v.bytes == nil {
		return nil
	}
	if nulls := f.length - bitutil.CountSetBits(v.bytes, 0, f.length); nulls != f.nulls {
		return shufflefile.Corrupt("null count %d, but the validity bitmap has %d nulls", f.nulls, nulls)
	}
	if f.nulls == 0 {
		if v.owned {
			c.load.alloc.Free(v.bytes)
		}
		*v = view{}
		c.load.present--
	}
	return nil
}

// valid reports whether row i is not null.
func valid(bitmap []byte, i int) bool { return bitmap == nil || bitutil.BitIsSet(bitmap, i) }

func (c *checker) binary(n *node, f *field) error {
	offsets, data := c.bytes(f, 1), c.bytes(f, 2)
	if n.kind == kindLargeBinary {
		if err := increasing64(offsets, f.length); err != nil || !n.utf8 {
			return err
		}
		return text(data, f.length, func(i int) int64 { return int64At(offsets, i) })
	}
	if err := increasing32(offsets, f.length); err != nil || !n.utf8 {
		return err
	}
	return text(data, f.length, func(i int) int64 { return int32At(offsets, i) })
}

// indices checks that every index of a row that is not null is one of the
// dictionary's.
func (c *checker) indices(n *node, f *field) error {
	size := uint64(c.s.slots[n.dict].rows)
	bitmap, values := c.bytes(f, 0), c.bytes(f, 1)
	if greatestIndex(values, n.width, f.length) < size {
		return nil
	}
	for i := range f.length {
		if k := indexAt(values, n.width, i, n.signed); k >= size && valid(bitmap, i) {
			return shufflefile.Corrupt("row %d has index %d into a dictionary of %d values", i, int64(k), size)
		}
	}
	return nil
}

func (c *checker) union(n *node, f *field) error {
	types, children := c.bytes(f, 1), n.byCode()
	var last [128]int64
	for i := range f.length {
		code := types[i]
		if code > 127 || children[code] == 0 {
			return shufflefile.Corrupt("row %d has type code %d, which its union does not", i, int8(code))
		}
		if n.kind == kindSparse {
			continue
		}
		size := c.field(n.children[children[code]-1]).length
		at := int32At(c.bytes(f, 2), i)
		if at < last[code] || at >= int64(size) {
			return shufflefile.Corrupt("row %d lies at %d of a child of %d values, after one at %d", i, at, size, last[code])
		}
		last[code] = at
	}
	return nil
}

// runs checks that run ends grow.
func (c *checker) runs(n *node) error {
	ends := c.field(n.children[0])
	width := c.p.plan.nodes[n.children[0]].width
	last := int64(0)
	for i := range ends.length {
		end := runEnd(c.bytes(ends, 1), width, i)
		if end <= last {
			return shufflefile.Corrupt("run %d ends at row %d, where the one before ended at %d", i, end, last)
		}
		last = end
	}
	return nil
}
