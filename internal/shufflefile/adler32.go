package shufflefile

import "encoding/binary"

// Adler-32 is two sums modulo 65521: a = 1 + all bytes, and b = the sum of a
// after every byte.
const (
	adlerMod = 65521
	// adlerMax is the most bytes, a multiple of 8, after which b still fits 32
	// bits when both sums began below the modulus.
	adlerMax = 5552
)

// updateAdler32 is the checksum of RFC 1950, eight bytes a step.
func updateAdler32(sum uint32, p []byte) uint32 {
	a, b := sum&0xffff, sum>>16
	for len(p) > 0 {
		chunk := p[:min(len(p), adlerMax)]
		p = p[len(chunk):]
		for len(chunk) >= 8 {
			plain, weighted := adlerWord(binary.LittleEndian.Uint64(chunk))
			b += 8*a + weighted
			a += plain
			chunk = chunk[8:]
		}
		for _, c := range chunk {
			a += uint32(c)
			b += a
		}
		a, b = a%adlerMod, b%adlerMod
	}
	return b<<16 | a
}

// adlerWord gives the sum of a word's bytes, and their sum with the first one
// taken 8 times, the next 7 times, and so on. Bytes of even and odd places are
// four lanes of 16 bits each; a multiplication adds lanes, each with its
// weight, in the highest lane, and no lane overflows (255 * (8+6+4+2) < 2^16).
func adlerWord(w uint64) (plain, weighted uint32) {
	const (
		lanes = 0x00ff00ff00ff00ff
		ones  = 0x0001000100010001
		evens = 0x0008000600040002 // lowest lane, the first byte, times the highest weight
		odds  = 0x0007000500030001
	)
	even, odd := w&lanes, w>>8&lanes
	plain = uint32((even + odd) * ones >> 48)
	weighted = uint32(even*evens>>48) + uint32(odd*odds>>48)
	return plain, weighted
}
