package encode

import (
	"encoding/binary"

	"github.com/shufflebench/shufflebench/pkg/writer/lz4"
	"github.com/shufflebench/shufflebench/pkg/writer/segment"
)

// Offsets stored as lengths, as Comet 1.2 writes them with zstd: the n+1 i32
// offsets of a buffer become n+1 differences, the first 0, and their bytes are
// cut into four planes, lowest bytes first. Small lengths leave three planes of
// zeros, and the general compressor sees runs.

// offsetSize is the size of the offsets that are stored as lengths.
const offsetSize = 4

// hasOffsets reports whether the layout has i32 offsets anywhere; blocks of
// other schemas keep the plain tag.
func hasOffsets(l *segment.Layout) bool {
	for _, n := range l.Nodes {
		if (n.Kind == segment.Var || n.Kind == segment.List) && !n.Wide {
			return true
		}
	}
	return false
}

// cutPlanes replaces the offsets buffers of a payload.
func (b *body) cutPlanes(p payload) {
	for _, r := range b.regions[p.regions[0]:p.regions[1]] {
		if r.Kind == lz4.Offsets && r.Stride == offsetSize {
			b.planes = appendPlanes(b.planes[:0], b.buf[p.start+r.Start:p.start+r.End])
			copy(b.buf[p.start+r.Start:], b.planes)
		}
	}
}

// appendPlanes appends the planes of offsets.
func appendPlanes(dst, offsets []byte) []byte {
	n := len(offsets) / offsetSize
	at := len(dst)
	dst = growBy(dst, len(offsets))
	planes := dst[at:]
	prev := uint32(0)
	for i := range n {
		o := binary.LittleEndian.Uint32(offsets[offsetSize*i:])
		d := o - prev
		prev = o
		planes[i], planes[n+i], planes[2*n+i], planes[3*n+i] = byte(d), byte(d>>8), byte(d>>16), byte(d>>24)
	}
	return dst
}
