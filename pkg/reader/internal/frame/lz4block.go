package frame

import (
	"encoding/binary"
	"math/bits"
	"unsafe"
)

// The decoder of LZ4 blocks. A block is a row of sequences:
//
//	token, [literal length], literals, offset u16, [match length]
//
// with the literal length in the token's high four bits, the match length less
// 4 in its low four (15: bytes follow that add up to the rest). The last
// sequence ends after its literals, and has no match length.
//
// Short sequences, nearly all, are decoded in words of 8 bytes that may write
// past their end, where later output goes. Columns of 8-byte values make
// matches at offset 8, each of which reads what was written just before, a
// piece of the last literals and a piece of the last match; a load of them
// would wait for both stores. A run of such sequences is decoded with the last
// 8 bytes of output in a register.
const (
	shortLength = 15 // lengths below it are whole in the token
	minMatch    = 4
	// A short sequence reads at most srcRoom bytes of the source (token, 16
	// bytes of literals, offset) and writes within dstRoom bytes of the
	// output (14 bytes of literals, 32 of a match).
	srcRoom = 20
	dstRoom = 48
)

// decodeLZ4Block decodes one LZ4 block behind dst[:start] and returns where
// the output ends, or -1 if the block is broken or does not fit dst. Matches
// may reach back to dst[low]. Bytes between the returned end and len(dst) may
// be overwritten with anything.
func decodeLZ4Block(dst []byte, low, start int, src []byte) int {
	return resumeLZ4Block(dst, low, start, src, 0)
}

// resumeLZ4Block is decodeLZ4Block from the sequence at src[si] on, whose
// output starts at dst[di].
func resumeLZ4Block(dst []byte, low, di int, src []byte, si int) int {
	s, d := unsafe.Pointer(unsafe.SliceData(src)), unsafe.Pointer(unsafe.SliceData(dst))
	// Every access below is at most srcRoom behind si and dstRoom behind di,
	// and every read of dst at most that behind a position not below low.
	srcFast, dstFast := len(src)-srcRoom, len(dst)-dstRoom
	for si <= srcFast && di <= dstFast {
		token := int(*(*byte)(unsafe.Add(s, si)))
		lit, length := token>>4, token&15
		if lit == shortLength || length == shortLength {
			if di, si = lz4Sequence(dst, low, di, src, si); di < 0 || si < 0 {
				return di
			}
			continue
		}
		store8(d, di, load8(s, si+1))
		store8(d, di+8, load8(s, si+9))
		si += lit + 3
		di += lit
		length += minMatch
		offset := int(load2(s, si-2))
		from := di - offset
		if from < low || offset == 0 {
			return -1
		}
		if offset > 8 {
			store8(d, di, load8(d, from))
			store8(d, di+8, load8(d, from+8))
			if length > 16 {
				store8(d, di+16, load8(d, from+16))
			}
			di += length
			continue
		}
		if offset < 8 {
			spread(d, di, load8(d, from), offset)
			di += length
			continue
		}
		for w := load8(d, from); ; {
			store8(d, di, w)
			store8(d, di+8, w)
			store8(d, di+16, w)
			di += length
			if si > srcFast || di > dstFast {
				break
			}
			w = bits.RotateLeft64(w, -8*length)
			token := int(*(*byte)(unsafe.Add(s, si)))
			lit := token >> 4
			if lit > 8 || token&15 == shortLength || load2(s, si+1+lit) != 8 {
				break
			}
			literals := load8(s, si+1)
			store8(d, di, literals)
			w = w>>(8*uint(lit)) | literals<<(64-8*uint(lit))
			si += lit + 3
			di += lit
			length = token&15 + minMatch
		}
	}
	for di >= 0 && si >= 0 {
		di, si = lz4Sequence(dst, low, di, src, si)
	}
	return di
}

