package segment

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/shufflebench/shufflebench/internal/oracle"
	"github.com/shufflebench/shufflebench/internal/oracle/random"
)

// checkTake holds a segment to the rows that went in, row by row.
func checkTake(t *testing.T, l *Layout, b arrow.RecordBatch, g *random.Gen, partitions int) *Segment {
	t.Helper()
	parts := place(g.R, int(b.NumRows()), partitions)
	s := segmentOf(t, l, b, parts, partitions)
	want := oracle.Table{}
	want.Add(oracle.Rows(b), parts)
	if d := oracle.Diff(tableOf(t, l, s), want); d != "" {
		t.Fatalf("%v\n%s", b.Schema(), d)
	}
	order, _ := plainGroup(parts)
	rows := oracle.Rows(b)
	for i, row := range loadRows(t, l, s, 0, s.Rows) {
		if row != rows[order[i]] {
			t.Fatalf("row %d of the segment is %s, want %s", i, row, rows[order[i]])
		}
	}
	return s
}

func TestTakeTypes(t *testing.T) {
	for i, typ := range random.Flat() {
		t.Run(typ.String(), func(t *testing.T) {
			for rows := range oracle.Rounds(40) {
				g := random.New(uint64(100*i + rows))
				s := random.SchemaOf(typ)
				checkTake(t, layoutOf(t, s), g.Batch(s, rows), g, 1+g.R.IntN(20))
			}
		})
	}
}

func TestTakeNested(t *testing.T) {
	for seed := range uint64(oracle.Rounds(500)) {
		g := random.New(seed)
		s := g.Schema(1+int(seed%4), 1+int(seed%3))
		b := g.Batch(s, int(seed*7)%150)
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			l := layoutOf(t, s)
			checkTake(t, l, b, g, 1+g.R.IntN(300))
			if n := b.NumRows(); n > 2 { // a slice of what may be slices already
				checkTake(t, l, b.NewSlice(1+n/3, n-1), g, 5)
			}
		})
	}
}

// TestTakeAgain uses one taker, with the memory it keeps, for many batches.
func TestTakeAgain(t *testing.T) {
	g := random.New(77)
	s := g.Schema(6, 3)
	l := layoutOf(t, s)
	taker := NewTaker(l)
	var grouper Grouper
	var mem []byte
	for _, rows := range []int{50, 3, 0, 200, 1, 64, 65, 500, 2} {
		b := g.Batch(s, rows)
		parts := place(g.R, rows, 9)
		order, entries := grouper.Group(parts, 9)
		size, err := taker.Size(b, entries)
		if err != nil {
			t.Fatal(err)
		}
		if cap(mem) < size {
			mem = make([]byte, size)
		}
		want := oracle.Table{}
		want.Add(oracle.Rows(b), parts)
		if d := oracle.Diff(tableOf(t, l, taker.Take(b, order, entries, mem)), want); d != "" {
			t.Fatalf("%d rows: %s", rows, d)
		}
	}
}

// TestTakeNothing takes arrays of no rows that have no buffers.
func TestTakeNothing(t *testing.T) {
	for _, typ := range random.Flat() {
		buffers := []*memory.Buffer{nil, nil, nil}
		switch typ.ID() {
		case arrow.NULL:
			buffers = buffers[:1]
		case arrow.STRING, arrow.BINARY, arrow.LARGE_STRING, arrow.LARGE_BINARY:
		default:
			buffers = buffers[:2]
		}
		a := array.MakeFromData(array.NewData(typ, 0, buffers, nil, 0, 0))
		list := array.MakeFromData(array.NewData(arrow.ListOf(typ), 0, []*memory.Buffer{nil, nil}, []arrow.ArrayData{a.Data()}, 0, 0))
		s := random.SchemaOf(typ, list.DataType())
		checkTake(t, layoutOf(t, s), array.NewRecordBatch(s, []arrow.Array{a, list}, 0), random.New(1), 3)
	}
}

