package spill

import (
	"slices"
	"unsafe"
)

// arena is where the lists of ranges live. Lists of all partitions double at
// about the same time, and on the garbage-collected heap the halves they leave
// would stay until a collection, of no use to the larger ones: half as much
// again at the worst moment. So memory comes in slabs that are cut as a buddy
// system cuts them: a freed piece joins its free neighbor of the same size,
// which makes it the size that the next list grows to. A slab that is all free
// is given up.
//
//	slab   |   64   |   64   |      128        |        256 ...
//	           └── buddies ──┘
type arena struct {
	slabs []*slab // by address
	byID  []*slab // nil where one was given up
	free  [classes][]place
}

const (
	classes   = 13
	slabSize  = firstCap << (classes - 1) // ranges: 256 KiB
	slabUnits = slabSize / firstCap
)

// slab is a piece of memory and, at each place where a free piece begins, its
// class + 1.
type slab struct {
	id    int32
	mem   []Range
	state [slabUnits]uint8
	used  int // pieces handed out
}

// place is where a piece begins: a slab's id, and units of firstCap ranges.
type place struct{ slab, unit int32 }

// classOf is the class of a list's capacity, beyond classes-1 for lists that are
// larger than a slab.
func classOf(capacity int) int {
	c := 0
	for firstCap<<c < capacity {
		c++
	}
	return c
}

// alloc gives an empty list of the capacity, which is firstCap times a power of
// two. Larger lists than a slab are the heap's.
func (a *arena) alloc(capacity int) []Range {
	c := classOf(capacity)
	if c >= classes {
		return make([]Range, 0, capacity)
	}
	p := a.take(c)
	s := a.byID[p.slab]
	s.used++
	at := int(p.unit) * firstCap
	return s.mem[at : at : at+capacity]
}

// take finds a free piece, cutting larger ones.
func (a *arena) take(c int) place {
	for n := len(a.free[c]); n > 0; n = len(a.free[c]) {
		p := a.free[c][n-1]
		a.free[c] = a.free[c][:n-1]
		if s := a.byID[p.slab]; s != nil && s.state[p.unit] == uint8(c+1) { // else it has joined its buddy
			s.state[p.unit] = 0
			return p
		}
	}
	if c == classes-1 {
		return place{slab: a.grow().id}
	}
	p := a.take(c + 1)
	a.put(place{p.slab, p.unit + 1<<c}, c)
	return p
}

func (a *arena) put(p place, c int) {
	a.byID[p.slab].state[p.unit] = uint8(c + 1)
	a.free[c] = append(a.free[c], p)
}

// grow adds a slab.
func (a *arena) grow() *slab {
	s := &slab{mem: make([]Range, slabSize), id: int32(len(a.byID))}
	if free := slices.Index(a.byID, nil); free >= 0 {
		s.id = int32(free)
		a.byID[free] = s
	} else {
		a.byID = append(a.byID, s)
	}
	at, _ := slices.BinarySearchFunc(a.slabs, address(s.mem), func(s *slab, addr uintptr) int { return compare(address(s.mem), addr) })
	a.slabs = slices.Insert(a.slabs, at, s)
	return s
}

func address(r []Range) uintptr { return uintptr(unsafe.Pointer(unsafe.SliceData(r))) }

func compare(a, b uintptr) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

// release takes a list back.
func (a *arena) release(list []Range) {
	c := classOf(cap(list))
	if cap(list) == 0 || c >= classes {
		return
	}
	i, exact := slices.BinarySearchFunc(a.slabs, address(list), func(s *slab, addr uintptr) int { return compare(address(s.mem), addr) })
	if !exact {
		i--
	}
	s := a.slabs[i]
	if s.used--; s.used == 0 {
		a.drop(i)
		return
	}
	unit := int(address(list)-address(s.mem)) / int(rangeSize) / firstCap
	for ; c < classes-1; c++ {
		buddy := unit ^ 1<<c
		if s.state[buddy] != uint8(c+1) {
			break
		}
		s.state[buddy] = 0
		unit &^= 1 << c
	}
	a.put(place{s.id, int32(unit)}, c)
}

// drop gives up a slab. Its places among the free ones are void, unless a slab
// that takes its id has a free piece there.
func (a *arena) drop(i int) {
	a.byID[a.slabs[i].id] = nil
	a.slabs = slices.Delete(a.slabs, i, i+1)
}
