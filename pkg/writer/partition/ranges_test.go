package partition

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
)

func keyBatch(t *testing.T, dt arrow.DataType, fill func(array.Builder)) arrow.RecordBatch {
	t.Helper()
	rb := array.NewRecordBuilder(memory.DefaultAllocator, arrow.NewSchema([]arrow.Field{{Name: "k", Type: dt, Nullable: true}}, nil))
	defer rb.Release()
	fill(rb.Field(0))
	return rb.NewRecordBatch()
}

func rangeOf(t *testing.T, partitions, step int, batches ...arrow.RecordBatch) [][]uint32 {
	t.Helper()
	s, err := NewSampler(batches[0].Schema(), []int{0})
	if err != nil {
		t.Fatal(err)
	}
	for _, b := range batches {
		s.Add(b, 0, step)
	}
	p := NewRange(s.Bounds(partitions))
	var out [][]uint32
	for _, b := range batches {
		parts, err := p.Partition(b)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, append([]uint32(nil), parts...))
	}
	return out
}

// TestRangeOrder: over two sorted halves, partitions follow the keys and are
// of about equal size.
func TestRangeOrder(t *testing.T) {
	half := func(from int64) arrow.RecordBatch {
		return keyBatch(t, arrow.PrimitiveTypes.Int64, func(b array.Builder) {
			for i := range int64(50_000) {
				b.(*array.Int64Builder).Append(from + i)
			}
		})
	}
	parts := rangeOf(t, 10, 10, half(0), half(50_000))
	counts := make([]int, 10)
	last := uint32(0)
	for _, p := range append(parts[0], parts[1]...) {
		if p < last {
			t.Fatalf("partition %d after %d", p, last)
		}
		last = p
		counts[p]++
	}
	for p, n := range counts {
		if n < 9_000 || n > 11_000 {
			t.Errorf("partition %d has %d rows", p, n)
		}
	}
}

// TestRangeFloats: nulls first, zeros together, NaN last.
func TestRangeFloats(t *testing.T) {
	b := keyBatch(t, arrow.PrimitiveTypes.Float64, func(b array.Builder) {
		f := b.(*array.Float64Builder)
		f.AppendNull()
		for _, v := range []float64{math.Inf(-1), -1, math.Copysign(0, -1), 0, 1, math.Inf(1), math.NaN(), -math.NaN()} {
			f.Append(v)
		}
	})
	got := rangeOf(t, 7, 1, b)[0]
	for i := 1; i < len(got); i++ {
		if got[i] < got[i-1] {
			t.Errorf("row %d is in partition %d, below the %d before it", i, got[i], got[i-1])
		}
	}
	if got[3] != got[4] || got[7] != got[8] || got[0] >= got[8] {
		t.Errorf("got %v", got)
	}
}

// TestRangeEqualKeys: they fill one partition.
func TestRangeEqualKeys(t *testing.T) {
	b := keyBatch(t, arrow.BinaryTypes.String, func(b array.Builder) {
		for range 1000 {
			b.(*array.StringBuilder).Append("same")
		}
	})
	for _, p := range rangeOf(t, 10, 3, b)[0] {
		if p != 0 {
			t.Fatalf("partition %d", p)
		}
	}
	empty := keyBatch(t, arrow.BinaryTypes.String, func(array.Builder) {})
	if got := rangeOf(t, 10, 1, empty)[0]; len(got) != 0 {
		t.Errorf("got %v", got)
	}
}

// TestRangeStrings: the encoded keys are ordered as the bytes are.
func TestRangeStrings(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	b := keyBatch(t, arrow.BinaryTypes.String, func(b array.Builder) {
		for range 500 {
			s := make([]byte, r.IntN(4))
			for i := range s {
				s[i] = byte(r.IntN(3))
			}
			b.(*array.StringBuilder).Append(string(s))
		}
	})
	a := b.Column(0).(*array.String)
	key := bindKey(a)
	for i := range a.Len() {
		for k := range a.Len() {
			x, y := string(key(nil, i)), string(key(nil, k))
			if (a.Value(i) < a.Value(k)) != (x < y) {
				t.Fatalf("%q and %q have keys %x and %x", a.Value(i), a.Value(k), x, y)
			}
		}
	}
}

// TestRangeRefuses names the column.
func TestRangeRefuses(t *testing.T) {
	schema := arrow.NewSchema([]arrow.Field{{Name: "l", Type: arrow.ListOf(arrow.PrimitiveTypes.Int8)}}, nil)
	if _, err := NewSampler(schema, []int{0}); err == nil {
		t.Error("a list has no order")
	}
}
