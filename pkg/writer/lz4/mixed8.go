package lz4

import (
	"math/bits"
	"unsafe"
)

// mixed8 encodes the boundaries pos, pos+8, ... last between 8-byte values in
// no order, of which most share all but their lowest shared bytes with others.
// It is ordered8 with other candidates: the latest value with the same bytes
// above the shared ones stands for the value before, and the other candidate
// is looked up by those bytes of v together with next's lowest byte. It
// returns the boundary behind the last that it has encoded.
func (e *Encoder) mixed8(pos, last, shared int) int {
	e.bad = 0
	patience := few/2 - pos/(4*8)
	for {
		r := runMixed8(e.sp, unsafe.Add(e.dp, e.d), &e.tables, pos, last, e.anchor, 8*shared)
		pos, e.anchor, e.d = r.pos, r.anchor, int(uintptr(r.dp)-uintptr(e.dp))
		if pos > last {
			return pos
		}
		if r.off == 0 {
			pos = e.run(pos, e.high(pos, 8), 8, last)
		} else {
			e.careful(r.start, r.end, r.off)
		}
		pos += 8
		if e.bad > patience+pos/(4*8) {
			return pos
		}
	}
}

// runMixed8 is the loop of mixed8.
func runMixed8(sp, dp unsafe.Pointer, t *tables, pos, last, anchor, shift int) (r progress) {
	for ; pos <= last; pos += 8 {
		v, next := load64(sp, pos-8), load64(sp, pos)
		if v == next {
			break
		}
		high := v >> (shift & 63)
		now := t.generation + uint32(pos)
		slot, slot2 := &t.pair[hash8(high)], &t.value[hash8(high<<8|next&0xff)]
		nearOff, off := int(now-8-*slot), int(now-*slot2)
		*slot, *slot2 = now-8, now
		if uint(nearOff-1) >= maxOffset { // 0: another kernel has seen v
			nearOff = 8
		}
		off = 8 + (off-8)&((off-maxOffset-1)>>signBit)
		near := (bits.Len64(v^load64(sp, pos-8-nearOff)) + 7) >> 3
		far := (bits.Len64(v^load64(sp, pos-8-off)) + 7) >> 3
		low := bits.TrailingZeros64((next^load64(sp, pos-off))|1<<63) >> 3
		gain := far - low - near // negative: far matches more
		choose := gain >> signBit
		end := pos + low&choose
		n := 8 - near - gain&choose
		off = nearOff + (off-nearOff)&choose
		lit := end - n - anchor
		if uint(lit) > 7 || n < minMatch {
			r.start, r.end, r.off = end-n, end, off
			break
		}
		store64(dp, 0, load64(sp, anchor)<<8|uint64(lit<<4+n-minMatch))
		store16(dp, 1+lit, uint16(off))
		dp = unsafe.Add(dp, 3+lit)
		anchor = end
	}
	r.pos, r.anchor, r.dp = pos, anchor, dp
	return r
}
