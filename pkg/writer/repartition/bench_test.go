package repartition

import (
	"context"
	"fmt"
	"path/filepath"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/compute"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/shufflebench/shufflebench/pkg/fixture"
	"github.com/shufflebench/shufflebench/pkg/metrics"
	"github.com/shufflebench/shufflebench/pkg/writer/convert"
	"github.com/shufflebench/shufflebench/pkg/writer/partition"
	"github.com/shufflebench/shufflebench/pkg/writer/segment"
)

// load brings rows of a preset into memory.
func load(b *testing.B, preset string, rows int64, batch int) (*arrow.Schema, []arrow.RecordBatch) {
	b.Helper()
	out := filepath.Join(b.TempDir(), "f.parquet")
	if err := fixture.MakeFile(out, fixture.Options{Preset: preset, Rows: rows}); err != nil {
		b.Fatal(err)
	}
	src, err := fixture.Open(out)
	if err != nil {
		b.Fatal(err)
	}
	plan := convert.New(src.Schema())
	var all []arrow.RecordBatch
	for rec, err := range src.Scan(b.Context(), fixture.ScanOptions{BatchSize: batch, Alloc: memory.DefaultAllocator}) {
		if err != nil {
			b.Fatal(err)
		}
		rec, err := plan.Apply(rec)
		if err != nil {
			b.Fatal(err)
		}
		all = append(all, rec)
	}
	return plan.Schema, all
}

// BenchmarkTake sets three takes side by side: the two of this package, and one
// call of the library's take a column and partition.
func BenchmarkTake(b *testing.B) {
	for _, preset := range []string{"lineitem", "seed"} {
		for _, batch := range []int{1024, 8192} {
			schema, all := load(b, preset, 32768, batch)
			for _, partitions := range []int{8, 300} {
				name := fmt.Sprintf("%s/%d/%dp", preset, batch, partitions)
				for _, take := range Takes() {
					b.Run(name+"/"+take, func(b *testing.B) { benchTake(b, schema, all, Options{Take: take, Partitions: partitions}) })
				}
				b.Run(name+"/library", func(b *testing.B) { benchLibrary(b, schema, all, partitions) })
			}
		}
	}
}

// processor reports processor time, which other work on the machine changes
// less than it does wall time.
func processor(b *testing.B) func() {
	w := metrics.Watch()
	return func() {
		u := w.Stop()
		b.ReportMetric(float64((u.UserCPU+u.SystemCPU).Nanoseconds())/float64(b.N), "cpu-ns/op")
	}
}

func hashOf(b *testing.B, schema *arrow.Schema, partitions int) partition.Partitioner {
	parts, err := partition.NewHash(schema, []int{0}, partitions)
	if err != nil {
		b.Fatal(err)
	}
	return parts
}

func benchTake(b *testing.B, schema *arrow.Schema, all []arrow.RecordBatch, o Options) {
	r, err := New(layoutOf(b, schema), hashOf(b, schema, o.Partitions), &metrics.Clock{}, o)
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	defer processor(b)()
	for b.Loop() {
		for _, rec := range all {
			if err := r.Push(rec); err != nil {
				b.Fatal(err)
			}
			for _, e := range r.Touched() {
				r.Next(int(e.Partition)).Release()
			}
		}
	}
}

func benchLibrary(b *testing.B, schema *arrow.Schema, all []arrow.RecordBatch, partitions int) {
	parts := hashOf(b, schema, partitions)
	var g segment.Grouper
	b.ReportAllocs()
	defer processor(b)()
	for b.Loop() {
		for _, rec := range all {
			p, err := parts.Partition(rec)
			if err != nil {
				b.Fatal(err)
			}
			order, entries := g.Group(p, partitions)
			for _, e := range entries {
				libraryTake(b, rec, order[:e.Rows])
				order = order[e.Rows:]
			}
		}
	}
}

func libraryTake(b *testing.B, rec arrow.RecordBatch, rows []uint32) {
	index := array.NewUint32Data(array.NewData(arrow.PrimitiveTypes.Uint32, len(rows),
		[]*memory.Buffer{nil, memory.NewBufferBytes(arrow.Uint32Traits.CastToBytes(rows))}, nil, 0, 0))
	defer index.Release()
	for _, c := range rec.Columns() {
		out, err := compute.TakeArrayOpts(context.Background(), c, index, compute.TakeOptions{BoundsCheck: false})
		if err != nil {
			b.Fatal(err)
		}
		out.Release()
	}
}
