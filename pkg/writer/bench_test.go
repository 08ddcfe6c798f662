package writer

import (
	"context"
	"fmt"
	"io"
	"testing"

	"github.com/shufflebench/shufflebench/internal/shufflefile"
	"github.com/shufflebench/shufflebench/internal/vfs"
	"github.com/shufflebench/shufflebench/pkg/fixture"
	"github.com/shufflebench/shufflebench/pkg/metrics"
	"github.com/shufflebench/shufflebench/pkg/writer/encode"
	"github.com/shufflebench/shufflebench/pkg/writer/merge"
	"github.com/shufflebench/shufflebench/pkg/writer/output"
	"github.com/shufflebench/shufflebench/pkg/writer/segment"
)

// The benchmarks run the parts of a task over the seed workload in memory, so
// that neither Parquet nor a disk is timed. benchBatches of its 88 batches are
// used; the rows a partition and block are fewer by that, the pieces as small.
const (
	benchBatchRows = 32768
	benchBatches   = 22
)

// benchTask is a task whose segments are taken.
func benchTask(b *testing.B, partitions int) *task {
	b.Helper()
	path := b.TempDir() + "/seed.parquet"
	if err := fixture.MakeFile(path, fixture.Options{Preset: "seed", Rows: benchBatches * benchBatchRows}); err != nil {
		b.Fatal(err)
	}
	src, err := fixture.Open(path)
	if err != nil {
		b.Fatal(err)
	}
	o := Options{Partitions: partitions, BatchSize: benchBatchRows, OutputDir: "/out", SpillDir: "/", FS: vfs.NewMem(), Workers: 1}
	o.EnsureDefaults()
	t, err := newTask(src, o, 0)
	if err != nil {
		b.Fatal(err)
	}
	if err := t.consume(context.Background()); err != nil {
		b.Fatal(err)
	}
	return t
}

func eachPartitionCount(b *testing.B, run func(b *testing.B, partitions int)) {
	for _, p := range []int{200, 16000} {
		b.Run(fmt.Sprintf("%dp", p), func(b *testing.B) { run(b, p) })
	}
}

func perRow(b *testing.B, rows int) {
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(rows), "ns/row")
}

// BenchmarkGroup orders one batch by partition.
func BenchmarkGroup(b *testing.B) {
	eachPartitionCount(b, func(b *testing.B, partitions int) {
		t := benchTask(b, partitions)
		for batch, err := range t.src.Scan(b.Context(), fixture.ScanOptions{BatchSize: benchBatchRows, Limit: benchBatchRows}) {
			if err != nil {
				b.Fatal(err)
			}
			parts, err := t.parts.Partition(batch)
			if err != nil {
				b.Fatal(err)
			}
			for b.Loop() {
				t.grouper.Group(parts, partitions)
			}
			perRow(b, benchBatchRows)
		}
	})
}

// BenchmarkTake gathers one batch's two columns in partition order.
func BenchmarkTake(b *testing.B) {
	eachPartitionCount(b, func(b *testing.B, partitions int) {
		t := benchTask(b, partitions)
		for batch, err := range t.src.Scan(b.Context(), fixture.ScanOptions{BatchSize: benchBatchRows, Limit: benchBatchRows}) {
			if err != nil {
				b.Fatal(err)
			}
			parts, err := t.parts.Partition(batch)
			if err != nil {
				b.Fatal(err)
			}
			order, entries := t.grouper.Group(parts, partitions)
			size, err := t.taker.Size(batch, entries)
			if err != nil {
				b.Fatal(err)
			}
			mem := make([]byte, 0, size)
			for b.Loop() {
				t.taker.Take(batch, order, entries, mem)
			}
			perRow(b, benchBatchRows)
		}
	})
}

// BenchmarkEncode plans, lays out and compresses all rows, without output.
func BenchmarkEncode(b *testing.B) {
	for _, codec := range []shufflefile.Codec{shufflefile.None, shufflefile.LZ4, shufflefile.Zstd, shufflefile.Snappy} {
		b.Run(codec.String(), func(b *testing.B) {
			eachPartitionCount(b, func(b *testing.B, partitions int) {
				t := benchTask(b, partitions)
				t.opts.Codec = codec
				e := benchEncoder(b, t)
				blocks, bytes := 0, 0
				for b.Loop() {
					blocks, bytes = encodeAll(b, t, e)
				}
				perRow(b, benchBatches*benchBatchRows)
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(blocks), "ns/block")
				b.ReportMetric(float64(bytes)/float64(blocks), "B/block")
			})
		})
	}
}

