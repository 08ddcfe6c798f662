package partition

import (
	"fmt"
	"math"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/decimal128"
)

// foldFunc updates the running hash of every row by a column's value there; a
// null leaves it as it is.
type foldFunc func(col arrow.Array, h []uint32)

// longDigits is the largest decimal precision that Spark hashes as a long.
const longDigits = 18

// folder picks the rule for a type: column by column where there is one, and
// else value by value.
func folder(r Rule, t arrow.DataType) (foldFunc, error) {
	if fold, err := columnFolder(r, t); err == nil {
		return fold, nil
	}
	bind, err := binderOf(r, t)
	if err != nil {
		return nil, err
	}
	return foldValues(bind), nil
}

// columnFolder picks the rule for a type that goes column by column.
func columnFolder(r Rule, t arrow.DataType) (foldFunc, error) {
	switch t := t.(type) {
	case *arrow.BooleanType:
		return foldBool, nil
	case *arrow.Int8Type:
		return foldInts((*array.Int8).Values), nil
	case *arrow.Int16Type:
		return foldInts((*array.Int16).Values), nil
	case *arrow.Int32Type:
		return foldInts((*array.Int32).Values), nil
	case *arrow.Uint8Type:
		return foldInts((*array.Uint8).Values), nil
	case *arrow.Uint16Type:
		return foldInts((*array.Uint16).Values), nil
	case *arrow.Uint32Type: // which Spark reads as a long
		return foldLongs((*array.Uint32).Values), nil
	case *arrow.Date32Type:
		return foldInts(date32Values), nil
	case *arrow.Int64Type:
		return foldLongs((*array.Int64).Values), nil
	case *arrow.TimestampType:
		return timestampFolder(t.Unit), nil
	case *arrow.Float32Type:
		return r.foldFloat32, nil
	case *arrow.Float64Type:
		return r.foldFloat64, nil
	case *arrow.Decimal128Type:
		if t.Precision <= longDigits {
			return foldShortDecimal, nil
		}
		return r.foldLongDecimal, nil
	case *arrow.StringType, *arrow.BinaryType:
		return foldBinary, nil
	case *arrow.NullType:
		return func(arrow.Array, []uint32) {}, nil
	}
	return nil, fmt.Errorf("type %s has no hash rule", t)
}

func date32Values(a *array.Date32) []arrow.Date32 { return a.Date32Values() }

// each calls f for every row that is not null.
func each(col arrow.Array, f func(i int)) {
	if col.NullN() == 0 {
		for i := range col.Len() {
			f(i)
		}
		return
	}
	for i := range col.Len() {
		if col.IsValid(i) {
			f(i)
		}
	}
}

func foldBool(col arrow.Array, h []uint32) {
	a := col.(*array.Boolean)
	each(a, func(i int) {
		v := uint32(0)
		if a.Value(i) {
			v = 1
		}
		h[i] = hashInt(v, h[i])
	})
}

// foldInts hashes values of up to 4 bytes as a sign-extended int.
func foldInts[T ~int8 | ~int16 | ~int32 | ~uint8 | ~uint16, A arrow.Array](values func(A) []T) foldFunc {
	return func(col arrow.Array, h []uint32) {
		v := values(col.(A))
		if col.NullN() != 0 {
			each(col, func(i int) { h[i] = hashInt(uint32(int32(v[i])), h[i]) })
			return
		}
		h = h[:len(v)]
		for i, x := range v {
			h[i] = hashInt(uint32(int32(x)), h[i])
		}
	}
}

// foldLongs hashes values as 8 bytes.
func foldLongs[T ~int64 | ~uint32, A arrow.Array](values func(A) []T) foldFunc {
	return func(col arrow.Array, h []uint32) {
		v := values(col.(A))
		if col.NullN() != 0 {
			each(col, func(i int) { h[i] = hashLong(uint64(v[i]), h[i]) })
			return
		}
		if longs, ok := any(v).([]int64); ok {
			hashLongs(longs, h)
			return
		}
		for i, x := range v {
			h[i] = hashLong(uint64(x), h[i])
		}
	}
}

