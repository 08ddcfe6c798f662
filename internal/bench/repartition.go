package bench

import (
	"context"
	"fmt"
	"runtime"
	runtimemetrics "runtime/metrics"
	"time"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/shufflebench/shufflebench/internal/report"
	"github.com/shufflebench/shufflebench/pkg/fixture"
	"github.com/shufflebench/shufflebench/pkg/metrics"
	"github.com/shufflebench/shufflebench/pkg/writer/convert"
	"github.com/shufflebench/shufflebench/pkg/writer/partition"
	"github.com/shufflebench/shufflebench/pkg/writer/repartition"
	"github.com/shufflebench/shufflebench/pkg/writer/segment"
)

// NoPartition is RepartitionOrder.Slow when no consumer is slow.
const NoPartition = -1

// RepartitionOrder is one measured repartitioning in memory.
type RepartitionOrder struct {
	Take        string
	Partitions  int
	BatchSize   int
	HashColumns []string
	Limit       int64
	CopyOut     float64
	Slow        int // partition whose consumer holds back, or NoPartition
	Lag         int // slices that it holds back
}

// RepartitionFigures is what a measured repartitioning counted.
type RepartitionFigures struct {
	Elapsed time.Duration       `json:"elapsed"` // all of it: partitioning, taking, consuming
	Phases  metrics.Breakdown   `json:"phases"`  // other: consuming
	Usage   metrics.Usage       `json:"usage"`   // of the timed part
	Stats   repartition.Stats   `json:"stats"`
	Batches int                 `json:"batches"`
	Peak    repartition.Account `json:"peak"` // of what waited when it was most
	Heap    int64               `json:"heap"` // bytes really held then
	Proof   string              `json:"proof"`
	Notes   []string            `json:"notes,omitempty"`
}

// repartitioning is an order under way, its input in memory.
type repartitioning struct {
	*RepartitionOrder
	ctx     context.Context
	layout  *segment.Layout
	columns []int
	batches []arrow.RecordBatch
}

// repartition carries an order out. The input is read first. Then it is
// repartitioned three times over: against the clock, to find when most memory
// is held, and up to that moment, to see what the heap has. A fourth pass, with
// every row hashed, is the proof.
func (o *RepartitionOrder) repartition(ctx context.Context, src *fixture.Dataset) (*RepartitionFigures, error) {
	w := &repartitioning{RepartitionOrder: o, ctx: ctx}
	notes, err := w.load(src)
	if err != nil {
		return nil, err
	}
	fig := &RepartitionFigures{Batches: len(w.batches), Notes: notes}
	if err := w.timed(fig); err != nil {
		return nil, err
	}
	if err := w.account(fig); err != nil {
		return nil, err
	}
	return fig, w.prove(fig)
}

// load reads the input, in the types that write would write.
func (w *repartitioning) load(src *fixture.Dataset) (notes []string, err error) {
	plan := convert.New(src.Schema())
	if w.layout, err = segment.NewLayout(plan.Schema); err != nil {
		return nil, err
	}
	if w.columns, err = partition.Resolve(plan.Schema, w.HashColumns); err != nil {
		return nil, err
	}
	scan := fixture.ScanOptions{BatchSize: w.BatchSize, Limit: w.Limit, Alloc: memory.DefaultAllocator}
	for batch, err := range src.Scan(w.ctx, scan) {
		if err != nil {
			return nil, err
		}
		own, err := plan.Apply(batch)
		if err != nil {
			return nil, err
		}
		w.batches = append(w.batches, own)
	}
	return plan.Notes, nil
}

// start makes streams, and the partitioner that fills them.
func (w *repartitioning) start(clock *metrics.Clock) (*repartition.Repartitioner, error) {
	parts, err := partition.NewHash(w.layout.Schema, w.columns, w.Partitions)
	if err != nil {
		return nil, err
	}
	return repartition.New(w.layout, parts, clock, repartition.Options{Take: w.Take, Partitions: w.Partitions, CopyOut: w.CopyOut})
}

// pass pushes batches and has the streams consumed after each. What looks is
// called in between, with the number of the batch, when most waits.
func (w *repartitioning) pass(r *repartition.Repartitioner, batches []arrow.RecordBatch, consume func(int, arrow.RecordBatch), look func(int)) error {
	for i, b := range batches {
		if err := w.ctx.Err(); err != nil {
			return err
		}
		if err := r.Push(b); err != nil {
			return err
		}
		if look != nil {
			look(i)
		}
		for _, e := range r.Touched() {
			lag := 0
			if int(e.Partition) == w.Slow {
				lag = w.Lag
			}
			drain(r, int(e.Partition), lag, consume)
		}
		r.Settle()
	}
	return nil
}

func drain(r *repartition.Repartitioner, p, lag int, consume func(int, arrow.RecordBatch)) {
	for r.Waiting(p) > lag {
		rec := r.Next(p)
		consume(p, rec)
		rec.Release()
	}
}

// finish consumes what a slow consumer held back.
func (w *repartitioning) finish(r *repartition.Repartitioner, consume func(int, arrow.RecordBatch)) {
	if w.Slow != NoPartition {
		drain(r, w.Slow, 0, consume)
	}
}

