package frame

import (
	"encoding/binary"
	"math/bits"
)

// Blocks of one shuffle begin alike: the same schema message, the same start
// of a batch's metadata, which an encoder turns into the same sequences. Of a
// block of a few rows that is most. lz4Head keeps the beginning of one block,
// decoded, with the places where its sequences start, and decodes another from
// the last such place up to which its source is the same.
//
//	src   seq | seq | seq | se#                 # the first byte that differs
//	                      ^ resume here, what it decodes to so far is known
type lz4Head struct {
	src   []byte
	dst   []byte
	marks []lz4Mark // by position in src: the last sequence that starts there or before
	poor  int       // blocks in a row that had little in common with it
	// patience is how many of those there may be before another head is taken;
	// it doubles with every head that was no use.
	patience int
}

// lz4Mark is the start of a sequence in source and output.
type lz4Mark struct{ src, dst uint16 }

const (
	headSource    = 4 << 10 // most of a source that is kept
	headOutput    = 16 << 10
	leastPatience = 8
	mostPatience  = 1 << 12
)

// decode decodes a block to the start of dst; -1 if it is broken.
func (h *lz4Head) decode(dst, src []byte) int {
	m := h.resume(src)
	switch h.poor++; {
	case h.src == nil:
		h.patience = leastPatience
		h.learn(src)
	case 2*int(m.src) >= len(h.src):
		h.poor, h.patience = 0, leastPatience
	case h.poor >= h.patience:
		h.patience = min(2*h.patience, mostPatience)
		h.learn(src)
		m = lz4Mark{}
	}
	if int(m.dst) > len(dst) {
		return -1
	}
	copy(dst, h.dst[:m.dst])
	return resumeLZ4Block(dst, 0, int(m.dst), src, int(m.src))
}

// resume is the last start of a sequence before which src is like the head.
func (h *lz4Head) resume(src []byte) lz4Mark {
	if h.src == nil {
		return lz4Mark{}
	}
	return h.marks[commonPrefix(src, h.src)]
}

// learn takes the beginning of a block for the head. Of a broken block it
// takes as much as decodes.
func (h *lz4Head) learn(src []byte) {
	h.poor = 0
	if cap(h.dst) < headOutput {
		h.dst = make([]byte, headOutput)
	}
	h.dst = h.dst[:headOutput]
	h.marks = append(h.marks[:0], lz4Mark{})
	last := lz4Mark{}
	for di, si := 0, 0; ; {
		di, si = lz4Sequence(h.dst, 0, di, src, si)
		if di < 0 || si < 0 || si > headSource {
			break
		}
		for len(h.marks) < si {
			h.marks = append(h.marks, last)
		}
		last = lz4Mark{src: uint16(si), dst: uint16(di)}
		h.marks = append(h.marks, last)
	}
	h.src = append(h.src[:0], src[:last.src]...)
	h.dst = h.dst[:last.dst]
}

// commonPrefix is the number of bytes in which a and b begin alike.
func commonPrefix(a, b []byte) int {
	n := min(len(a), len(b))
	a, b = a[:n], b[:n]
	i := 0
	for ; i <= n-8; i += 8 {
		if x := binary.LittleEndian.Uint64(a[i:]) ^ binary.LittleEndian.Uint64(b[i:]); x != 0 {
			return i + bits.TrailingZeros64(x)/8
		}
	}
	for ; i < n && a[i] == b[i]; i++ {
	}
	return i
}
