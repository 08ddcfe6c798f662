package fingerprint

import (
	"math/rand/v2"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/shufflebench/shufflebench/pkg/validate/internal/randrows"
)

// BenchmarkFold has one column of 8,192 rows a type.
func BenchmarkFold(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, typ := range randrows.Types() {
		a := arrayOf(b, typ, randrows.Values(r, typ, 8192))
		benchRows(b, typ.String(), one(a))
	}
	ids := array.NewInt64Builder(memory.DefaultAllocator)
	for i := range 8192 {
		ids.Append(int64(i))
	}
	a := ids.NewArray()
	s := arrow.NewSchema([]arrow.Field{field("id", a.DataType()), field("value", a.DataType())}, nil)
	benchRows(b, "two int64 without nulls", array.NewRecordBatch(s, []arrow.Array{a, a}, 8192))
}

func benchRows(b *testing.B, name string, batch arrow.RecordBatch) {
	b.Run(name, func(b *testing.B) {
		rows, err := NewRows(KeysFrom(1), batch.Schema(), batch.Schema(), nil)
		if err != nil {
			b.Fatal(err)
		}
		n := int(batch.NumRows())
		b.ReportAllocs()
		for b.Loop() {
			for i := 0; i < n; i += ChunkRows {
				rows.Fold(batch, i, ChunkRows)
			}
		}
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/row")
	})
}

// BenchmarkTinyBatches has two rows of two columns a call, as blocks of a
// shuffle with many partitions and spills have.
func BenchmarkTinyBatches(b *testing.B) {
	a := arrayOf(b, arrow.PrimitiveTypes.Int64, `[1, 2]`)
	s := arrow.NewSchema([]arrow.Field{field("id", a.DataType()), field("value", a.DataType())}, nil)
	batch := array.NewRecordBatch(s, []arrow.Array{a, a}, 2)
	rows, err := NewRows(KeysFrom(1), s, s, nil)
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		rows.Fold(batch, 0, 2)
	}
}
