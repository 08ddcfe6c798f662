package repartition

import (
	"runtime"
	"runtime/metrics"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"

	pkgmetrics "github.com/shufflebench/shufflebench/pkg/metrics"
)

// streams of the four rows of twoColumns: 0 gets rows 0 and 2, 1 gets 1 and 3.
func streams(t *testing.T, o Options) *Repartitioner {
	t.Helper()
	b, l := twoColumns(t)
	o.Partitions, o.Alloc = 2, plain{}
	r, err := New(l, &places{[][]uint32{{0, 1, 0, 1}, {0, 1, 0, 1}}}, &pkgmetrics.Clock{}, o)
	if err != nil {
		t.Fatal(err)
	}
	if err := r.Push(b); err != nil {
		t.Fatal(err)
	}
	return r
}

// plain allocates exactly what is asked for.
type plain struct{ memory.Allocator }

func (plain) Allocate(n int) []byte { return make([]byte, n) }
func (plain) Free([]byte)           {}

// TestAccountByHand: int64 and utf8 of 1, 0, 3 and 2 bytes, no nulls.
//
//	whole   8*4 + 4*5 + 6 = 58     0: 8*2 + 4*3 + 4 = 32     1: 8*2 + 4*3 + 2 = 30
func TestAccountByHand(t *testing.T) {
	r := streams(t, Options{Take: Grouped})
	defer r.Close()
	piece := sizer{}.of(cap(r.queues[0].items()[0].group.pieces[0]))
	a := r.Account()
	if a.Slices != 2 || a.ArrayBytes != 2*58 || a.LiveBytes != 32+30 || a.DistinctBytes != piece {
		t.Errorf("grouped: %+v, want 2 slices, 116, 62, %d", a, piece)
	}
	r.Next(0).Release()
	a = r.Account()
	if a.Slices != 1 || a.ArrayBytes != 58 || a.LiveBytes != 30 || a.DistinctBytes != piece {
		t.Errorf("grouped, one slice taken: %+v, want 1 slice, 58, 30, %d", a, piece)
	}
	r.Next(1).Release()
	if a = r.Account(); a.Slices != 0 || a.ArrayBytes != 0 || a.LiveBytes != 0 || a.DistinctBytes != 0 {
		t.Errorf("grouped, all taken: %+v", a)
	}

	r = streams(t, Options{Take: PerPartition})
	defer r.Close()
	// 16, 12 and 4 bytes, and 16, 12 and 2, in allocations of at least 8, and of
	// 2 and 4 bytes as the runtime's classes have them.
	s := sizer{}
	want := 2*(s.of(16)+s.of(12)) + s.of(4) + s.of(2)
	if a = r.Account(); a.Slices != 2 || a.ArrayBytes != 62 || a.LiveBytes != 62 || a.DistinctBytes != want {
		t.Errorf("per partition: %+v, want 2 slices, 62, 62, %d", a, want)
	}
}

// TestSettleCopiesWhatPinsTooMuch: a group of about 120 bytes, of which 30 wait.
func TestSettleCopiesWhatPinsTooMuch(t *testing.T) {
	for _, c := range []struct {
		times float64
		want  int64
	}{{0, 0}, {1, 1}, {2, 1}, {100, 0}} {
		r := streams(t, Options{Take: Grouped, CopyOut: c.times})
		r.Next(0).Release()
		r.Settle()
		if s := r.Stats(); s.CopiedOut != c.want || s.CopiedOutLen != 30*c.want {
			t.Errorf("%v times: %d copied out, %d bytes; want %d", c.times, s.CopiedOut, s.CopiedOutLen, c.want)
		}
		r.Settle() // once is enough
		if s := r.Stats(); s.CopiedOut != c.want {
			t.Errorf("%v times: copied out again", c.times)
		}
		rec := r.Next(1)
		if k := rec.Column(0).(*array.Int64).Int64Values(); len(k) != 2 || k[0] != 11 || k[1] != 13 {
			t.Errorf("%v times: rows %v", c.times, k)
		}
		rec.Release()
		r.Close()
	}
}

