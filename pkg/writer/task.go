package writer

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/shufflebench/shufflebench/pkg/fixture"
	"github.com/shufflebench/shufflebench/pkg/metrics"
	"github.com/shufflebench/shufflebench/pkg/writer/convert"
	"github.com/shufflebench/shufflebench/pkg/writer/encode"
	"github.com/shufflebench/shufflebench/pkg/writer/output"
	"github.com/shufflebench/shufflebench/pkg/writer/partition"
	"github.com/shufflebench/shufflebench/pkg/writer/segment"
)

// task is one map task: it reads the whole fixture and writes one pair.
type task struct {
	ctx      context.Context // of the run
	opts     Options
	src      *fixture.Dataset
	dir      string
	plan     *convert.Plan
	layout   *segment.Layout
	template *encode.Template
	parts    partition.Partitioner
	grouper  segment.Grouper
	taker    *segment.Taker
	buffer   buffer
	engine   engine
	spiller  spiller           // the engine, or the input that this task stands for
	bounds   *partition.Bounds // of Range
	input    int               // which of the inputs that the row groups are dealt to
	inputs   int               // 0 = not dealt
	clock    metrics.Clock
	helpers  []*metrics.Clock
	result   TaskResult
}

// TaskDir is the directory of task number n.
func TaskDir(outputDir string, n int) string {
	return filepath.Join(outputDir, "task_"+strconv.Itoa(n))
}

func newTask(src *fixture.Dataset, o Options, n int) (*task, error) {
	return newTaskWith(src, o, n, nil)
}

// newTaskWith makes a task that shares bounds with others.
func newTaskWith(src *fixture.Dataset, o Options, n int, bounds *partition.Bounds) (*task, error) {
	t := &task{opts: o, src: src, dir: TaskDir(o.OutputDir, n), plan: convert.New(src.Schema()), bounds: bounds}
	var err error
	if t.layout, err = segment.NewLayout(t.plan.Schema); err != nil {
		return nil, err
	}
	if t.template, err = encode.NewTemplate(t.layout); err != nil {
		return nil, err
	}
	if t.parts, err = newPartitioner(t.plan.Schema, o, bounds); err != nil {
		return nil, err
	}
	t.taker = segment.NewTaker(t.layout)
	t.engine, err = newEngine(t)
	t.spiller = t.engine
	return t, err
}

func newPartitioner(schema *arrow.Schema, o Options, bounds *partition.Bounds) (partition.Partitioner, error) {
	switch o.Partitioning {
	case Range:
		return partition.NewRange(bounds), nil
	case Single:
		return partition.NewSingle(), nil
	case RoundRobin:
		return o.HashRule.NewRoundRobin(schema, o.Partitions)
	}
	cols, err := partition.Resolve(schema, o.HashColumns)
	if err != nil {
		return nil, err
	}
	return o.HashRule.NewHash(schema, cols, o.Partitions)
}

func (t *task) newEncoder(clock *metrics.Clock) (*encode.Encoder, error) {
	return encode.New(t.template, t.codec(), t.opts.BatchSize, clock)
}

func (t *task) codec() encode.Codec {
	o := &t.opts
	return encode.Codec{Codec: o.Codec, ZstdLevel: o.ZstdLevel, LZ4: string(o.LZ4Encoder), OffsetsAsLengths: o.OffsetLengths}
}

func (t *task) newSpillFile() (*segment.File, error) {
	return segment.NewFile(t.opts.FS, t.opts.SpillDir, t.opts.SpillCodec == "lz4")
}

// run does the task. On failure nothing of it is left on disk.
func (t *task) run(ctx context.Context) (res TaskResult, err error) {
	t.ctx = ctx
	t.clock.Start(metrics.PhaseOther)
	defer func() {
		t.clock.Stop()
		res.Phases = metrics.Combine(&t.clock, t.helpers...)
	}()
	consume := t.consume
	if e, ok := t.engine.(inputEngine); ok {
		consume = e.consume
	}
	if err := consume(ctx); err != nil {
		return t.result, err
	}
	if err := t.merge(ctx); err != nil {
		return t.result, err
	}
	t.engine.report(&t.result)
	return t.result, nil
}

// scan is what the task reads of the fixture.
func (t *task) scan() fixture.ScanOptions {
	return fixture.ScanOptions{
		BatchSize: t.opts.BatchSize,
		Limit:     t.opts.Limit,
		Readers:   t.opts.Workers,
		Part:      t.input,
		Parts:     t.inputs,
		Alloc:     t.opts.Alloc,
	}
}

