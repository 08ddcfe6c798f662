package validate

import (
	"cmp"
	"slices"
	"sync"

	"github.com/shufflebench/shufflebench/internal/shufflefile"
)

// hit is a row that was looked for, and found.
type hit struct {
	input   int64 // its number in the input
	where   shufflefile.Place
	row     int // in its block
	cells   []Cell
	digests []uint64 // of every column's value
}

func byHit(x, y hit) int {
	p, q := x.where, y.where
	return cmp.Or(cmp.Compare(p.File, q.File), cmp.Compare(p.Partition, q.Partition), cmp.Compare(p.Block, q.Block),
		cmp.Compare(x.row, y.row), cmp.Compare(x.input, y.input))
}

// quarry is a row to look for on one side. It keeps the first few hits by
// place.
type quarry struct {
	a, b uint64
	part int32 // where it must be, or anyPart
	hits []hit
}

const anyPart = -1

// sampler is the visitor that looks for quarries.
type sampler struct {
	r     *run
	input bool // which side this is
	*wanted
}

// wanted is the quarries of one side, shared by its workers.
type wanted struct {
	filter bitset // of the low bits of lane b: most rows go no further
	byRow  map[[2]uint64][]*quarry
	mu     sync.Mutex
}

const filterBits = 16

func newWanted() *wanted {
	return &wanted{filter: newBitset(1 << filterBits), byRow: map[[2]uint64][]*quarry{}}
}

// look adds a quarry, or finds the one that is there already.
func (w *wanted) look(a, b uint64, part int32) *quarry {
	for _, q := range w.byRow[[2]uint64{a, b}] {
		if q.part == part {
			return q
		}
	}
	q := &quarry{a: a, b: b, part: part}
	w.byRow[[2]uint64{a, b}] = append(w.byRow[[2]uint64{a, b}], q)
	w.filter.set(int(b & (1<<filterBits - 1)))
	return q
}

func (s *sampler) clone() visitor {
	c := *s
	return &c
}

func (s *sampler) visit(c *chunk) {
	for i, b := range c.b {
		if !s.filter.has(int(b & (1<<filterBits - 1))) {
			continue
		}
		for _, q := range s.byRow[[2]uint64{c.a[i], b}] {
			if q.part == anyPart || q.part == c.placed(i) {
				s.catch(q, c, i)
			}
		}
	}
}

// catch keeps the hit if it is among the first.
func (s *sampler) catch(q *quarry, c *chunk, i int) {
	h := hit{input: c.input + int64(i), where: c.where, row: c.first + i}
	if s.input {
		h.row = 0
	} else {
		h.input = 0
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	at, _ := slices.BinarySearchFunc(q.hits, h, byHit)
	if at >= s.r.opts.MaxRows {
		return
	}
	names := s.r.opts.Input.Schema()
	h.cells = renderCells(c.batch, names, upTo(names.NumFields()), c.first+i)
	h.digests = c.rows.Digests(nil, c.batch, c.first+i)
	q.hits = slices.Insert(q.hits, at, h)
	q.hits = q.hits[:min(len(q.hits), s.r.opts.MaxRows)]
}

// upTo is 0, 1, ..., n-1.
func upTo(n int) []int {
	list := make([]int, n)
	for i := range list {
		list[i] = i
	}
	return list
}
