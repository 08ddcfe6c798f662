package reader

import (
	"fmt"
	"slices"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/google/go-cmp/cmp"

	"github.com/shufflebench/shufflebench/internal/shufflefile"
)

// modes are the ways to decode that must all give the same values.
func modes() map[string]Options {
	return map[string]Options{
		"cached":          {},
		"uncached":        {SchemaCache: NoCache},
		"validated":       {Validated: true},
		"reuse":           {Reuse: true},
		"reuse validated": {Reuse: true, Validated: true},
	}
}

// checkBlock decodes a block twice, cold and warm, and compares it with what
// the standard reader makes of plain.
func checkBlock(t *testing.T, r *Reader, block, plain []byte) {
	t.Helper()
	want, err := decodePlain(plain)
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		b, err := r.DecodeBlock(block, shufflefile.In("f"))
		if err != nil {
			t.Fatal(err)
		}
		if !b.Batch.Schema().Equal(want.Schema()) {
			t.Fatalf("schema %v, want %v", b.Batch.Schema(), want.Schema())
		}
		if diff := cmp.Diff(rowsOf(want), rowsOf(b.Batch)); diff != "" {
			t.Fatalf("rows (-want +got):\n%s", diff)
		}
		for i := range want.NumCols() {
			if g, w := b.Batch.Column(int(i)).NullN(), want.Column(int(i)).NullN(); g != w {
				t.Fatalf("column %d: %d nulls, want %d", i, g, w)
			}
		}
	}
}

// TestEveryTypeAndCodec compares every mode with the standard reader, for
// every type alone and all together, for every codec.
func TestEveryTypeAndCodec(t *testing.T) {
	types := allTypes()
	for name, o := range modes() {
		t.Run(name, func(t *testing.T) {
			r := blockReader(t, o)
			for k, dt := range append(slices.Clone(types), nil) {
				schema := schemaOf(types...)
				if dt != nil {
					schema = schemaOf(dt)
				}
				for _, n := range []int{0, 1, 9, 300} {
					rec := randomBatch(t, schema, n, uint64(k))
					c := codecs[(k+n)%len(codecs)]
					block := encode(t, c, rec)
					t.Run(fmt.Sprintf("%v/%v/%d", schema.Field(0).Name, c, n), func(t *testing.T) { checkBlock(t, r, block, block) })
				}
			}
		})
	}
}

// TestCountedMemory: with an allocator every byte is given back, and a batch
// that is retained outlives its Reader.
func TestCountedMemory(t *testing.T) {
	for _, c := range codecs {
		for _, validated := range []bool{false, true} {
			mem := memory.NewCheckedAllocator(memory.NewGoAllocator())
			data, index := writePair(t, [][][]byte{nil})
			f, err := OpenPair(data, index, Options{Alloc: mem, Validated: validated})
			if err != nil {
				t.Fatal(err)
			}
			r := f.NewReader()
			var kept []arrow.RecordBatch
			var want [][]string
			for k, dt := range allTypes() {
				for _, n := range []int{0, 40, 3000} {
					if n > 1000 && k%4 != 0 {
						continue
					}
					rec := randomBatch(t, schemaOf(dt), n, uint64(k))
					b, err := r.DecodeBlock(encode(t, c, rec), shufflefile.In("f"))
					if err != nil {
						t.Fatal(dt, err)
					}
					if k%5 == 0 {
						b.Batch.Retain()
						kept = append(kept, b.Batch)
						want = append(want, rowsOf(rec))
					}
				}
			}
			if err := r.Close(); err != nil {
				t.Fatal(err)
			}
			for i, b := range kept {
				if diff := cmp.Diff(want[i], rowsOf(b)); diff != "" {
					t.Fatal(diff)
				}
				b.Release()
			}
			mem.AssertSize(t, 0)
			if err := f.Close(); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// TestRetained: batches and single columns that are retained keep their
// values while the Reader goes on.
func TestRetained(t *testing.T) {
	schema := schemaOf(arrow.PrimitiveTypes.Int64, arrow.BinaryTypes.String)
	for name, o := range modes() {
		r := blockReader(t, o)
		var kept []arrow.RecordBatch
		var columns []arrow.Array
		var want [][]string
		for k := range 40 {
			rec := randomBatch(t, schema, 5+k%3, uint64(k))
			b, err := r.DecodeBlock(encode(t, codecs[k%4], rec), shufflefile.In("f"))
			if err != nil {
				t.Fatal(err)
			}
			if k%3 != 0 {
				continue
			}
			want = append(want, rowsOf(rec))
			b.Batch.Retain()
			kept = append(kept, b.Batch)
			b.Batch.Column(1).Retain()
			columns = append(columns, b.Batch.Column(1))
		}
		for i, b := range kept {
			if diff := cmp.Diff(want[i], rowsOf(b)); diff != "" {
				t.Errorf("%s: batch %d changed:\n%s", name, i, diff)
			}
			b.Release()
			_ = columns[i].String()
			columns[i].Release()
		}
	}
}
