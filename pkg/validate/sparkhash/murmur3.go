package sparkhash

import (
	"encoding/binary"
	"math/bits"
)

// Seed is where Spark's fold starts.
const Seed = 42

func mixK(k uint32) uint32 {
	return bits.RotateLeft32(k*0xcc9e2d51, 15) * 0x1b873593
}

func mixH(h, k uint32) uint32 {
	return bits.RotateLeft32(h^mixK(k), 13)*5 + 0xe6546b64
}

// finish is Murmur3's final avalanche over the length in bytes.
func finish(h, length uint32) uint32 {
	h ^= length
	h = (h ^ h>>16) * 0x85ebca6b
	h = (h ^ h>>13) * 0xc2b2ae35
	return h ^ h>>16
}

func hashInt(v int32, h uint32) uint32 {
	return finish(mixH(h, uint32(v)), 4)
}

func hashLong(v int64, h uint32) uint32 {
	h = mixH(h, uint32(v))
	h = mixH(h, uint32(uint64(v)>>32))
	return finish(h, 8)
}

func hashBytes(b []byte, h uint32) uint32 {
	length := uint32(len(b))
	for len(b) >= 4 {
		h = mixH(h, binary.LittleEndian.Uint32(b))
		b = b[4:]
	}
	for _, c := range b {
		h = mixH(h, uint32(int32(int8(c))))
	}
	return finish(h, length)
}

// Partition is the partition of a hash: its non-negative remainder.
func Partition(hash int32, partitions int) int32 {
	r := int64(hash) % int64(partitions)
	if r < 0 {
		r += int64(partitions)
	}
	return int32(r)
}