// consume reads the fixture, partitions and buffers it, and spills. Where other
// goroutines decode, this one waits for them, and the reading is theirs.
func (t *task) consume(ctx context.Context) error {
	scan, phase := t.scan(), metrics.PhaseRead
	if t.src.Goroutines(scan) > 0 {
		var busy atomic.Int64
		scan.Busy, phase = &busy, metrics.PhaseWait
		defer func() {
			readers := new(metrics.Clock)
			readers.Add(metrics.PhaseRead, time.Duration(busy.Load()))
			t.helpers = append(t.helpers, readers)
		}()
	}
	defer t.clock.Enter(t.clock.Enter(phase))
	for batch, err := range t.src.Scan(ctx, scan) {
		if err != nil {
			return err
		}
		t.clock.Enter(metrics.PhaseOther)
		if err := t.add(batch); err != nil {
			return err
		}
		t.clock.Enter(phase)
	}
	return nil
}

// add buffers a batch and spills when the buffer is over its limit.
func (t *task) add(batch arrow.RecordBatch) error {
	t.result.Batches++
	t.result.Rows += batch.NumRows()
	if batch.NumRows() == 0 {
		return nil
	}
	if err := t.convertAndTake(batch); err != nil {
		return err
	}
	limit := t.opts.BufferLimit()
	if limit == 0 || t.buffer.size <= limit {
		return nil
	}
	t.result.Spills++
	if err := t.spiller.spill(t.buffer.held); err != nil {
		return err
	}
	t.buffer.release()
	return nil
}

// convertAndTake takes a batch in the types that are written. Converting counts
// as reading: it ends with the batches that everything else works on.
func (t *task) convertAndTake(batch arrow.RecordBatch) error {
	if !t.plan.Changes() {
		return t.take(batch)
	}
	prev := t.clock.Enter(metrics.PhaseRead)
	batch, err := t.plan.Apply(batch)
	t.clock.Enter(prev)
	if err != nil {
		return err
	}
	defer batch.Release()
	return t.take(batch)
}

// take groups a batch by partition and buffers the segment that results. A
// batch whose strings pass 32-bit offsets is halved first.
func (t *task) take(batch arrow.RecordBatch) error {
	prev := t.clock.Enter(metrics.PhasePartition)
	defer func() { t.clock.Enter(prev) }()
	parts, err := t.parts.Partition(batch)
	if err != nil {
		return err
	}
	t.clock.Enter(metrics.PhaseTake)
	if rows, ok := t.engine.(rowEngine); ok {
		return rows.insert(batch, parts)
	}
	order, entries := t.grouper.Group(parts, t.opts.Partitions)
	size, err := t.taker.Size(batch, entries)
	if errors.Is(err, segment.ErrTooLong) && batch.NumRows() > 1 {
		return t.takeHalves(batch)
	}
	if err != nil {
		return err
	}
	t.buffer.add(t.taker.Take(batch, order, entries, t.buffer.alloc(size)))
	t.result.PeakBuffer = max(t.result.PeakBuffer, t.buffer.size)
	return nil
}

func (t *task) takeHalves(batch arrow.RecordBatch) error {
	half := batch.NumRows() / 2
	for _, r := range [][2]int64{{0, half}, {half, batch.NumRows()}} {
		part := batch.NewSlice(r[0], r[1])
		err := t.take(part)
		part.Release()
		if err != nil {
			return err
		}
	}
	return nil
}

// merge writes the pair.
func (t *task) merge(ctx context.Context) (err error) {
	prev := t.clock.Enter(metrics.PhaseWrite)
	defer t.clock.Enter(prev)
	form := output.Blocks
	if e, ok := t.engine.(inputEngine); ok {
		form = e.form()
	}
	out, err := output.CreateForm(t.opts.FS, t.dir, form, t.opts.Partitions, int(t.opts.WriteBufferSize))
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, out.Abort())
		}
	}()
	if err := out.Checksums(t.opts.Checksum, givenSums(t.engine)); err != nil {
		return err
	}
	t.clock.Enter(metrics.PhaseOther)
	t.result.InnerBefore, t.result.Outer = t.engine.metadata()
	start := time.Now()
	if err := t.engine.merge(ctx, t.buffer.held, out); err != nil {
		return err
	}
	t.result.Merge = time.Since(start)
	t.result.InnerAfter, _ = t.engine.metadata()
	t.clock.Enter(metrics.PhaseWrite)
	t.result.Data, t.result.Index, t.result.Bytes = out.DataPath(), out.IndexPath(), out.Size()
	t.result.Checksums = out.ChecksumPath()
	return out.Commit()
}

// verifyRows is the writer's own check that it read what the fixture has.
func (t *task) verifyRows() error {
	want := t.src.Rows()
	if t.opts.Limit > 0 {
		want = min(want, t.opts.Limit)
	}
	if t.result.Rows != want {
		return fmt.Errorf("%d rows were read of a fixture that has %d", t.result.Rows, want)
	}
	return nil
}
