package fingerprint

import (
	"encoding/binary"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"

	"github.com/shufflebench/shufflebench/pkg/validate/internal/cells"
)

// texts is a column of strings or binaries, of any layout.
type texts struct{ k *Keys }

func (n texts) digest(arr arrow.Array, first int, a, b []uint64) {
	switch v := arr.(type) {
	case *array.String:
		digestOffsets(n.k, arr, v.ValueOffsets(), v.ValueBytes(), first, a, b)
	case *array.Binary:
		digestOffsets(n.k, arr, v.ValueOffsets(), v.ValueBytes(), first, a, b)
	case *array.LargeString:
		digestOffsets(n.k, arr, v.ValueOffsets(), v.ValueBytes(), first, a, b)
	case *array.LargeBinary:
		digestOffsets(n.k, arr, v.ValueOffsets(), v.ValueBytes(), first, a, b)
	default:
		for i := range a {
			if arr.IsNull(first + i) {
				a[i], b[i] = n.k.a.null, n.k.b.null
			} else {
				a[i], b[i] = n.k.bytes(textAt(arr, first+i))
			}
		}
	}
}

// digestOffsets walks offsets and data where they lie. The offsets are the
// array's own, its first row's value opens data.
func digestOffsets[T int32 | int64](k *Keys, arr arrow.Array, off []T, data []byte, first int, a, b []uint64) {
	if len(a) == 0 {
		return
	}
	base := off[0]
	nulls := validityOf(arr)
	off = off[first : first+len(a)+1]
	for i := range a {
		if nulls.valid(first + i) {
			a[i], b[i] = k.bytes(data[off[i]-base : off[i+1]-base])
		} else {
			a[i], b[i] = k.a.null, k.b.null
		}
	}
}

// textAt is the bytes of row i, in place.
func textAt(arr arrow.Array, i int) []byte {
	p, _ := cells.Bytes(arr, i)
	return p
}

func (n texts) canon(dst []byte, arr arrow.Array, i int) []byte {
	if arr.IsNull(i) {
		return append(dst, markNull)
	}
	p := textAt(arr, i)
	dst = binary.LittleEndian.AppendUint64(append(dst, markValue), uint64(len(p)))
	return append(dst, p...)
}
