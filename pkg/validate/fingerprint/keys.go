package fingerprint

import (
	crand "crypto/rand"
	"encoding/binary"
	"math/bits"
	"math/rand/v2"
)

// lane is the keys of one of the two halves of a fingerprint.
type lane struct {
	seed, k1, k2   uint64 // the fold
	text, len      uint64 // bytes: words and length
	null, bad      uint64 // digests of a null, and of a value the target cannot hold
	nested         uint64 // where a struct or list starts
	final1, final2 uint64 // Mix
}

// Keys are the random numbers that fingerprints depend on. Fingerprints under
// different Keys have nothing in common.
type Keys struct {
	a, b lane
	down bool // times of finer units than the target's are rounded down to it
}

// RoundDown is k for a writer that rounds times down to coarser units: what
// falls between two counts of the target is equal to the lower one.
func (k *Keys) RoundDown() *Keys {
	down := *k
	down.down = true
	return &down
}

// NewKeys draws Keys from the system's source of randomness.
func NewKeys() *Keys {
	var seed [32]byte
	crand.Read(seed[:])
	return draw(rand.NewChaCha8(seed))
}

// KeysFrom makes the same Keys for the same seed, for runs that must repeat.
func KeysFrom(seed uint64) *Keys {
	var s [32]byte
	binary.LittleEndian.PutUint64(s[:], seed)
	return draw(rand.NewChaCha8(s))
}

func draw(r *rand.ChaCha8) *Keys {
	k := &Keys{}
	for _, l := range []*lane{&k.a, &k.b} {
		for _, p := range []*uint64{&l.seed, &l.k1, &l.k2, &l.text, &l.len, &l.null, &l.bad, &l.nested, &l.final1, &l.final2} {
			*p = r.Uint64()
		}
		l.len |= 1
		l.final1 |= 1
	}
	return k
}

// mum multiplies and folds the two halves of the product.
func mum(x, y uint64) uint64 {
	hi, lo := bits.Mul64(x, y)
	return hi ^ lo
}

// fold takes digest d into state s.
func (l *lane) fold(s, d uint64) uint64 { return mum(d^l.k1, s^l.k2) }

// pair is the digest of a value of two words.
func (l *lane) pair(x, y uint64) uint64 { return mum(x^l.text, y^l.k2) }

// Mix binds a fingerprint to a partition and spreads it over all 128 bits, so
// that sums of mixed fingerprints tell multisets of (row, partition) apart.
func (k *Keys) Mix(a, b uint64, partition int32) (hi, lo uint64) {
	p := uint64(uint32(partition)) + 1
	return avalanche(a + p*k.a.final1 ^ k.a.final2), avalanche(b + p*k.b.final1 ^ k.b.final2)
}

// avalanche is a bijection in which every input bit moves every output bit.
func avalanche(z uint64) uint64 {
	z = (z ^ z>>32) * 0x9e6c63d0876a9a47
	z = (z ^ z>>29) * 0xd6e8feb86659fd93
	return z ^ z>>32
}

// bytes is the digest of a string of bytes, both lanes in one walk.
func (k *Keys) bytes(p []byte) (a, b uint64) {
	n := len(p)
	a, b = k.a.k2, k.b.k2
	for len(p) > 16 {
		x, y := le64(p), le64(p[8:])
		a = mum(x^k.a.text, y^a)
		b = mum(x^k.b.text, y^b)
		p = p[16:]
	}
	x, y := tail(p)
	a = mum(x^k.a.text, y^a^uint64(n)*k.a.len)
	b = mum(x^k.b.text, y^b^uint64(n)*k.b.len)
	return a, b
}

func le64(p []byte) uint64 { return binary.LittleEndian.Uint64(p) }
func le32(p []byte) uint64 { return uint64(binary.LittleEndian.Uint32(p)) }

// tail loads up to 16 bytes as two words; those of equal length differ where
// the bytes do.
func tail(p []byte) (x, y uint64) {
	n := len(p)
	switch {
	case n >= 8:
		return le64(p), le64(p[n-8:])
	case n >= 4:
		return le32(p), le32(p[n-4:])
	case n > 0:
		return uint64(p[0]) | uint64(p[n/2])<<8 | uint64(p[n-1])<<16, 0
	}
	return 0, 0
}
