package reader

import (
	"fmt"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/shufflebench/shufflebench/internal/shufflefile"
)

// TestAllocations holds the number of allocations a block: a few for all
// columns of a type together, a few for a dictionary column, none with Reuse
// where all types can be set up in place.
func TestAllocations(t *testing.T) {
	for _, c := range []struct {
		columns    int
		dictionary bool
		o          Options
		most       float64
	}{
		{2, false, Options{}, 4},
		{5, false, Options{}, 6},
		{50, false, Options{}, 10},
		{50, false, Options{Validated: true}, 10},
		{5, true, Options{}, 7 + 3*2},
		{50, true, Options{}, 11 + 3*20},
		{50, false, Options{Reuse: true}, 0},
		{50, true, Options{Reuse: true}, 3 * 20},
	} {
		for _, codec := range []shufflefile.Codec{shufflefile.None, shufflefile.LZ4} {
			block := encode(t, codec, benchBatch(t, c.columns, 64, c.dictionary))
			r := blockReader(t, c.o)
			got := testing.AllocsPerRun(50, func() {
				if _, err := r.DecodeBlock(block, shufflefile.In("f")); err != nil {
					t.Fatal(err)
				}
			})
			if got > c.most {
				t.Errorf("%d columns, dictionaries %v, %v, %+v: %v allocations, want at most %v", c.columns, c.dictionary, codec, c.o, got, c.most)
			}
		}
	}
}

// TestReportedMemory: what arrays report as their memory is what is held for
// them: bodies of exactly their size, apart from the objects around them.
func TestReportedMemory(t *testing.T) {
	for _, codec := range codecs {
		for _, rows := range []int{3, 500, 20000} {
			mem := memory.NewCheckedAllocator(memory.NewGoAllocator())
			data, index := writePair(t, [][][]byte{{encode(t, codec, benchBatch(t, 5, rows, false))}})
			f, err := OpenPair(data, index, Options{Alloc: mem})
			if err != nil {
				t.Fatal(err)
			}
			r := f.NewReader()
			for b, err := range r.Blocks(0) {
				if err != nil {
					t.Fatal(err)
				}
				checkHeld(t, fmt.Sprint(codec, rows), b, mem)
			}
			if err := r.Close(); err != nil {
				t.Fatal(err)
			}
			mem.AssertSize(t, 0)
			if err := f.Close(); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// checkHeld compares reported with held memory. A small payload is held
// without its metadata, a large one with it; validity without nulls is held
// though no array refers to it.
func checkHeld(t *testing.T, what string, b Block, mem *memory.CheckedAllocator) {
	t.Helper()
	var reported int
	for _, c := range b.Batch.Columns() {
		for _, buf := range c.Data().Buffers() {
			if buf != nil {
				reported += buf.Len()
			}
		}
	}
	bitmaps := int(b.Batch.NumCols()) * (int(b.Batch.NumRows())/8 + 64)
	metadata := 0
	if b.PayloadBytes > smallPayload {
		metadata = 4 << 10
	}
	if held := mem.CurrentAlloc(); held < reported || held > reported+bitmaps+metadata {
		t.Errorf("%s: %d bytes held, %d reported, %d of bitmaps", what, held, reported, bitmaps)
	}
}

// TestAllocatorIsUsed: no buffer of a batch lies outside the allocator's memory.
func TestAllocatorIsUsed(t *testing.T) {
	mem := memory.NewCheckedAllocator(memory.NewGoAllocator())
	r := blockReader(t, Options{Alloc: mem})
	for _, dt := range []arrow.DataType{arrow.PrimitiveTypes.Int64, arrow.BinaryTypes.String, arrow.ListOf(arrow.BinaryTypes.String)} {
		b, err := r.DecodeBlock(encode(t, shufflefile.None, randomBatch(t, schemaOf(dt), 100, 1)), shufflefile.In("f"))
		if err != nil {
			t.Fatal(err)
		}
		size := int(b.Batch.Column(0).Data().SizeInBytes())
		if held := mem.CurrentAlloc(); held < size {
			t.Errorf("%v: %d bytes held for %d", dt, held, size)
		}
	}
}
