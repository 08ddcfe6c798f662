package segment

import (
	"bytes"
	"math/rand/v2"
	"testing"

	"github.com/apache/arrow-go/v18/arrow/bitutil"

	"github.com/shufflebench/shufflebench/internal/oracle"
)

// TestMoveBits compares with one bit at a time, for any position and length.
func TestMoveBits(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range oracle.Rounds(20_000) {
		n, from, to := r.IntN(300), r.IntN(20), r.IntN(20)
		src := make([]byte, (from+n+7)/8) // not a byte more than the bits need
		dst := make([]byte, (to+n+7)/8)
		for i := range src {
			src[i] = byte(r.Uint32())
		}
		for i := range dst {
			dst[i] = byte(r.Uint32())
		}
		before := bytes.Clone(dst)
		moveBits(dst, to, src, from, n)
		for i := range n {
			if bitAt(dst, to+i) != bitAt(src, from+i) {
				t.Fatalf("%d bits from %d to %d: bit %d is wrong", n, from, to, i)
			}
		}
		for i := range to {
			if bitAt(dst, i) != bitAt(before, i) {
				t.Fatalf("%d bits from %d to %d: bit %d before them changed", n, from, to, i)
			}
		}
	}
}

func BenchmarkMoveBits(b *testing.B) {
	src, dst := make([]byte, 2000), make([]byte, 2000)
	for _, n := range []int{20, 180, 8192} {
		b.Run("words", func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				moveBits(dst, 3, src, 5, n)
			}
		})
		b.Run("library", func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				bitutil.CopyBitmap(src, 5, n, dst, 3)
			}
		})
	}
}
