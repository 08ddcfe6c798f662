package lz4

import (
	"math/bits"
	"unsafe"
)

// The rules of an LZ4 block.
const (
	minMatch     = 4     // shortest match
	maxOffset    = 65535 // farthest a match reaches back
	endLiterals  = 5     // the last bytes of a block are literals
	lastMatchGap = 12    // the last match starts at least this far before the end
)

// slack is how far past the encoded bytes the kernels may store: they write
// literals in words of 8 bytes and let the next sequence overwrite the excess.
const slack = 32

// signBit shifts an int down to its sign: 0 or -1, the mask with which the
// kernels choose without a branch.
const signBit = bits.UintSize - 1

// block is one LZ4 block in the making. Its buffers are reached through plain
// pointers, because the kernels have checked the bounds of a whole region
// before they start.
type block struct {
	sp     unsafe.Pointer // the bytes to encode
	dp     unsafe.Pointer // receives the sequences; at least maxEncoded(n) bytes
	n      int            // length of sp's bytes
	d      int            // bytes stored to dp
	anchor int            // first byte of sp that no sequence has covered yet
}

// maxEncoded is the room that encoding n bytes may need at dp. A sequence with
// a match never grows, so only literal lengths count.
func maxEncoded(n int) int { return n + n/255 + 16 + slack }

func (b *block) begin(dst, src []byte) {
	b.sp, b.dp = unsafe.Pointer(unsafe.SliceData(src)), unsafe.Pointer(unsafe.SliceData(dst))
	b.n, b.d, b.anchor = len(src), 0, 0
}

// lastStart is the last position where a match may start.
func (b *block) lastStart() int { return b.n - lastMatchGap }

// lastEnd is the last position where a match may end.
func (b *block) lastEnd() int { return b.n - endLiterals }

// match ends the pending literals at start and covers [start, end) by what
// lies off bytes before. It needs anchor <= start and minMatch <= end-start.
func (b *block) match(start, end, off int) {
	lit, n := start-b.anchor, end-start-minMatch
	if lit <= 14 && n <= 14 && b.anchor+16 <= b.n {
		p := unsafe.Add(b.dp, b.d)
		*(*byte)(p) = byte(lit<<4 | n)
		store64(p, 1, load64(b.sp, b.anchor))
		store64(p, 9, load64(b.sp, b.anchor+8))
		store16(p, 1+lit, uint16(off))
		b.d += 3 + lit
		b.anchor = end
		return
	}
	token := unsafe.Add(b.dp, b.d)
	b.d++
	*(*byte)(token) = byte(min(lit, 15)<<4 | min(n, 15))
	if lit >= 15 {
		b.length(lit - 15)
	}
	b.literals(lit)
	store16(b.dp, b.d, uint16(off))
	b.d += 2
	if n >= 15 {
		b.length(n - 15)
	}
	b.anchor = end
}

// length stores the part of a length that the token has no room for.
func (b *block) length(n int) {
	for ; n >= 255; n -= 255 {
		*(*byte)(unsafe.Add(b.dp, b.d)) = 255
		b.d++
	}
	*(*byte)(unsafe.Add(b.dp, b.d)) = byte(n)
	b.d++
}

// literals copies n bytes from the anchor.
func (b *block) literals(n int) {
	if n <= 16 && b.anchor+16 <= b.n {
		store64(b.dp, b.d, load64(b.sp, b.anchor))
		store64(b.dp, b.d+8, load64(b.sp, b.anchor+8))
	} else {
		copy(unsafe.Slice((*byte)(unsafe.Add(b.dp, b.d)), n), unsafe.Slice((*byte)(unsafe.Add(b.sp, b.anchor)), n))
	}
	b.d += n
}

// finish stores what is pending as the block's last sequence and returns the
// encoded size.
func (b *block) finish() int {
	lit := b.n - b.anchor
	*(*byte)(unsafe.Add(b.dp, b.d)) = byte(min(lit, 15) << 4)
	b.d++
	if lit >= 15 {
		b.length(lit - 15)
	}
	b.literals(lit)
	return b.d
}

// forward counts the equal bytes at a and p, a < p, until p reaches end.
func (b *block) forward(a, p, end int) int {
	from := p
	for p+8 <= end {
		if x := load64(b.sp, a) ^ load64(b.sp, p); x != 0 {
			return p - from + bits.TrailingZeros64(x)>>3
		}
		a, p = a+8, p+8
	}
	for p < end && b.at(a) == b.at(p) {
		a, p = a+1, p+1
	}
	return p - from
}

// backward counts the equal bytes before a and p, a < p, while p stays above
// low and a above 0.
func (b *block) backward(a, p, low int) int {
	from := p
	low = max(low, p-a)
	for p-8 >= low {
		if x := load64(b.sp, a-8) ^ load64(b.sp, p-8); x != 0 {
			return from - p + bits.LeadingZeros64(x)>>3
		}
		a, p = a-8, p-8
	}
	for p > low && b.at(a-1) == b.at(p-1) {
		a, p = a-1, p-1
	}
	return from - p
}

func (b *block) at(pos int) byte { return *(*byte)(unsafe.Add(b.sp, pos)) }