// timed is the pass that counts, after one over the first batches that does
// not. A consumer asks for every column of what it gets.
func (w *repartitioning) timed(fig *RepartitionFigures) error {
	rows := int64(0)
	consume := func(_ int, rec arrow.RecordBatch) {
		for _, c := range rec.Columns() {
			rows += int64(c.Len())
		}
	}
	var clock metrics.Clock
	r, err := w.start(&clock)
	if err != nil {
		return err
	}
	defer r.Close()
	if err := w.pass(r, w.batches[:min(len(w.batches), warmBatches)], consume, nil); err != nil {
		return err
	}
	w.finish(r, consume)
	warm := r.Stats()
	runtime.GC()
	rows = 0
	watch := metrics.Watch()
	clock.Start(metrics.PhaseOther)
	err = w.pass(r, w.batches, consume, nil)
	w.finish(r, consume)
	clock.Stop()
	fig.Usage, fig.Phases = watch.Stop(), metrics.Combine(&clock)
	fig.Elapsed, fig.Stats = fig.Phases.Elapsed, r.Stats().Since(warm)
	if err == nil && rows != fig.Stats.Rows*int64(w.layout.Schema.NumFields()) {
		err = fmt.Errorf("%d rows went in, and consumers saw %d values in %d columns", fig.Stats.Rows, rows, w.layout.Schema.NumFields())
	}
	return err
}

// warmBatches is how many batches go through before the clock starts.
const warmBatches = 16

// looks is at how many batches, at most, memory is looked at.
const looks = 48

// account finds the batch after which most is held and measures the heap there.
func (w *repartitioning) account(fig *RepartitionFigures) error {
	ignore := func(int, arrow.RecordBatch) {}
	peak := 0
	err := w.again(func(r *repartition.Repartitioner) error {
		step := max(1, len(w.batches)/looks)
		return w.pass(r, w.batches, ignore, func(i int) {
			if i%step != 0 {
				return
			}
			if a := r.Account(); a.Held() > fig.Peak.Held() {
				fig.Peak, peak = a, i
			}
		})
	})
	if err != nil || len(w.batches) == 0 {
		return err
	}
	var heaps []float64
	for range heapLooks {
		heap, err := w.heapAt(peak, fig)
		if err != nil {
			return err
		}
		heaps = append(heaps, heap)
	}
	fig.Heap = int64(report.Median(heaps))
	return nil
}

// heapLooks is how often the heap is measured. The runtime's own objects, such
// as those of a new thread, are in it too; they come at most once.
const heapLooks = 3

// heapAt goes to the moment of a batch, counts what waits, and measures what
// the heap has more than when nothing waited. What a Repartitioner keeps for the
// next batch is no stream's: it is in both, as large as these batches need it.
func (w *repartitioning) heapAt(peak int, fig *RepartitionFigures) (heap float64, err error) {
	ignore := func(int, arrow.RecordBatch) {}
	err = w.again(func(r *repartition.Repartitioner) error {
		if err := w.pass(r, w.batches[:peak+1], ignore, nil); err != nil {
			return err
		}
		w.finish(r, ignore)
		idle, before := r.Account(), heapHeld()
		return w.pass(r, w.batches[:peak+1], ignore, func(i int) {
			if i == peak {
				heap = float64(heapHeld() - before)
				fig.Peak = r.Account()
				fig.Peak.ObjectBytes -= idle.ObjectBytes
			}
		})
	})
	return heap, err
}

func (w *repartitioning) again(do func(*repartition.Repartitioner) error) error {
	r, err := w.start(&metrics.Clock{})
	if err != nil {
		return err
	}
	defer r.Close()
	return do(r)
}

// heapHeld is what the heap has after everything that nothing refers to is
// gone: two collections, since the first may leave what pools give back.
func heapHeld() int64 {
	runtime.GC()
	runtime.GC()
	sample := []runtimemetrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	runtimemetrics.Read(sample)
	return int64(sample[0].Value.Uint64())
}

// prove holds the rows of every stream, in their order, to those of the input.
func (w *repartitioning) prove(fig *RepartitionFigures) error {
	parts, err := partition.NewHash(w.layout.Schema, w.columns, w.Partitions)
	if err != nil {
		return err
	}
	want, got := repartition.NewDigest(w.layout, w.Partitions), repartition.NewDigest(w.layout, w.Partitions)
	for _, b := range w.batches {
		places, err := parts.Partition(b)
		if err != nil {
			return err
		}
		want.Place(b, places)
	}
	err = w.again(func(r *repartition.Repartitioner) error {
		err := w.pass(r, w.batches, got.Append, nil)
		w.finish(r, got.Append)
		return err
	})
	if err != nil {
		return err
	}
	if p := want.Difference(got); p != NoPartition {
		return &FaultError{fmt.Sprintf("take %s: partition %d has other rows, or another order, than the input gives it", w.Take, p)}
	}
	fig.Proof = metrics.Proved
	return nil
}
