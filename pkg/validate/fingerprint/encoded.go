package fingerprint

import (
	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
)

// dictionaries is a column of indices into a dictionary of the target's values.
type dictionaries struct {
	k      *Keys
	values node
	s      scratch
}

func (n *dictionaries) digest(arr arrow.Array, first int, a, b []uint64) {
	v := arr.(*array.Dictionary)
	dict := v.Dictionary()
	whole := dict.Len() <= len(a) // otherwise only what is used is worth a digest
	var da, db []uint64
	if whole {
		da, db = n.s.take(dict.Len())
		n.values.digest(dict, 0, da, db)
	}
	for i := range a {
		switch {
		case v.IsNull(first + i):
			a[i], b[i] = n.k.a.null, n.k.b.null
		case whole:
			x := v.GetValueIndex(first + i)
			a[i], b[i] = da[x], db[x]
		default:
			n.values.digest(dict, v.GetValueIndex(first+i), a[i:i+1], b[i:i+1])
		}
	}
}

func (n *dictionaries) canon(dst []byte, arr arrow.Array, i int) []byte {
	if arr.IsNull(i) {
		return append(dst, markNull)
	}
	v := arr.(*array.Dictionary)
	return n.values.canon(dst, v.Dictionary(), v.GetValueIndex(i))
}

// runs is a run-end encoded column of the target's values.
type runs struct{ values node }

func (n *runs) digest(arr arrow.Array, first int, a, b []uint64) {
	v := arr.(*array.RunEndEncoded)
	last := -1
	for i := range a {
		x := v.GetPhysicalIndex(first + i)
		if x == last {
			a[i], b[i] = a[i-1], b[i-1]
			continue
		}
		n.values.digest(v.Values(), x, a[i:i+1], b[i:i+1])
		last = x
	}
}

func (n *runs) canon(dst []byte, arr arrow.Array, i int) []byte {
	v := arr.(*array.RunEndEncoded)
	return n.values.canon(dst, v.Values(), v.GetPhysicalIndex(i))
}

// extensions is a column of an extension type, seen as its storage.
type extensions struct{ storage node }

func (n *extensions) digest(arr arrow.Array, first int, a, b []uint64) {
	n.storage.digest(arr.(array.ExtensionArray).Storage(), first, a, b)
}

func (n *extensions) canon(dst []byte, arr arrow.Array, i int) []byte {
	return n.storage.canon(dst, arr.(array.ExtensionArray).Storage(), i)
}
