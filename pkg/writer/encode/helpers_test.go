package encode

import (
	"bytes"
	"fmt"
	"slices"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/shufflebench/shufflebench/internal/oracle"
	"github.com/shufflebench/shufflebench/internal/oracle/random"
	"github.com/shufflebench/shufflebench/internal/shufflefile"
	"github.com/shufflebench/shufflebench/pkg/metrics"
	"github.com/shufflebench/shufflebench/pkg/writer/segment"
)

// codecs are all ways to compress a payload.
var codecs = []Codec{
	{Codec: shufflefile.None},
	{Codec: shufflefile.LZ4, LZ4: "column"},
	{Codec: shufflefile.LZ4, LZ4: "general"},
	{Codec: shufflefile.LZ4, LZ4: "pierrec"},
	{Codec: shufflefile.Zstd, ZstdLevel: 1},
	{Codec: shufflefile.Zstd, ZstdLevel: 9},
	{Codec: shufflefile.Snappy},
	{Codec: shufflefile.None, OffsetsAsLengths: true},
	{Codec: shufflefile.Zstd, ZstdLevel: 1, OffsetsAsLengths: true},
	{Codec: shufflefile.LZ4, LZ4: "column", OffsetsAsLengths: true},
}

func (c Codec) name() string {
	return fmt.Sprintf("%s%s%d,%v", c.Codec, c.LZ4, c.ZstdLevel, c.OffsetsAsLengths)
}

// rounds is how often a test repeats itself with a codec; an encoder of a high
// zstd level takes long to make.
func (c Codec) rounds(n int) int {
	if c.ZstdLevel > 1 {
		n = max(1, n/20)
	}
	return oracle.Rounds(n)
}

// rows is some batches as segments, and what they hold by partition.
type rows struct {
	layout     *segment.Layout
	sources    []segment.Source
	partitions int
	want       oracle.Table
}

func makeRows(t testing.TB, g *random.Gen, s *arrow.Schema, partitions int, sizes ...int) *rows {
	t.Helper()
	l, err := segment.NewLayout(s)
	if err != nil {
		t.Fatal(err)
	}
	r := &rows{layout: l, partitions: partitions, want: oracle.Table{}}
	var grouper segment.Grouper
	taker := segment.NewTaker(l)
	for _, n := range sizes {
		b := g.Batch(s, n)
		parts := make([]uint32, n)
		for i := range parts {
			parts[i] = uint32(g.R.IntN(1 + g.R.IntN(partitions)))
		}
		order, entries := grouper.Group(parts, partitions)
		size, err := taker.Size(b, entries)
		if err != nil {
			t.Fatal(err)
		}
		r.sources = append(r.sources, taker.Take(b, order, entries, make([]byte, size)))
		r.want.Add(oracle.Rows(b), parts)
	}
	return r
}

// windows loads every window in turn.
func (r *rows) windows(t testing.TB, blockRows int, budget int64, use func(*segment.Window)) {
	t.Helper()
	planner, err := segment.NewPlanner(r.layout, r.sources, r.partitions, blockRows, budget)
	if err != nil {
		t.Fatal(err)
	}
	var w segment.Window
	for {
		more, err := planner.Next(&w)
		if err != nil {
			t.Fatal(err)
		}
		if !more {
			return
		}
		if err := w.Load(r.sources); err != nil {
			t.Fatal(err)
		}
		use(&w)
	}
}

func newEncoder(t testing.TB, l *segment.Layout, c Codec, blockRows int) *Encoder {
	t.Helper()
	tmpl, err := NewTemplate(l)
	if err != nil {
		t.Fatal(err)
	}
	e, err := New(tmpl, c, blockRows, new(metrics.Clock))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := e.Close(); err != nil {
			t.Error(err)
		}
	})
	return e
}

// encode gives all blocks as a data file and its index.
func (r *rows) encode(t testing.TB, e *Encoder, blockRows int, budget int64) (data, index []byte) {
	t.Helper()
	offsets := make([]int64, r.partitions+1)
	r.windows(t, blockRows, budget, func(w *segment.Window) {
		e.Reset()
		if err := e.Window(w); err != nil {
			t.Fatal(err)
		}
		start := 0
		for i, run := range e.Runs {
			if i > 0 && run.Partition <= e.Runs[i-1].Partition || run.End <= start || run.Blocks == 0 {
				t.Fatalf("runs %v", e.Runs)
			}
			offsets[run.Partition+1] += int64(run.End - start)
			start = run.End
		}
		if start != len(e.Out) {
			t.Fatalf("the runs end at %d, the blocks at %d", start, len(e.Out))
		}
		data = append(data, e.Out...)
	})
	for p := range r.partitions {
		offsets[p+1] += offsets[p]
	}
	for _, o := range offsets {
		index = shufflefile.AppendOffset(index, o)
	}
	return data, index
}