// TestTakeNoColumns counts rows of no columns.
func TestTakeNoColumns(t *testing.T) {
	s := arrow.NewSchema(nil, nil)
	seg := checkTake(t, layoutOf(t, s), array.NewRecordBatch(s, nil, 5), random.New(1), 3)
	if seg.Len() != 5 {
		t.Fatal(seg.Len())
	}
}

// TestTakeSlice: a slice does not carry its parent's bytes, nor the values
// that hide behind nulls.
func TestTakeSlice(t *testing.T) {
	text := array.NewStringBuilder(memory.DefaultAllocator)
	lists := array.NewListBuilder(memory.DefaultAllocator, arrow.BinaryTypes.String)
	for range 10_000 {
		word := strings.Repeat("x", 100)
		text.Append(word)
		lists.Append(true)
		for range 3 {
			lists.ValueBuilder().(*array.StringBuilder).Append(word)
		}
	}
	cols := []arrow.Array{text.NewArray(), lists.NewArray()}
	s := random.SchemaOf(cols[0].DataType(), cols[1].DataType())
	l := layoutOf(t, s)
	whole := array.NewRecordBatch(s, cols, 10_000)
	part := whole.NewSlice(5000, 5010)
	seg := checkTake(t, l, part, random.New(1), 4)
	if n := cap(seg.Mem); n > 10*(4*(100+8)+64)+1000 {
		t.Errorf("10 rows of about 450 bytes take %d", n)
	}
	hidden := array.NewData(s.Field(0).Type, 10_000,
		append([]*memory.Buffer{memory.NewBufferBytes(make([]byte, 1250))}, cols[0].Data().Buffers()[1:]...), nil, 10_000, 0)
	one := random.SchemaOf(s.Field(0).Type)
	seg = checkTake(t, layoutOf(t, one), array.NewRecordBatch(one, []arrow.Array{array.MakeFromData(hidden)}, 10_000), random.New(1), 4)
	if n := len(seg.Mem); n > 10_000*5+2000 {
		t.Errorf("10,000 nulls take %d bytes", n)
	}
}

// TestNoValidity: what has no nulls has no validity, even if it has a bitmap.
func TestNoValidity(t *testing.T) {
	full := memory.NewBufferBytes([]byte{0xff})
	a := array.NewData(arrow.PrimitiveTypes.Int32, 5, []*memory.Buffer{full, memory.NewBufferBytes(make([]byte, 20))}, nil, 0, 0)
	s := random.SchemaOf(arrow.PrimitiveTypes.Int32)
	seg := checkTake(t, layoutOf(t, s), array.NewRecordBatch(s, []arrow.Array{array.MakeFromData(a)}, 5), random.New(1), 2)
	if seg.Bufs[0].Valid != nil {
		t.Error("5 values, none of them null, have a validity buffer")
	}
}

// TestTooLong: 32-bit offsets end at 2 GiB, which Size says before Take.
func TestTooLong(t *testing.T) {
	for _, typ := range []arrow.DataType{arrow.BinaryTypes.LargeString, arrow.LargeListOf(arrow.Null)} {
		ends := []int64{0, 1 << 30, 3 << 30}
		buffers := []*memory.Buffer{nil, memory.NewBufferBytes(arrow.Int64Traits.CastToBytes(ends))}
		var children []arrow.ArrayData
		if typ.ID() == arrow.LARGE_LIST {
			children = append(children, array.NewData(arrow.Null, 3<<30, []*memory.Buffer{nil}, nil, 3<<30, 0))
		} else {
			buffers = append(buffers, memory.NewBufferBytes(nil))
		}
		d := array.NewData(typ, 2, buffers, children, 0, 0)
		l := layoutOf(t, random.SchemaOf(typ))
		if _, err := nodeBound(l.Columns[0], d, 0, 2); !errors.Is(err, ErrTooLong) || !strings.Contains(err.Error(), `"c0"`) {
			t.Errorf("%s: %v", typ, err)
		}
		if size, err := nodeBound(l.Columns[0], d, 0, 1); err != nil {
			t.Errorf("%s: %d, %v", typ, size, err)
		}
	}
}
