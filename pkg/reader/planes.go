package reader

import (
	"encoding/binary"

	"github.com/shufflebench/shufflebench/internal/shufflefile"
)

// Offsets stored as lengths (tag bit 7): in place of the offsets o[0..n] come
// d[0] = o[0] and d[i] = o[i]-o[i-1], cut into four planes of n+1 bytes, the
// lowest bytes of all of them first. Lengths are small, so three of the four
// planes are nearly all zeros.
//
//	 0            n+1           2(n+1)         3(n+1)         4(n+1)
//	+-------------+--------------+--------------+--------------+
//	| d[i] & 0xff | d[i]>>8 & .. | d[i]>>16 ... | d[i]>>24     |
//	+-------------+--------------+--------------+--------------+

// unplane replaces the planes in v, of length+1 numbers, by the offsets.
func (l *loader) unplane(v *view, length int) error {
	n := length + 1
	if len(v.bytes) != 4*n {
		return shufflefile.Corrupt("offsets of %d rows, stored as lengths, take %d bytes", length, len(v.bytes))
	}
	if l.part.from != nil && !v.owned {
		// the copy of the body is there to be written to
		at := l.end - int64(len(v.bytes))
		undoPlanes(v.bytes, l.part.from[at:l.end])
		return nil
	}
	planes := *v
	*v = view{bytes: l.alloc.Allocate(4 * n), owned: true}
	undoPlanes(v.bytes, planes.bytes)
	if planes.owned {
		l.alloc.Free(planes.bytes)
	}
	return nil
}

// undoPlanes writes to dst the offsets whose lengths src has in planes. Both
// have the same size, a multiple of four, and do not overlap. Lengths that add
// up to too much wrap around, as the checks of the offsets will find.
func undoPlanes(dst, src []byte) {
	n := len(src) / 4
	p0, p1, p2, p3 := src[:n], src[n:2*n:2*n], src[2*n:3*n:3*n], src[3*n:4*n:4*n]
	dst = dst[:4*n]
	var sum uint32
	for i := range p0 {
		sum += uint32(p0[i]) | uint32(p1[i])<<8 | uint32(p2[i])<<16 | uint32(p3[i])<<24
		binary.LittleEndian.PutUint32(dst[4*i:], sum)
	}
}
