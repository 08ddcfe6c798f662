package validate

import (
	"encoding/binary"
	"fmt"
	"math"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/decimal256"

	"github.com/shufflebench/shufflebench/pkg/validate/internal/cells"
)

// appendOrdered appends a value so that comparing the bytes compares the
// values as Spark's ascending order does: nulls first, -0.0 as 0.0, NaN greatest, strings by their bytes.
func appendOrdered(dst []byte, arr arrow.Array, i int) []byte {
	if arr.IsNull(i) || arr.DataType().ID() == arrow.NULL {
		return append(dst, 0)
	}
	switch a := arr.(type) {
	case *array.Dictionary:
		return appendOrdered(dst, a.Dictionary(), a.GetValueIndex(i))
	case *array.RunEndEncoded:
		return appendOrdered(dst, a.Values(), a.GetPhysicalIndex(i))
	case array.ExtensionArray:
		return appendOrdered(dst, a.Storage(), i)
	case *array.Struct:
		dst = append(dst, 1)
		for f := range a.NumField() {
			dst = appendOrdered(dst, a.Field(f), i)
		}
		return dst
	case array.ListLike:
		return appendOrderedList(append(dst, 1), a, i)
	}
	dst = append(dst, 1)
	if p, ok := cells.Bytes(arr, i); ok {
		return appendOrderedText(dst, p)
	}
	if d, ok := decimalOf(arr, i); ok {
		return appendOrderedDecimal(dst, d)
	}
	return binary.BigEndian.AppendUint64(dst, orderedWord(arr, i))
}

// appendOrderedList puts a mark before every element and another at the end,
// so that a list is below the longer ones that it opens.
func appendOrderedList(dst []byte, a array.ListLike, i int) []byte {
	for p, end := a.ValueOffsets(i); p < end; p++ {
		dst = appendOrdered(append(dst, 1), a.ListValues(), int(p))
	}
	return append(dst, 0)
}

// appendOrderedText escapes zero bytes and ends with two of them.
func appendOrderedText(dst, p []byte) []byte {
	for _, c := range p {
		dst = append(dst, c)
		if c == 0 {
			dst = append(dst, 0xff)
		}
	}
	return append(dst, 0, 0)
}

func appendOrderedDecimal(dst []byte, v decimal256.Num) []byte {
	w := v.Array()
	dst = binary.BigEndian.AppendUint64(dst, w[3]^1<<63)
	for _, x := range []uint64{w[2], w[1], w[0]} {
		dst = binary.BigEndian.AppendUint64(dst, x)
	}
	return dst
}

// orderedWord is a fixed-width value as an unsigned number of the same order.
func orderedWord(arr arrow.Array, i int) uint64 {
	const sign = 1 << 63
	switch a := arr.(type) {
	case *array.Boolean:
		if a.Value(i) {
			return 1
		}
		return 0
	case *array.Uint8:
		return uint64(a.Value(i))
	case *array.Uint16:
		return uint64(a.Value(i))
	case *array.Uint32:
		return uint64(a.Value(i))
	case *array.Uint64:
		return a.Value(i)
	case *array.Float16:
		return orderedFloat(float64(a.Value(i).Float32()))
	case *array.Float32:
		return orderedFloat(float64(a.Value(i)))
	case *array.Float64:
		return orderedFloat(a.Value(i))
	}
	return uint64(signedOf(arr, i)) ^ sign
}

func orderedFloat(v float64) uint64 {
	switch {
	case v != v:
		return math.MaxUint64
	case v == 0:
		v = 0 // not -0.0
	}
	bits := math.Float64bits(v)
	if bits>>63 != 0 {
		return ^bits
	}
	return bits | 1<<63
}

func signedOf(arr arrow.Array, i int) int64 {
	switch a := arr.(type) {
	case *array.Int8:
		return int64(a.Value(i))
	case *array.Int16:
		return int64(a.Value(i))
	case *array.Int32:
		return int64(a.Value(i))
	case *array.Int64:
		return a.Value(i)
	case *array.Date32:
		return int64(a.Value(i))
	case *array.Date64:
		return int64(a.Value(i))
	case *array.Time32:
		return int64(a.Value(i))
	case *array.Time64:
		return int64(a.Value(i))
	case *array.Timestamp:
		return int64(a.Value(i))
	case *array.Duration:
		return int64(a.Value(i))
	case *array.MonthInterval:
		return int64(a.Value(i))
	}
	return 0
}

// refuseOrder says why keys of a type cannot be put in order, or is nil.
func refuseOrder(t arrow.DataType) error {
	switch t := t.(type) {
	case *arrow.MapType, *arrow.DayTimeIntervalType, *arrow.MonthDayNanoIntervalType, arrow.UnionType:
		return fmt.Errorf("range partitions over %s: values have no order", t)
	case *arrow.DictionaryType:
		return refuseOrder(t.ValueType)
	case *arrow.RunEndEncodedType:
		return refuseOrder(t.Encoded())
	case arrow.ExtensionType:
		return refuseOrder(t.StorageType())
	case arrow.NestedType:
		for _, f := range t.Fields() {
			if err := refuseOrder(f.Type); err != nil {
				return err
			}
		}
	}
	return nil
}
