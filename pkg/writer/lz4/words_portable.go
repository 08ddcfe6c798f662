//go:build !(amd64 || arm64 || 386) || purego

package lz4

import (
	"encoding/binary"
	"unsafe"
)

// Words are little-endian and not aligned, whatever the processor.

func load32(p unsafe.Pointer, off int) uint32 {
	return binary.LittleEndian.Uint32((*[4]byte)(unsafe.Add(p, off))[:])
}

func load64(p unsafe.Pointer, off int) uint64 {
	return binary.LittleEndian.Uint64((*[8]byte)(unsafe.Add(p, off))[:])
}

func store16(p unsafe.Pointer, off int, v uint16) {
	binary.LittleEndian.PutUint16((*[2]byte)(unsafe.Add(p, off))[:], v)
}

func store64(p unsafe.Pointer, off int, v uint64) {
	binary.LittleEndian.PutUint64((*[8]byte)(unsafe.Add(p, off))[:], v)
}
