package lz4

import (
	"math/bits"
	"unsafe"
)

// ordered8 encodes the boundaries pos, pos+8, ... last between 8-byte values
// that mostly rise or fall. It returns the boundary behind the last that it
// has encoded.
func (e *Encoder) ordered8(pos, last int) int {
	e.setUpLow(pos - 8)
	origin := e.lowOrigin
	sp := unsafe.Add(e.sp, origin)
	e.bad = 0
	patience := few/2 - pos/(4*8)
	for {
		r := runOrdered8(sp, unsafe.Add(e.dp, e.d), unsafe.Pointer(&e.low), pos-origin, last-origin, e.anchor-origin)
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

// progress is where the loop of a kernel stopped: behind the last boundary, or
// at one that needs more than one short sequence, with the match it found
// there. Off 0 means that a run of equal values begins before pos.
type progress struct {
	dp              unsafe.Pointer
	pos, anchor     int
	start, end, off int
}

// runOrdered8 is the loop of ordered8: one sequence a value, and no branch
// that depends on the values.
//
//	       v, before pos            next, at pos
//	| b0 b1 b2 b3 b4 b5 b6 b7 | b0 b1 b2 b3 b4 b5 b6 b7 |
//	  literals ^ high bytes as   ^ low bytes as the other
//	           | in the match    | match has them
//
// There are two candidates. The value before v shares v's high bytes, so the
// match is at offset 8 and ends at pos. The latest place where a value with
// next's lowest byte began may share high bytes of v before it as well, so
// the match ends at least one byte behind pos. The longer one is taken.
//
// Positions are relative to sp. It is a function of its own without calls, so
// that all of it stays in registers.
func runOrdered8(sp, dp, table unsafe.Pointer, pos, last, anchor int) (r progress) {
	for ; pos <= last; pos += 8 {
		next := load64(sp, pos)
		slot := (*int32)(unsafe.Add(table, 4*int(uint8(next))))
		c := int(*slot)
		*slot = int32(pos)
		off := pos - c
		v := load64(sp, pos-8)
		if v == next {
			break
		}
		near := (bits.Len64(v^load64(sp, pos-16)) + 7) >> 3
		far := (bits.Len64(v^load64(sp, c-8)) + 7) >> 3
		low := bits.TrailingZeros64((next^load64(sp, c))|1<<63) >> 3
		if off > maxOffset {
			far, low = 8, 0
		}
		gain := far - low - near // negative: far matches more
		choose := gain >> signBit
		end := pos + low&choose
		n := 8 - near - gain&choose
		off = 8 + (off-8)&choose
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
