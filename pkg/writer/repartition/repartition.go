// Package repartition sends the rows of batches to one stream a partition, in
// memory: no bytes are encoded and no file is written.
//
// It does so in two ways. Per partition, every column is taken once for every
// partition that has rows in the batch, into memory of its own. Grouped, the
// batch is taken once, in partition order, by the very code that makes the
// segments of a shuffle, and a partition's part is a slice without a copy:
//
//	batch       per partition          grouped
//	┌───────┐   ┌─┐ take ► stream 0    ┌───────┐ rows of 0 ─► stream 0
//	│ rows  │   ┌─┐ take ► stream 1    │ group ├ rows of 1 ─► stream 1
//	│       │   ┌─┐ take ► stream 2    │       ├ rows of 2 ─► stream 2
//	└───────┘   ...                    └───────┘
//
// A slice holds all of its group. As long as one slice of a batch waits in a
// stream, the whole batch stays in memory; Settle copies out such slices where
// they hold too much. Account counts memory in the three ways that are in use,
// of which only one is right.
package repartition

import (
	"errors"
	"fmt"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/shufflebench/shufflebench/pkg/metrics"
	"github.com/shufflebench/shufflebench/pkg/writer/partition"
	"github.com/shufflebench/shufflebench/pkg/writer/segment"
)

// The takes.
const (
	// PerPartition takes every column once for each partition with rows.
	PerPartition = "per-partition"
	// Grouped takes every column once and slices.
	Grouped = "grouped"
)

// Takes lists their names.
func Takes() []string { return []string{PerPartition, Grouped} }

// MaxPartitions is the most streams there can be.
const MaxPartitions = 1 << 20

// Options say how to repartition. The zero value of a field means its default;
// EnsureDefaults fills them in.
type Options struct {
	Take       string           // a name of Takes; default Grouped
	Partitions int              // streams, 1 to MaxPartitions; default 200
	CopyOut    float64          // Settle copies slices that pin more than this times their bytes; 0 = never
	Alloc      memory.Allocator // default memory.DefaultAllocator
}

// EnsureDefaults fills every field that holds its zero value.
func (o *Options) EnsureDefaults() {
	if o.Take == "" {
		o.Take = Grouped
	}
	if o.Partitions == 0 {
		o.Partitions = 200
	}
	if o.Alloc == nil {
		o.Alloc = memory.DefaultAllocator
	}
}

// Validate names every contradiction in options with defaults filled in.
func (o *Options) Validate() error {
	var errs []error
	if o.Take != PerPartition && o.Take != Grouped {
		errs = append(errs, fmt.Errorf("unknown take %q (known: %s, %s)", o.Take, PerPartition, Grouped))
	}
	if o.Partitions < 1 || o.Partitions > MaxPartitions {
		errs = append(errs, fmt.Errorf("partitions: %d is not between 1 and %d", o.Partitions, MaxPartitions))
	}
	if !(o.CopyOut == 0 || o.CopyOut >= 1) { // not NaN either
		errs = append(errs, fmt.Errorf("copy out: %v is below 1: every slice pins its own bytes", o.CopyOut))
	}
	if o.CopyOut != 0 && o.Take == PerPartition {
		errs = append(errs, errors.New("copy out goes with the grouped take: the other one has no slices"))
	}
	return errors.Join(errs...)
}

// Stats is what a Repartitioner did.
type Stats struct {
	Batches, Rows           int64
	Slices                  int64 // that were queued: partitions with rows, over all batches
	CopiedOut, CopiedOutLen int64 // slices that Settle copied, and bytes of their copies
}

// Repartitioner is the streams and what fills them. It belongs to one
// goroutine; the records that Next hands out may go to others.
type Repartitioner struct {
	opts    Options
	layout  *segment.Layout
	parts   partition.Partitioner
	clock   *metrics.Clock
	grouper segment.Grouper
	taker   *segment.Taker
	gather  gatherer
	slab    slab
	queues  []queue
	touched []segment.Entry
	waiting int
	stats   Stats
}

// New makes a Repartitioner of batches of layout's schema. Its work is counted
// on clock: partitioning, and taking, to which copying out belongs.
func New(layout *segment.Layout, parts partition.Partitioner, clock *metrics.Clock, o Options) (*Repartitioner, error) {
	o.EnsureDefaults()
	if err := o.Validate(); err != nil {
		return nil, err
	}
	return &Repartitioner{
		opts: o, layout: layout, parts: parts, clock: clock,
		taker:  segment.NewTaker(layout),
		gather: gatherer{alloc: o.Alloc},
		slab:   slab{schema: layout.Schema},
		queues: make([]queue, o.Partitions),
	}, nil
}

