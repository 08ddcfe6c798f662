package partition

import (
	"fmt"
	"unsafe"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/decimal128"
)

// The rules here go value by value. They serve types that are seldom keys, and
// the values inside of lists and structs, where columns of hashes do not help:
// an element's hash starts from the one before it.

// valueFunc folds value i of an array into h.
type valueFunc func(i int, h uint32) uint32

// binder looks into an array once, for all its values.
type binder func(col arrow.Array) valueFunc

// foldValues makes a column's fold of a binder.
func foldValues(bind binder) foldFunc {
	return func(col arrow.Array, h []uint32) {
		value := bind(col)
		for i := range h {
			h[i] = value(i, h[i])
		}
	}
}

// binderOf picks the rule for a type.
func binderOf(r Rule, t arrow.DataType) (binder, error) {
	bind, err := notNull(r, t)
	if err != nil {
		return nil, err
	}
	return func(col arrow.Array) valueFunc {
		value := bind(col)
		if col.NullN() == 0 {
			return value
		}
		return func(i int, h uint32) uint32 {
			if col.IsNull(i) {
				return h
			}
			return value(i, h)
		}
	}, nil
}

// notNull is binderOf for values that are not null.
func notNull(r Rule, t arrow.DataType) (binder, error) {
	switch t := t.(type) {
	case arrow.ExtensionType:
		return extensionBinder(r, t)
	case *arrow.StructType:
		return structBinder(r, t)
	case *arrow.MapType:
		return nil, fmt.Errorf("type %s has no hash rule: a map's entries have no order", t)
	case arrow.ListLikeType:
		return listBinder(r, t)
	case arrow.DecimalType:
		return decimalBinder(r, t)
	case *arrow.NullType:
		return func(arrow.Array) valueFunc { return func(_ int, h uint32) uint32 { return h } }, nil
	case *arrow.MonthDayNanoIntervalType:
		return bindInterval, nil
	case *arrow.Uint64Type:
		return uint64Binder(r), nil
	}
	for _, bind := range []binder{ints(r, t), longs(r, t), byteStrings(t)} {
		if bind != nil {
			return bind, nil
		}
	}
	return nil, fmt.Errorf("type %s has no hash rule", t)
}

// ints binds the types that Spark holds in an int, or whose bits it hashes as one.
func ints(r Rule, t arrow.DataType) binder {
	switch t.(type) {
	case *arrow.BooleanType:
		return intBinder(func(a *array.Boolean, i int) int32 {
			if a.Value(i) {
				return 1
			}
			return 0
		})
	case *arrow.Int8Type:
		return intBinder(func(a *array.Int8, i int) int32 { return int32(a.Value(i)) })
	case *arrow.Int16Type:
		return intBinder(func(a *array.Int16, i int) int32 { return int32(a.Value(i)) })
	case *arrow.Int32Type:
		return intBinder((*array.Int32).Value)
	case *arrow.Uint8Type:
		return intBinder(func(a *array.Uint8, i int) int32 { return int32(a.Value(i)) })
	case *arrow.Uint16Type:
		return intBinder(func(a *array.Uint16, i int) int32 { return int32(a.Value(i)) })
	case *arrow.Date32Type:
		return intBinder(func(a *array.Date32, i int) int32 { return int32(a.Value(i)) })
	case *arrow.Date64Type:
		const day = 24 * 60 * 60 * 1000
		return intBinder(func(a *array.Date64, i int) int32 { return int32(floorDiv(int64(a.Value(i)), day)) })
	case *arrow.MonthIntervalType:
		return intBinder(func(a *array.MonthInterval, i int) int32 { return int32(a.Value(i)) })
	case *arrow.Float32Type:
		return intBinder(func(a *array.Float32, i int) int32 { return int32(r.bits32(a.Value(i))) })
	}
	return nil
}

