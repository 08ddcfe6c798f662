package validate

import (
	"math/bits"

	"github.com/shufflebench/shufflebench/pkg/validate/fingerprint"
)

// buckets spreads (partition, fingerprint) over a fixed number of buckets: each
// partition has 2^spread of its own, or, if there are more partitions than
// buckets, shares one with every n-th.
type buckets struct {
	n      int // a power of two
	spread uint
}

const (
	maxBuckets = 1 << 16
	minBuckets = 1 << 8
	// rowsABucket is what a bucket should hold where there are enough of them.
	rowsABucket = 16
)

// newBuckets fits the number of buckets to the rows, and the spread to the partitions.
func newBuckets(rows int64, partitions int) buckets {
	n := minBuckets
	for n < maxBuckets && int64(n)*rowsABucket < rows {
		n *= 2
	}
	b := buckets{n: n}
	for partitions<<(b.spread+1) <= n {
		b.spread++
	}
	return b
}

// of is the bucket of a row whose fingerprint has lane b.
func (b buckets) of(partition int32, lane uint64) int {
	return (int(partition)<<b.spread | int(lane&(1<<b.spread-1))) & (b.n - 1)
}

// own says that no other partition has rows in partition p's buckets.
func (b buckets) own(partitions int) bool { return partitions<<b.spread <= b.n }

// span is the buckets [lo, hi) of a partition.
func (b buckets) span(p int) (lo, hi int) {
	lo = (p << b.spread) & (b.n - 1)
	return lo, lo + 1<<b.spread
}

// sum is the rows of one bucket: how many, and the sum of their mixed
// fingerprints modulo 2^128.
type sum struct {
	rows   int64
	hi, lo uint64
}

// tally is the sums of all buckets. It belongs to one goroutine until merged.
type tally struct {
	buckets
	k    *fingerprint.Keys
	sums []sum
}

func newTally(b buckets, k *fingerprint.Keys) *tally {
	return &tally{buckets: b, k: k, sums: make([]sum, b.n)}
}

// visit counts the rows of a chunk.
func (t *tally) visit(c *chunk) {
	for i, a := range c.a {
		p := c.placed(i)
		hi, lo := t.k.Mix(a, c.b[i], p)
		s := &t.sums[t.of(p, c.b[i])]
		s.rows++
		var carry uint64
		s.lo, carry = bits.Add64(s.lo, lo, 0)
		s.hi += hi + carry
	}
}

// merge adds the sums of another tally with the same buckets.
func (t *tally) merge(o *tally) {
	for i, s := range o.sums {
		d := &t.sums[i]
		d.rows += s.rows
		var carry uint64
		d.lo, carry = bits.Add64(d.lo, s.lo, 0)
		d.hi += s.hi + carry
	}
}

func (t *tally) rows() (n int64) {
	for _, s := range t.sums {
		n += s.rows
	}
	return n
}

// bitset is a set of small numbers.
type bitset []uint64

func newBitset(n int) bitset { return make(bitset, (n+63)/64) }

func (s bitset) set(i int) { s[i>>6] |= 1 << (i & 63) }

func (s bitset) has(i int) bool { return s[i>>6]&(1<<(i&63)) != 0 }
