package segment

import "slices"

// Entry is a partition that has rows, and how many.
type Entry struct{ Partition, Rows uint32 }

// Grouper orders the rows of batches by partition. Its memory is reused.
type Grouper struct {
	counts []uint32
	order  []uint32
	keys   []uint64
	spare  []uint64
	groups []Entry
}

// sparseFactor: above this many partitions a row, rows are sorted instead of
// counted, since clearing and walking the counts would cost more.
const sparseFactor = 24

// Group gives the row numbers of a batch in partition order, rows of a
// partition in their own order, and the non-empty partitions, rising. Both
// are valid until the next call.
func (g *Grouper) Group(parts []uint32, partitions int) (order []uint32, entries []Entry) {
	g.order = slices.Grow(g.order[:0], len(parts))[:len(parts)]
	g.groups = g.groups[:0]
	if partitions > sparseFactor*max(len(parts), 256) {
		g.groupBySort(parts)
	} else {
		g.groupByCount(parts, partitions)
	}
	return g.order, g.groups
}

// groupByCount is a counting sort.
func (g *Grouper) groupByCount(parts []uint32, partitions int) {
	g.counts = slices.Grow(g.counts[:0], partitions)[:partitions]
	clear(g.counts)
	counts := g.counts
	for _, p := range parts {
		counts[p]++
	}
	next := uint32(0)
	for p, n := range counts {
		if n != 0 {
			g.groups = append(g.groups, Entry{uint32(p), n})
			counts[p] = next
			next += n
		}
	}
	order := g.order
	for i, p := range parts {
		at := counts[p]
		order[at] = uint32(i)
		counts[p] = at + 1
	}
}

// groupBySort radix-sorts partition and row packed in one word, which is
// stable because the rows start out in order.
func (g *Grouper) groupBySort(parts []uint32) {
	g.keys = slices.Grow(g.keys[:0], len(parts))[:len(parts)]
	g.spare = slices.Grow(g.spare[:0], len(parts))[:len(parts)]
	for i, p := range parts {
		g.keys[i] = uint64(p)<<32 | uint64(i)
	}
	from, to := g.keys, g.spare
	for shift := 32; shift < 32+24; shift += 12 {
		radixPass(from, to, shift)
		from, to = to, from
	}
	for i, k := range from {
		g.order[i] = uint32(k)
		p := uint32(k >> 32)
		if n := len(g.groups); n == 0 || g.groups[n-1].Partition != p {
			g.groups = append(g.groups, Entry{p, 1})
		} else {
			g.groups[n-1].Rows++
		}
	}
}

func radixPass(from, to []uint64, shift int) {
	var starts [1 << 12]uint32
	for _, k := range from {
		starts[k>>shift&0xfff]++
	}
	sum := uint32(0)
	for d, n := range starts {
		starts[d] = sum
		sum += n
	}
	for _, k := range from {
		d := k >> shift & 0xfff
		to[starts[d]] = k
		starts[d]++
	}
}
