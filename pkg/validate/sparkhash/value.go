package sparkhash

import (
	"math"
	"math/bits"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/decimal128"
	"github.com/apache/arrow-go/v18/arrow/decimal256"

	"github.com/shufflebench/shufflebench/pkg/validate/internal/cells"
)

// value folds the value of row i of a into h: the rules, a value at a time.
// a is of a type that Refusal accepts.
func (r Rule) value(a arrow.Array, i int, h uint32) uint32 {
	if a.IsNull(i) {
		return h
	}
	switch a := a.(type) {
	case *array.Null:
		return h
	case *array.Dictionary:
		return r.value(a.Dictionary(), a.GetValueIndex(i), h)
	case *array.RunEndEncoded:
		return r.value(a.Values(), a.GetPhysicalIndex(i), h)
	case array.ExtensionArray:
		return r.value(a.Storage(), i, h)
	case *array.Struct:
		for f := range a.NumField() {
			h = r.value(a.Field(f), i, h)
		}
		return h
	case array.ListLike:
		start, end := a.ValueOffsets(i)
		for e := start; e < end; e++ {
			h = r.value(a.ListValues(), int(e), h)
		}
		return h
	case *array.Float32:
		return hashInt(int32(r.float32Bits(a.Value(i))), h)
	case *array.Float64:
		return hashLong(int64(r.float64Bits(a.Value(i))), h)
	}
	if b, ok := cells.Bytes(a, i); ok {
		return hashBytes(b, h)
	}
	if v, ok := intOf(a, i); ok {
		return hashInt(v, h)
	}
	return r.wide(a, i, h)
}

// wide hashes what Spark holds in a long, and what is wider.
func (r Rule) wide(a arrow.Array, i int, h uint32) uint32 {
	switch a := a.(type) {
	case *array.Int64:
		return hashLong(a.Value(i), h)
	case *array.Uint32:
		return hashLong(int64(a.Value(i)), h)
	case *array.Timestamp:
		return hashLong(micros(int64(a.Value(i)), a.DataType().(*arrow.TimestampType).Unit), h)
	case *array.Duration:
		return hashLong(micros(int64(a.Value(i)), a.DataType().(*arrow.DurationType).Unit), h)
	case *array.Time32:
		return hashLong(nanos(int64(a.Value(i)), a.DataType().(*arrow.Time32Type).Unit), h)
	case *array.Time64:
		return hashLong(nanos(int64(a.Value(i)), a.DataType().(*arrow.Time64Type).Unit), h)
	case *array.MonthDayNanoInterval:
		v := a.Value(i)
		return hashInt(v.Months, hashLong(v.Nanoseconds/1000, h))
	case *array.Uint64:
		return r.unscaled(decimal128.FromU64(a.Value(i)), 20, h)
	case *array.Decimal32:
		return hashLong(int64(a.Value(i)), h)
	case *array.Decimal64:
		return hashLong(int64(a.Value(i)), h)
	case *array.Decimal128:
		return r.unscaled(a.Value(i), precision(a), h)
	case *array.Decimal256:
		return r.unscaled(narrow(a.Value(i)), precision(a), h)
	}
	return h // Refusal leaves no other type
}

func precision(a arrow.Array) int32 { return a.DataType().(arrow.DecimalType).GetPrecision() }

// narrow drops the upper half, which only repeats the sign in up to 38 digits.
func narrow(v decimal256.Num) decimal128.Num {
	w := v.Array()
	return decimal128.New(int64(w[1]), w[0])
}

// unscaled hashes a decimal.
func (r Rule) unscaled(v decimal128.Num, digits int32, h uint32) uint32 {
	if digits <= longDigits {
		return hashLong(int64(v.LowBits()), h)
	}
	var b [16]byte
	if r == Comet {
		putWord(b[:8], bits.ReverseBytes64(v.LowBits()))
		putWord(b[8:], bits.ReverseBytes64(uint64(v.HighBits())))
		return hashBytes(b[:], h)
	}
	putWord(b[:8], uint64(v.HighBits()))
	putWord(b[8:], v.LowBits())
	first := 0
	for first < 15 && repeatsSign(b[first], b[first+1]) {
		first++
	}
	return hashBytes(b[first:], h)
}

// putWord writes w, highest byte first.
func putWord(b []byte, w uint64) {
	for i := range 8 {
		b[i] = byte(w >> (56 - 8*i))
	}
}

// repeatsSign says that a leading byte adds nothing to the sign of the next.
func repeatsSign(lead, next byte) bool {
	return lead == 0 && next < 0x80 || lead == 0xff && next >= 0x80
}

func (r Rule) float32Bits(v float32) uint32 {
	switch {
	case v == 0:
		return 0
	case v != v && r == Spark:
		return 0x7fc00000
	}
	return math.Float32bits(v)
}

func (r Rule) float64Bits(v float64) uint64 {
	switch {
	case v == 0:
		return 0
	case v != v && r == Spark:
		return 0x7ff8000000000000
	}
	return math.Float64bits(v)
}

// micros converts a count of units to microseconds; finer units are floored,
// coarser ones wrap around beyond 292,000 years.
func micros(v int64, unit arrow.TimeUnit) int64 {
	switch unit {
	case arrow.Second:
		return v * 1_000_000
	case arrow.Millisecond:
		return v * 1_000
	case arrow.Nanosecond:
		return floorDiv(v, 1_000)
	}
	return v
}

func nanos(v int64, unit arrow.TimeUnit) int64 { return v * int64(unit.Multiplier()) }

func floorDiv(v, by int64) int64 {
	q := v / by
	if v%by < 0 {
		q--
	}
	return q
}
