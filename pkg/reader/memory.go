package reader

import (
	"strings"
	"unsafe"
)

// heap is the allocator behind Options.Alloc == nil: memory that the garbage
// collector frees, and that is not filled with zeros first, as all of it is
// about to be overwritten.
type heap struct{}

// Allocate implements memory.Allocator. The bytes hold anything.
func (heap) Allocate(size int) []byte {
	if size <= 0 {
		return []byte{}
	}
	return dirty(size)
}

// Reallocate implements memory.Allocator.
func (heap) Reallocate(size int, b []byte) []byte {
	if size <= cap(b) {
		return b[:size]
	}
	grown := dirty(size)
	copy(grown, b)
	return grown
}

// Free implements memory.Allocator.
func (heap) Free([]byte) {}

// dirty is size (at least 1) bytes that were not cleared. Only a
// strings.Builder gives such memory; the string over it, of one byte, is
// dropped here, so that nobody relies on it to stay as it is.
func dirty(size int) []byte {
	var b strings.Builder
	b.Grow(size)
	b.WriteByte(0)
	return unsafe.Slice(unsafe.StringData(b.String()), size)
}

// isHeap reports whether arrays leave their memory to the garbage collector,
// so that their buffers need no counting.
func (o *Options) isHeap() bool {
	_, ok := o.Alloc.(heap)
	return ok
}
