package segment

import "unsafe"

// As sees bytes as values of T, in the machine's order, which Arrow's
// buffers have too. The bytes must be aligned for T.
func As[T any](b []byte) []T {
	var t T
	n := len(b) / int(unsafe.Sizeof(t))
	if n == 0 {
		return nil
	}
	return unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(b))), n)
}

// rawBytes is the inverse of As for offsets.
func rawBytes(off []int32) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(off))), 4*len(off))
}

// gatherFixed copies values of width bytes in the given order; row i lies at
// offset+i.
func gatherFixed(dst, src []byte, offset, width int, order []uint32) {
	if len(order) == 0 {
		return
	}
	src = src[offset*width:]
	switch width {
	case 1:
		gather(dst, src, order)
	case 2:
		gather(As[uint16](dst), As[uint16](src), order)
	case 4:
		gather(As[uint32](dst), As[uint32](src), order)
	case 8:
		gather(As[uint64](dst), As[uint64](src), order)
	case 16:
		gather(As[[2]uint64](dst), As[[2]uint64](src), order)
	default:
		gatherBytes(dst, src, width, order)
	}
}

func gather[T any](dst, src []T, order []uint32) {
	dst = dst[:len(order)]
	for i, row := range order {
		dst[i] = src[row]
	}
}

// gatherBytes is the twin of gather for every width.
func gatherBytes(dst, src []byte, width int, order []uint32) {
	for i, row := range order {
		copy(dst[i*width:(i+1)*width], src[int(row)*width:])
	}
}

// gatherBits does the same with bits. Every byte of dst is written.
func gatherBits(dst, src []byte, offset int, order []uint32) {
	var acc byte
	for i, row := range order {
		at := int(row) + offset
		acc |= (src[at>>3] >> (at & 7) & 1) << (i & 7)
		if i&7 == 7 {
			dst[i>>3] = acc
			acc = 0
		}
	}
	if len(order)&7 != 0 {
		dst[len(order)>>3] = acc
	}
}