// longs binds those that it holds in a long.
func longs(r Rule, t arrow.DataType) binder {
	switch t := t.(type) {
	case *arrow.Int64Type:
		return longBinder((*array.Int64).Value)
	case *arrow.Uint32Type:
		return longBinder(func(a *array.Uint32, i int) int64 { return int64(a.Value(i)) })
	case *arrow.TimestampType:
		return longBinder(func(a *array.Timestamp, i int) int64 { return micros(int64(a.Value(i)), t.Unit) })
	case *arrow.DurationType:
		return longBinder(func(a *array.Duration, i int) int64 { return micros(int64(a.Value(i)), t.Unit) })
	case *arrow.Time32Type:
		unit := int64(t.Unit.Multiplier())
		return longBinder(func(a *array.Time32, i int) int64 { return int64(a.Value(i)) * unit })
	case *arrow.Time64Type:
		unit := int64(t.Unit.Multiplier())
		return longBinder(func(a *array.Time64, i int) int64 { return int64(a.Value(i)) * unit })
	case *arrow.Float64Type:
		return longBinder(func(a *array.Float64, i int) int64 { return int64(r.bits64(a.Value(i))) })
	}
	return nil
}

// byteStrings binds strings and binaries of all layouts.
func byteStrings(t arrow.DataType) binder {
	switch t.(type) {
	case *arrow.StringType:
		return bytesBinder(func(a *array.String, i int) []byte { return view(a.Value(i)) })
	case *arrow.LargeStringType:
		return bytesBinder(func(a *array.LargeString, i int) []byte { return view(a.Value(i)) })
	case *arrow.BinaryType:
		return bytesBinder((*array.Binary).Value)
	case *arrow.LargeBinaryType:
		return bytesBinder((*array.LargeBinary).Value)
	case *arrow.FixedSizeBinaryType:
		return bytesBinder((*array.FixedSizeBinary).Value)
	}
	return nil
}

// view is the string's bytes in place; they are only read.
func view(s string) []byte { return unsafe.Slice(unsafe.StringData(s), len(s)) }

func intBinder[A arrow.Array](value func(A, int) int32) binder {
	return func(col arrow.Array) valueFunc {
		a := col.(A)
		return func(i int, h uint32) uint32 { return hashInt(uint32(value(a, i)), h) }
	}
}

func longBinder[A arrow.Array](value func(A, int) int64) binder {
	return func(col arrow.Array) valueFunc {
		a := col.(A)
		return func(i int, h uint32) uint32 { return hashLong(uint64(value(a, i)), h) }
	}
}

func bytesBinder[A arrow.Array](value func(A, int) []byte) binder {
	return func(col arrow.Array) valueFunc {
		a := col.(A)
		return func(i int, h uint32) uint32 { return hashBytes(value(a, i), h) }
	}
}

// bindInterval hashes the microseconds, then the months; Spark leaves the days out.
func bindInterval(col arrow.Array) valueFunc {
	a := col.(*array.MonthDayNanoInterval)
	return func(i int, h uint32) uint32 {
		v := a.Value(i)
		return hashInt(uint32(v.Months), hashLong(uint64(v.Nanoseconds/1000), h))
	}
}

// uint64Binder hashes what Spark reads uint64 as, a decimal of 20 digits.
func uint64Binder(r Rule) binder {
	return func(col arrow.Array) valueFunc {
		a := col.(*array.Uint64)
		return func(i int, h uint32) uint32 {
			var buf [16]byte
			return hashBytes(r.decimal(decimal128.FromU64(a.Value(i)), &buf), h)
		}
	}
}

// decimalBinder hashes decimals of any width by their number of digits.
func decimalBinder(r Rule, t arrow.DecimalType) (binder, error) {
	const most = 38
	if t.GetPrecision() > most {
		return nil, fmt.Errorf("type %s has no hash rule: Spark's decimals have at most %d digits", t, most)
	}
	long := t.GetPrecision() <= longDigits
	return func(col arrow.Array) valueFunc {
		value := unscaled(col)
		return func(i int, h uint32) uint32 {
			var buf [16]byte
			if v := value(i); long {
				return hashLong(v.LowBits(), h)
			} else {
				return hashBytes(r.decimal(v, &buf), h)
			}
		}
	}, nil
}

// unscaled gives the values of a decimal array of any width.
func unscaled(col arrow.Array) func(i int) decimal128.Num {
	switch a := col.(type) {
	case *array.Decimal32:
		return func(i int) decimal128.Num { return decimal128.FromI64(int64(a.Value(i))) }
	case *array.Decimal64:
		return func(i int) decimal128.Num { return decimal128.FromI64(int64(a.Value(i))) }
	case *array.Decimal256:
		return func(i int) decimal128.Num {
			words := a.Value(i).Array()
			return decimal128.New(int64(words[1]), words[0]) // the rest repeats the sign
		}
	}
	return col.(*array.Decimal128).Value
}
