//go:build (amd64 || arm64 || 386) && !purego

package lz4

import "unsafe"

// Words are loaded and stored as they are: these processors are little-endian
// and need no alignment. The kernels' loops are so short that what
// encoding/binary leaves behind once inlined costs one part in twenty.

func load32(p unsafe.Pointer, off int) uint32 { return *(*uint32)(unsafe.Add(p, off)) }

func load64(p unsafe.Pointer, off int) uint64 { return *(*uint64)(unsafe.Add(p, off)) }

func store16(p unsafe.Pointer, off int, v uint16) { *(*uint16)(unsafe.Add(p, off)) = v }

func store64(p unsafe.Pointer, off int, v uint64) { *(*uint64)(unsafe.Add(p, off)) = v }