// check decodes the blocks and holds them to the rows that went in.
func (r *rows) check(t *testing.T, data, index []byte, tag string, blockRows int) {
	t.Helper()
	got, last := oracle.Table{}, oracle.Block{Partition: -1}
	for b, err := range oracle.Blocks(data, index) {
		if err != nil {
			t.Fatalf("%v: %v", r.layout.Schema, err)
		}
		if b.Tag != tag {
			t.Fatalf("tag %q", b.Tag)
		}
		if err := checkSchema(b.Batch.Schema(), r.layout.Schema); err != nil {
			t.Fatal(err)
		}
		if err := checkBody(&b, r.layout); err != nil {
			t.Fatalf("partition %d, block at %d of %v: %v", b.Partition, b.Offset, r.layout.Schema, err)
		}
		n := b.Batch.NumRows()
		if n > int64(blockRows) || last.Partition == b.Partition && last.Batch.NumRows() != int64(blockRows) {
			t.Fatalf("partition %d: a block of %d rows after one of %d, want %d", b.Partition, n, last.Batch.NumRows(), blockRows)
		}
		got[b.Partition] = append(got[b.Partition], b.Rows()...)
		last = b
	}
	if d := oracle.Diff(got, r.want); d != "" {
		t.Fatalf("%v\n%.2000s", r.layout.Schema, d)
	}
}

func checkSchema(got, want *arrow.Schema) error {
	for i, f := range want.Fields() {
		g := got.Field(i)
		if g.Name != f.Name || g.Nullable != f.Nullable || !arrow.TypeEqual(g.Type, f.Type) || g.HasMetadata() {
			return fmt.Errorf("column %d is %v, want %v", i, g, f)
		}
	}
	return nil
}

// checkBody looks at what readers hide: everything lies at multiples of 64,
// padding is zero, and what has no nulls has no validity.
func checkBody(b *oracle.Block, l *segment.Layout) error {
	m, err := oracle.BatchMessage(b.Payload)
	if err != nil {
		return err
	}
	if m.Rows != b.Batch.NumRows() || len(m.Nodes) != len(l.Nodes) || m.BodyAt%64 != 0 || len(m.Body)%64 != 0 {
		return fmt.Errorf("%d rows, %d nodes, a body of %d bytes at %d", m.Rows, len(m.Nodes), len(m.Body), m.BodyAt)
	}
	end, next := int64(0), 0
	for _, buf := range m.Buffers {
		if buf[0]%64 != 0 || buf[0] < end || buf[0]-end >= 64 || buf[0]+buf[1] > int64(len(m.Body)) {
			return fmt.Errorf("buffers %v in a body of %d bytes", m.Buffers, len(m.Body))
		}
		if bytes.ContainsFunc(m.Body[end:buf[0]], func(r rune) bool { return r != 0 }) {
			return fmt.Errorf("padding that is not zero before %v", buf)
		}
		end = buf[0] + buf[1]
	}
	for i, n := range l.Nodes {
		if n.Kind == segment.Null {
			continue
		}
		if nulls, validity := m.Nodes[i][1], m.Buffers[next][1]; (nulls == 0) != (validity == 0) || nulls > m.Nodes[i][0] {
			return fmt.Errorf("column %q: %d nulls of %d, validity of %d bytes", n.Name, nulls, m.Nodes[i][0], validity)
		}
		next += bodyBuffers(n)
	}
	if next != len(m.Buffers) {
		return fmt.Errorf("%d buffers, want %d", len(m.Buffers), next)
	}
	return nil
}

// bodyBuffers is the number of a node's own buffers, as Arrow has it.
func bodyBuffers(n *segment.Node) int {
	switch n.Kind {
	case segment.Null:
		return 0
	case segment.Struct, segment.FixedList:
		return 1
	case segment.Var:
		return 3
	}
	return 2
}

func eachCodec(t *testing.T, test func(t *testing.T, c Codec)) {
	for _, c := range codecs {
		t.Run(c.name(), func(t *testing.T) { test(t, c) })
	}
}

// tag is what blocks of a layout carry: only a schema with 32-bit offsets has
// some that can be stored as lengths.
func (c Codec) tag(l *segment.Layout) string {
	offsets := slices.ContainsFunc(l.Nodes, func(n *segment.Node) bool {
		return (n.Kind == segment.Var || n.Kind == segment.List) && !n.Wide
	})
	tag := shufflefile.MakeTag(c.Codec, c.OffsetsAsLengths && offsets)
	return string(tag[:])
}
