package segment

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/shufflebench/shufflebench/internal/oracle"
)

// The helpers here bring rows of segments back into Arrow, value by value, so
// that a test can compare them with the rows that went in.

func bitAt(b []byte, i int) bool { return b[i/8]>>(i%8)&1 != 0 }

func packBits(n int, bit func(i int) bool) []byte {
	b := make([]byte, (n+7)/8)
	for i := range n {
		if bit(i) {
			b[i/8] |= 1 << (i % 8)
		}
	}
	return b
}

// dataOf is rows lo to hi of a node's view, copied.
func dataOf(views []View, n *Node, t arrow.DataType, lo, hi int) arrow.ArrayData {
	v, rows := &views[n.Index], hi-lo
	if e, ok := t.(arrow.ExtensionType); ok {
		d := dataOf(views, n, e.StorageType(), lo, hi)
		return array.NewData(t, rows, d.Buffers(), d.Children(), d.NullN(), 0)
	}
	if n.Kind == Null {
		return array.NewData(t, rows, []*memory.Buffer{nil}, nil, rows, 0)
	}
	buffers, nulls := []*memory.Buffer{nil}, 0
	if v.Valid != nil {
		buffers[0] = memory.NewBufferBytes(packBits(rows, func(i int) bool { return bitAt(v.Valid, v.VBit+lo+i) }))
		nulls = array.UnknownNullCount
	}
	add := func(b []byte) { buffers = append(buffers, memory.NewBufferBytes(b)) }
	switch n.Kind {
	case Fixed:
		add(slices.Clone(v.Data[lo*n.Width : hi*n.Width]))
	case Bits:
		add(packBits(rows, func(i int) bool { return bitAt(v.Data, v.DBit+lo+i) }))
	case Var:
		add(offsetsOf(v, n, lo, hi))
		add(slices.Clone(v.Data[v.Off[lo]-v.Base : v.Off[hi]-v.Base]))
	case List:
		add(offsetsOf(v, n, lo, hi))
		lo, hi = int(v.Off[lo]-v.Base), int(v.Off[hi]-v.Base)
	case FixedList:
		lo, hi = lo*n.Width, hi*n.Width
	}
	var children []arrow.ArrayData
	for i, f := range childFields(t) {
		children = append(children, dataOf(views, n.Children[i], f.Type, lo, hi))
	}
	return array.NewData(t, rows, buffers, children, nulls, 0)
}

func offsetsOf(v *View, n *Node, lo, hi int) []byte {
	if n.Wide {
		wide := make([]int64, 0, hi-lo+1)
		for _, o := range v.Off[lo : hi+1] {
			wide = append(wide, int64(o-v.Off[lo]))
		}
		return arrow.Int64Traits.CastToBytes(wide)
	}
	narrow := make([]int32, 0, hi-lo+1)
	for _, o := range v.Off[lo : hi+1] {
		narrow = append(narrow, o-v.Off[lo])
	}
	return arrow.Int32Traits.CastToBytes(narrow)
}

// batchFrom is rows lo to hi of views as a batch.
func batchFrom(l *Layout, views []View, lo, hi int) arrow.RecordBatch {
	cols := make([]arrow.Array, len(l.Columns))
	for i, n := range l.Columns {
		cols[i] = array.MakeFromData(dataOf(views, n, l.Schema.Field(i).Type, lo, hi))
	}
	return array.NewRecordBatch(l.Schema, cols, int64(hi-lo))
}

// loadRows loads rows lo to hi of a source as text.
func loadRows(t *testing.T, l *Layout, s Source, lo, hi int) []string {
	t.Helper()
	views := make([]View, len(l.Nodes))
	var a Arena
	if err := s.Load(views, lo, hi, &a); err != nil {
		t.Fatal(err)
	}
	return oracle.Rows(batchFrom(l, views, 0, hi-lo))
}

func layoutOf(t testing.TB, s *arrow.Schema) *Layout {
	t.Helper()
	l, err := NewLayout(s)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// place gives every row of n a partition, most of them in a few.
func place(r *rand.Rand, n, partitions int) []uint32 {
	parts := make([]uint32, n)
	few := 1 + r.IntN(min(partitions, 8))
	for i := range parts {
		if parts[i] = uint32(r.IntN(partitions)); r.IntN(3) == 0 {
			parts[i] = uint32(r.IntN(few))
		}
	}
	return parts
}

// segmentOf takes a batch into a segment in dirty memory of just the size asked for.
func segmentOf(t testing.TB, l *Layout, b arrow.RecordBatch, parts []uint32, partitions int) *Segment {
	t.Helper()
	var g Grouper
	order, entries := g.Group(parts, partitions)
	taker := NewTaker(l)
	size, err := taker.Size(b, entries)
	if err != nil {
		t.Fatal(err)
	}
	mem := make([]byte, size)
	for i := range mem {
		mem[i] = 0xa5
	}
	s := taker.Take(b, order, entries, mem)
	if cap(s.Mem) != size {
		t.Fatalf("the segment moved: %d bytes asked for, %d there", size, cap(s.Mem))
	}
	return s
}

// entriesOf reads all counts of a source.
func entriesOf(t testing.TB, s Source) []Entry {
	t.Helper()
	c, err := s.Counts()
	if err != nil {
		t.Fatal(err)
	}
	entries, err := c.TakeBelow(nil, 1<<32-1)
	if err != nil {
		t.Fatal(err)
	}
	return entries
}

// tableOf is what a source holds, by partition.
func tableOf(t *testing.T, l *Layout, s Source) oracle.Table {
	t.Helper()
	table, row := oracle.Table{}, 0
	for _, e := range entriesOf(t, s) {
		table[int(e.Partition)] = loadRows(t, l, s, row, row+int(e.Rows))
		row += int(e.Rows)
	}
	if row != s.Len() {
		t.Fatalf("the counts lead to %d rows, the source has %d", row, s.Len())
	}
	return table
}

// noColumns is the schema of sources that have counts alone.
var noColumns = arrow.NewSchema(nil, nil)
