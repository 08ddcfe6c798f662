package validate

import (
	"cmp"
	"slices"
	"sync"
	"unsafe"
)

// entry is one distinct (row, partition) and how much more often the input has
// it than the output.
type entry struct {
	a, b uint64 // the row's fingerprint
	key  uint64 // the key's, 0 without one
	net  int64
	part int32
	seen bool // the input has it
	used bool
}

// subset is a part of all rows: those whose selector ends in want, in the
// last bits bits.
type subset struct {
	bits uint
	want uint64
}

// keyBits is how many bits of the selector come from the key. Rows of one
// key stay together while a subset is cut by them; cut further, also a single
// key's rows part.
const keyBits = 12

func (e *entry) selector(keyed bool) uint64 {
	if !keyed {
		return e.a
	}
	return e.key&(1<<keyBits-1) | e.a<<keyBits
}

func (s subset) has(selector uint64) bool { return selector&(1<<s.bits-1) == s.want }

// split halves s.
func (s subset) split() (kept, left subset) {
	return subset{s.bits + 1, s.want}, subset{s.bits + 1, s.want | 1<<s.bits}
}

// census counts distinct rows exactly, in a table of a fixed size. When it
// fills, it goes on with half of its subset and puts the other half on left.
type census struct {
	keyed bool

	mu    sync.Mutex
	slots []entry // open addressing, linear probing; a power of two
	used  int
	sub   subset
	left  []subset
}

// newCensus makes a census whose table takes at most budget bytes, and no more
// than that many rows need.
func newCensus(budget, rows int64, keyed bool) *census {
	return &census{keyed: keyed, slots: make([]entry, tableSize(budget, int64(unsafe.Sizeof(entry{})), rows))}
}

// tableSize is the slots, a power of two, of a table that should hold so many
// rows and may take so many bytes.
func tableSize(budget, slot, rows int64) int64 {
	n := int64(64)
	for 2*n*slot <= budget && n/4*3 < rows {
		n *= 2
	}
	return n
}

// start empties the table for another subset.
func (c *census) start(s subset) {
	clear(c.slots)
	c.used, c.sub = 0, s
}

// add counts entries into the table: their net by net, seen if they say so.
func (c *census) add(list []entry) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for i := range list {
		if e := &list[i]; c.sub.has(e.selector(c.keyed)) {
			c.put(e)
		}
	}
}

func (c *census) put(e *entry) {
	s := c.slot(e)
	if s.used {
		s.net += e.net
		s.seen = s.seen || e.seen
		return
	}
	*s = *e
	s.used = true
	c.used++
	for c.used > len(c.slots)/4*3 {
		c.narrow()
	}
}

// slot is where e is, or where it goes.
func (c *census) slot(e *entry) *entry {
	mask := uint64(len(c.slots) - 1)
	for i := e.b + uint64(uint32(e.part))*0x9e3779b97f4a7c15; ; i++ {
		s := &c.slots[i&mask]
		if !s.used || s.a == e.a && s.b == e.b && s.part == e.part {
			return s
		}
	}
}

// narrow drops half of the subset.
func (c *census) narrow() {
	kept, left := c.sub.split()
	c.left = append(c.left, left)
	c.sub = kept
	old := c.slots
	c.slots = make([]entry, len(old))
	c.used = 0
	for i := range old {
		if e := &old[i]; e.used && kept.has(e.selector(c.keyed)) {
			*c.slot(e) = *e
			c.used++
		}
	}
}

// differing is the entries of rows that the two sides do not have equally
// often in every partition, sorted by row. It is a part of the table, which
// is of no use afterwards until it is started anew.
func (c *census) differing() []entry {
	list := slices.DeleteFunc(c.slots, func(e entry) bool { return !e.used })
	slices.SortFunc(list, byRow)
	kept := list[:0]
	for len(list) > 0 {
		n := 1
		for n < len(list) && list[n].a == list[0].a && list[n].b == list[0].b {
			n++
		}
		if slices.ContainsFunc(list[:n], func(e entry) bool { return e.net != 0 }) {
			kept = append(kept, list[:n]...)
		}
		list = list[n:]
	}
	return kept
}

func byRow(x, y entry) int {
	return cmp.Or(cmp.Compare(x.a, y.a), cmp.Compare(x.b, y.b), cmp.Compare(x.part, y.part))
}

// enumerator is the visitor that takes the suspicious rows to a census.
type enumerator struct {
	c        *census
	spread   buckets
	suspects bitset
	g        *group // whose damaged partitions are passed over
	known    bool   // rows have partitions
	sign     int64  // 1 for the input, -1 for the output
	list     []entry
}

func (v *enumerator) visit(c *chunk) {
	v.list = v.list[:0]
	for i, a := range c.a {
		p := c.placed(i)
		if !v.suspects.has(v.spread.of(p, c.b[i])) || v.known && !v.g.whole(p) {
			continue
		}
		e := entry{a: a, b: c.b[i], part: p, net: v.sign, seen: v.sign > 0}
		if c.keys != nil {
			e.key = c.keys[i]
		}
		v.list = append(v.list, e)
	}
	if len(v.list) > 0 {
		v.c.add(v.list)
	}
}