// lz4Sequence decodes the sequence at src[si], of any length, and returns
// where output and source go on: di is -1 if the sequence is broken, si is -1
// if it was the last.
func lz4Sequence(dst []byte, low, di int, src []byte, si int) (int, int) {
	if si >= len(src) {
		return -1, 0
	}
	token := src[si]
	si, lit := longLength(src, si+1, int(token>>4))
	if si < 0 || lit > len(src)-si || lit > len(dst)-di {
		return -1, 0
	}
	copy(dst[di:di+lit], src[si:si+lit])
	si += lit
	di += lit
	if si == len(src) {
		return last(token, di)
	}
	if si > len(src)-2 {
		return -1, 0
	}
	offset := int(src[si]) | int(src[si+1])<<8
	si, length := longLength(src, si+2, int(token&15))
	length += minMatch
	if si < 0 || offset == 0 || offset > di-low || length > len(dst)-di {
		return -1, 0
	}
	copyMatch(dst, di, offset, length)
	return di + length, si
}

// last ends a block at di. Its last token cannot have the length of a match.
func last(token byte, di int) (int, int) {
	if token&15 != 0 {
		return -1, 0
	}
	return di, -1
}

// longLength adds the bytes of a length that does not fit its token; si is -1
// if they run out. The sum is below 255 times the source and cannot overflow.
func longLength(src []byte, si, n int) (int, int) {
	if n < shortLength {
		return si, n
	}
	for si < len(src) {
		b := src[si]
		si++
		n += int(b)
		if b != 255 {
			return si, n
		}
	}
	return -1, 0
}

// copyMatch repeats the offset bytes before di until length bytes are written.
func copyMatch(dst []byte, di, offset, length int) {
	end := di + length
	if end > len(dst)-8 {
		for from := di - offset; di < end; {
			di += copy(dst[di:end], dst[from:di])
		}
		return
	}
	d := unsafe.Pointer(unsafe.SliceData(dst))
	if offset >= 8 {
		for ; di < end; di += 8 {
			store8(d, di, load8(d, di-offset))
		}
		return
	}
	w, step := pattern(load8(d, di-offset), offset)
	for ; di < end; di += step {
		store8(d, di, w)
	}
}

// spread writes the 18 bytes and more that a short match of offset 1 to 7 can
// have: the offset low bytes of w, over and over.
func spread(d unsafe.Pointer, di int, w uint64, offset int) {
	w, step := pattern(w, offset)
	store8(d, di, w)
	store8(d, di+step, w)
	store8(d, di+2*step, w)
	store8(d, di+3*step, w)
}

// pattern fills a word with its offset (1 to 7) low bytes; step is the largest
// multiple of offset that it holds.
func pattern(w uint64, offset int) (word uint64, step int) {
	bit := 8 * uint(offset)
	w &= 1<<bit - 1
	w |= w << bit
	w |= w << (2 * bit)
	w |= w << (4 * bit)
	return w, 8 - 8%offset
}

func load2(p unsafe.Pointer, i int) uint16 {
	return binary.LittleEndian.Uint16((*[2]byte)(unsafe.Add(p, i))[:])
}

func load8(p unsafe.Pointer, i int) uint64 {
	return binary.LittleEndian.Uint64((*[8]byte)(unsafe.Add(p, i))[:])
}

func store8(p unsafe.Pointer, i int, v uint64) {
	binary.LittleEndian.PutUint64((*[8]byte)(unsafe.Add(p, i))[:], v)
}

// lz4BlockSize is the size that a block decodes to, found by walking over its
// sequences, or -1 if they are broken.
func lz4BlockSize(src []byte) int {
	size, si := 0, 0
	for si < len(src) {
		var lit, length int
		token := src[si]
		if si, lit = longLength(src, si+1, int(token>>4)); si < 0 {
			return -1
		}
		si += lit
		size += lit
		if si == len(src) && token&15 == 0 {
			return size
		}
		if si, length = longLength(src, si+2, int(token&15)); si < 0 {
			return -1
		}
		size += length + minMatch
	}
	return -1
}
