package writer

import (
	"slices"

	"github.com/shufflebench/shufflebench/pkg/writer/segment"
)

// buffer holds the rows that are not spilled. A segment lies in one piece of
// memory of its own, so its capacity is what it costs, each byte once.
type buffer struct {
	held  []*segment.Segment
	size  int64    // capacity of what is held
	spare [][]byte // memory of released segments
}

func (b *buffer) add(s *segment.Segment) {
	b.held = append(b.held, s)
	b.size += int64(cap(s.Mem))
}

// alloc gives memory for a segment, used before if there is some that fits
// without much waste.
func (b *buffer) alloc(size int) []byte {
	for i, m := range b.spare {
		if cap(m) >= size && cap(m) <= 2*size {
			b.spare = slices.Delete(b.spare, i, i+1)
			return m
		}
	}
	b.spare = nil
	return make([]byte, 0, size)
}

// release empties the buffer and keeps the memory for what comes next.
func (b *buffer) release() {
	for _, s := range b.held {
		b.spare = append(b.spare, s.Mem)
	}
	clear(b.held)
	b.held, b.size = b.held[:0], 0
}
