package fingerprint

import (
	"encoding/binary"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
)

// structs folds the digests of its fields, by position.
type structs struct {
	k      *Keys
	fields []node
	s      scratch
}

func (n *structs) digest(arr arrow.Array, first int, a, b []uint64) {
	v := arr.(*array.Struct)
	fill(a, n.k.a.nested)
	fill(b, n.k.b.nested)
	for f, child := range n.fields {
		foldInto(n.k, child, v.Field(f), first, a, b, &n.s)
	}
	nulls := validityOf(arr)
	if nulls.all() {
		return
	}
	for i := range a {
		if !nulls.valid(first + i) { // what is behind a null struct does not count
			a[i], b[i] = n.k.a.null, n.k.b.null
		}
	}
}

func (n *structs) canon(dst []byte, arr arrow.Array, i int) []byte {
	if arr.IsNull(i) {
		return append(dst, markNull)
	}
	dst = append(dst, markValue)
	for f, child := range n.fields {
		dst = child.canon(dst, arr.(*array.Struct).Field(f), i)
	}
	return dst
}

// lists folds a list's length and the digests of its elements. It digests
// elements in windows, so that a list of any length needs bounded scratch.
type lists struct {
	k     *Keys
	child node
	s     scratch
}

// window is the number of elements digested at a time.
const window = 1024

func (n *lists) digest(arr arrow.Array, first int, a, b []uint64) {
	v := arr.(array.ListLike)
	elems := v.ListValues()
	count := int64(elems.Len())
	ka, kb := &n.k.a, &n.k.b
	var lo, hi int64 // elements that da and db hold
	var da, db []uint64
	for i := range a {
		if v.IsNull(first + i) {
			a[i], b[i] = ka.null, kb.null
			continue
		}
		p, end := v.ValueOffsets(first + i)
		end = min(end, count)
		x, y := ka.fold(ka.nested, uint64(end-p)), kb.fold(kb.nested, uint64(end-p))
		for p < end {
			if p < lo || p >= hi {
				lo, hi = p, min(p+window, count)
				da, db = n.s.take(int(hi - lo))
				n.child.digest(elems, int(lo), da, db)
			}
			for ; p < min(end, hi); p++ {
				x, y = ka.fold(x, da[p-lo]), kb.fold(y, db[p-lo])
			}
		}
		a[i], b[i] = x, y
	}
}

func (n *lists) canon(dst []byte, arr arrow.Array, i int) []byte {
	if arr.IsNull(i) {
		return append(dst, markNull)
	}
	v := arr.(array.ListLike)
	p, end := v.ValueOffsets(i)
	dst = binary.LittleEndian.AppendUint64(append(dst, markValue), uint64(end-p))
	for ; p < end; p++ {
		dst = n.child.canon(dst, v.ListValues(), int(p))
	}
	return dst
}
