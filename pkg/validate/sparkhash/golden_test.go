package sparkhash

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow/array"

	"github.com/shufflebench/shufflebench/internal/oracle"
)

func goldens(t *testing.T) []string {
	t.Helper()
	names, err := filepath.Glob("testdata/murmur3/*.parquet")
	if err != nil || len(names) != 28 {
		t.Fatalf("%d golden files, want 28 (%v)", len(names), err)
	}
	return names
}

// TestSparkGoldens holds every type to values that Spark computed: row by row,
// column by column, and the remainders.
func TestSparkGoldens(t *testing.T) {
	for _, path := range goldens(t) {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".parquet"), func(t *testing.T) {
			b := oracle.Parquet(t, path)[0]
			inputs := int(b.NumCols()) - 3
			column := func(i int) *array.Int32 { return b.Column(inputs + i).(*array.Int32) }
			want, mod200, mod16000 := column(0), column(1), column(2)
			h := &Hasher{cols: upTo(inputs)} // past New, which refuses the map
			dst := make([]int32, b.NumRows())
			h.Hash(dst, b, 0)
			for i := range dst {
				if got := h.Row(b, i); got != want.Value(i) || dst[i] != got {
					t.Fatalf("row %d: hash %d, by columns %d, Spark has %d", i, got, dst[i], want.Value(i))
				}
				if p := Partition(dst[i], 200); p != mod200.Value(i) {
					t.Fatalf("row %d: partition %d of 200, Spark has %d", i, p, mod200.Value(i))
				}
				if p := Partition(dst[i], 16000); p != mod16000.Value(i) {
					t.Fatalf("row %d: partition %d of 16000, Spark has %d", i, p, mod16000.Value(i))
				}
			}
		})
	}
}

// TestSlices hashes from a row that is not the first, and of a sliced batch.
func TestSlices(t *testing.T) {
	for _, path := range goldens(t) {
		b := oracle.Parquet(t, path)[0]
		inputs := int(b.NumCols()) - 3
		want := b.Column(inputs).(*array.Int32)
		h := &Hasher{cols: upTo(inputs)}
		s := b.NewSlice(7, 59)
		dst := make([]int32, 40)
		h.Hash(dst, s, 11)
		for i, got := range dst {
			if got != want.Value(18+i) || h.Row(s, 11+i) != got {
				t.Fatalf("%s: row %d of a slice: hash %d, want %d", path, i, got, want.Value(18+i))
			}
		}
		s.Release()
	}
}

func upTo(n int) []int {
	cols := make([]int, n)
	for i := range cols {
		cols[i] = i
	}
	return cols
}
