package streams

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/ipc"

	"github.com/shufflebench/shufflebench/internal/ipcwire"
	"github.com/shufflebench/shufflebench/internal/oracle"
	"github.com/shufflebench/shufflebench/internal/oracle/random"
	"github.com/shufflebench/shufflebench/internal/shufflefile"
	"github.com/shufflebench/shufflebench/pkg/metrics"
	"github.com/shufflebench/shufflebench/pkg/writer/segment"
)

// codecs are all ways to compress a body.
var codecs = []Codec{
	{Codec: shufflefile.None},
	{Codec: shufflefile.LZ4, LZ4: "column"},
	{Codec: shufflefile.LZ4, LZ4: "general"},
	{Codec: shufflefile.LZ4, LZ4: "pierrec"},
	{Codec: shufflefile.Zstd, ZstdLevel: 1},
}

// rows is batches as segments, and what they hold by partition.
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
			parts[i] = uint32(g.R.IntN(partitions))
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

func newEncoder(t testing.TB, l *segment.Layout, c Codec, batchRows int) (*Template, *Encoder) {
	t.Helper()
	tmpl, err := NewTemplate(l, c)
	if err != nil {
		t.Fatal(err)
	}
	e, err := New(tmpl, batchRows, new(metrics.Clock))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := e.Close(); err != nil {
			t.Error(err)
		}
	})
	return tmpl, e
}

// keep encodes everything into memory.
func (r *rows) keep(t testing.TB, e *Encoder, budget int64) *Memory {
	t.Helper()
	planner, err := segment.NewPlanner(r.layout, r.sources, r.partitions, e.batchRows, budget)
	if err != nil {
		t.Fatal(err)
	}
	m := new(Memory)
	if err := m.Keep(t.Context(), e, planner, r.sources); err != nil {
		t.Fatal(err)
	}
	return m
}

// drain puts the bytes of every partition together.
func drain(t testing.TB, m *Memory) map[int][]byte {
	t.Helper()
	out := map[int][]byte{}
	for last := -1; ; {
		p, b, ok, err := m.Next()
		if err != nil {
			t.Fatal(err)
		}
		if !ok {
			return out
		}
		if int(p) < last {
			t.Fatalf("partition %d after %d", p, last)
		}
		last = int(p)
		out[last] = append(out[last], b...)
	}
}

// decode reads one stream with the Arrow library and gives its batches.
func decode(t testing.TB, stream []byte) (batches []arrow.RecordBatch) {
	t.Helper()
	in := bytes.NewReader(stream)
	r, err := ipc.NewReader(in)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Release()
	for r.Next() {
		b := r.RecordBatch()
		b.Retain()
		batches = append(batches, b)
	}
	if r.Err() != nil || in.Len() > 0 {
		t.Fatalf("%v, %d bytes left", r.Err(), in.Len())
	}
	return batches
}

// TestAgainstLibrary encodes random rows of random schemas: the Arrow library
// reads every partition as one stream with the rows in order, in as few batches
// as go; window sizes do not show; and what the library itself would have
// written of those batches says the same.
func TestAgainstLibrary(t *testing.T) {
	for _, c := range codecs {
		t.Run(fmt.Sprint(c), func(t *testing.T) {
			for seed := range uint64(oracle.Rounds(25)) {
				g := random.New(seed)
				r := makeRows(t, g, g.Schema(1+g.R.IntN(4), 1+g.R.IntN(3)), 1+g.R.IntN(40), g.R.IntN(300), 1+g.R.IntN(900), g.R.IntN(3))
				batchRows := 1 + g.R.IntN(400)
				tmpl, e := newEncoder(t, r.layout, c, batchRows)
				streams := drain(t, r.keep(t, e, 1<<20))
				small := drain(t, r.keep(t, e, 1+int64(g.R.IntN(5000))))
				got := oracle.Table{}
				for p, b := range streams {
					if !bytes.Equal(b, small[p]) {
						t.Fatalf("seed %d: partition %d has other bytes from small windows", seed, p)
					}
					batches := decode(t, b)
					if want := (len(r.want[p]) + batchRows - 1) / batchRows; len(batches) != want {
						t.Fatalf("seed %d: %d batches, want %d", seed, len(batches), want)
					}
					sameAsLibrary(t, c, r.layout.Schema, batches)
					for _, b := range batches {
						got[p] = append(got[p], oracle.Rows(b)...)
					}
				}
				if d := oracle.Diff(got, r.want); d != "" {
					t.Fatalf("seed %d: %s", seed, d)
				}
				if left := decode(t, tmpl.Header()); len(left) > 0 {
					t.Fatal("the header has batches")
				}
			}
		})
	}
}

