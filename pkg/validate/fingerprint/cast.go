package fingerprint

import (
	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
)

// casts is a column of another fixed-width type than the target's: load gives
// the word that the target would hold for row i, or says that it cannot.
type casts struct {
	k    *Keys
	load func(arr arrow.Array, i int) (w uint64, ok bool)
}

func (n *casts) digest(arr arrow.Array, first int, a, b []uint64) {
	for i := range a {
		if arr.IsNull(first + i) {
			a[i], b[i] = n.k.a.null, n.k.b.null
		} else if w, ok := n.load(arr, first+i); ok {
			a[i], b[i] = w, w
		} else {
			a[i], b[i] = n.k.a.bad, n.k.b.bad
		}
	}
}

func (n *casts) canon(dst []byte, arr arrow.Array, i int) []byte {
	if arr.IsNull(i) {
		return append(dst, markNull)
	}
	if w, ok := n.load(arr, i); ok {
		return appendWord(dst, w)
	}
	return appendBad(dst, arr, i)
}

// appendBad stands for a value that the target cannot hold.
func appendBad(dst []byte, arr arrow.Array, i int) []byte {
	dst = append(dst, markBad)
	dst = append(dst, arr.DataType().String()...)
	dst = append(dst, 0)
	dst = append(dst, arr.ValueStr(i)...)
	return append(dst, 0)
}

// integerCast makes integers of any width, and counts of time, equal to those
// of the target. Only uint64 and the signed types have words that mean different numbers.
func integerCast(k *Keys, target, source arrow.DataType) node {
	crosses := (target.ID() == arrow.UINT64) != (source.ID() == arrow.UINT64)
	return &casts{k, func(arr arrow.Array, i int) (uint64, bool) {
		w := integerAt(arr, i)
		return w, !crosses || int64(w) >= 0
	}}
}

// integerAt is row i, sign-extended.
func integerAt(arr arrow.Array, i int) uint64 {
	switch a := arr.(type) {
	case *array.Int8:
		return uint64(a.Value(i))
	case *array.Int16:
		return uint64(a.Value(i))
	case *array.Int32:
		return uint64(a.Value(i))
	case *array.Int64:
		return uint64(a.Value(i))
	case *array.Uint8:
		return uint64(a.Value(i))
	case *array.Uint16:
		return uint64(a.Value(i))
	case *array.Uint32:
		return uint64(a.Value(i))
	case *array.Uint64:
		return a.Value(i)
	}
	return timeAt(arr, i)
}

// timeAt is the count of days, seconds or finer units in row i.
func timeAt(arr arrow.Array, i int) uint64 {
	switch a := arr.(type) {
	case *array.Date32:
		return uint64(a.Value(i))
	case *array.Date64:
		return uint64(a.Value(i))
	case *array.Time32:
		return uint64(a.Value(i))
	case *array.Time64:
		return uint64(a.Value(i))
	case *array.Timestamp:
		return uint64(a.Value(i))
	case *array.Duration:
		return uint64(a.Value(i))
	}
	return 0
}

const nanosPerDay = 24 * 60 * 60 * 1_000_000_000

// unit is the nanoseconds that a count of t means, 0 if t is no kind of time.
func unit(t arrow.DataType) int64 {
	switch t := t.(type) {
	case *arrow.Date32Type:
		return nanosPerDay
	case *arrow.Date64Type:
		return 1_000_000
	case arrow.TemporalWithUnit:
		return int64(t.TimeUnit().Multiplier())
	}
	return 0
}

// timeCast makes a count of one unit equal to the same time in another. What
// overflows, or falls between two of the target's counts, is equal to nothing,
// unless k rounds down.
func timeCast(k *Keys, target, source arrow.DataType) node {
	t, s := unit(target), unit(source)
	if s >= t {
		by := s / t
		return &casts{k, func(arr arrow.Array, i int) (uint64, bool) {
			v := int64(timeAt(arr, i))
			w := v * by
			return uint64(w), w/by == v
		}}
	}
	by := t / s
	return &casts{k, func(arr arrow.Array, i int) (uint64, bool) {
		v := int64(timeAt(arr, i))
		w := v / by
		if v%by < 0 {
			w--
		}
		return uint64(w), k.down || v%by == 0
	}}
}
