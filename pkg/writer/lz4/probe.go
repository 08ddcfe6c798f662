package lz4

import "math/bits"

// ordered tells whether the 8-byte values from before pos on rise or fall,
// but for one.
func (b *block) ordered(pos int) bool {
	rises := 0
	for i := range 8 {
		if int64(load64(b.sp, pos+8*i-8)) <= int64(load64(b.sp, pos+8*i)) {
			rises++
		}
	}
	return rises <= 1 || rises >= 7
}

// shape is what probing a column finds out.
type shape struct {
	repeats bool // most values occur again within reach of a match
	context int  // low bytes of the value before that are no part of a context
	top     int  // the highest byte in which values differ much
	shared  int  // low bytes without which most 8-byte values occur again; 8 if there is no such number
}

const (
	probeMost = 256 // values that are looked at, at most
	seenBits  = 9   // of the table that remembers them
)

// probe looks at values from pos on, as far as last, but no more than a
// quarter of all the total values of the column.
func (e *Encoder) probe(pos, last, stride, total int) (s shape) {
	n := min(total/4, probeMost, (last-pos)/stride+1)
	total = min(total, maxOffset/stride)
	distinct := e.distinct(pos, stride, n, 0)
	s.repeats = distinct*2 <= total
	s.context = 1
	if distinct*distinct*2 <= total {
		s.context = 0
	}
	if s.repeats {
		s.top = e.topByte(pos, stride)
		return s
	}
	s.shared = 8
	if classes := min(total/8, 1000); stride == 8 && e.distinct(pos, 8, n, 4) <= classes {
		for s.shared = 1; s.shared < 4 && e.distinct(pos, 8, n, s.shared) > classes; {
			s.shared++
		}
	}
	return s
}

// distinct estimates how many values there are, less their lowest bytes, by
// the repetitions among n of them.
func (e *Encoder) distinct(pos, stride, n, bytes int) int {
	seen, repeated := &e.seen, 0
	clear(seen[:])
	for i := range n {
		v := e.valueAt(pos+i*stride, stride)>>(8*bytes) + 1
		slot := &seen[hash8(v)>>(valueBits-seenBits)]
		if *slot == v {
			repeated++
		}
		*slot = v
	}
	return distinctValues(n, repeated)
}

// topByte returns the highest byte in which the values around pos differ.
func (e *Encoder) topByte(pos, stride int) int {
	differ, before := uint64(0), e.valueAt(pos-stride, stride)
	for i := range few {
		v := e.valueAt(pos+i*stride, stride)
		differ |= v ^ before
		before = v
	}
	return max(bits.Len64(differ)-1, 0) / 8
}

// distinctValues estimates how many values there are in all, if n random ones
// of them hold repeated duplicates.
func distinctValues(n, repeated int) int {
	switch {
	case repeated == 0:
		return 1 << 20
	case repeated > n/2:
		return n - repeated
	default:
		return n * n / (2 * repeated)
	}
}

// valueAt returns the value at pos; of 16 bytes a mixture.
func (b *block) valueAt(pos, stride int) uint64 {
	switch stride {
	case 4:
		return uint64(load32(b.sp, pos))
	case 8:
		return load64(b.sp, pos)
	default:
		return load64(b.sp, pos) ^ load64(b.sp, pos+8)*mixer
	}
}

// mixer is an odd number with well spread bits.
const mixer = 0x9e3779b97f4a7c15
