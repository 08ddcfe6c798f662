package validate

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/shufflebench/shufflebench/internal/shufflefile"
	"github.com/shufflebench/shufflebench/pkg/validate/internal/randrows"
)

// TestEveryType proves an output of each type, and finds the one row that was
// changed in it, with the column.
func TestEveryType(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	codecs := []shufflefile.Codec{shufflefile.None, shufflefile.LZ4, shufflefile.Zstd, shufflefile.Snappy}
	for i, typ := range randrows.Types() {
		t.Run(typ.String(), func(t *testing.T) {
			src := withIDs(t, typ, randrows.Values(r, typ, 200))
			out := shuffle(t, src, 4, 30, codecs[i%4], 0)
			counts(t, prove(t, Options{Input: src, Pairs: []Pair{out.files().write(t)}, Schema: src.schema}), nil)

			b := src.batches[0]
			sliced := &rowsOf{src.schema, []arrow.RecordBatch{b.NewSlice(0, 7), b.NewSlice(7, 150), b.NewSlice(150, 200)}}
			counts(t, prove(t, Options{Input: sliced, Pairs: []Pair{out.files().write(t)}, Partitioning: ByKey}), nil)

			row, other := nullSwap(t, src)
			if other == nil {
				return // a column of nulls
			}
			out = shuffle(t, other, 4, 30, codecs[i%4], 0)
			rep := prove(t, Options{Input: src, Pairs: []Pair{out.files().write(t)}})
			counts(t, rep, map[Kind]int64{ChangedRow: 1})
			s := rep.Findings[0].Rows[0]
			if *s.InputRow != int64(row) || len(s.Differences) != 1 || s.Differences[0].Column != "v" ||
				(s.Differences[0].Input == "null") == (s.Differences[0].Output == "null") {
				t.Errorf("row %d: %+v", row, s)
			}
		})
	}
}

// withIDs is rows of an id and a value.
func withIDs(t testing.TB, typ arrow.DataType, values string) *rowsOf {
	t.Helper()
	a, err := randrows.FromJSON(typ, values)
	if err != nil {
		t.Fatal(err)
	}
	ids := array.NewInt64Builder(memory.DefaultAllocator)
	for i := range a.Len() {
		ids.Append(int64(i))
	}
	s := arrow.NewSchema([]arrow.Field{field("id", arrow.PrimitiveTypes.Int64), field("v", typ)}, nil)
	return &rowsOf{s, []arrow.RecordBatch{array.NewRecordBatch(s, []arrow.Array{ids.NewArray(), a}, int64(a.Len()))}}
}

// nullSwap gives one row another row's value: a null for a value, or the
// other way. It returns nil if all are alike.
func nullSwap(t testing.TB, src *rowsOf) (row int, other *rowsOf) {
	t.Helper()
	b := src.batches[0]
	v := b.Column(1)
	isNull := func(i int) bool { return strings.HasPrefix(renderValue(v, i), "null") }
	from := 0
	for from < v.Len() && isNull(from) == isNull(100) {
		from++
	}
	if from == v.Len() {
		return 0, nil
	}
	a, err := array.Concatenate([]arrow.Array{
		array.NewSlice(v, 0, 100), array.NewSlice(v, int64(from), int64(from+1)), array.NewSlice(v, 101, int64(v.Len())),
	}, memory.DefaultAllocator)
	if err != nil {
		t.Fatal(err)
	}
	return 100, &rowsOf{src.schema, []arrow.RecordBatch{array.NewRecordBatch(src.schema, []arrow.Array{b.Column(0), a}, b.NumRows())}}
}
