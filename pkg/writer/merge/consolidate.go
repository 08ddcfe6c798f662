package merge

import (
	"context"

	"github.com/shufflebench/shufflebench/pkg/metrics"
)

// Consolidate writes the partitions of several inputs into one data file: for
// every partition what its first input spilled and then what that still held,
// and so on through the inputs. Every spill file is read forward once, a group
// of partitions at a time.
type Consolidate struct {
	Inputs     []*Copy // their Out is one and the same; Partitions and Budget are not used
	Partitions int
	Budget     int64 // bytes of ranges held at a time, over all inputs
	Clock      *metrics.Clock
}

// leastPiece is the least that an input reads at a time of a partition that is
// above the budget.
const leastPiece = 64 << 10

// Run copies everything, or stops with ctx.
func (c *Consolidate) Run(ctx context.Context) error {
	defer c.Clock.Enter(c.Clock.Enter(metrics.PhaseWrite))
	for _, in := range c.Inputs {
		in.Clock, in.Budget = c.Clock, max(leastPiece, c.Budget/int64(len(c.Inputs)))
		if err := in.start(); err != nil {
			return err
		}
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

// group is Copy.group over all inputs.
func (c *Consolidate) group(p int) (end int, total int64) {
	for _, in := range c.Inputs {
		clear(in.need)
	}
	for end = p; end < c.Partitions; end++ {
		size := int64(0)
		for _, in := range c.Inputs {
			size += in.size(end)
		}
		if total+size > c.Budget && end > p {
			break
		}
		total += size
		for _, in := range c.Inputs {
			in.count(end)
		}
	}
	return end, total
}

// copyGroup writes partitions p to end, whose ranges have total bytes.
func (c *Consolidate) copyGroup(p, end int, total int64) error {
	if total > c.Budget {
		return c.partition(p, func(_ int, in *Copy) error { return in.copyPieces(p) })
	}
	bases := make([][]int64, len(c.Inputs))
	for i, in := range c.Inputs {
		var size int64
		for _, n := range in.need {
			size += n
		}
		var err error
		if bases[i], err = in.readGroup(size); err != nil {
			return err
		}
	}
	for ; p < end; p++ {
		if err := c.partition(p, func(i int, in *Copy) error { return in.copyRanges(p, bases[i]) }); err != nil {
			return err
		}
	}
	return nil
}

// partition writes one partition, the spilled ranges of each input by ranges.
func (c *Consolidate) partition(p int, ranges func(int, *Copy) error) error {
	for i, in := range c.Inputs {
		if err := ranges(i, in); err != nil {
			return err
		}
		if err := in.copyMemory(p); err != nil {
			return err
		}
	}
	return c.Inputs[0].Out.EndPartitions(p + 1)
}