// sameAsLibrary has the library write the batches and read them back.
func sameAsLibrary(t *testing.T, c Codec, s *arrow.Schema, batches []arrow.RecordBatch) {
	t.Helper()
	opts := []ipc.Option{ipc.WithSchema(s)}
	switch c.Codec {
	case shufflefile.LZ4:
		opts = append(opts, ipc.WithLZ4())
	case shufflefile.Zstd:
		opts = append(opts, ipc.WithZstd())
	}
	var b bytes.Buffer
	w := ipc.NewWriter(&b, opts...)
	for _, batch := range batches {
		if err := w.Write(batch); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	for i, batch := range decode(t, b.Bytes()) {
		if x, y := oracle.Rows(batch), oracle.Rows(batches[i]); fmt.Sprint(x) != fmt.Sprint(y) {
			t.Fatalf("batch %d: the library says\n%v, ours\n%v", i, x, y)
		}
	}
}

// TestBuffers looks at the bytes: lengths before frames, -1 before what is
// stored, nothing where there is nothing.
func TestBuffers(t *testing.T) {
	g := random.New(1)
	s := arrow.NewSchema([]arrow.Field{{Name: "id", Type: arrow.PrimitiveTypes.Int64}}, nil)
	for n, want := range map[int]int64{1: ipcwire.StoredBuffer, 1000: 8000} {
		r := makeRows(t, g, s, 1, n)
		if n > 1 { // all equal, which every codec shortens
			clear(r.sources[0].(*segment.Segment).Bufs[0].Data)
		}
		tmpl, e := newEncoder(t, r.layout, Codec{Codec: shufflefile.LZ4, LZ4: "column"}, 8192)
		b := drain(t, r.keep(t, e, 1<<20))[0]
		b = b[len(tmpl.ipc.Schema):]
		at := func(pos int) int64 { return int64(binary.LittleEndian.Uint64(b[pos:])) }
		m := &tmpl.ipc.Batch
		if at(m.Length) != int64(n) || at(m.Nodes) != int64(n) || at(m.Nodes+8) != 0 {
			t.Errorf("%d rows: length %d, node %d, %d", n, at(m.Length), at(m.Nodes), at(m.Nodes+8))
		}
		if at(m.Buffers+8) != 0 || at(m.Buffers+16) != 0 {
			t.Errorf("%d rows: validity of %d bytes, then a buffer at %d", n, at(m.Buffers+8), at(m.Buffers+16))
		}
		if got := at(len(m.Bytes)); got != want {
			t.Errorf("%d rows: a buffer begins with %d, want %d", n, got, want)
		}
		if end := len(m.Bytes) + int(at(m.BodyLength)); !bytes.Equal(b[end:], ipcwire.EOS[:]) {
			t.Errorf("%d rows: behind the body: %x", n, b[end:])
		}
	}
}

// TestSnappy: Arrow has no such body compression.
func TestSnappy(t *testing.T) {
	l, err := segment.NewLayout(arrow.NewSchema(nil, nil))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := NewTemplate(l, Codec{Codec: shufflefile.Snappy}); err == nil {
		t.Error("snappy was taken")
	}
	tmpl, err := NewTemplate(l, Codec{Codec: shufflefile.LZ4, LZ4: "other"})
	if err == nil {
		_, err = New(tmpl, 1, new(metrics.Clock))
	}
	if err == nil {
		t.Error("an unknown encoder was taken")
	}
}

// TestNothingIsAllocated: an encoder keeps its memory.
func TestNothingIsAllocated(t *testing.T) {
	g := random.New(3)
	s := arrow.NewSchema([]arrow.Field{
		{Name: "id", Type: arrow.PrimitiveTypes.Int64}, {Name: "s", Type: arrow.BinaryTypes.String, Nullable: true},
	}, nil)
	r := makeRows(t, g, s, 50, 2000)
	for _, c := range codecs {
		if c.LZ4 == "pierrec" { // the library's own
			continue
		}
		_, e := newEncoder(t, r.layout, c, 8192)
		planner, err := segment.NewPlanner(r.layout, r.sources, r.partitions, 8192, 1<<20)
		if err != nil {
			t.Fatal(err)
		}
		var w segment.Window
		if _, err := planner.Next(&w); err != nil {
			t.Fatal(err)
		}
		if err := w.Load(r.sources); err != nil {
			t.Fatal(err)
		}
		once := func() {
			e.Reset()
			if err := e.Window(&w); err != nil {
				t.Fatal(err)
			}
		}
		once()
		if n := testing.AllocsPerRun(10, once); n > 0 {
			t.Errorf("%v: %v allocations a window", c, n)
		}
	}
}
