package sortedrows

import (
	"testing"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/shufflebench/shufflebench/internal/oracle"
	"github.com/shufflebench/shufflebench/internal/shufflefile"
	"github.com/shufflebench/shufflebench/pkg/metrics"
	"github.com/shufflebench/shufflebench/pkg/writer/encode"
	"github.com/shufflebench/shufflebench/pkg/writer/pages"
	"github.com/shufflebench/shufflebench/pkg/writer/segment"
	"github.com/shufflebench/shufflebench/pkg/writer/unsaferow"
)

// heap is rows in pages, and what should come out of them.
type heap struct {
	layout *segment.Layout
	writer *unsaferow.Writer
	store  *pages.Store
	want   oracle.Table
}

func newHeap(t testing.TB, schema *arrow.Schema, pageSize, lengthSize int) *heap {
	t.Helper()
	h := &heap{want: oracle.Table{}}
	var err error
	if h.layout, err = segment.NewLayout(schema); err != nil {
		t.Fatal(err)
	}
	l, err := unsaferow.NewLayout(h.layout)
	if err != nil {
		t.Fatal(err)
	}
	h.writer = unsaferow.NewWriter(l)
	if h.store, err = pages.NewStore(pageSize, lengthSize); err != nil {
		t.Fatal(err)
	}
	return h
}

func (h *heap) insert(t testing.TB, batch arrow.RecordBatch, parts []uint32) {
	t.Helper()
	h.writer.Use(batch)
	sizes, err := h.writer.Sizes(0, int(batch.NumRows()))
	if err != nil {
		t.Fatal(err)
	}
	rooms := make([][]byte, len(sizes))
	for i, n := range sizes {
		if rooms[i], err = h.store.Insert(parts[i], n); err != nil {
			t.Fatal(err)
		}
	}
	h.writer.Write(0, rooms)
	h.want.Add(oracle.Rows(batch), parts)
}

func (h *heap) source() Source { return Source{h.store.Sort(), &h.store.Table} }

func (h *heap) options(t testing.TB, codec encode.Codec, partitions int, sum shufflefile.Checksum) Options {
	t.Helper()
	tmpl, err := encode.NewTemplate(h.layout)
	if err != nil {
		t.Fatal(err)
	}
	return Options{
		Layout: h.layout, Template: tmpl, Codec: codec, Partitions: partitions,
		BlockRows: 8192, Buffer: 1 << 20, Clock: new(metrics.Clock), Sums: NewSums(sum, partitions),
	}
}

// both makes the two shapes with checksums of their own.
func both(t testing.TB, o Options) (perSpill, perPartition Shape, sums [2]*Sums) {
	t.Helper()
	for i := range sums {
		if o.Sums != nil {
			sums[i] = NewSums(o.Sums.Kind, o.Partitions)
		}
	}
	o.Sums = sums[0]
	s, err := NewPerSpill(o)
	if err != nil {
		t.Fatal(err)
	}
	o.Sums = sums[1]
	return s, NewPerPartition(o), sums
}

// bytesByPartition is a sink that gathers.
type bytesByPartition struct {
	parts  map[uint32][]byte
	writes int
	last   uint32
}

func (s *bytesByPartition) Write(b []byte, runs []encode.Run) error {
	s.writes++
	start := 0
	for _, r := range runs {
		if r.Partition < s.last {
			panic("partitions fall")
		}
		s.last = r.Partition
		s.parts[r.Partition] = append(s.parts[r.Partition], b[start:r.End]...)
		start = r.End
	}
	if start != len(b) {
		panic("bytes without a run")
	}
	return nil
}

func newSink() *bytesByPartition { return &bytesByPartition{parts: map[uint32][]byte{}} }

// table decodes what a sink has, with at most blockRows rows a block.
func (s *bytesByPartition) table(t testing.TB, blockRows int) (oracle.Table, []oracle.Block) {
	t.Helper()
	got := oracle.Table{}
	var all []oracle.Block
	for p, b := range s.parts {
		for len(b) > 0 {
			h, err := shufflefile.ParseHeader(b, int64(len(b)))
			if err != nil {
				t.Fatal(err)
			}
			block, err := oracle.DecodeBlock(b[:h.Size()])
			if err != nil {
				t.Fatalf("partition %d: %v", p, err)
			}
			if n := block.Batch.NumRows(); n == 0 || n > int64(blockRows) {
				t.Errorf("partition %d: block of %d rows", p, n)
			}
			got[int(p)] = append(got[int(p)], block.Rows()...)
			all = append(all, block)
			b = b[h.Size():]
		}
	}
	return got, all
}
