package frame

import (
	"encoding/binary"
	"unsafe"
)

// Kinds of a snappy element, in the low two bits of its tag.
const (
	snappyLiteral = iota
	snappyCopy1   // 3 more bits of length, 11 of offset
	snappyCopy2   // 6 bits of length, 16 of offset
	snappyCopy4   // 6 bits of length, 32 of offset
)

// Room that a short element may read and write, as in the LZ4 decoder: a copy
// of 64 bytes in words, a literal of 16.
const (
	snappySrcRoom = 17
	snappyDstRoom = 80
)

// decodeSnappyBlock decodes the elements of a snappy block, without the size
// before them, into all of dst; false if they are broken or do not fill it.
func decodeSnappyBlock(dst, src []byte) bool {
	di, si := 0, 0
	s, d := unsafe.Pointer(unsafe.SliceData(src)), unsafe.Pointer(unsafe.SliceData(dst))
	srcFast, dstFast := len(src)-snappySrcRoom, len(dst)-snappyDstRoom
	for si <= srcFast && di <= dstFast {
		tag := int(*(*byte)(unsafe.Add(s, si)))
		length, offset := tag>>2+1, 0
		switch tag & 3 {
		case snappyLiteral:
			if length > 16 {
				if di, si = snappyElement(dst, di, src, si); di < 0 {
					return false
				}
				continue
			}
			store8(d, di, load8(s, si+1))
			store8(d, di+8, load8(s, si+9))
			si += 1 + length
			di += length
			continue
		case snappyCopy1:
			length = 4 + tag>>2&7
			offset = tag>>5<<8 | int(*(*byte)(unsafe.Add(s, si+1)))
			si += 2
		case snappyCopy2:
			offset = int(load2(s, si+1))
			si += 3
		case snappyCopy4:
			offset = int(load2(s, si+1)) | int(load2(s, si+3))<<16
			si += 5
		}
		if offset == 0 || offset > di {
			return false
		}
		copyMatch(dst, di, offset, length)
		di += length
	}
	for di >= 0 && si < len(src) {
		di, si = snappyElement(dst, di, src, si)
	}
	return di == len(dst)
}

// snappyElement decodes the element at src[si], of any length; di is -1 if it
// is broken.
func snappyElement(dst []byte, di int, src []byte, si int) (int, int) {
	tag := int(src[si])
	if tag&3 == snappyLiteral {
		return snappyLiterals(dst, di, src, si)
	}
	var field [4]byte
	width := [...]int{snappyCopy1: 1, snappyCopy2: 2, snappyCopy4: 4}[tag&3]
	if width > len(src)-si-1 {
		return -1, 0
	}
	copy(field[:], src[si+1:si+1+width])
	length, offset := tag>>2+1, int64(binary.LittleEndian.Uint32(field[:]))
	if tag&3 == snappyCopy1 {
		length = 4 + tag>>2&7
		offset |= int64(tag >> 5 << 8)
	}
	if offset == 0 || offset > int64(di) || length > len(dst)-di {
		return -1, 0
	}
	copyMatch(dst, di, int(offset), length)
	return di + length, si + 1 + width
}

func snappyLiterals(dst []byte, di int, src []byte, si int) (int, int) {
	length := int64(src[si] >> 2)
	si++
	if extra := int(length) - 59; extra > 0 {
		if extra > len(src)-si {
			return -1, 0
		}
		var field [4]byte
		copy(field[:], src[si:si+extra])
		length = int64(binary.LittleEndian.Uint32(field[:]))
		si += extra
	}
	if length++; length > int64(len(src)-si) || length > int64(len(dst)-di) {
		return -1, 0
	}
	n := copy(dst[di:di+int(length)], src[si:])
	return di + n, si + n
}
