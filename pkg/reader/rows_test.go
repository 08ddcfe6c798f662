package reader

import (
	"fmt"
	"math"
	"strings"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
)

// rowsOf renders every row of a batch. Rows are equal if and only if their
// values are, bit for bit, whatever arrays hold them: a string is the same in
// a string, view or dictionary column, a NaN is its bits.
func rowsOf(b arrow.RecordBatch) []string {
	rows := make([]string, b.NumRows())
	for i := range rows {
		var s strings.Builder
		for _, c := range b.Columns() {
			renderValue(&s, c, i)
			s.WriteByte('|')
		}
		rows[i] = s.String()
	}
	return rows
}

func renderValue(s *strings.Builder, a arrow.Array, i int) {
	if a.IsNull(i) && a.DataType().ID() != arrow.RUN_END_ENCODED {
		s.WriteString("null")
		return
	}
	switch a := a.(type) {
	case *array.Null:
		s.WriteString("null")
	case *array.Dictionary:
		renderValue(s, a.Dictionary(), a.GetValueIndex(i))
	case *array.RunEndEncoded:
		renderValue(s, a.Values(), a.GetPhysicalIndex(i))
	case array.ExtensionArray:
		renderValue(s, a.Storage(), i)
	case *array.Struct:
		renderList(s, a.NumField(), func(k int) { renderValue(s, a.Field(k), i) })
	case array.ListLike:
		from, to := a.ValueOffsets(i)
		renderList(s, int(to-from), func(k int) { renderValue(s, a.ListValues(), int(from)+k) })
	case array.Union:
		fmt.Fprintf(s, "%d:", a.TypeCode(i))
		at := i
		if d, ok := a.(*array.DenseUnion); ok {
			at = int(d.ValueOffset(i))
		}
		renderValue(s, a.Field(a.ChildID(i)), at)
	default:
		renderScalar(s, a, i)
	}
}

func renderList(s *strings.Builder, n int, element func(int)) {
	s.WriteByte('[')
	for k := range n {
		element(k)
		s.WriteByte(',')
	}
	s.WriteByte(']')
}

func renderScalar(s *strings.Builder, a arrow.Array, i int) {
	switch a := a.(type) {
	case *array.Float64:
		fmt.Fprintf(s, "%016x", math.Float64bits(a.Value(i)))
	case *array.Float32:
		fmt.Fprintf(s, "%08x", math.Float32bits(a.Value(i)))
	case *array.Float16:
		fmt.Fprintf(s, "%04x", a.Value(i).Uint16())
	case *array.Timestamp:
		fmt.Fprintf(s, "%d", int64(a.Value(i)))
	case interface{ Value(int) string }:
		fmt.Fprintf(s, "%q", a.Value(i))
	case interface{ Value(int) []byte }:
		fmt.Fprintf(s, "%q", a.Value(i))
	default:
		s.WriteString(a.ValueStr(i))
	}
}
