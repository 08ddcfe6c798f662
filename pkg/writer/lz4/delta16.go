package lz4

import (
	"math/bits"
	"unsafe"
)

// delta16 is ordered8 for 16-byte values, which are decimals more often than
// not: small numbers whose high bytes are all 00 or all ff. So the first
// candidate for the high bytes of v is the latest value of the same sign, and
// the other one is looked up by next's lowest byte and v's sign.
func (e *Encoder) delta16(pos, last int) int {
	e.setUpLow(pos - 16)
	origin := e.lowOrigin
	sp := unsafe.Add(e.sp, origin)
	e.bad = 0
	patience := few/2 - pos/(4*16)
	latest := [2]int{pos - origin - 32, pos - origin - 32}
	for {
		r := runDelta16(sp, unsafe.Add(e.dp, e.d), unsafe.Pointer(&e.low), &latest, pos-origin, last-origin, e.anchor-origin)
		pos, e.anchor, e.d = r.pos+origin, r.anchor+origin, int(uintptr(r.dp)-uintptr(e.dp))
		if pos > last {
			return pos
		}
		pos = 16 + e.run(pos, e.high(pos, 16), 16, last)
		if e.bad > patience+pos/(4*16) {
			return pos
		}
	}
}

// runDelta16 is the loop of delta16. Where it stops, neither candidate serves.
func runDelta16(sp, dp, table unsafe.Pointer, latest *[2]int, pos, last, anchor int) (r progress) {
	for ; pos <= last; pos += 16 {
		next := load64(sp, pos)
		lo, hi := load64(sp, pos-16), load64(sp, pos-8)
		slot := (*int32)(unsafe.Add(table, 4*int(uint8(next))+int(hi>>63)<<10))
		c := int(*slot)
		*slot = int32(pos)
		off := pos - c
		same := &latest[hi>>63]
		nearOff := pos - 16 - *same
		*same = pos - 16
		near := (bits.Len64(lo^load64(sp, pos-16-nearOff)) + 7) >> 3
		nearHigh := hi ^ load64(sp, pos-8-nearOff)
		far := (bits.Len64(lo^load64(sp, c-16)) + 7) >> 3
		farHigh := hi ^ load64(sp, c-8)
		low := bits.TrailingZeros64((next^load64(sp, c))|1<<63) >> 3
		if off > maxOffset {
			farHigh, low = 1, 0
		}
		far += int((farHigh|-farHigh)>>63) << 4 // too far to be chosen
		gain := far - low - near                // negative: far matches more
		choose := gain >> signBit
		end := pos + low&choose
		n := 16 - near - gain&choose
		off = nearOff + (off-nearOff)&choose
		lit := end - n - anchor
		if uint(lit-1) > 6 || n > 18 || nearHigh != 0 || nearOff > maxOffset {
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
