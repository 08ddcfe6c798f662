package spill

import (
	"math/rand/v2"
	"testing"
)

// TestArena: lists keep what is theirs through random growth and release, and
// everything comes back.
func TestArena(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	var a arena
	lists := make([][]Range, 300)
	check := func(i int) {
		for k, x := range lists[i] {
			if x.Offset != int64(i) || x.Length != int64(k) {
				t.Fatalf("list %d has %v at %d", i, x, k)
			}
		}
	}
	for range 200_000 {
		i := r.IntN(len(lists))
		if r.IntN(400) == 0 {
			check(i)
			a.release(lists[i])
			lists[i] = nil
			continue
		}
		l := lists[i]
		if len(l) == cap(l) {
			grown := append(a.alloc(max(firstCap, 2*cap(l))), l...)
			a.release(l)
			l = grown
		}
		lists[i] = append(l, Range{int64(i), int64(len(l))})
	}
	for i := range lists {
		check(i)
		a.release(lists[i])
	}
	if len(a.slabs) != 0 {
		t.Errorf("%d slabs are left", len(a.slabs))
	}
}

// TestArenaIsTight: lists that double together leave no gaps behind: the slabs
// hold what the lists do, and hardly more.
func TestArenaIsTight(t *testing.T) {
	const partitions = 16000
	var a arena
	lists := make([][]Range, partitions)
	for n := 1; n <= 88; n++ {
		for p := range lists {
			l := lists[p]
			if len(l) == cap(l) {
				grown := append(a.alloc(max(firstCap, 2*cap(l))), l...)
				a.release(l)
				l = grown
			}
			lists[p] = append(l, Range{})
		}
	}
	held := 0
	for _, l := range lists {
		held += cap(l)
	}
	if have := len(a.slabs) * slabSize; have > held+held/50+2*slabSize {
		t.Errorf("slabs of %d ranges for lists of %d", have, held)
	}
}

// TestArenaLarge: lists beyond a slab are the heap's.
func TestArenaLarge(t *testing.T) {
	var a arena
	l := a.alloc(2 * slabSize)
	if cap(l) != 2*slabSize || len(a.slabs) != 0 {
		t.Errorf("capacity %d, %d slabs", cap(l), len(a.slabs))
	}
	a.release(l)
	a.release(nil)
}
