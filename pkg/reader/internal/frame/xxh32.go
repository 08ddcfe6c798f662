package frame

import (
	"encoding/binary"
	"math/bits"
)

const (
	xxPrime1 uint32 = 2654435761
	xxPrime2 uint32 = 2246822519
	xxPrime3 uint32 = 3266489917
	xxPrime4 uint32 = 668265263
	xxPrime5 uint32 = 374761393
)

// xxh32 is the 32-bit xxHash of b with seed 0, the checksum of LZ4 frames.
func xxh32(b []byte) uint32 {
	h := uint32(len(b))
	if len(b) < 16 {
		h += xxPrime5
	} else {
		var lanes uint32
		lanes, b = xxLanes(b)
		h += lanes
	}
	for ; len(b) >= 4; b = b[4:] {
		h = bits.RotateLeft32(h+binary.LittleEndian.Uint32(b)*xxPrime3, 17) * xxPrime4
	}
	for _, c := range b {
		h = bits.RotateLeft32(h+uint32(c)*xxPrime5, 11) * xxPrime1
	}
	h = (h ^ h>>15) * xxPrime2
	h = (h ^ h>>13) * xxPrime3
	return h ^ h>>16
}

// xxLanes digests all whole 16-byte stripes of b and returns the rest.
func xxLanes(b []byte) (uint32, []byte) {
	v1, v2, v3, v4 := xxPrime1, xxPrime2, uint32(0), uint32(0)
	v1 += xxPrime2
	v4 -= xxPrime1
	for ; len(b) >= 16; b = b[16:] {
		v1 = xxRound(v1, binary.LittleEndian.Uint32(b))
		v2 = xxRound(v2, binary.LittleEndian.Uint32(b[4:]))
		v3 = xxRound(v3, binary.LittleEndian.Uint32(b[8:]))
		v4 = xxRound(v4, binary.LittleEndian.Uint32(b[12:]))
	}
	return bits.RotateLeft32(v1, 1) + bits.RotateLeft32(v2, 7) +
		bits.RotateLeft32(v3, 12) + bits.RotateLeft32(v4, 18), b
}

func xxRound(v, in uint32) uint32 { return bits.RotateLeft32(v+in*xxPrime2, 13) * xxPrime1 }
