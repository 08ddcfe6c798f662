package sortedrows

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/shufflebench/shufflebench/internal/shufflefile"
	"github.com/shufflebench/shufflebench/internal/vfs"
	"github.com/shufflebench/shufflebench/pkg/writer/encode"
	"github.com/shufflebench/shufflebench/pkg/writer/pages"
	"github.com/shufflebench/shufflebench/pkg/writer/partition"
)

const benchRows = 100_000

// benchBatch is the published workload's shape: 100,000 rows of five columns.
func benchBatch() arrow.RecordBatch {
	schema := arrow.NewSchema([]arrow.Field{
		{Name: "id", Type: arrow.PrimitiveTypes.Int64, Nullable: true},
		{Name: "quantity", Type: arrow.PrimitiveTypes.Int32, Nullable: true},
		{Name: "price", Type: arrow.PrimitiveTypes.Float64, Nullable: true},
		{Name: "name", Type: arrow.BinaryTypes.String, Nullable: true},
		{Name: "day", Type: arrow.FixedWidthTypes.Date32, Nullable: true},
	}, nil)
	b := array.NewRecordBuilder(memory.DefaultAllocator, schema)
	defer b.Release()
	r := rand.New(rand.NewPCG(7065, 1))
	for i := range benchRows {
		b.Field(0).(*array.Int64Builder).Append(int64(i))
		b.Field(1).(*array.Int32Builder).Append(int32(r.IntN(10_000)))
		b.Field(2).(*array.Float64Builder).Append(float64(r.IntN(10_000_000)) / 100)
		b.Field(3).(*array.StringBuilder).Append(fmt.Sprintf("customer-%06d", r.IntN(1_000_000)))
		b.Field(4).(*array.Date32Builder).Append(arrow.Date32(18_000 + r.IntN(2500)))
	}
	return b.NewRecordBatch()
}

// benchHeap is those rows in pages, hashed by their id, and sorted.
func benchHeap(tb testing.TB, partitions int) (*heap, Source) {
	tb.Helper()
	batch := benchBatch()
	defer batch.Release()
	hash, err := partition.NewHash(batch.Schema(), []int{0}, partitions)
	if err != nil {
		tb.Fatal(err)
	}
	parts, err := hash.Partition(batch)
	if err != nil {
		tb.Fatal(err)
	}
	h := newHeap(tb, batch.Schema(), pages.DefaultPageSize, 4)
	h.want = nil
	h.writer.Use(batch)
	sizes, err := h.writer.Sizes(0, benchRows)
	if err != nil {
		tb.Fatal(err)
	}
	rooms := make([][]byte, len(sizes))
	for i, n := range sizes {
		if rooms[i], err = h.store.Insert(parts[i], n); err != nil {
			tb.Fatal(err)
		}
	}
	h.writer.Write(0, rooms)
	return h, h.source()
}

// spillFile is the file of one spill and the lengths of the partitions in it.
type spillFile struct {
	f       vfs.File
	lengths []int64
}

func (s *spillFile) Write(b []byte, runs []encode.Run) error {
	start := 0
	for _, r := range runs {
		s.lengths[r.Partition] += int64(r.End - start)
		start = r.End
	}
	_, err := s.f.Write(b)
	return err
}

// bencher makes spills of the same rows, each into a file of its own that is
// removed afterwards.
type bencher struct {
	shape Shape
	src   Source
	fsys  vfs.FS
	dir   string
	sink  spillFile
	n     int
}

func newBencher(tb testing.TB, h *heap, src Source, partitions int, perSpill bool) *bencher {
	tb.Helper()
	o := h.options(tb, encode.Codec{Codec: shufflefile.LZ4, LZ4: "column"}, partitions, shufflefile.Adler32)
	o.DictionaryRatio = 10
	b := &bencher{src: src, dir: tb.TempDir(), sink: spillFile{lengths: make([]int64, partitions)}}
	if !perSpill {
		b.shape, b.fsys = NewPerPartition(o), Reopening(vfs.OS{})
		return b
	}
	var err error
	if b.shape, err = NewPerSpill(o); err != nil {
		tb.Fatal(err)
	}
	b.fsys = named{vfs.OS{}}
	return b
}

// named has scratch files of a name, as those of the other shape are.
type named struct{ vfs.FS }

func (n named) Scratch(dir, label string) (vfs.File, error) {
	return n.Create(filepath.Join(dir, label))
}

// spill is what is timed: from sorted pointers to a closed file.
func (b *bencher) spill() (err error) {
	clear(b.sink.lengths)
	b.n++
	if b.sink.f, err = b.fsys.Scratch(b.dir, fmt.Sprint("spill", b.n)); err != nil {
		return err
	}
	if err := b.shape.Spill(b.src, &b.sink); err != nil {
		return err
	}
	return b.sink.f.Close()
}

var benchPartitions = []int{100, 1000, 10_000}

// BenchmarkSpill is one spill of 100,000 rows, lz4 and Adler-32.
func BenchmarkSpill(b *testing.B) {
	for _, partitions := range benchPartitions {
		h, src := benchHeap(b, partitions)
		for _, perSpill := range []bool{true, false} {
			name := "per-partition"
			if perSpill {
				name = "per-spill"
			}
			b.Run(fmt.Sprintf("%dp/%s", partitions, name), func(b *testing.B) {
				s := newBencher(b, h, src, partitions, perSpill)
				b.ReportAllocs()
				for b.Loop() {
					if err := s.spill(); err != nil {
						b.Fatal(err)
					}
				}
				b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N*partitions), "us/partition")
			})
		}
	}
}
