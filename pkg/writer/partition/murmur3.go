package partition

import "math/bits"

const (
	c1 = 0xcc9e2d51
	c2 = 0x1b873593
)

func mixK1(k uint32) uint32 { return bits.RotateLeft32(k*c1, 15) * c2 }

func mixH1(h, k uint32) uint32 { return bits.RotateLeft32(h^k, 13)*5 + 0xe6546b64 }

func fmix(h, length uint32) uint32 {
	h ^= length
	h ^= h >> 16
	h *= 0x85ebca6b
	h ^= h >> 13
	h *= 0xc2b2ae35
	return h ^ h>>16
}

// hashInt is Murmur3 over 4 bytes.
func hashInt(v, h uint32) uint32 { return fmix(mixH1(h, mixK1(v)), 4) }

// hashLong is Murmur3 over 8 bytes, the low word first.
func hashLong(v uint64, h uint32) uint32 {
	h = mixH1(h, mixK1(uint32(v)))
	h = mixH1(h, mixK1(uint32(v>>32)))
	return fmix(h, 8)
}

// hashBytes is Spark's variant for byte strings: little-endian words, then
// every left-over byte by itself, sign-extended and mixed like a word.
func hashBytes(b []byte, h uint32) uint32 {
	n := uint32(len(b))
	for ; len(b) >= 4; b = b[4:] {
		h = mixH1(h, mixK1(uint32(b[0])|uint32(b[1])<<8|uint32(b[2])<<16|uint32(b[3])<<24))
	}
	for _, c := range b {
		h = mixH1(h, mixK1(uint32(int32(int8(c)))))
	}
	return fmix(h, n)
}
