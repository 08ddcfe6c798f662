package stats

import (
	"fmt"
	"testing"
)

func BenchmarkComparePaired(b *testing.B) {
	for _, rounds := range []int{6, 10, 13, 20} {
		b.Run(fmt.Sprintf("rounds=%d", rounds), func(b *testing.B) {
			pairs := world{noise: 0.02, slot: 0.03}.sampler(1).rounds(rounds)
			b.ReportAllocs()
			for b.Loop() {
				if _, err := ComparePaired(pairs, Options{}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
