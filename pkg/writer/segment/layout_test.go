package segment

import (
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/shufflebench/shufflebench/internal/oracle/random"
)

func TestLayout(t *testing.T) {
	inner := arrow.StructOf(
		arrow.Field{Name: "a", Type: arrow.PrimitiveTypes.Int16},
		arrow.Field{Name: "m", Type: arrow.MapOf(arrow.BinaryTypes.String, arrow.FixedSizeListOf(3, arrow.FixedWidthTypes.Boolean))})
	l := layoutOf(t, arrow.NewSchema([]arrow.Field{
		{Name: "id", Type: arrow.PrimitiveTypes.Int64}, {Name: "s", Type: inner}, {Name: "t", Type: arrow.BinaryTypes.LargeString},
	}, nil))
	type flat struct {
		name  string
		kind  Kind
		width int
		wide  bool
	}
	var got []flat
	for i, n := range l.Nodes {
		if n.Index != i {
			t.Errorf("node %d has index %d", i, n.Index)
		}
		got = append(got, flat{n.Name, n.Kind, n.Width, n.Wide})
	}
	want := []flat{
		{"id", Fixed, 8, false}, {"s", Struct, 0, false}, {"s.a", Fixed, 2, false}, {"s.m", List, 0, false},
		{"s.m.entries", Struct, 0, false}, {"s.m.entries.key", Var, 0, false},
		{"s.m.entries.value", FixedList, 3, false}, {"s.m.entries.value.item", Bits, 0, false}, {"t", Var, 0, true},
	}
	if len(got) != len(want) || len(l.Columns) != 3 {
		t.Fatalf("%v", got)
	}
	for i := range want {
		if got[i] != want[i] {
			t.Errorf("node %d: %v, want %v", i, got[i], want[i])
		}
	}
}

// TestRefusedTypes names the column of a type that has no layout.
func TestRefusedTypes(t *testing.T) {
	dict := &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int32, ValueType: arrow.BinaryTypes.String}
	for _, typ := range []arrow.DataType{
		dict, arrow.RunEndEncodedOf(arrow.PrimitiveTypes.Int32, arrow.PrimitiveTypes.Int64),
		arrow.BinaryTypes.StringView, arrow.BinaryTypes.BinaryView,
		arrow.ListViewOf(arrow.PrimitiveTypes.Int8), arrow.LargeListViewOf(arrow.PrimitiveTypes.Int8),
		arrow.SparseUnionOf(nil, nil), arrow.DenseUnionOf(nil, nil),
	} {
		for _, nested := range []arrow.DataType{typ, arrow.ListOf(typ), arrow.StructOf(arrow.Field{Name: "f", Type: typ})} {
			_, err := NewLayout(random.SchemaOf(arrow.PrimitiveTypes.Int8, nested))
			if err == nil || !strings.Contains(err.Error(), `"c1`) {
				t.Errorf("%s: %v", nested, err)
			}
		}
	}
}