// BenchmarkBlocks does the same with one batch a time, as a forced spill does:
// at 16,000 partitions, blocks of two rows.
func BenchmarkBlocks(b *testing.B) {
	eachPartitionCount(b, func(b *testing.B, partitions int) {
		t := benchTask(b, partitions)
		t.buffer.held = t.buffer.held[:1]
		e := benchEncoder(b, t)
		blocks, bytes := 0, 0
		for b.Loop() {
			blocks, bytes = encodeAll(b, t, e)
		}
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(blocks), "ns/block")
		b.ReportMetric(float64(bytes)/float64(blocks), "B/block")
	})
}

func benchEncoder(b *testing.B, t *task) *encode.Encoder {
	e, err := t.newEncoder(new(metrics.Clock))
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		if err := e.Close(); err != nil {
			b.Error(err)
		}
	})
	return e
}

func encodeAll(b *testing.B, t *task, e *encode.Encoder) (blocks, bytes int) {
	sources := sourcesOf(t.buffer.held)
	planner, err := segment.NewPlanner(t.layout, sources, t.opts.Partitions, t.opts.BatchSize, t.opts.MergeBudget)
	if err != nil {
		b.Fatal(err)
	}
	h := &heldBlocks{enc: e, planner: planner, sources: sources}
	for {
		e.Reset()
		more, err := h.window()
		if err != nil {
			b.Fatal(err)
		}
		if !more {
			return blocks, bytes
		}
		for _, r := range e.Runs {
			blocks += int(r.Blocks)
		}
		bytes += len(e.Out)
	}
}

// BenchmarkGather merges spilled segments into a pair of files, in memory.
func BenchmarkGather(b *testing.B) {
	eachPartitionCount(b, func(b *testing.B, partitions int) {
		t := benchTask(b, partitions)
		s := &segments{t: t}
		for _, seg := range t.buffer.held {
			if err := s.spill([]*segment.Segment{seg}); err != nil {
				b.Fatal(err)
			}
		}
		for b.Loop() {
			out, err := output.Create(discard{vfs.NewMem()}, "/out", partitions, 1<<20)
			if err != nil {
				b.Fatal(err)
			}
			if err := s.merge(b.Context(), nil, out); err != nil {
				b.Fatal(err)
			}
		}
		perRow(b, benchBatches*benchBatchRows)
	})
}

// BenchmarkCopy merges spilled blocks into a pair of files, in memory.
func BenchmarkCopy(b *testing.B) {
	eachPartitionCount(b, func(b *testing.B, partitions int) {
		t := benchTask(b, partitions)
		e, err := newRanges(t)
		if err != nil {
			b.Fatal(err)
		}
		r := e.(*ranges)
		for _, seg := range t.buffer.held {
			if err := r.spill([]*segment.Segment{seg}); err != nil {
				b.Fatal(err)
			}
		}
		for b.Loop() {
			out, err := output.Create(discard{vfs.NewMem()}, "/out", partitions, 1<<20)
			if err != nil {
				b.Fatal(err)
			}
			c := merge.Copy{Ranges: r.spills, Memory: noBlocks{}, Out: out, Partitions: partitions, Budget: t.opts.MergeBudget, Clock: new(metrics.Clock)}
			if err := c.Run(context.Background()); err != nil {
				b.Fatal(err)
			}
		}
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(r.spills.Count()), "ns/range")
	})
}

type noBlocks struct{}

func (noBlocks) Next() (uint32, []byte, bool, error) { return 0, nil, false, nil }

// discard is a file system whose new files keep nothing.
type discard struct{ vfs.FS }

func (d discard) Create(name string) (vfs.File, error) {
	f, err := d.FS.Create(name)
	return discardFile{f}, err
}

type discardFile struct{ vfs.File }

func (discardFile) Write(b []byte) (int, error) { return io.Discard.Write(b) }
