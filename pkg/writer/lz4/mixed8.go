package lz4

import (
	"math/bits"
	"unsafe"
)

// mixed8 is ordered8 for 8-byte values in no order, of which byte top is the
// highest one that differs much. Neighbors do not share it, but some earlier
// value does: the latest one with the same byte there stands for the value
// before, and the other candidate is looked up by next's lowest byte together
// with v's bytes from top on.
func (e *Encoder) mixed8(pos, last, shared int) int {
	e.setUpLow(pos - 8)
	origin := e.lowOrigin
	sp := unsafe.Add(e.sp, origin)
	e.bad = 0
	patience := few/2 - pos/(4*8)
	for {
		r := runMixed8(sp, unsafe.Add(e.dp, e.d), unsafe.Pointer(&e.tables), pos-origin, last-origin, e.anchor-origin, 8*shared, e.generation+uint32(origin))
		pos, e.anchor, e.d = r.pos+origin, r.anchor+origin, int(uintptr(r.dp)-uintptr(e.dp))
		if pos > last {
			return pos
		}
		if r.off == 0 {
			pos = e.run(pos, e.high(pos, 8), 8, last)
		} else {
			e.careful(r.start+origin, r.end+origin, r.off)
		}
		pos += 8
		if e.bad > patience+pos/(4*8) {
			return pos
		}
	}
}

// runMixed8 is the loop of mixed8.
func runMixed8(sp, dp, tabs unsafe.Pointer, pos, last, anchor, shift int, generation uint32) (r progress) {
	for t := (*tables)(tabs); pos <= last; pos += 8 {
		v, next := load64(sp, pos-8), load64(sp, pos)
		if v == next {
			break
		}
		high := v >> (shift & 63)
		slot := &t.low[high*mixer>>55]
		nearOff := pos - 8 - int(*slot)
		*slot = int32(pos - 8)
		if uint(nearOff-1) >= maxOffset {
			nearOff = 8
		}
		slot2 := &t.value[hash8(high<<8|uint64(uint8(next)))]
		now := generation + uint32(pos)
		off := int(now - *slot2)
		*slot2 = now
		off = 8 + (off-8)&((off-maxOffset-1)>>63)
		near := (bits.Len64(v^load64(sp, pos-8-nearOff)) + 7) >> 3
		far := (bits.Len64(v^load64(sp, pos-8-off)) + 7) >> 3
		low := bits.TrailingZeros64((next^load64(sp, pos-off))|1<<63) >> 3
		gain := far - low - near // negative: far matches more
		choose := gain >> 63
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
