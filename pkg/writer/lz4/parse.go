package lz4

import (
	"encoding/binary"
	"slices"
)

// sequence is one step of a parse: literals up to start, then a match
// [start, end) with what lies off bytes before.
type sequence struct{ start, end, off int }

// parse finds the sequences that encode src in the fewest bytes, up to ties.
// Bytes whose mask is zero stay literals and serve no match. It is a
// shortest path over positions: a literal goes one step, a match any number
// of steps up to the longest at its position. It is slow and run once a head.
func parse(src, mask []byte) []sequence {
	steps := make([]step, len(src)+1)
	for i := range steps[1:] {
		steps[i+1].cost = 1 << 30
	}
	longest := newFinder(src, mask)
	for i := range src {
		here := steps[i]
		lit := here.literals + 1
		steps[i+1].offer(step{cost: here.cost + 1 + extraBytes(lit, lit-1), literals: lit, length: 1})
		n, off := longest.at(i)
		for k := minMatch; k <= n; k++ {
			cost := here.cost + 3 + lengthBytes(k-minMatch)
			steps[i+k].offer(step{cost: cost, length: k, off: off})
		}
	}
	return walk(steps)
}

// step is the cheapest known way to a position.
type step struct {
	cost     int // bytes
	literals int // how many literals in a row lead here
	length   int // bytes of the last step
	off      int // of the match that leads here, 0 for a literal
}

func (s *step) offer(other step) {
	if other.cost < s.cost || other.cost == s.cost && other.literals < s.literals {
		*s = other
	}
}

// walk goes back from the end and returns the matches in order.
func walk(steps []step) []sequence {
	var out []sequence
	for i := len(steps) - 1; i > 0; i -= steps[i].length {
		if s := steps[i]; s.off > 0 {
			out = append(out, sequence{start: i - s.length, end: i, off: s.off})
		}
	}
	slices.Reverse(out)
	return out
}

// lengthBytes is how many bytes a length takes beyond the token's 4 bits.
func lengthBytes(n int) int {
	if n < 15 {
		return 0
	}
	return 1 + (n-15)/255
}

// extraBytes is what lengthening a run of literals costs beyond the literal.
func extraBytes(n, before int) int { return lengthBytes(n) - lengthBytes(before) }

// finder finds longest matches by chains of positions with equal 4 bytes.
type finder struct {
	src    []byte
	run    []int // how many bytes from here on are fixed
	latest map[uint32]int
	chain  []int // the position before with the same 4 bytes, -1 for none
}

// maxChain bounds the candidates that are compared at one position.
const maxChain = 512

func newFinder(src, mask []byte) *finder {
	f := &finder{src: src, run: make([]int, len(src)+1), latest: map[uint32]int{}, chain: make([]int, len(src))}
	for i := len(src) - 1; i >= 0; i-- {
		if mask[i] != 0 {
			f.run[i] = f.run[i+1] + 1
		}
	}
	return f
}

// at returns the longest match at pos and remembers pos; positions have to
// come in order.
func (f *finder) at(pos int) (n, off int) {
	if f.run[pos] < minMatch {
		return 0, 0
	}
	key := binary.LittleEndian.Uint32(f.src[pos:])
	c, known := f.latest[key]
	if !known {
		c = -1
	}
	f.latest[key], f.chain[pos] = pos, c
	for range maxChain {
		if c < 0 || pos-c > maxOffset {
			break
		}
		if k := f.common(c, pos); k > n {
			n, off = k, pos-c
		}
		c = f.chain[c]
	}
	return n, off
}

// common counts the equal fixed bytes at c and pos.
func (f *finder) common(c, pos int) int {
	limit := min(f.run[c], f.run[pos])
	n := 0
	for n < limit && f.src[c+n] == f.src[pos+n] {
		n++
	}
	return n
}
