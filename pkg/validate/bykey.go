package validate

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"
	"unsafe"
)

// home is a key and the partition in which it was first met.
type home struct {
	key   uint64 // fingerprint; with tag, 96 bits tell keys apart
	tag   uint32
	where int32 // partition + 1, 0 for an empty slot, negative once the key was met elsewhere
}

// homes is a table of keys of a fixed size. When it fills, it goes on with
// half of its subset of keys and leaves the other half to another pass.
type homes struct {
	r *run

	mu    sync.Mutex
	slots []home // open addressing, linear probing; a power of two
	used  int
	sub   subset
	left  []subset
	split []splitKey // the first by place of those in sub
}

// splitKey is a key that was met in a second partition.
type splitKey struct {
	key uint64
	f   Finding
}

// checkKeys proves that equal keys share a partition. Where the output has
// more keys than the budget holds, it is read more than once.
func (r *run) checkKeys(ctx context.Context, g *group) error {
	start := time.Now()
	defer func() { r.costs.placement.Add(int64(time.Since(start))) }()
	n := tableSize(r.opts.MemoryBudget/2, int64(unsafe.Sizeof(home{})), r.report.Rows)
	h := &homes{r: r, slots: make([]home, n)}
	for pending := []subset{{}}; len(pending) > 0; {
		h.sub, pending = pending[len(pending)-1], pending[:len(pending)-1]
		clear(h.slots)
		h.used, h.split = 0, nil
		pass := outputPass{g: g, withKeys: true, visitors: func(int, int) visitor { return h }}
		if err := r.scanOutput(ctx, pass); err != nil {
			return err
		}
		h.report()
		pending, h.left = append(pending, h.left...), nil
	}
	return nil
}

// visit is called by all workers.
func (h *homes) visit(c *chunk) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for i, key := range c.keys {
		if h.sub.has(key) {
			h.put(c, i, home{key, uint32(c.tags[i]), int32(c.where.Partition) + 1})
		}
	}
}

func (h *homes) put(c *chunk, i int, k home) {
	s := h.slot(k)
	switch {
	case s.where == 0:
		*s = k
		h.used++
		for h.used > len(h.slots)/4*3 {
			h.narrow()
		}
	case s.where > 0 && s.where != k.where:
		h.met(c, i, *s)
		s.where = -s.where
	}
}

func (h *homes) slot(k home) *home {
	mask := uint64(len(h.slots) - 1)
	for i := k.key>>32 ^ uint64(k.tag)<<16; ; i++ {
		if s := &h.slots[i&mask]; s.where == 0 || s.key == k.key && s.tag == k.tag {
			return s
		}
	}
}

func (h *homes) narrow() {
	kept, left := h.sub.split()
	h.sub, h.left = kept, append(h.left, left)
	h.split = slices.DeleteFunc(h.split, func(s splitKey) bool { return !kept.has(s.key) })
	old := h.slots
	h.slots, h.used = make([]home, len(old)), 0
	for _, k := range old {
		if k.where != 0 && kept.has(k.key) {
			*h.slot(k) = k
			h.used++
		}
	}
}

// met remembers a key that is in another partition too, if it is among the
// first by place.
func (h *homes) met(c *chunk, i int, k home) {
	f := Finding{Kind: SplitKey, Count: 1}
	f.at(c.where)
	at, _ := slices.BinarySearchFunc(h.split, f, func(s splitKey, f Finding) int { return byPlace(s.f, f) })
	if at >= h.r.opts.MaxFindings {
		return
	}
	row := c.first + i
	cells := renderCells(c.batch, h.r.opts.Input.Schema(), h.r.opts.HashColumns, row)
	f.Message = fmt.Sprintf("key %s is in partition %d and in partition %d", cellText(cells), c.where.Partition, k.where-1)
	s := RowSample{Values: cells, Row: &row}
	s.at(c.where)
	f.Rows = []RowSample{s}
	h.split = slices.Insert(h.split, at, splitKey{k.key, f})
	h.split = h.split[:min(len(h.split), h.r.opts.MaxFindings)]
}

// report hands in the split keys of the subset that was gone through.
func (h *homes) report() {
	n := int64(0)
	for _, k := range h.slots {
		if k.where < 0 {
			n++
		}
	}
	if n > 0 && len(h.split) == 0 { // the table narrowed away from all it had shown
		h.r.found.add(Finding{Kind: SplitKey, Count: n, Message: fmt.Sprintf("%d keys are in more than one partition", n)})
		return
	}
	for _, s := range h.split {
		h.r.found.add(s.f)
	}
	h.r.found.more(SplitKey, n-int64(len(h.split)))
}
