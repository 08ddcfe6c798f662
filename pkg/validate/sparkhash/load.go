package sparkhash

import (
	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
)

const millisPerDay = 24 * 60 * 60 * 1000

// intOf is row i of a type that Spark holds in an int; ok is false for others.
func intOf(a arrow.Array, i int) (v int32, ok bool) {
	switch a := a.(type) {
	case *array.Boolean:
		if a.Value(i) {
			return 1, true
		}
		return 0, true
	case *array.Int8:
		return int32(a.Value(i)), true
	case *array.Int16:
		return int32(a.Value(i)), true
	case *array.Int32:
		return a.Value(i), true
	case *array.Uint8:
		return int32(a.Value(i)), true
	case *array.Uint16:
		return int32(a.Value(i)), true
	case *array.Date32:
		return int32(a.Value(i)), true
	case *array.Date64:
		return int32(floorDiv(int64(a.Value(i)), millisPerDay)), true
	case *array.MonthInterval:
		return int32(a.Value(i)), true
	}
	return 0, false
}
