package sparkhash

import (
	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"

	"github.com/shufflebench/shufflebench/pkg/validate/internal/cells"
)

// column folds rows [first, first+len(h)) of a into h: loops of their own for
// the usual keys, and a value at a time for the rest.
func (r Rule) column(a arrow.Array, first int, h []int32) {
	switch a := a.(type) {
	case *array.Int32:
		ints(a, a.Values(), first, h)
		return
	case *array.Date32:
		ints(a, a.Values(), first, h)
		return
	case *array.Int64:
		longs(a, a.Values(), first, h)
		return
	case *array.Timestamp:
		if a.DataType().(*arrow.TimestampType).Unit == arrow.Microsecond {
			longs(a, a.Values(), first, h)
			return
		}
	case *array.String:
		for i := range h {
			if a.IsValid(first + i) {
				h[i] = int32(hashBytes(cells.InPlace(a.Value(first+i)), uint32(h[i])))
			}
		}
		return
	}
	for i := range h {
		h[i] = int32(r.value(a, first+i, uint32(h[i])))
	}
}

func ints[T ~int32](a arrow.Array, v []T, first int, h []int32) {
	nulls := a.NullN() != 0
	for i := range h {
		if !nulls || a.IsValid(first+i) {
			h[i] = int32(hashInt(int32(v[first+i]), uint32(h[i])))
		}
	}
}

func longs[T ~int64](a arrow.Array, v []T, first int, h []int32) {
	nulls := a.NullN() != 0
	for i := range h {
		if !nulls || a.IsValid(first+i) {
			h[i] = int32(hashLong(int64(v[first+i]), uint32(h[i])))
		}
	}
}
