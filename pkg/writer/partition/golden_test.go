package partition

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/shufflebench/shufflebench/internal/oracle"
)

// goldenDir has files with hashes that Spark computed; its README says how.
const goldenDir = "../../validate/sparkhash/testdata/murmur3"

// TestSparkGoldens places the rows of every golden file as Spark places them.
func TestSparkGoldens(t *testing.T) {
	names, err := filepath.Glob(goldenDir + "/*.parquet")
	if err != nil || len(names) != 28 {
		t.Fatalf("%d golden files, want 28 (%v)", len(names), err)
	}
	for _, path := range names {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".parquet"), func(t *testing.T) {
			b := oracle.Parquet(t, path)[0]
			keys := upTo(int(b.NumCols()) - 3)
			for i, partitions := range []int{200, 16000} {
				p, err := NewHash(b.Schema(), keys, partitions)
				if strings.Contains(path, "map_") {
					if err == nil || !strings.Contains(err.Error(), "map") {
						t.Fatalf("a map as key: %v", err)
					}
					return
				}
				if err != nil {
					t.Fatal(err)
				}
				want := b.Column(len(keys) + 1 + i).(*array.Int32).Values()
				placed(t, p, b, want)
				placed(t, p, b.NewSlice(7, 59), want[7:59])
			}
		})
	}
}

func placed(t *testing.T, p Partitioner, b arrow.RecordBatch, want []int32) {
	t.Helper()
	got, err := p.Partition(b)
	if err != nil || len(got) != len(want) {
		t.Fatal(len(got), err)
	}
	for i := range got {
		if int32(got[i]) != want[i] {
			t.Fatalf("row %d of %d goes to %d, Spark has %d", i, len(got), got[i], want[i])
		}
	}
}

func upTo(n int) []int {
	cols := make([]int, n)
	for i := range cols {
		cols[i] = i
	}
	return cols
}

// parse makes a batch of columns in JSON.
func parse(t testing.TB, fields []arrow.Field, columns ...string) arrow.RecordBatch {
	t.Helper()
	arrays := make([]arrow.Array, len(fields))
	for i, f := range fields {
		a, _, err := array.FromJSON(memory.DefaultAllocator, f.Type, strings.NewReader(columns[i]))
		if err != nil {
			t.Fatal(err)
		}
		arrays[i] = a
	}
	return array.NewRecordBatch(arrow.NewSchema(fields, nil), arrays, int64(arrays[0].Len()))
}

func field(t arrow.DataType) arrow.Field { return arrow.Field{Name: "k", Type: t, Nullable: true} }

func partitionsOf(t *testing.T, b arrow.RecordBatch, partitions int) []uint32 {
	t.Helper()
	p, err := NewHash(b.Schema(), upTo(int(b.NumCols())), partitions)
	if err != nil {
		t.Fatal(err)
	}
	got, err := p.Partition(b)
	if err != nil {
		t.Fatal(err)
	}
	return slices.Clone(got)
}

// TestKnownRows places rows whose partitions others have published.
func TestKnownRows(t *testing.T) {
	long, text, num := arrow.PrimitiveTypes.Int64, arrow.BinaryTypes.String, arrow.PrimitiveTypes.Int32
	dec := func(precision int32) arrow.DataType { return &arrow.Decimal128Type{Precision: precision, Scale: 2} }
	st := arrow.StructOf(field(num))
	for _, c := range []struct {
		name       string
		batch      arrow.RecordBatch
		partitions int
		want       []uint32
	}{
		{"one and hello", parse(t, []arrow.Field{field(long), field(text)}, `[1]`, `["hello"]`), 200, []uint32{142}},
		{"a null between", parse(t, []arrow.Field{field(long), field(num), field(text)}, `[1]`, `[null]`, `["hello"]`), 200, []uint32{142}},
		{"all null", parse(t, []arrow.Field{field(long), field(text)}, `[null]`, `[null]`), 200, []uint32{42}},
		{"all null of 16", parse(t, []arrow.Field{field(long), field(text)}, `[null]`, `[null]`), 16, []uint32{10}},
		{"all null of 7", parse(t, []arrow.Field{field(long), field(text)}, `[null]`, `[null]`), 7, []uint32{0}},
		{"18 digits", parse(t, []arrow.Field{field(dec(18))}, `["1.23", "-1.23", "0.00", null]`), 200, []uint32{95, 67, 5, 42}},
		{"20 digits", parse(t, []arrow.Field{field(dec(20))}, `["1.23", "-1.23", "0.00", null, "1.28", "-1.28", "-1.29"]`), 200,
			[]uint32{85, 85, 103, 42, 118, 99, 29}},
		{"structs", parse(t, []arrow.Field{field(st)}, `[null, {"k": null}, {"k": 0}]`), 200, []uint32{42, 42, 191}},
	} {
		if got := partitionsOf(t, c.batch, c.partitions); !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}

// TestKnownCounts counts the rows a partition of the ids 0 to 9,999.
func TestKnownCounts(t *testing.T) {
	ids := array.NewInt64Builder(memory.DefaultAllocator)
	for i := range int64(10_000) {
		ids.Append(i)
	}
	s := arrow.NewSchema([]arrow.Field{field(arrow.PrimitiveTypes.Int64)}, nil)
	b := array.NewRecordBatch(s, []arrow.Array{ids.NewArray()}, 10_000)
	count := func(n int) []int {
		counts := make([]int, n)
		for _, p := range partitionsOf(t, b, n) {
			counts[p]++
		}
		return counts
	}
	for n, want := range map[int][]int{
		1: {10_000}, 4: {2483, 2497, 2458, 2562}, 7: {1461, 1343, 1417, 1431, 1412, 1476, 1460},
	} {
		if got := count(n); !slices.Equal(got, want) {
			t.Errorf("%d partitions: %v", n, got)
		}
	}
	got := count(200)
	if s := fmt.Sprint(got[0], slices.Min(got), slices.Max(got)); s != "37 32 74" {
		t.Errorf("200 partitions: %s", s)
	}
}
