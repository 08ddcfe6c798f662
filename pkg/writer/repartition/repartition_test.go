package repartition

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"go.uber.org/goleak"

	"github.com/shufflebench/shufflebench/internal/oracle"
	"github.com/shufflebench/shufflebench/internal/oracle/random"
	"github.com/shufflebench/shufflebench/pkg/metrics"
	"github.com/shufflebench/shufflebench/pkg/writer/segment"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// places is a Partitioner that follows a plan.
type places struct{ all [][]uint32 }

func (p *places) Partition(batch arrow.RecordBatch) ([]uint32, error) {
	next := p.all[0]
	p.all = p.all[1:]
	if len(next) != int(batch.NumRows()) {
		return nil, fmt.Errorf("%d places for %d rows", len(next), batch.NumRows())
	}
	return next, nil
}

func layoutOf(t testing.TB, s *arrow.Schema) *segment.Layout {
	t.Helper()
	l, err := segment.NewLayout(s)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func place(r *rand.Rand, rows, partitions int) []uint32 {
	parts := make([]uint32, rows)
	for i := range parts {
		parts[i] = uint32(r.IntN(partitions))
	}
	return parts
}

// trial repartitions batches and gives all streams, of rows as text.
type trial struct {
	layout  *segment.Layout
	batches []arrow.RecordBatch
	parts   [][]uint32
	lag     int // of all partitions with odd numbers
}

func (c *trial) run(t *testing.T, o Options) (oracle.Table, *Digest, Stats) {
	t.Helper()
	mem := memory.NewCheckedAllocator(memory.DefaultAllocator)
	defer mem.AssertSize(t, 0)
	o.Alloc = mem
	r, err := New(c.layout, &places{c.parts}, &metrics.Clock{}, o)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	table, digest := oracle.Table{}, NewDigest(c.layout, o.Partitions)
	drain := func(p, lag int) {
		for r.Waiting(p) > lag {
			rec := r.Next(p)
			rows := oracle.Rows(rec)
			table.Add(rows, filled(len(rows), uint32(p)))
			digest.Append(p, rec)
			rec.Release()
		}
	}
	for _, b := range c.batches {
		if err := r.Push(b); err != nil {
			t.Fatal(err)
		}
		for p := range o.Partitions {
			drain(p, p%2*c.lag)
		}
		r.Settle()
	}
	for p := range o.Partitions {
		drain(p, 0)
	}
	return table, digest, r.Stats()
}

func filled(n int, v uint32) []uint32 {
	s := make([]uint32, n)
	for i := range s {
		s[i] = v
	}
	return s
}

// check runs all ways and holds each to the rows that went in.
func (c *trial) check(t *testing.T, partitions int) {
	t.Helper()
	want, placed := oracle.Table{}, NewDigest(c.layout, partitions)
	for i, b := range c.batches {
		want.Add(oracle.Rows(b), c.parts[i])
		placed.Place(b, c.parts[i])
	}
	for _, o := range []Options{
		{Take: PerPartition}, {Take: Grouped}, {Take: Grouped, CopyOut: 1}, {Take: Grouped, CopyOut: 3},
	} {
		o.Partitions = partitions
		got, digest, stats := c.run(t, o)
		if d := oracle.Diff(got, want); d != "" {
			t.Fatalf("%+v: %v\n%s", o, c.layout.Schema, d)
		}
		if p := placed.Difference(digest); p != -1 {
			t.Fatalf("%+v: %v\npartition %d has another digest", o, c.layout.Schema, p)
		}
		if o.CopyOut == 0 && stats.CopiedOut != 0 {
			t.Fatalf("%+v: %d slices copied out", o, stats.CopiedOut)
		}
	}
}

func TestTakesAreEqual(t *testing.T) {
	for seed := range uint64(oracle.Rounds(60)) {
		g := random.New(seed)
		s := g.Schema(1+int(seed%4), 1+int(seed%3))
		c := trial{layout: layoutOf(t, s), lag: int(seed % 3)}
		partitions := 1 + g.R.IntN(40)
		for range 3 {
			rows := 1 + g.R.IntN(80)
			c.batches = append(c.batches, g.Batch(s, rows))
			c.parts = append(c.parts, place(g.R, rows, partitions))
		}
		t.Run(fmt.Sprint(seed), func(t *testing.T) { c.check(t, partitions) })
	}
}

func TestEveryType(t *testing.T) {
	for i, typ := range random.Flat() {
		t.Run(typ.String(), func(t *testing.T) {
			g := random.New(uint64(i))
			s := random.SchemaOf(typ)
			c := trial{layout: layoutOf(t, s), lag: 1}
			for _, rows := range []int{1, 9, 64} {
				c.batches = append(c.batches, g.Batch(s, rows))
				c.parts = append(c.parts, place(g.R, rows, 5))
			}
			c.check(t, 5)
		})
	}
}

// TestDigestsTell: another value, another place or another order is seen.
func TestDigestsTell(t *testing.T) {
	b, l := twoColumns(t)
	of := func(parts ...uint32) *Digest {
		d := NewDigest(l, 2)
		d.Place(b, parts)
		return d
	}
	whole := of(0, 1, 0, 1)
	if p := whole.Difference(of(0, 1, 0, 1)); p != -1 {
		t.Errorf("partition %d differs from itself", p)
	}
	if p := whole.Difference(of(0, 0, 0, 1)); p != 0 {
		t.Errorf("a row in another partition: %d", p)
	}
	turned := NewDigest(l, 2)
	for _, i := range []int64{2, 0} {
		turned.Append(0, b.NewSlice(i, i+1))
	}
	for _, i := range []int64{1, 3} {
		turned.Append(1, b.NewSlice(i, i+1))
	}
	if p := whole.Difference(turned); p != 0 {
		t.Errorf("rows in another order: %d", p)
	}
}

// twoColumns has four rows: int64 and utf8 of 1, 0, 3 and 2 bytes.
func twoColumns(t testing.TB) (arrow.RecordBatch, *segment.Layout) {
	s := arrow.NewSchema([]arrow.Field{{Name: "k", Type: arrow.PrimitiveTypes.Int64}, {Name: "s", Type: arrow.BinaryTypes.String}}, nil)
	b := array.NewRecordBuilder(memory.DefaultAllocator, s)
	b.Field(0).(*array.Int64Builder).AppendValues([]int64{10, 11, 12, 13}, nil)
	b.Field(1).(*array.StringBuilder).AppendValues([]string{"a", "", "ccc", "dd"}, nil)
	return b.NewRecordBatch(), layoutOf(t, s)
}

func TestOptions(t *testing.T) {
	for _, o := range []Options{
		{Take: "sorted"}, {Partitions: -1}, {Partitions: MaxPartitions + 1},
		{CopyOut: 0.5}, {Take: PerPartition, CopyOut: 2},
	} {
		o.EnsureDefaults()
		if o.Validate() == nil {
			t.Errorf("%+v passes", o)
		}
	}
	var o Options
	o.EnsureDefaults()
	if err := o.Validate(); err != nil || o.Take != Grouped || o.Partitions != 200 {
		t.Errorf("%+v: %v", o, err)
	}
}
