package lz4

import "math/bits"

// Kind says what the bytes of a region are.
type Kind uint8

// The kinds.
const (
	Opaque  Kind = iota // nothing is known; string and binary bytes
	Fixed               // fixed-width values of Stride bytes, little-endian
	Offsets             // rising offsets of Stride bytes: 4 (int32) or 8 (int64)
	Bits                // validity or boolean bitmaps
)

// Region is a part [Start, End) of a payload whose kind is known. The bytes
// between regions are taken for zero padding and short markers.
type Region struct {
	Start, End int
	Kind       Kind
	Stride     int // bytes a value: Fixed and Offsets
}

// padding is the most that may lie between two regions to be looked at as
// padding; more is encoded as Opaque.
const padding = 72

// columns encodes src, which begins at byte base of the payload, region by
// region.
func (e *Encoder) columns(h *Head, src []byte, regions []Region, base int) {
	pos := 0
	if h != nil {
		pos = h.apply(&e.block, src)
	}
	for i := range regions {
		r := &regions[i]
		start, end := r.Start-base, min(r.End-base, len(src))
		if start < pos {
			start = pos + r.beyond(pos-start)
		}
		if start >= end {
			continue
		}
		e.gap(pos, start)
		e.region(start, end, r)
		pos = end
	}
	e.gap(pos, len(src))
}

// beyond is how far the next value begins behind byte n of the region.
func (r *Region) beyond(n int) int {
	if r.Stride < 2 || n%r.Stride == 0 {
		return 0
	}
	return r.Stride - n%r.Stride
}

// region encodes [start, end).
func (e *Encoder) region(start, end int, r *Region) {
	if r.Kind == Opaque || r.Kind == Bits {
		e.general(start, end)
		return
	}
	switch r.Stride {
	case 4, 8, 16:
		e.column(start, end, r.Stride)
	default:
		e.general(start, end)
	}
}

// gap encodes what lies between two regions: a run of zeros, begun by the
// zero bytes at the end of the last value, becomes one match at offset 1.
func (e *Encoder) gap(from, to int) {
	if to-from > padding {
		e.general(from, to)
		return
	}
	b := &e.block
	from = max(from, b.anchor)
	right := from + b.zeros(from, min(to, b.lastEnd()))
	if right == from {
		return
	}
	left := from - b.zerosBefore(from)
	if left == 0 || b.at(left-1) != 0 {
		left++ // the run's first byte has to be there
	}
	if right-left >= minMatch && left <= b.lastStart() {
		b.match(left, right, 1)
	}
}

// zeros counts the zero bytes at pos, up to end.
func (b *block) zeros(pos, end int) int {
	from := pos
	for ; pos+8 <= end; pos += 8 {
		if x := load64(b.sp, pos); x != 0 {
			return pos - from + bits.TrailingZeros64(x)>>3
		}
	}
	for pos < end && b.at(pos) == 0 {
		pos++
	}
	return pos - from
}

// zerosBefore counts the zero bytes before pos that are not covered yet; at
// most 8.
func (b *block) zerosBefore(pos int) int {
	if pos < 8 {
		return 0
	}
	return min(bits.LeadingZeros64(load64(b.sp, pos-8))>>3, pos-b.anchor)
}