// TestAccountIsTheHeap holds the third way to what the heap really has, and the
// others to missing it, where a slow consumer keeps a slice of every batch.
func TestAccountIsTheHeap(t *testing.T) {
	const batches, rows, partitions = 40, 4096, 64
	b, l := wideBatch(rows)
	parts := make([]uint32, rows)
	for i := range parts {
		parts[i] = uint32(i % partitions)
	}
	p := &places{}
	for range batches + 1 {
		p.all = append(p.all, parts)
	}
	r, err := New(layoutOf(t, l), p, &pkgmetrics.Clock{}, Options{Take: Grouped, Partitions: partitions})
	if err != nil {
		t.Fatal(err)
	}
	push := func(slow int) {
		if err := r.Push(b); err != nil {
			t.Fatal(err)
		}
		for i := range partitions {
			if i != slow {
				r.Next(i).Release()
			}
		}
	}
	push(-1)
	idle, before := r.Account(), heapObjects()
	for range batches {
		push(7)
	}
	heap := float64(heapObjects() - before)
	a := r.Account()
	if got := float64(a.Held()-idle.Held()) / heap; got < 0.9 || got > 1.1 {
		t.Errorf("held / heap = %.3f: %+v of %.0f", got, a, heap)
	}
	if got := float64(a.LiveBytes) / heap; got > 0.1 {
		t.Errorf("live / heap = %.3f, and should be about 1/%d", got, partitions)
	}
	r.Close()
	if a := r.Account(); a.Slices != 0 || a.DistinctBytes != 0 {
		t.Errorf("after the end %+v", a)
	}
}

func wideBatch(rows int) (arrow.RecordBatch, *arrow.Schema) {
	s := arrow.NewSchema([]arrow.Field{{Name: "a", Type: arrow.PrimitiveTypes.Int64}, {Name: "b", Type: arrow.PrimitiveTypes.Float64}}, nil)
	b := array.NewRecordBuilder(memory.DefaultAllocator, s)
	for i := range rows {
		b.Field(0).(*array.Int64Builder).Append(int64(i))
		b.Field(1).(*array.Float64Builder).Append(float64(i))
	}
	return b.NewRecordBatch(), s
}

func heapObjects() int64 {
	runtime.GC()
	runtime.GC()
	s := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	metrics.Read(s)
	return int64(s[0].Value.Uint64())
}

// TestRecordOutlivesItsStream: what was handed out stays whole when the rest is
// gone, and its memory goes with it.
func TestRecordOutlivesItsStream(t *testing.T) {
	mem := memory.NewCheckedAllocator(memory.DefaultAllocator)
	b, l := twoColumns(t)
	r, err := New(l, &places{[][]uint32{{0, 1, 0, 1}}}, &pkgmetrics.Clock{}, Options{Partitions: 2, Alloc: mem})
	if err != nil {
		t.Fatal(err)
	}
	if err := r.Push(b); err != nil {
		t.Fatal(err)
	}
	rec := r.Next(0)
	r.Close()
	if r.Next(1) != nil {
		t.Error("a closed stream has rows")
	}
	column := rec.Column(1).(*array.String)
	column.Retain()
	slice := rec.NewSlice(1, 2)
	rec.Release()
	if column.Value(0) != "a" || column.Value(1) != "ccc" || slice.Column(0).(*array.Int64).Value(0) != 12 {
		t.Error("rows changed")
	}
	if mem.CurrentAlloc() == 0 {
		t.Error("memory in use was freed")
	}
	column.Release()
	slice.Release()
	mem.AssertSize(t, 0)
}

func TestRecord(t *testing.T) {
	r := streams(t, Options{Take: Grouped})
	defer r.Close()
	rec := r.Next(0)
	defer rec.Release()
	text, err := rec.MarshalJSON()
	if err != nil || string(text) != "[{\"k\":10,\"s\":\"a\"}\n,{\"k\":12,\"s\":\"ccc\"}\n]" {
		t.Errorf("%s, %v", text, err)
	}
	if rec.NumCols() != 2 || rec.NumRows() != 2 || rec.ColumnName(1) != "s" || len(rec.Columns()) != 2 {
		t.Errorf("%v", rec)
	}
	other, err := rec.SetColumn(0, rec.Column(0))
	if err != nil || !array.RecordEqual(rec, other) {
		t.Errorf("%v, %v", other, err)
	}
	if _, err := rec.SetColumn(2, rec.Column(0)); err == nil {
		t.Error("column 2 of 2 was set")
	}
}
