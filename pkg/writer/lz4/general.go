package lz4

import (
	"math/bits"
	"unsafe"
)

// general encodes [from, to) knowing nothing: it hashes 5 bytes at every
// position (at fewer and fewer while nothing matches), takes the latest
// position with the same hash, and extends the match both ways. Small ordered
// integers repeat 5 bytes where they do not repeat the 6 that other encoders
// hash. Matches end within [from, to) and may reach back before it.
func (e *Encoder) general(from, to int) {
	b := &e.block
	last := min(to-5, b.lastStart())
	end := min(to, b.lastEnd())
	pos := max(from, b.anchor)
	if pos > last {
		return
	}
	if pos == 0 {
		e.bytes[hash5(load64(b.sp, 0))] = e.generation
		pos = 1
	}
	for {
		var off int
		if pos, off = search(b.sp, &e.bytes, e.generation, pos, last); pos > last {
			return
		}
		start := pos
		if pos > b.anchor && pos > off && b.at(pos-1) == b.at(pos-off-1) {
			start = pos - b.backward(pos-off, pos, b.anchor)
		}
		stop := pos + 4
		if x := load64(b.sp, stop) ^ load64(b.sp, stop-off); x != 0 {
			stop = min(stop+bits.TrailingZeros64(x)>>3, end)
		} else {
			stop += b.forward(stop-off, stop, end)
		}
		b.match(start, stop, off)
		pos = stop
		if stop <= last {
			e.bytes[hash5(load64(b.sp, stop-2))] = e.generation + uint32(stop-2)
		}
	}
}

// skipShift says how fast a search without matches speeds up: after 2^skipShift
// misses it looks at every second position, after as many more at every third.
const skipShift = 6

// search returns the first position from pos to last, of those that it looks
// at, whose 4 bytes lie off bytes before as well, and that distance; or a
// position beyond last. At every position 12 bytes can be read.
func search(sp unsafe.Pointer, table *[1 << byteBits]uint32, generation uint32, pos, last int) (at, off int) {
	for misses := 1 << skipShift; pos <= last; misses++ {
		v := load64(sp, pos)
		slot := &table[hash5(v)]
		now := generation + uint32(pos)
		off = int(now - *slot)
		*slot = now
		if off <= maxOffset && load32(sp, pos-off) == uint32(v) {
			return pos, off
		}
		pos += misses >> skipShift
	}
	return pos, 0
}
