package validate

import (
	"context"
	"fmt"
	"sync"
	"time"
	"unsafe"
)

// home is a key and the partition in which it was first met.
type home struct {
	key   uint64 // fingerprint; with tag, 96 bits tell keys apart
	tag   uint32
	where int32 // partition + 1, 0 for an empty slot
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
}

// checkKeys proves that equal keys share a partition. Where the output has
// more keys than the budget holds, it is read more than once.
func (r *run) checkKeys(ctx context.Context, g *group) error {
	start := time.Now()
	defer func() { r.costs.placement.Add(int64(time.Since(start))) }()
	n := int64(1)
	for 2*n*int64(unsafe.Sizeof(home{})) <= r.opts.MemoryBudget/2 {
		n *= 2
	}
	h := &homes{r: r, slots: make([]home, n)}
	for pending := []subset{{}}; len(pending) > 0; {
		h.sub, pending = pending[len(pending)-1], pending[:len(pending)-1]
		clear(h.slots)
		h.used = 0
		pass := outputPass{g: g, withKeys: true, visitors: func(int, int) visitor { return h }}
		if err := r.scanOutput(ctx, pass); err != nil {
			return err
		}
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
	case s.where != k.where:
		h.split(c, i, int(s.where)-1)
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
	old := h.slots
	h.slots, h.used = make([]home, len(old)), 0
	for _, k := range old {
		if k.where != 0 && kept.has(k.key) {
			*h.slot(k) = k
			h.used++
		}
	}
}

// split reports a key that is in another partition too.
func (h *homes) split(c *chunk, i, other int) {
	f := Finding{Kind: SplitKey}
	f.at(c.where)
	row := c.first + i
	cells := renderCells(c.batch, h.r.opts.Input.Schema(), h.r.opts.HashColumns, row)
	f.Message = fmt.Sprintf("key %s is in partition %d and in partition %d", cellText(cells), c.where.Partition, other)
	s := RowSample{Values: cells, Row: &row}
	s.at(c.where)
	f.Rows = []RowSample{s}
	h.r.found.add(f)
}
