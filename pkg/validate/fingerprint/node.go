package fingerprint

import (
	"github.com/apache/arrow-go/v18/arrow"
)

// node knows the values of one column, or of one child of a nested one. It
// owns its scratch, so a tree of nodes belongs to one goroutine.
type node interface {
	// digest writes the digests of rows [first, first+len(a)) of arr into a and
	// b, which have the same length.
	digest(arr arrow.Array, first int, a, b []uint64)
	// canon appends the value of row i so that two rows append the same bytes
	// exactly when their values are equal, and none a prefix of another.
	canon(dst []byte, arr arrow.Array, i int) []byte
}

// folder is a node that folds its digests into running states by itself.
type folder interface {
	fold(arr arrow.Array, first int, a, b []uint64)
}

// Marks that open a canonical value.
const (
	markNull  = 0
	markValue = 1
	markBad   = 2 // followed by the source's type and text
)

// foldInto folds rows of arr into the states a and b, through s if n only digests.
func foldInto(k *Keys, n node, arr arrow.Array, first int, a, b []uint64, s *scratch) {
	if f, ok := n.(folder); ok {
		f.fold(arr, first, a, b)
		return
	}
	da, db := s.take(len(a))
	n.digest(arr, first, da, db)
	for i, d := range da {
		a[i] = k.a.fold(a[i], d)
		b[i] = k.b.fold(b[i], db[i])
	}
}

// scratch is a pair of lanes that grows to the largest use.
type scratch struct{ a, b []uint64 }

func (s *scratch) take(n int) (a, b []uint64) {
	if n > cap(s.a) {
		s.a, s.b = make([]uint64, n), make([]uint64, n)
	}
	return s.a[:n], s.b[:n]
}

// validity is an array's null bitmap; none is set if nothing is null.
type validity struct {
	bits []byte
	off  int
}

func validityOf(arr arrow.Array) validity {
	if arr.NullN() == 0 {
		return validity{}
	}
	return validity{arr.NullBitmapBytes(), arr.Data().Offset()}
}

func (v validity) all() bool { return len(v.bits) == 0 }

func (v validity) valid(i int) bool {
	i += v.off
	return len(v.bits) == 0 || v.bits[i>>3]&(1<<(i&7)) != 0
}

// fill sets every element of a lane.
func fill(a []uint64, v uint64) {
	for i := range a {
		a[i] = v
	}
}

// nulls is a column of nulls: Arrow's null type.
type nulls struct{ k *Keys }

func (n nulls) digest(_ arrow.Array, _ int, a, b []uint64) {
	fill(a, n.k.a.null)
	fill(b, n.k.b.null)
}

func (n nulls) canon(dst []byte, _ arrow.Array, _ int) []byte { return append(dst, markNull) }
