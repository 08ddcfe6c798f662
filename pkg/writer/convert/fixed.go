package convert

import (
	"encoding/binary"
	"fmt"
	"math"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/decimal128"
	"github.com/apache/arrow-go/v18/arrow/decimal256"
	"github.com/apache/arrow-go/v18/arrow/memory"
)

const (
	uint64Digits  = 20 // of the largest uint64
	maxDigits     = 38 // of a decimal128
	millisADay    = 86_400_000
	microsASecond = 1_000_000
	microsAMilli  = 1_000
	nanosAMicro   = 1_000
)

// planFixed converts types of fixed width, value by value.
func planFixed(t arrow.DataType) (arrow.DataType, step) {
	switch t := t.(type) {
	case *arrow.Decimal32Type:
		to := &arrow.Decimal128Type{Precision: t.Precision, Scale: t.Scale}
		return to, mapValues(to, 4, func(b []byte) (decimal128.Num, error) {
			return decimal128.FromI64(int64(int32(binary.LittleEndian.Uint32(b)))), nil
		}, putDecimal)
	case *arrow.Decimal64Type:
		to := &arrow.Decimal128Type{Precision: t.Precision, Scale: t.Scale}
		return to, mapValues(to, 8, func(b []byte) (decimal128.Num, error) {
			return decimal128.FromI64(int64(binary.LittleEndian.Uint64(b))), nil
		}, putDecimal)
	case *arrow.Decimal256Type:
		if t.Precision > maxDigits {
			return t, nil
		}
		to := &arrow.Decimal128Type{Precision: t.Precision, Scale: t.Scale}
		return to, mapValues(to, 32, narrowDecimal, putDecimal)
	case *arrow.Uint64Type:
		to := &arrow.Decimal128Type{Precision: uint64Digits}
		return to, mapValues(to, 8, func(b []byte) (decimal128.Num, error) {
			return decimal128.FromU64(binary.LittleEndian.Uint64(b)), nil
		}, putDecimal)
	case *arrow.TimestampType:
		return planTimestamp(t)
	case *arrow.Date64Type:
		return arrow.FixedWidthTypes.Date32, mapValues(arrow.FixedWidthTypes.Date32, 8, func(b []byte) (int32, error) {
			days := floorDiv(int64(binary.LittleEndian.Uint64(b)), millisADay)
			if days != int64(int32(days)) {
				return 0, fmt.Errorf("date64 value of %d days does not fit date32", days)
			}
			return int32(days), nil
		}, func(b []byte, v int32) { binary.LittleEndian.PutUint32(b, uint32(v)) })
	}
	return t, nil
}

func planTimestamp(t *arrow.TimestampType) (arrow.DataType, step) {
	if t.Unit == arrow.Microsecond {
		return t, nil
	}
	to := &arrow.TimestampType{Unit: arrow.Microsecond, TimeZone: t.TimeZone}
	factor := int64(microsAMilli)
	if t.Unit == arrow.Second {
		factor = microsASecond
	}
	return to, mapValues(to, 8, func(b []byte) (int64, error) {
		v := int64(binary.LittleEndian.Uint64(b))
		if t.Unit == arrow.Nanosecond {
			return floorDiv(v, nanosAMicro), nil
		}
		if v > math.MaxInt64/factor || v < math.MinInt64/factor {
			return 0, fmt.Errorf("timestamp %d %s does not fit microseconds", v, t.Unit)
		}
		return v * factor, nil
	}, func(b []byte, v int64) { binary.LittleEndian.PutUint64(b, uint64(v)) })
}

func floorDiv(a, b int64) int64 {
	q := a / b
	if a%b < 0 {
		q--
	}
	return q
}

// narrowDecimal takes a decimal256 that has at most 38 digits.
func narrowDecimal(b []byte) (decimal128.Num, error) {
	n := decimal256.New(binary.LittleEndian.Uint64(b[24:]), binary.LittleEndian.Uint64(b[16:]), binary.LittleEndian.Uint64(b[8:]), binary.LittleEndian.Uint64(b))
	words := n.Array()
	low := decimal128.New(int64(words[1]), words[0])
	if decimal256.FromDecimal128(low) != n {
		return low, fmt.Errorf("decimal256 value %s has more digits than its type", n.BigInt())
	}
	return low, nil
}

func putDecimal(b []byte, n decimal128.Num) {
	binary.LittleEndian.PutUint64(b, n.LowBits())
	binary.LittleEndian.PutUint64(b[8:], uint64(n.HighBits()))
}

// mapValues converts every value that is not null, from width bytes to those
// of to. The result begins at offset 0.
func mapValues[T any](to arrow.FixedWidthDataType, width int, get func([]byte) (T, error), put func([]byte, T)) step {
	out := to.BitWidth() / 8
	return func(d arrow.ArrayData) (arrow.ArrayData, error) {
		src := array.MakeFromData(d)
		defer src.Release()
		mem := make([]byte, d.Len()*out)
		if d.Len() > 0 {
			raw := d.Buffers()[1].Bytes()[d.Offset()*width:]
			for i := range d.Len() {
				if src.IsNull(i) {
					continue
				}
				v, err := get(raw[i*width : (i+1)*width])
				if err != nil {
					return nil, fmt.Errorf("row %d: %w", i, err)
				}
				put(mem[i*out:], v)
			}
		}
		buffers := []*memory.Buffer{validity(src), memory.NewBufferBytes(mem)}
		return array.NewData(to, d.Len(), buffers, nil, src.NullN(), 0), nil
	}
}

// validity is an array's validity from bit 0 on, nil when nothing is null.
func validity(a arrow.Array) *memory.Buffer {
	if a.NullN() == 0 {
		return nil
	}
	bits := make([]byte, (a.Len()+7)/8)
	for i := range a.Len() {
		if a.IsValid(i) {
			bits[i>>3] |= 1 << (i & 7)
		}
	}
	return memory.NewBufferBytes(bits)
}
