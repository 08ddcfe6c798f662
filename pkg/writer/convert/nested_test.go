package convert

import (
	"fmt"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"

	"github.com/shufflebench/shufflebench/internal/oracle"
	"github.com/shufflebench/shufflebench/internal/oracle/random"
)

// convertColumn converts a column.
func convertColumn(t *testing.T, a arrow.Array) arrow.Array {
	t.Helper()
	s := random.SchemaOf(a.DataType())
	b, err := New(s).Apply(array.NewRecordBatch(s, []arrow.Array{a}, int64(a.Len())))
	if err != nil {
		t.Fatal(err)
	}
	return b.Column(0)
}

// nestedText is value i of an array whose flat values are converted one by one.
func nestedText(t *testing.T, a arrow.Array, i int) string {
	if a.IsNull(i) {
		return "null"
	}
	switch a := a.(type) {
	case *array.Struct:
		var parts []string
		for f := range a.NumField() {
			parts = append(parts, nestedText(t, a.Field(f), i))
		}
		return "{" + strings.Join(parts, ",") + "}"
	case array.ListLike:
		var parts []string
		first, end := a.ValueOffsets(i)
		for e := first; e < end; e++ {
			parts = append(parts, nestedText(t, a.ListValues(), int(e)))
		}
		return "[" + strings.Join(parts, ",") + "]"
	}
	return oracle.Value(convertColumn(t, array.NewSlice(a, int64(i), int64(i)+1)), 0)
}

// TestNestedAnywhere: values inside of lists, maps and structs are converted as
// they are alone, whatever the arrays' offsets.
func TestNestedAnywhere(t *testing.T) {
	flat := []arrow.DataType{
		arrow.PrimitiveTypes.Uint64, arrow.FixedWidthTypes.Timestamp_s, arrow.FixedWidthTypes.Timestamp_ms, arrow.FixedWidthTypes.Timestamp_ns,
		arrow.PrimitiveTypes.Date64, arrow.PrimitiveTypes.Int64, arrow.BinaryTypes.String,
	}
	for i, typ := range flat {
		field := arrow.Field{Name: "f", Type: typ, Nullable: true}
		for k, nested := range []arrow.DataType{
			typ, arrow.ListOf(typ), arrow.LargeListOf(typ), arrow.FixedSizeListOf(2, typ), arrow.StructOf(field, field),
			arrow.MapOf(arrow.BinaryTypes.String, typ), arrow.ListOf(arrow.StructOf(field)), arrow.StructOf(arrow.Field{Name: "l", Type: arrow.ListOf(typ), Nullable: true}),
		} {
			g := random.New(uint64(100*i + k))
			a := smallTimes(g.Array(nested, 40, true))
			got := convertColumn(t, a)
			for row := range a.Len() {
				if text, want := oracle.Value(got, row), nestedText(t, a, row); text != want {
					t.Fatalf("%s, row %d: %s, want %s", nested, row, text, want)
				}
			}
			if s := fmt.Sprint(got.DataType()); strings.Contains(s, "uint64") || strings.Contains(s, "date64") || strings.Contains(s, "[ns") {
				t.Errorf("%s becomes %s", nested, s)
			}
		}
	}
}

// smallTimes keeps times within what microseconds hold.
func smallTimes(a arrow.Array) arrow.Array {
	var walk func(d arrow.ArrayData)
	walk = func(d arrow.ArrayData) {
		switch d.DataType().ID() {
		case arrow.TIMESTAMP, arrow.DATE64:
			for i, v := range arrow.Int64Traits.CastFromBytes(d.Buffers()[1].Bytes()) {
				arrow.Int64Traits.CastFromBytes(d.Buffers()[1].Bytes())[i] = v >> 24
			}
		}
		for _, c := range d.Children() {
			walk(c)
		}
	}
	walk(a.Data())
	return a
}
