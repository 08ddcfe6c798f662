package validate

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/shufflebench/shufflebench/internal/shufflefile"
)

// recast is src with other fields and columns of the same values in JSON.
func recast(t *testing.T, fields []arrow.Field, columns ...string) output {
	t.Helper()
	return output{{encode(t, tableOf(t, fields, columns...).batches[0], shufflefile.LZ4)}}
}

// TestSchemas: own output must have the schema, foreign files the values.
func TestSchemas(t *testing.T) {
	p, b := arrow.PrimitiveTypes, arrow.BinaryTypes
	ids, words := `[1, 2, null]`, `["a", null, "ccc"]`
	in := []arrow.Field{field("id", p.Int64), field("s", b.String)}
	src := tableOf(t, in, ids, words)
	for name, c := range map[string]struct {
		fields []arrow.Field
		own    bool   // the schema must be the input's
		want   Kind   // "" = valid
		says   string // in a finding or note
	}{
		"same":              {in, true, "", ""},
		"other name":        {[]arrow.Field{field("c0", p.Int64), field("s", b.String)}, true, SchemaFault, `named "c0", want "id"`},
		"other name, alien": {[]arrow.Field{field("c0", p.Int64), field("s", b.String)}, false, "", `"c0" for "id"`},
		"view":              {[]arrow.Field{field("id", p.Int64), field("s", b.StringView)}, true, SchemaFault, "string_view, want utf8"},
		"view, alien":       {[]arrow.Field{field("id", p.Int64), field("s", b.StringView)}, false, "", "refused by Comet's JVM reader"},
		"large, alien":      {[]arrow.Field{field("id", p.Int64), field("s", b.LargeString)}, false, "", "compared by value"},
		"narrow, alien":     {[]arrow.Field{field("id", p.Int32), field("s", b.String)}, false, "", "int32, the input's is int64"},
		"float":             {[]arrow.Field{field("id", p.Float64), field("s", b.String)}, false, SchemaFault, "float64 values cannot be compared with int64"},
		"dictionary": {[]arrow.Field{field("id", p.Int64), field("s", &arrow.DictionaryType{IndexType: p.Int8, ValueType: b.String})},
			false, "", "dictionary keys of int8"},
		"not null": {[]arrow.Field{field("id", p.Int64), {Name: "s", Type: b.String}}, true, "", ""},
	} {
		o := Options{Input: src, Pairs: []Pair{recast(t, c.fields, ids, words).files().write(t)}, Partitioning: Single}
		if c.own {
			o.Schema = src.schema
		}
		r := prove(t, o)
		text := strings.Join(r.Notes, "\n")
		if len(r.Findings) > 0 {
			text = r.Findings[0].Message
		}
		if (c.want == "") != r.Valid || c.want != "" && r.Counts[c.want] != 1 || !strings.Contains(text, c.says) {
			t.Errorf("%s: counts %v, says %q", name, r.Counts, text)
		}
	}
	// a column too few, and reversed columns
	less := recast(t, in[:1], ids).files().write(t)
	r := prove(t, Options{Input: src, Pairs: []Pair{less}, Partitioning: Single})
	counts(t, r, map[Kind]int64{SchemaFault: 1})
	if !strings.Contains(r.Findings[0].Message, "has 2 columns, these rows have 1") {
		t.Error(r.Findings[0].Message)
	}
}

// TestReversedColumns: equal types in another order are other values.
func TestReversedColumns(t *testing.T) {
	in := []arrow.Field{field("a", arrow.PrimitiveTypes.Int64), field("b", arrow.PrimitiveTypes.Int64)}
	src := tableOf(t, in, `[1, 2, 3]`, `[4, 5, 6]`)
	out := recast(t, []arrow.Field{in[1], in[0]}, `[4, 5, 6]`, `[1, 2, 3]`)
	r := prove(t, Options{Input: src, Pairs: []Pair{out.files().write(t)}, Partitioning: Single})
	counts(t, r, map[Kind]int64{MissingRow: 3, ExtraRow: 3})
}

// TestDictionaryPerBlock has blocks of different dictionaries and without one.
func TestDictionaryPerBlock(t *testing.T) {
	dict := &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int32, ValueType: arrow.BinaryTypes.String}
	src := tableOf(t, []arrow.Field{field("s", arrow.BinaryTypes.String)}, `["a", "b", "c", "d", "a", null]`)
	out := output{{
		recast(t, []arrow.Field{field("c0", dict)}, `["a", "b"]`)[0][0],
		recast(t, []arrow.Field{field("c0", dict)}, `["c", "d", null]`)[0][0],
		recast(t, []arrow.Field{field("c0", arrow.BinaryTypes.String)}, `["a"]`)[0][0],
	}}
	r := prove(t, Options{Input: src, Pairs: []Pair{out.files().write(t)}, Partitioning: Single})
	counts(t, r, nil)
}

// TestRefusedTypes warns of every type that Comet's readers do not take.
func TestRefusedTypes(t *testing.T) {
	p := arrow.PrimitiveTypes
	for typ, want := range map[arrow.DataType]bool{
		arrow.BinaryTypes.String: false, arrow.BinaryTypes.LargeString: false, arrow.FixedWidthTypes.Timestamp_us: false,
		p.Int64: false, &arrow.Decimal128Type{Precision: 38}: false, arrow.ListOf(p.Int32): false,
		arrow.BinaryTypes.StringView: true, arrow.BinaryTypes.BinaryView: true, p.Uint64: true, arrow.FixedWidthTypes.Timestamp_ns: true,
		p.Date64: true, &arrow.Decimal32Type{Precision: 9}: true, &arrow.Decimal64Type{Precision: 9}: true,
		&arrow.Decimal256Type{Precision: 9}: true, arrow.ListOf(p.Uint64): true, arrow.StructOf(field("x", p.Date64)): true,
	} {
		if got := refused(typ) != ""; got != want {
			t.Errorf("%s: refused %v", typ, got)
		}
	}
}

