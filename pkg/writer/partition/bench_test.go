package partition

import (
	"fmt"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
)

// benchRows is the batch of the seed workload.
const benchRows = 32768

func benchBatch(b *testing.B, t arrow.DataType) arrow.RecordBatch {
	schema := arrow.NewSchema([]arrow.Field{{Name: "k", Type: t, Nullable: true}}, nil)
	rb := array.NewRecordBuilder(memory.DefaultAllocator, schema)
	defer rb.Release()
	for i := range benchRows {
		switch f := rb.Field(0).(type) {
		case *array.Int64Builder:
			f.Append(int64(i) * 17)
		case *array.Int32Builder:
			f.Append(int32(i) * 17)
		case *array.Float64Builder:
			f.Append(float64(i) * 1.5)
		case *array.StringBuilder:
			f.Append(strings.Repeat("x", i%24))
		default:
			b.Fatalf("no values for %s", t)
		}
	}
	return rb.NewRecordBatch()
}

func BenchmarkHash(b *testing.B) {
	for _, t := range []arrow.DataType{arrow.PrimitiveTypes.Int64, arrow.PrimitiveTypes.Int32, arrow.PrimitiveTypes.Float64, arrow.BinaryTypes.String} {
		b.Run(fmt.Sprint(t), func(b *testing.B) {
			batch := benchBatch(b, t)
			defer batch.Release()
			p, err := NewHash(batch.Schema(), []int{0}, 16000)
			if err != nil {
				b.Fatal(err)
			}
			for b.Loop() {
				if _, err := p.Partition(batch); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/benchRows, "ns/row")
		})
	}
}