// Push queues the rows of a batch, those of a partition in their order. The
// batch is not needed afterwards.
func (r *Repartitioner) Push(batch arrow.RecordBatch) error {
	r.touched = r.touched[:0]
	if batch.NumRows() == 0 {
		return nil
	}
	r.stats.Batches++
	return r.push(batch)
}

func (r *Repartitioner) push(batch arrow.RecordBatch) error {
	defer r.clock.Enter(r.clock.Enter(metrics.PhasePartition))
	parts, err := r.parts.Partition(batch)
	if err != nil {
		return err
	}
	r.clock.Enter(metrics.PhaseTake)
	order, entries := r.grouper.Group(parts, r.opts.Partitions)
	if r.opts.Take == PerPartition {
		r.takeEach(batch, order, entries)
	} else if err := r.takeOnce(batch, order, entries); err != nil {
		if errors.Is(err, segment.ErrTooLong) && batch.NumRows() > 1 {
			return r.pushHalves(batch)
		}
		return err
	}
	r.touched = append(r.touched, entries...)
	r.stats.Rows += batch.NumRows()
	r.stats.Slices += int64(len(entries))
	return nil
}

// pushHalves pushes a batch whose values pass 32-bit offsets.
func (r *Repartitioner) pushHalves(batch arrow.RecordBatch) error {
	half := batch.NumRows() / 2
	for _, c := range [][2]int64{{0, half}, {half, batch.NumRows()}} {
		part := batch.NewSlice(c[0], c[1])
		err := r.push(part)
		part.Release()
		if err != nil {
			return err
		}
	}
	return nil
}

// Touched lists the partitions that the last Push gave rows to, and how many;
// one may be there twice. It is valid until the next Push.
func (r *Repartitioner) Touched() []segment.Entry { return r.touched }

// Waiting is how many slices wait in partition p's stream.
func (r *Repartitioner) Waiting(p int) int { return r.queues[p].len() }

// Next hands out the oldest slice of partition p, to be released by the caller,
// or nil where none waits.
func (r *Repartitioner) Next(p int) arrow.RecordBatch {
	q := &r.queues[p]
	if q.len() == 0 {
		return nil
	}
	it := q.pop()
	r.waiting--
	if it.group == nil {
		return it.own
	}
	rec := it.group.slice(&r.slab, it.lo, it.rows)
	it.group.drop()
	return rec
}

// Settle looks at the slices that wait after consumers took theirs, and copies
// out those whose group is more than CopyOut times the bytes of all its slices
// that wait. It changes no stream's content.
func (r *Repartitioner) Settle() {
	if r.opts.CopyOut == 0 || r.waiting == 0 {
		return
	}
	defer r.clock.Enter(r.clock.Enter(metrics.PhaseTake))
	for it := range r.sliced() {
		it.group.live = 0
	}
	for it := range r.sliced() {
		it.group.live += it.group.liveBytes(r.layout, it.lo, it.rows)
	}
	for it := range r.sliced() {
		if float64(it.group.size) > r.opts.CopyOut*float64(it.group.live) {
			r.copyOut(it)
		}
	}
}

// sliced goes over the waiting slices that hold a group.
func (r *Repartitioner) sliced() func(yield func(*item) bool) {
	return func(yield func(*item) bool) {
		for p := range r.queues {
			items := r.queues[p].items()
			for i := range items {
				if items[i].group != nil && !yield(&items[i]) {
					return
				}
			}
		}
	}
}

func (r *Repartitioner) copyOut(it *item) {
	rows := r.gather.run(it.lo, it.rows)
	own := r.gather.record(r.layout, it.group.columns, rows)
	r.stats.CopiedOut++
	r.stats.CopiedOutLen += recordSize(own)
	it.group.drop()
	it.group, it.own = nil, own
}

// Stats tells what was done.
func (r *Repartitioner) Stats() Stats { return r.stats }

// Close releases what still waits.
func (r *Repartitioner) Close() {
	for p := range r.queues {
		for rec := r.Next(p); rec != nil; rec = r.Next(p) {
			rec.Release()
		}
	}
}

func (r *Repartitioner) queue(p uint32, it item) {
	r.queues[p].push(it)
	r.waiting++
}

// Since is what was done after o.
func (s Stats) Since(o Stats) Stats {
	return Stats{
		Batches: s.Batches - o.Batches, Rows: s.Rows - o.Rows, Slices: s.Slices - o.Slices,
		CopiedOut: s.CopiedOut - o.CopiedOut, CopiedOutLen: s.CopiedOutLen - o.CopiedOutLen,
	}
}
