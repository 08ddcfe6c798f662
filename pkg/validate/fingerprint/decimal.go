package fingerprint

import (
	"encoding/binary"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/decimal"
	"github.com/apache/arrow-go/v18/arrow/decimal128"
	"github.com/apache/arrow-go/v18/arrow/decimal256"
)

// decimals is a column of decimals of any width. A value's digest is that of
// its unscaled value at the target's scale, so that widths do not matter.
type decimals struct {
	k          *Keys
	scale, own int32 // the target's and the column's
}

func (n *decimals) digest(arr arrow.Array, first int, a, b []uint64) {
	if d, ok := arr.(*array.Decimal128); ok && n.scale == n.own {
		n.digest128(d, first, a, b)
		return
	}
	for i := range a {
		a[i], b[i] = n.one(arr, first+i)
	}
}

func (n *decimals) digest128(arr *array.Decimal128, first int, a, b []uint64) {
	v := arr.Values()
	nulls := validityOf(arr)
	for i := range a {
		if !nulls.valid(first + i) {
			a[i], b[i] = n.k.a.null, n.k.b.null
			continue
		}
		a[i], b[i] = n.wide(v[first+i])
	}
}

// narrow is a column of decimals of a single word at the target's scale.
type narrow[T decimal.Decimal32 | decimal.Decimal64] struct {
	words[T]
	decimals
}

func (n *narrow[T]) digest(arr arrow.Array, first int, a, b []uint64) {
	n.words.digest(arr, first, a, b)
}

func (n *narrow[T]) canon(dst []byte, arr arrow.Array, i int) []byte {
	return n.decimals.canon(dst, arr, i)
}

func decimalNode(k *Keys, target, source arrow.DecimalType) node {
	d := decimals{k, target.GetScale(), source.GetScale()}
	switch {
	case d.scale != d.own:
		return &d
	case source.ID() == arrow.DECIMAL32:
		return &narrow[decimal.Decimal32]{words[decimal.Decimal32]{k, valuesOf[decimal.Decimal32, *array.Decimal32]}, d}
	case source.ID() == arrow.DECIMAL64:
		return &narrow[decimal.Decimal64]{words[decimal.Decimal64]{k, valuesOf[decimal.Decimal64, *array.Decimal64]}, d}
	}
	return &d
}

// wide is the digest of an unscaled value: itself if it is a single word.
func (n *decimals) wide(v decimal128.Num) (a, b uint64) {
	lo, hi := v.LowBits(), uint64(v.HighBits())
	if hi == uint64(int64(lo)>>63) {
		return lo, lo
	}
	return n.k.a.pair(lo, hi), n.k.b.pair(lo, hi)
}

func (n *decimals) one(arr arrow.Array, i int) (a, b uint64) {
	if arr.IsNull(i) {
		return n.k.a.null, n.k.b.null
	}
	v, ok := n.at(arr, i)
	if !ok {
		return n.k.a.bad, n.k.b.bad
	}
	w := v.Array()
	if sign := uint64(int64(w[1]) >> 63); w[2] == sign && w[3] == sign {
		return n.wide(decimal128.New(int64(w[1]), w[0]))
	}
	return n.k.bytes(appendDecimal(nil, v))
}

// at is row i at the target's scale, if it can be held there.
func (n *decimals) at(arr arrow.Array, i int) (v decimal256.Num, ok bool) {
	v = decimalAt(arr, i)
	if n.scale == n.own {
		return v, true
	}
	v, err := v.Rescale(n.own, n.scale)
	return v, err == nil
}

func decimalAt(arr arrow.Array, i int) decimal256.Num {
	switch a := arr.(type) {
	case *array.Decimal32:
		return decimal256.FromI64(int64(a.Value(i)))
	case *array.Decimal64:
		return decimal256.FromI64(int64(a.Value(i)))
	case *array.Decimal128:
		return decimal256.FromDecimal128(a.Value(i))
	case *array.Decimal256:
		return a.Value(i)
	case *array.Uint64:
		return decimal256.FromU64(a.Value(i))
	}
	return decimal256.FromI64(int64(integerAt(arr, i)))
}

// decimalToInteger makes a decimal equal to the target's integer of the same value.
func decimalToInteger(k *Keys, target arrow.DataType, source arrow.DecimalType) node {
	scaled := &decimals{k, 0, source.GetScale()}
	return &casts{k, func(arr arrow.Array, i int) (uint64, bool) {
		v, ok := scaled.at(arr, i)
		w := v.Array()
		rest := uint64(int64(w[0]) >> 63) // what the upper words must be
		if target.ID() == arrow.UINT64 {
			rest = 0
		}
		return w[0], ok && w[1] == rest && w[2] == rest && w[3] == rest
	}}
}

func (n *decimals) canon(dst []byte, arr arrow.Array, i int) []byte {
	if arr.IsNull(i) {
		return append(dst, markNull)
	}
	if v, ok := n.at(arr, i); ok {
		return appendDecimal(append(dst, markValue), v)
	}
	return appendBad(dst, arr, i)
}

func appendDecimal(dst []byte, v decimal256.Num) []byte {
	for _, w := range v.Array() {
		dst = binary.LittleEndian.AppendUint64(dst, w)
	}
	return dst
}

// moments is a column of month-day-nanosecond intervals.
type moments struct{ k *Keys }

func (n moments) digest(arr arrow.Array, first int, a, b []uint64) {
	v := arr.(*array.MonthDayNanoInterval)
	for i := range a {
		if v.IsNull(first + i) {
			a[i], b[i] = n.k.a.null, n.k.b.null
			continue
		}
		x, y := momentWords(v.Value(first + i))
		a[i], b[i] = n.k.a.pair(x, y), n.k.b.pair(x, y)
	}
}

func momentWords(v arrow.MonthDayNanoInterval) (x, y uint64) {
	return uint64(uint32(v.Months))<<32 | uint64(uint32(v.Days)), uint64(v.Nanoseconds)
}

func (n moments) canon(dst []byte, arr arrow.Array, i int) []byte {
	if arr.IsNull(i) {
		return append(dst, markNull)
	}
	x, y := momentWords(arr.(*array.MonthDayNanoInterval).Value(i))
	return binary.LittleEndian.AppendUint64(appendWord(dst, x), y)
}