// hashLongs is hashLong over a column. It is a function of its own, and not
// generic, because only then its parts are inlined into the loop.
func hashLongs(v []int64, h []uint32) {
	h = h[:len(v)]
	for i, x := range v {
		g := mixH1(h[i], mixK1(uint32(x)))
		g = mixH1(g, mixK1(uint32(uint64(x)>>32)))
		h[i] = fmix(g, 8)
	}
}

// timestampFolder hashes microseconds, which is what Spark holds, whatever the
// unit of the column; finer units are floored, as Spark floors on reading.
func timestampFolder(unit arrow.TimeUnit) foldFunc {
	if unit == arrow.Microsecond {
		return foldLongs(func(a *array.Timestamp) []int64 {
			return arrow.Int64Traits.CastFromBytes(arrow.TimestampTraits.CastToBytes(a.TimestampValues()))
		})
	}
	return func(col arrow.Array, h []uint32) {
		v := col.(*array.Timestamp).TimestampValues()
		each(col, func(i int) { h[i] = hashLong(uint64(micros(int64(v[i]), unit)), h[i]) })
	}
}

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

func floorDiv(a, b int64) int64 {
	q := a / b
	if a%b != 0 && (a < 0) != (b < 0) {
		q--
	}
	return q
}

// foldFloat32 hashes the bits, with -0.0 made 0.0 and, as Spark has it, all NaNs
// made one.
func (r Rule) foldFloat32(col arrow.Array, h []uint32) {
	v := col.(*array.Float32).Values()
	each(col, func(i int) { h[i] = hashInt(r.bits32(v[i]), h[i]) })
}

func (r Rule) bits32(v float32) uint32 {
	switch {
	case v != v && r == Spark:
		return 0x7fc00000
	case v == 0:
		return 0
	}
	return math.Float32bits(v)
}

// foldFloat64 does the same with 8 bytes.
func (r Rule) foldFloat64(col arrow.Array, h []uint32) {
	v := col.(*array.Float64).Values()
	each(col, func(i int) { h[i] = hashLong(r.bits64(v[i]), h[i]) })
}

func (r Rule) bits64(v float64) uint64 {
	switch {
	case v != v && r == Spark:
		return 0x7ff8000000000000
	case v == 0:
		return 0
	}
	return math.Float64bits(v)
}

// foldShortDecimal hashes the unscaled value as a long.
func foldShortDecimal(col arrow.Array, h []uint32) {
	v := col.(*array.Decimal128).Values()
	each(col, func(i int) { h[i] = hashLong(v[i].LowBits(), h[i]) })
}

// foldLongDecimal hashes the unscaled value's bytes.
func (r Rule) foldLongDecimal(col arrow.Array, h []uint32) {
	v := col.(*array.Decimal128).Values()
	var buf [16]byte
	each(col, func(i int) { h[i] = hashBytes(r.decimal(v[i], &buf), h[i]) })
}

// shortest is Java's BigInteger.toByteArray: big-endian two's complement with
// no needless leading byte, at least one.
func shortest(v decimal128.Num, buf *[16]byte) []byte {
	hi, lo := uint64(v.HighBits()), v.LowBits()
	for i := range 8 {
		buf[i] = byte(hi >> (56 - 8*i))
		buf[8+i] = byte(lo >> (56 - 8*i))
	}
	b := buf[:]
	for len(b) > 1 && (b[0] == 0 && b[1] < 0x80 || b[0] == 0xff && b[1] >= 0x80) {
		b = b[1:]
	}
	return b
}

// foldBinary hashes the bytes of strings and binaries.
func foldBinary(col arrow.Array, h []uint32) {
	values := col.(interface {
		ValueOffsets() []int32
		ValueBytes() []byte
	})
	if col.Len() == 0 {
		return
	}
	off, data := values.ValueOffsets(), values.ValueBytes()
	first := off[0] // ValueBytes begins at the first row's value
	each(col, func(i int) { h[i] = hashBytes(data[off[i]-first:off[i+1]-first], h[i]) })
}
