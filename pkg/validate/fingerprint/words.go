package fingerprint

import (
	"encoding/binary"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
)

// word is what a fixed-width value is held in; converting it to uint64
// extends its sign.
type word interface {
	~int8 | ~int16 | ~int32 | ~int64 | ~uint8 | ~uint16 | ~uint32 | ~uint64
}

// words is a column whose type is the target's, of up to eight bytes a value.
type words[T word] struct {
	k      *Keys
	values func(arrow.Array) []T
}

// fold is the path that nearly all values of most fixtures take.
func (n *words[T]) fold(arr arrow.Array, first int, a, b []uint64) {
	v := n.values(arr)
	nulls := validityOf(arr)
	if !nulls.all() {
		n.foldNullable(v, nulls, first, a, b)
		return
	}
	v = v[first : first+len(a)]
	b = b[:len(a)]
	ka, kb := &n.k.a, &n.k.b
	a1, a2, b1, b2 := ka.k1, ka.k2, kb.k1, kb.k2
	for i, x := range v {
		w := uint64(x)
		a[i] = mum(w^a1, a[i]^a2)
		b[i] = mum(w^b1, b[i]^b2)
	}
}

func (n *words[T]) foldNullable(v []T, nulls validity, first int, a, b []uint64) {
	b = b[:len(a)]
	ka, kb := &n.k.a, &n.k.b
	for i := range a {
		da, db := ka.null, kb.null
		if nulls.valid(first + i) {
			da = uint64(v[first+i])
			db = da
		}
		a[i] = ka.fold(a[i], da)
		b[i] = kb.fold(b[i], db)
	}
}

func (n *words[T]) digest(arr arrow.Array, first int, a, b []uint64) {
	v := n.values(arr)
	nulls := validityOf(arr)
	for i := range a {
		if nulls.valid(first + i) {
			a[i] = uint64(v[first+i])
			b[i] = a[i]
		} else {
			a[i], b[i] = n.k.a.null, n.k.b.null
		}
	}
}

func (n *words[T]) canon(dst []byte, arr arrow.Array, i int) []byte {
	if arr.IsNull(i) {
		return append(dst, markNull)
	}
	return appendWord(dst, uint64(n.values(arr)[i]))
}

func appendWord(dst []byte, w uint64) []byte {
	return binary.LittleEndian.AppendUint64(append(dst, markValue), w)
}

// column is an array whose values lie in a slice of T.
type column[T any] interface {
	arrow.Array
	Values() []T
}

func valuesOf[T any, A column[T]](arr arrow.Array) []T { return arr.(A).Values() }

func wordsOf[T word, A column[T]](k *Keys) node { return &words[T]{k, valuesOf[T, A]} }

// sameWords is the node of a fixed-width type whose source is the target's
// own type, or nil.
func sameWords(k *Keys, t arrow.DataType) node {
	switch t.ID() {
	case arrow.INT8:
		return wordsOf[int8, *array.Int8](k)
	case arrow.INT16:
		return wordsOf[int16, *array.Int16](k)
	case arrow.INT32:
		return wordsOf[int32, *array.Int32](k)
	case arrow.INT64:
		return wordsOf[int64, *array.Int64](k)
	case arrow.UINT8:
		return wordsOf[uint8, *array.Uint8](k)
	case arrow.UINT16:
		return wordsOf[uint16, *array.Uint16](k)
	case arrow.UINT32:
		return wordsOf[uint32, *array.Uint32](k)
	case arrow.UINT64:
		return wordsOf[uint64, *array.Uint64](k)
	case arrow.INTERVAL_MONTHS:
		return rawWords[int32](k)
	case arrow.INTERVAL_DAY_TIME:
		return rawWords[int64](k)
	}
	return sameTimes(k, t)
}

// sameTimes does so for dates, times and floats.
func sameTimes(k *Keys, t arrow.DataType) node {
	switch t.ID() {
	case arrow.DATE32:
		return wordsOf[arrow.Date32, *array.Date32](k)
	case arrow.DATE64:
		return wordsOf[arrow.Date64, *array.Date64](k)
	case arrow.TIME32:
		return wordsOf[arrow.Time32, *array.Time32](k)
	case arrow.TIME64:
		return wordsOf[arrow.Time64, *array.Time64](k)
	case arrow.TIMESTAMP:
		return wordsOf[arrow.Timestamp, *array.Timestamp](k)
	case arrow.DURATION:
		return wordsOf[arrow.Duration, *array.Duration](k)
	case arrow.FLOAT16:
		return rawWords[uint16](k)
	case arrow.FLOAT32:
		return rawWords[uint32](k)
	case arrow.FLOAT64:
		return rawWords[uint64](k)
	}
	return nil
}

// rawWords takes the values' bits as they lie in the buffer.
func rawWords[T int32 | int64 | uint16 | uint32 | uint64](k *Keys) node {
	return &words[T]{k, func(arr arrow.Array) []T {
		d := arr.Data()
		if len(d.Buffers()) < 2 || d.Buffers()[1] == nil {
			return nil
		}
		return arrow.GetData[T](d.Buffers()[1].Bytes())[d.Offset() : d.Offset()+d.Len()]
	}}
}

// bools is a column of booleans.
type bools struct{ k *Keys }

func (n bools) digest(arr arrow.Array, first int, a, b []uint64) {
	v := arr.(*array.Boolean)
	nulls := validityOf(arr)
	for i := range a {
		var w uint64 // without a branch on the value
		if v.Value(first + i) {
			w = 1
		}
		a[i], b[i] = w, w
		if !nulls.valid(first + i) {
			a[i], b[i] = n.k.a.null, n.k.b.null
		}
	}
}

func (n bools) canon(dst []byte, arr arrow.Array, i int) []byte {
	switch {
	case arr.IsNull(i):
		return append(dst, markNull)
	case arr.(*array.Boolean).Value(i):
		return appendWord(dst, 1)
	}
	return appendWord(dst, 0)
}
