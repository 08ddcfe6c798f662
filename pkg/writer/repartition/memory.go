package repartition

import (
	"slices"

	"github.com/apache/arrow-go/v18/arrow/memory"
)

// collected reports whether memory comes from the Go heap, where references need
// no counting: the collector sees who still holds it. That spares a slice of a
// few rows two atomic additions a buffer.
func collected(alloc memory.Allocator) bool {
	_, ok := alloc.(*memory.GoAllocator)
	return ok
}

// padding is what the library's allocator adds to every buffer of the Go heap,
// so that it can begin at a multiple of 64.
const padding = 64

// owner makes buffers of memory that alloc made. What comes from the Go heap
// needs no count of references.
func owner(b []byte, alloc memory.Allocator) *memory.Buffer {
	if collected(alloc) {
		return memory.NewBufferBytes(b)
	}
	return memory.NewBufferWithAllocator(b, alloc)
}

// largeClass: allocations above are made of pages.
const (
	largeClass = 32 << 10
	page       = 8 << 10
)

// sizer knows what the heap sets aside for an allocation: sizes up to 32 KiB
// come in classes, which the runtime tells by the capacity it grows a slice to.
type sizer map[int]int64

func (s sizer) of(n int) int64 {
	switch {
	case n == 0:
		return 0
	case n > largeClass:
		return int64(n+page-1) &^ (page - 1)
	}
	size, ok := s[n]
	if !ok {
		size = int64(cap(slices.Grow([]byte(nil), n)))
		s[n] = size
	}
	return size
}
