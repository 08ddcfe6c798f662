package lz4

import (
	"math/bits"
	"unsafe"
)

// repeated encodes the boundaries pos, pos+stride, ... last of a column in
// which values repeat. It looks up the value after the boundary together with
// the value before it (or its high bytes), and alone; what it finds is
// extended both ways. So one sequence covers the value and most of its
// neighbors' bytes. It returns the boundary behind the last that it has looked
// at; near the block's end that may be one up to last.
func (e *Encoder) repeated(pos, last, stride int, s shape) int {
	p := repeatedParams{stride: stride, shift: 8 * s.context, mask: 1<<(8*stride) - 1, generation: e.generation}
	switch stride {
	case 8:
		p.mask = 1<<64 - 1
	case 16:
		p.mask, p.wide = 1<<64-1, 1<<64-1
	}
	last = min(last, e.lastEnd()-16)
	if s.top < 2 || s.context == 0 {
		p.wait = 1
	}
	for {
		r := runRepeated(e.sp, unsafe.Add(e.dp, e.d), &e.tables, &p, pos, last, e.anchor)
		pos, e.anchor, e.d = r.pos, r.anchor, int(uintptr(r.dp)-uintptr(e.dp))
		if pos > last {
			return pos
		}
		start := pos - e.backward(pos-r.off, pos, max(e.anchor, pos-64))
		end := pos + e.forward(pos-r.off, pos, last)
		e.careful(start, end, r.off)
		n := max(end-pos, 0)
		pos += max((n+stride-1+p.wait)/stride, 1) * stride
	}
}

// repeatedParams are the constants of a column for runRepeated.
type repeatedParams struct {
	stride     int
	mask       uint64 // the bytes of a value in the word at its start
	wide       uint64 // ones if the next word belongs to the value as well
	shift      int    // bits of the value before that are no part of a context
	generation uint32
	// wait is 1 if the value after one that is covered as a whole had better
	// stay literal: the next match then covers its high bytes, and two values
	// cost one sequence instead of two.
	wait int
}

// runRepeated is the loop of repeated.
func runRepeated(sp, dp unsafe.Pointer, t *tables, p *repeatedParams, pos, last, anchor int) (r progress) {
	for pos <= last {
		next, next2 := load64(sp, pos), load64(sp, pos+8)
		key := (next ^ next2&p.wide*mixer) & p.mask
		context := (load64(sp, pos-p.stride) & p.mask) >> (p.shift & 63)
		slot, slot2 := &t.pair[hash8(key^context*mixer)], &t.value[hash8(key)]
		now := p.generation + uint32(pos)
		off, off2 := int(now-*slot), int(now-*slot2)
		*slot, *slot2 = now, now
		off = 8 + (off-8)&((off-maxOffset-1)>>signBit)
		off2 = 8 + (off2-8)&((off2-maxOffset-1)>>signBit)
		x := (next ^ load64(sp, pos-off)) & p.mask
		off ^= (off ^ off2) & -int((x|-x)>>63)
		low := bits.TrailingZeros64(next^load64(sp, pos-off)) >> 3
		low += bits.TrailingZeros64(next2^load64(sp, pos-off+8)) >> 3 & -(low >> 3)
		high := bits.LeadingZeros64(load64(sp, pos-8)^load64(sp, pos-off-8)) >> 3
		high += bits.LeadingZeros64(load64(sp, pos-16)^load64(sp, pos-off-16)) >> 3 & -(high >> 3)
		start := max(pos-high, anchor)
		n, lit := pos+low-start, start-anchor
		if n < minMatch {
			pos += p.stride
			continue
		}
		if lit > 14 || low == 16 && (p.stride < 16 || off == 16) {
			r.off = off
			break
		}
		*(*byte)(dp) = byte(lit<<4 + min(n-minMatch, 15))
		store64(dp, 1, load64(sp, anchor))
		store64(dp, 9, load64(sp, anchor+8))
		store16(dp, 1+lit, uint16(off))
		*(*byte)(unsafe.Add(dp, 3+lit)) = byte(n - minMatch - 15)
		dp = unsafe.Add(dp, 3+lit+int(uint(14-(n-minMatch))>>signBit))
		anchor = pos + low
		// Branches, so that the next round need not wait for low.
		if pos += p.stride; low < p.stride || low == p.stride && p.wait == 0 {
			continue
		}
		if pos += p.stride; low >= 2*p.stride {
			pos += (low - 2*p.stride + p.stride - 1 + p.wait) &^ (p.stride - 1)
		}
	}
	r.pos, r.anchor, r.dp = pos, anchor, dp
	return r
}
