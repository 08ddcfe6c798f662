package unsaferow

import (
	"encoding/binary"
	"math/bits"
)

// A Big is 128 bits, lo and hi, in two's complement.

// bigSize is the least bytes that hold a Big: all of its bits that differ from
// the sign, and the sign.
func bigSize(lo, hi uint64) int {
	sign := uint64(int64(hi) >> 63)
	n := bits.Len64(hi ^ sign)
	if n > 0 {
		n += 64
	} else {
		n = bits.Len64(lo ^ sign)
	}
	return n/8 + 1
}

// putBig writes the lowest n bytes, highest first.
func putBig(b []byte, n int, lo, hi uint64) {
	var full [16]byte
	binary.BigEndian.PutUint64(full[:], hi)
	binary.BigEndian.PutUint64(full[8:], lo)
	copy(b, full[16-n:])
}

// Decimal reads a Big of up to 16 bytes; no bytes are zero, as Java has it.
func Decimal(b []byte) (lo, hi uint64, ok bool) {
	if len(b) > 16 {
		return 0, 0, false
	}
	if len(b) == 0 {
		return 0, 0, true
	}
	sign := byte(int8(b[0]) >> 7)
	var full [16]byte
	for i := range full[:16-len(b)] {
		full[i] = sign
	}
	copy(full[16-len(b):], b)
	return binary.BigEndian.Uint64(full[8:]), binary.BigEndian.Uint64(full[:]), true
}
