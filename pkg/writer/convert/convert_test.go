package convert

import (
	"math"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
)

// column parses JSON values of a type.
func column(t *testing.T, dt arrow.DataType, values string) arrow.Array {
	t.Helper()
	a, _, err := array.FromJSON(memory.DefaultAllocator, dt, strings.NewReader(values))
	if err != nil {
		t.Fatalf("%s: %v", dt, err)
	}
	return a
}

func batchOf(a arrow.Array) arrow.RecordBatch {
	schema := arrow.NewSchema([]arrow.Field{{Name: "c", Type: a.DataType(), Nullable: true}}, nil)
	return array.NewRecordBatch(schema, []arrow.Array{a}, int64(a.Len()))
}

func apply(t *testing.T, a arrow.Array) (arrow.Array, *Plan) {
	t.Helper()
	b := batchOf(a)
	p := New(b.Schema())
	out, err := p.Apply(b)
	if err != nil {
		t.Fatal(err)
	}
	if !out.Schema().Equal(p.Schema) {
		t.Errorf("batch has schema %s, the plan says %s", out.Schema(), p.Schema)
	}
	return out.Column(0), p
}

var (
	micros = arrow.FixedWidthTypes.Timestamp_us
	nanos  = arrow.FixedWidthTypes.Timestamp_ns
)

func decimal(precision, scale int32) *arrow.Decimal128Type {
	return &arrow.Decimal128Type{Precision: precision, Scale: scale}
}

var conversions = []struct {
	name     string
	from, to arrow.DataType
	in, out  string
}{
	{"string view", arrow.BinaryTypes.StringView, arrow.BinaryTypes.String, `["a", null, "a string beyond twelve bytes", ""]`, `["a", null, "a string beyond twelve bytes", ""]`},
	{"binary view", arrow.BinaryTypes.BinaryView, arrow.BinaryTypes.Binary, `["YQ==", null]`, `["YQ==", null]`},
	{"decimal32", &arrow.Decimal32Type{Precision: 7, Scale: 2}, decimal(7, 2), `["1.23", null, "-99999.99"]`, `["1.23", null, "-99999.99"]`},
	{"decimal64", &arrow.Decimal64Type{Precision: 17, Scale: 1}, decimal(17, 1), `["1.2", null, "-123456789012345.6"]`, `["1.2", null, "-123456789012345.6"]`},
	{"decimal256", &arrow.Decimal256Type{Precision: 38, Scale: 0}, decimal(38, 0), `["99999999999999999999999999999999999999", null, "-1"]`, `["99999999999999999999999999999999999999", null, "-1"]`},
	{"uint64", arrow.PrimitiveTypes.Uint64, decimal(20, 0), `[0, null, 18446744073709551615]`, `["0", null, "18446744073709551615"]`},
	{"seconds", arrow.FixedWidthTypes.Timestamp_s, micros, `[0, null, -1]`, `[0, null, -1000000]`},
	{"milliseconds", arrow.FixedWidthTypes.Timestamp_ms, micros, `[1, null]`, `[1000, null]`},
	{"nanoseconds", nanos, micros, `[1999, null, -1, -1000, 0]`, `[1, null, -1, -1, 0]`},
	{"date64", arrow.FixedWidthTypes.Date64, arrow.FixedWidthTypes.Date32, `[86400000, null, -86400000]`, `[1, null, -1]`},
	{"list", arrow.ListOf(nanos), arrow.ListOf(micros), `[[1000, null], null, []]`, `[[1, null], null, []]`},
	{"struct", arrow.StructOf(arrow.Field{Name: "a", Type: nanos, Nullable: true}, arrow.Field{Name: "b", Type: arrow.PrimitiveTypes.Int8, Nullable: true}),
		arrow.StructOf(arrow.Field{Name: "a", Type: micros, Nullable: true}, arrow.Field{Name: "b", Type: arrow.PrimitiveTypes.Int8, Nullable: true}),
		`[{"a": 5000, "b": 1}, null, {"a": null, "b": 2}]`, `[{"a": 5, "b": 1}, null, {"a": null, "b": 2}]`},
	{"map", arrow.MapOf(arrow.BinaryTypes.String, nanos), arrow.MapOf(arrow.BinaryTypes.String, micros),
		`[[{"key": "k", "value": 7000}], null]`, `[[{"key": "k", "value": 7}], null]`},
	{"dictionary", &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int8, ValueType: arrow.BinaryTypes.String}, arrow.BinaryTypes.String,
		`["a", "b", null, "a"]`, `["a", "b", null, "a"]`},
	{"dictionary of times", &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Uint16, ValueType: nanos}, micros, `[1000, null, 2000]`, `[1, null, 2]`},
}