// TestBits changes what == would not see.
func TestBits(t *testing.T) {
	column := func(bits ...uint64) *rowsOf {
		b := array.NewFloat64Builder(memory.DefaultAllocator)
		id := array.NewInt64Builder(memory.DefaultAllocator)
		for i, x := range bits {
			b.Append(math.Float64frombits(x))
			id.Append(int64(i))
		}
		s := arrow.NewSchema([]arrow.Field{field("id", arrow.PrimitiveTypes.Int64), field("f", arrow.PrimitiveTypes.Float64)}, nil)
		return &rowsOf{s, []arrow.RecordBatch{array.NewRecordBatch(s, []arrow.Array{id.NewArray(), b.NewArray()}, int64(len(bits)))}}
	}
	const nan, zero, minus = 0x7ff8000000000000, 0, 1 << 63
	src := column(nan, zero, minus, nan+1)
	same := shuffle(t, src, 4, 10, shufflefile.LZ4, 0)
	counts(t, prove(t, Options{Input: src, Pairs: []Pair{same.files().write(t)}}), nil)
	other := shuffle(t, column(nan+1, minus, minus, nan+1), 4, 10, shufflefile.LZ4, 0)
	r := prove(t, Options{Input: src, Pairs: []Pair{other.files().write(t)}})
	counts(t, r, map[Kind]int64{ChangedRow: 2})
	var got []string
	for _, f := range r.Findings {
		for _, s := range f.Rows {
			got = append(got, s.Differences[0].Input+" "+s.Differences[0].Output)
		}
	}
	slices.Sort(got)
	if want := []string{"0 -0", "NaN(0x7ff8000000000000) NaN(0x7ff8000000000001)"}; !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
}

// TestLegalDuplicates: equal rows in the input are rows, and their number counts.
func TestLegalDuplicates(t *testing.T) {
	s := arrow.NewSchema([]arrow.Field{field("id", arrow.PrimitiveTypes.Int64), field("value", arrow.PrimitiveTypes.Int64)}, nil)
	same := func(n int) *rowsOf {
		return &rowsOf{s, []arrow.RecordBatch{idBatch(s, make([]int64, n), func(int64) int64 { return 7 })}}
	}
	src := same(5000)
	counts(t, prove(t, Options{Input: src, Pairs: []Pair{shuffle(t, src, 16, 100, shufflefile.LZ4, 0).files().write(t)}}), nil)
	for n, want := range map[int]map[Kind]int64{4999: {MissingRow: 1}, 5003: {DuplicateRow: 3}} {
		out := shuffle(t, same(n), 16, 100, shufflefile.LZ4, 0)
		counts(t, prove(t, Options{Input: src, Pairs: []Pair{out.files().write(t)}}), want)
	}
}

// TestNoRows: an empty input and an output of equal offsets are legal.
func TestNoRows(t *testing.T) {
	src := seedRows(0)
	r := prove(t, Options{Input: src, Pairs: []Pair{make(output, 200).files().write(t)}})
	counts(t, r, nil)
	for _, c := range r.Checks {
		if c.Skipped != "" {
			t.Errorf("%s: %s", c.Name, c.Skipped)
		}
	}
}

// TestNoColumns: five rows without columns.
func TestNoColumns(t *testing.T) {
	s := arrow.NewSchema(nil, nil)
	rows := func(n int64) *rowsOf { return &rowsOf{s, []arrow.RecordBatch{array.NewRecordBatch(s, nil, n)}} }
	out := output{{encode(t, rows(5).batches[0], shufflefile.LZ4)}}
	counts(t, prove(t, Options{Input: rows(5), Pairs: []Pair{out.files().write(t)}, Partitioning: None}), nil)
	counts(t, prove(t, Options{Input: rows(6), Pairs: []Pair{out.files().write(t)}, Partitioning: None}), map[Kind]int64{MissingRow: 1})
}

// TestErrors are runs that could not be made.
func TestErrors(t *testing.T) {
	src := seedRows(10)
	good := shuffle(t, src, 2, 10, shufflefile.LZ4, 0).files().write(t)
	m := tableOf(t, []arrow.Field{field("m", arrow.MapOf(arrow.BinaryTypes.String, arrow.PrimitiveTypes.Int32))}, `[null]`)
	for want, o := range map[string]Options{
		"no input":                      {Pairs: []Pair{good}},
		"no data and index":             {Input: src},
		"no such file":                  {Input: src, Pairs: []Pair{{good.Data, good.Index + "x"}}},
		"key column 9":                  {Input: src, Pairs: []Pair{good}, HashColumns: []int{9}},
		"unknown partitioning":          {Input: src, Pairs: []Pair{good}, Partitioning: "hush"},
		"Spark does not hash maps":      {Input: m, Pairs: []Pair{good}},
		"values have no order":          {Input: m, Pairs: []Pair{good}, Partitioning: Range},
		"memory budget":                 {Input: src, Pairs: []Pair{good}, MemoryBudget: 5},
		"lacks its data file":           {Input: src, Pairs: []Pair{{"", good.Index}}},
		"limit: -1 is negative\nreader": {Input: src, Pairs: []Pair{good}, Limit: -1, Readers: -1},
	} {
		if _, err := Run(t.Context(), o); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", want, err)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Run(ctx, Options{Input: src, Pairs: []Pair{good}}); !errors.Is(err, context.Canceled) {
		t.Errorf("canceled: %v", err)
	}
}
