package segment

import (
	"encoding/binary"

	"github.com/apache/arrow-go/v18/arrow/bitutil"
)

// The functions here bring the rows of pieces, one after the other, into one
// buffer. views[source*stride] is the node's view of a source.

// fewRows: up to this many values a loop beats a call to move memory.
const fewRows = 16

// CopyFixed copies values of width bytes.
func CopyFixed(dst []byte, width int, pieces []Piece, views []View, stride int) {
	switch width {
	case 8:
		copyWords(As[uint64](dst), pieces, views, stride)
	case 4:
		copyWords(As[uint32](dst), pieces, views, stride)
	case 2:
		copyWords(As[uint16](dst), pieces, views, stride)
	case 16:
		copyWords(As[[2]uint64](dst), pieces, views, stride)
	default:
		copyBytes(dst, width, pieces, views, stride)
	}
}

func copyWords[T any](dst []T, pieces []Piece, views []View, stride int) {
	at := 0
	for i := range pieces {
		p := &pieces[i]
		src := As[T](views[int(p.Source)*stride].Data)[p.Lo : p.Lo+p.Rows]
		if len(src) > fewRows {
			at += copy(dst[at:], src)
			continue
		}
		to := dst[at : at+len(src)]
		for k, v := range src { //nolint:staticcheck // for the few values there are, a loop beats the call that copy is
			to[k] = v
		}
		at += len(src)
	}
}

// copyBytes is the twin of copyWords for every width.
func copyBytes(dst []byte, width int, pieces []Piece, views []View, stride int) {
	for _, p := range pieces {
		lo, hi := int(p.Lo)*width, int(p.Lo+p.Rows)*width
		dst = dst[copy(dst, views[int(p.Source)*stride].Data[lo:hi]):]
	}
}

// CopyVar copies the bytes behind offsets.
func CopyVar(dst []byte, pieces []Piece, views []View, stride int) {
	for i := range pieces {
		p := &pieces[i]
		v := &views[int(p.Source)*stride]
		dst = dst[copy(dst, v.Data[v.Off[p.Lo]-v.Base:v.Off[p.Lo+p.Rows]-v.Base]):]
	}
}

// CopyOffsets writes offsets that begin at 0 and run through all pieces.
func CopyOffsets[T int32 | int64](dst []T, pieces []Piece, views []View, stride int) {
	dst[0] = 0
	at := 0
	for i := range pieces {
		p := &pieces[i]
		off := views[int(p.Source)*stride].Off[p.Lo : p.Lo+p.Rows+1]
		delta := dst[at] - T(off[0])
		to := dst[at+1 : at+len(off)]
		for k, o := range off[1:] {
			to[k] = T(o) + delta
		}
		at += len(off) - 1
	}
}

// CopyBits copies booleans.
func CopyBits(dst []byte, pieces []Piece, views []View, stride int) {
	at := 0
	for _, p := range pieces {
		v := &views[int(p.Source)*stride]
		moveBits(dst, at, v.Data, v.DBit+int(p.Lo), int(p.Rows))
		at += int(p.Rows)
	}
	clearTail(dst, at)
}

// CopyValidity does the same with validity, where a source may have none.
func CopyValidity(dst []byte, pieces []Piece, views []View, stride int) {
	at := 0
	for _, p := range pieces {
		v := &views[int(p.Source)*stride]
		if v.Valid == nil {
			bitutil.SetBitsTo(dst, int64(at), int64(p.Rows), true)
		} else {
			moveBits(dst, at, v.Valid, v.VBit+int(p.Lo), int(p.Rows))
		}
		at += int(p.Rows)
	}
	clearTail(dst, at)
}

// CountNulls counts the nulls of a node.
func CountNulls(pieces []Piece, views []View, stride int) int {
	nulls := 0
	for i := range pieces {
		p := &pieces[i]
		if v := &views[int(p.Source)*stride]; v.Valid != nil {
			nulls += int(p.Rows) - countOnes(v.Valid, v.VBit+int(p.Lo), int(p.Rows))
		}
	}
	return nulls
}

func countOnes(bits []byte, at, n int) int {
	if n > fewRows {
		return bitutil.CountSetBits(bits, at, n)
	}
	ones := 0
	for i := at; i < at+n; i++ {
		ones += int(bits[i>>3] >> (i & 7) & 1)
	}
	return ones
}

// moveBits copies n bits; dst's other bits may change only behind them.
func moveBits(dst []byte, to int, src []byte, from, n int) {
	if n > fewRows {
		moved := moveWords(dst, to, src, from, n)
		to, from, n = to+moved, from+moved, n-moved
	}
	for i := range n {
		bit := src[(from+i)>>3] >> ((from + i) & 7) & 1
		at := &dst[(to+i)>>3]
		shift := (to + i) & 7
		*at = *at&^(1<<shift) | bit<<shift
	}
}

// moveWords copies bits, 64 and then 8 at a time, as far as that goes, and
// returns how many.
func moveWords(dst []byte, to int, src []byte, from, n int) int {
	moved := -to & 7 // up to the next byte of dst
	moveBits(dst, to, src, from, moved)
	dst, src, from = dst[(to+moved)>>3:], src[(from+moved)>>3:], (from+moved)&7
	for ; n-moved >= 64; moved += 64 {
		word := binary.LittleEndian.Uint64(src)
		if from != 0 {
			word = word>>from | uint64(src[8])<<(64-from)
		}
		binary.LittleEndian.PutUint64(dst, word)
		dst, src = dst[8:], src[8:]
	}
	for ; n-moved >= 8; moved += 8 {
		b := src[0] >> from
		if from != 0 {
			b |= src[1] << (8 - from)
		}
		dst[0] = b
		dst, src = dst[1:], src[1:]
	}
	return moved
}

// clearTail zeroes the bits behind n in its byte.
func clearTail(dst []byte, n int) {
	if n&7 != 0 {
		dst[n>>3] &= 1<<(n&7) - 1
	}
}
