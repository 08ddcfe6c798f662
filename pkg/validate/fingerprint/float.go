package fingerprint

import (
	"math"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
)

// floatCast makes a float of another width equal to the target's float of the
// same value, NaN payload included.
func floatCast(k *Keys, target arrow.DataType) node {
	return &casts{k, func(arr arrow.Array, i int) (uint64, bool) {
		w := doubleAt(arr, i)
		if target.ID() == arrow.FLOAT64 {
			return w, true
		}
		f, ok := narrow64(w)
		if target.ID() == arrow.FLOAT32 || !ok {
			return uint64(f), ok
		}
		h, ok := narrow32(f)
		return uint64(h), ok
	}}
}

// doubleAt is row i's bits as a float64, exactly.
func doubleAt(arr arrow.Array, i int) uint64 {
	switch a := arr.(type) {
	case *array.Float16:
		return widen32(widen16(a.Value(i).Uint16()))
	case *array.Float32:
		return widen32(math.Float32bits(a.Value(i)))
	case *array.Float64:
		return math.Float64bits(a.Value(i))
	}
	return 0
}

// widen32 keeps the payload of a NaN, which a conversion by the processor
// would make quiet.
func widen32(f uint32) uint64 {
	if f&0x7f800000 == 0x7f800000 {
		return uint64(f>>31)<<63 | 0x7ff<<52 | uint64(f&0x7fffff)<<29
	}
	return math.Float64bits(float64(math.Float32frombits(f)))
}

// narrow64 is the inverse of widen32; ok is false where there is none.
func narrow64(d uint64) (f uint32, ok bool) {
	if d&(0x7ff<<52) == 0x7ff<<52 {
		f = uint32(d>>63)<<31 | 0x7f800000 | uint32(d>>29)&0x7fffff
	} else {
		f = math.Float32bits(float32(math.Float64frombits(d)))
	}
	return f, widen32(f) == d
}

func widen16(h uint16) uint32 {
	sign, exp, frac := uint32(h>>15)<<31, uint32(h>>10)&0x1f, uint32(h)&0x3ff
	switch exp {
	case 0x1f:
		return sign | 0x7f800000 | frac<<13
	case 0:
		return sign | math.Float32bits(float32(frac)/(1<<24)) // exact
	}
	return sign | (exp+112)<<23 | frac<<13
}

// narrow32 is the inverse of widen16; ok is false where there is none.
func narrow32(f uint32) (h uint16, ok bool) {
	exp := int(f>>23) & 0xff
	h = uint16(f>>31) << 15
	switch {
	case exp == 0xff:
		h |= 0x1f<<10 | uint16(f>>13)&0x3ff
	case exp > 112 && exp < 112+0x1f:
		h |= uint16(exp-112)<<10 | uint16(f>>13)&0x3ff
	case exp <= 112:
		h |= uint16(math.Float32frombits(f&^(1<<31)) * (1 << 24))
	}
	return h, widen16(h) == f
}
