// Package merge produces a data file: by copying the blocks that were spilled
// (Copy, and Consolidate for several inputs), or by gathering rows that were spilled and encoding them (Gather).
package merge

import (
	"context"
	"sort"

	"github.com/shufflebench/shufflebench/pkg/metrics"
	"github.com/shufflebench/shufflebench/pkg/writer/output"
	"github.com/shufflebench/shufflebench/pkg/writer/spill"
)

// Blocks gives the blocks of rows that never left memory, by partition.
type Blocks interface {
	// Next is the blocks of the next partition that has some, in partition
	// order, valid until the next call; ok is false after the last.
	Next() (partition uint32, blocks []byte, ok bool, err error)
}

// Copy writes, partition by partition, the spilled ranges and then the blocks
// from memory. Every spill is read forward once: a group of partitions takes
// one read a spill.
type Copy struct {
	Ranges     *spill.Ranges
	Memory     Blocks
	Out        *output.Pair
	Partitions int
	Budget     int64 // bytes of ranges held at a time
	Release    bool  // free each partition's list when it is copied
	Clock      *metrics.Clock

	cursor []int64 // next byte of every spill
	need   []int64 // bytes of the group in every spill
	buf    []byte
	ahead  memoryAhead
}

type memoryAhead struct {
	partition uint32
	blocks    []byte
	ok        bool
}

// Run copies everything, or stops with ctx.
func (c *Copy) Run(ctx context.Context) error {
	defer c.Clock.Enter(c.Clock.Enter(metrics.PhaseWrite))
	if err := c.start(); err != nil {
		return err
	}
	for p := 0; p < c.Partitions; {
		if err := ctx.Err(); err != nil {
			return err
		}
		end, total := c.group(p)
		if err := c.copyGroup(p, end, total); err != nil {
			return err
		}
		p = end
	}
	return nil
}

func (c *Copy) start() error {
	c.cursor = append(c.cursor[:0], c.Ranges.Starts()...)
	c.need = make([]int64, len(c.cursor))
	return c.advanceMemory()
}

// group finds the partitions from p whose ranges fit the budget, at least one,
// and adds up what they need of every spill.
func (c *Copy) group(p int) (end int, total int64) {
	clear(c.need)
	for end = p; end < c.Partitions; end++ {
		size := c.size(end)
		if total+size > c.Budget && end > p {
			break
		}
		total += size
		c.count(end)
	}
	return end, total
}

// size is the bytes of a partition's ranges.
func (c *Copy) size(p int) (size int64) {
	for _, r := range c.Ranges.List(p) {
		size += r.Length
	}
	return size
}

// count adds what a partition needs of every spill.
func (c *Copy) count(p int) {
	s := 0
	for _, r := range c.Ranges.List(p) {
		s = c.spillOf(s, r.Offset)
		c.need[s] += r.Length
	}
}

// spillOf finds the spill that holds offset, at or after spill s.
func (c *Copy) spillOf(s int, offset int64) int {
	starts := c.Ranges.Starts()
	if s+1 < len(starts) && starts[s+1] <= offset {
		s++
	}
	if s+1 < len(starts) && starts[s+1] <= offset {
		s += sort.Search(len(starts)-s-1, func(i int) bool { return starts[s+1+i] > offset })
	}
	return s
}

// copyGroup writes partitions p to end, whose ranges have total bytes.
func (c *Copy) copyGroup(p, end int, total int64) error {
	if total > c.Budget {
		return c.copyLarge(p)
	}
	bases, err := c.readGroup(total)
	if err != nil {
		return err
	}
	for ; p < end; p++ {
		if err := c.copyRanges(p, bases); err != nil {
			return err
		}
		if err := c.endPartition(p); err != nil {
			return err
		}
	}
	return nil
}

// copyRanges writes a partition's ranges, which readGroup has read.
func (c *Copy) copyRanges(p int, bases []int64) error {
	s := 0
	for _, r := range c.Ranges.List(p) {
		s = c.spillOf(s, r.Offset)
		at := bases[s] + r.Offset
		if err := c.Out.Write(c.buf[at : at+r.Length]); err != nil {
			return err
		}
	}
	return nil
}

// readGroup reads the group's part of every spill into buf. A range lies in
// buf at its offset plus the base of its spill.
func (c *Copy) readGroup(total int64) (bases []int64, err error) {
	defer c.Clock.Enter(c.Clock.Enter(metrics.PhaseSpillRead))
	if int64(cap(c.buf)) < total {
		c.buf = make([]byte, max(total, c.Budget))
	}
	c.buf = c.buf[:total]
	bases = make([]int64, len(c.need))
	at := int64(0)
	for s, n := range c.need {
		bases[s] = at - c.cursor[s]
		if n == 0 {
			continue
		}
		if err := c.Ranges.ReadAt(c.buf[at:at+n], c.cursor[s]); err != nil {
			return nil, err
		}
		at += n
		c.cursor[s] += n
	}
	return bases, nil
}

// copyLarge writes one partition that does not fit the budget.
func (c *Copy) copyLarge(p int) error {
	if err := c.copyPieces(p); err != nil {
		return err
	}
	return c.endPartition(p)
}

// copyPieces writes a partition's ranges in pieces of the budget.
func (c *Copy) copyPieces(p int) error {
	if cap(c.buf) == 0 {
		c.buf = make([]byte, c.Budget)
	}
	c.buf = c.buf[:cap(c.buf)]
	s := 0
	for _, r := range c.Ranges.List(p) {
		s = c.spillOf(s, r.Offset)
		c.cursor[s] = r.Offset + r.Length
		for r.Length > 0 {
			n := min(r.Length, int64(len(c.buf)))
			if err := c.readPiece(c.buf[:n], r.Offset); err != nil {
				return err
			}
			if err := c.Out.Write(c.buf[:n]); err != nil {
				return err
			}
			r.Offset, r.Length = r.Offset+n, r.Length-n
		}
	}
	return nil
}

func (c *Copy) readPiece(b []byte, pos int64) error {
	defer c.Clock.Enter(c.Clock.Enter(metrics.PhaseSpillRead))
	return c.Ranges.ReadAt(b, pos)
}

// endPartition adds what memory has of partition p and closes it.
func (c *Copy) endPartition(p int) error {
	if err := c.copyMemory(p); err != nil {
		return err
	}
	return c.Out.EndPartitions(p + 1)
}

// copyMemory writes what memory has of partition p, the last of it.
func (c *Copy) copyMemory(p int) error {
	if c.Release {
		c.Ranges.Free(p)
	}
	for c.ahead.ok && c.ahead.partition == uint32(p) {
		if err := c.Out.Write(c.ahead.blocks); err != nil {
			return err
		}
		if err := c.advanceMemory(); err != nil {
			return err
		}
	}
	return nil
}

func (c *Copy) advanceMemory() (err error) {
	a := &c.ahead
	a.partition, a.blocks, a.ok, err = c.Memory.Next()
	return err
}