// TestConversions holds every rule, also for a slice that does not begin at
// row 0.
func TestConversions(t *testing.T) {
	for _, c := range conversions {
		t.Run(c.name, func(t *testing.T) {
			in, want := column(t, c.from, c.in), column(t, c.to, c.out)
			for from := range in.Len() {
				got, p := apply(t, array.NewSlice(in, int64(from), int64(in.Len())))
				if !array.Equal(got, array.NewSlice(want, int64(from), int64(want.Len()))) {
					t.Errorf("from row %d: got %s", from, got)
				}
				if len(p.Notes) != 1 || !strings.Contains(p.Notes[0], c.to.String()) {
					t.Errorf("notes: %q", p.Notes)
				}
			}
		})
	}
}

// TestRuns decodes run-end encoded columns.
func TestRuns(t *testing.T) {
	ends := column(t, arrow.PrimitiveTypes.Int32, `[2, 3, 6]`)
	values := column(t, arrow.BinaryTypes.String, `["x", null, "y"]`)
	in := array.NewRunEndEncodedArray(ends, values, 6, 0)
	want := column(t, arrow.BinaryTypes.String, `["x", "x", null, "y", "y", "y"]`)
	for from := range 6 {
		got, _ := apply(t, array.NewSlice(in, int64(from), 6))
		if !array.Equal(got, array.NewSlice(want, int64(from), 6)) {
			t.Errorf("from row %d: got %s", from, got)
		}
	}
}

// TestKept: what every reader takes stays as it is, without a copy.
func TestKept(t *testing.T) {
	for _, dt := range []arrow.DataType{
		arrow.PrimitiveTypes.Int64, arrow.BinaryTypes.String, arrow.BinaryTypes.LargeString, micros, decimal(38, 10),
		&arrow.Decimal256Type{Precision: 39}, arrow.ListOf(arrow.BinaryTypes.String), arrow.FixedWidthTypes.Date32, arrow.Null,
	} {
		b := batchOf(column(t, dt, `[null]`))
		p := New(b.Schema())
		out, err := p.Apply(b)
		if err != nil || out != b || p.Changes() || p.Notes != nil {
			t.Errorf("%s: %v, %v, notes %q", dt, out, err, p.Notes)
		}
	}
}

// TestTooLarge: what the target cannot hold is an error that names the column.
func TestTooLarge(t *testing.T) {
	in := array.NewTimestampBuilder(memory.DefaultAllocator, arrow.FixedWidthTypes.Timestamp_s.(*arrow.TimestampType))
	in.Append(math.MaxInt64 / 1000)
	b := batchOf(in.NewArray())
	if _, err := New(b.Schema()).Apply(b); err == nil || !strings.Contains(err.Error(), `column "c": row 0: timestamp`) {
		t.Errorf("got %v", err)
	}
}

// TestMemory: conversions give back what they take.
func TestMemory(t *testing.T) {
	for _, c := range conversions {
		mem := memory.NewCheckedAllocator(memory.DefaultAllocator)
		a, _, err := array.FromJSON(mem, c.from, strings.NewReader(c.in))
		if err != nil {
			t.Fatal(err)
		}
		b := batchOf(a)
		out, err := New(b.Schema()).Apply(b)
		if err != nil {
			t.Fatal(err)
		}
		out.Release()
		b.Release()
		a.Release()
		mem.AssertSize(t, 0)
	}
}
