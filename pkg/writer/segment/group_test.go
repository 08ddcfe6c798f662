package segment

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// plainGroup is a stable sort.
func plainGroup(parts []uint32) (order []uint32, entries []Entry) {
	order = make([]uint32, len(parts))
	for i := range order {
		order[i] = uint32(i)
	}
	slices.SortStableFunc(order, func(a, b uint32) int { return int(parts[a]) - int(parts[b]) })
	for _, row := range order {
		if n := len(entries); n > 0 && entries[n-1].Partition == parts[row] {
			entries[n-1].Rows++
		} else {
			entries = append(entries, Entry{parts[row], 1})
		}
	}
	return order, entries
}

func TestGroup(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	var g, counting, sorting Grouper // each used again and again
	for _, partitions := range []int{1, 2, 7, 200, 4095, 4096, 4097, 16000, 1<<20 + 1, 1 << 24} {
		for _, n := range []int{0, 1, 2, 63, 1000, 5000} {
			parts := place(r, n, partitions)
			if n > 0 {
				parts[r.IntN(n)] = uint32(partitions - 1)
				parts[r.IntN(n)] = 0
			}
			wantOrder, wantEntries := plainGroup(parts)
			check := func(way string, order []uint32, entries []Entry) {
				t.Helper()
				if !slices.Equal(order, wantOrder) || !slices.Equal(entries, wantEntries) {
					t.Fatalf("%d rows, %d partitions, %s: wrong", n, partitions, way)
				}
			}
			order, entries := g.Group(parts, partitions)
			check("Group", order, entries)
			counting.order, counting.groups = make([]uint32, n), counting.groups[:0]
			counting.groupByCount(parts, partitions)
			check("by count", counting.order, counting.groups)
			sorting.order, sorting.groups = make([]uint32, n), sorting.groups[:0]
			sorting.groupBySort(parts)
			check("by sort", sorting.order, sorting.groups)
		}
	}
}

// TestGroupSkew groups rows that all go to one partition, or come in order.
func TestGroupSkew(t *testing.T) {
	var g Grouper
	for name, at := range map[string]func(i int) uint32{
		"one":     func(int) uint32 { return 1<<24 - 1 },
		"rising":  func(i int) uint32 { return uint32(i) * 16 },
		"falling": func(i int) uint32 { return uint32(9999-i) * 16 },
	} {
		parts := make([]uint32, 10_000)
		for i := range parts {
			parts[i] = at(i)
		}
		order, entries := g.Group(parts, 1<<24)
		wantOrder, wantEntries := plainGroup(parts)
		if !slices.Equal(order, wantOrder) || !slices.Equal(entries, wantEntries) {
			t.Errorf("%s: wrong", name)
		}
	}
}

func TestGroupAllocations(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for _, partitions := range []int{200, 16000, 1 << 24} {
		var g Grouper
		parts := place(r, 8192, partitions)
		g.Group(parts, partitions)
		if n := testing.AllocsPerRun(5, func() { g.Group(parts, partitions) }); n != 0 {
			t.Errorf("%d partitions: %v allocations a batch", partitions, n)
		}
	}
}
