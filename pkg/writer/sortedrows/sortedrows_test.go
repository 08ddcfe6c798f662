package sortedrows

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"slices"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"go.uber.org/goleak"

	"github.com/shufflebench/shufflebench/internal/oracle"
	"github.com/shufflebench/shufflebench/internal/oracle/random"
	"github.com/shufflebench/shufflebench/internal/shufflefile"
	"github.com/shufflebench/shufflebench/pkg/writer/encode"
	"github.com/shufflebench/shufflebench/pkg/writer/pages"
	"github.com/shufflebench/shufflebench/pkg/writer/segment"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var codecs = []encode.Codec{
	{Codec: shufflefile.LZ4, LZ4: "column"},
	{Codec: shufflefile.LZ4, LZ4: "general"},
	{Codec: shufflefile.LZ4, LZ4: "pierrec"},
	{Codec: shufflefile.Zstd, ZstdLevel: 1},
	{Codec: shufflefile.Snappy},
	{Codec: shufflefile.None},
}

// TestShapes: over random options and several spills both shapes write the same
// bytes, lengths and checksums, and the rows of each partition are those that
// went in, in their order.
func TestShapes(t *testing.T) {
	for seed := range uint64(oracle.Rounds(60)) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			g := random.New(seed)
			schema := g.Schema(1+g.R.IntN(6), 2)
			if seed%3 == 0 {
				schema = random.SchemaOf(random.Flat()...)
			}
			h := newHeap(t, schema, 8192<<g.R.IntN(3), 4+4*g.R.IntN(2))
			partitions := 1 + g.R.IntN([]int{1, 4, 40, 3000}[g.R.IntN(4)])
			sum := shufflefile.Checksums()[g.R.IntN(3)]
			o := h.options(t, codecs[g.R.IntN(len(codecs))], partitions, sum)
			o.BlockRows = 1 + g.R.IntN(50)
			o.Buffer = 1 << g.R.IntN(20)
			o.DictionaryRatio = []float64{1, 1.5, 3}[g.R.IntN(3)]
			one, other, sums := both(t, o)
			a, b := newSink(), newSink()
			for range 1 + g.R.IntN(3) {
				for range g.R.IntN(3) {
					batch := g.Spark(schema, g.R.IntN(300))
					parts := make([]uint32, batch.NumRows())
					for i := range parts {
						parts[i] = uint32(g.R.IntN(partitions))
					}
					h.insert(t, batch, parts)
				}
				a.last, b.last = 0, 0
				spill(t, one, h.source(), a, g.R.IntN(3) == 0)
				spill(t, other, h.source(), b, g.R.IntN(3) == 0)
				h.store.Reset()
			}
			if err := errors.Join(one.Close(), other.Close()); err != nil {
				t.Error(err)
			}
			if !maps.EqualFunc(a.parts, b.parts, bytes.Equal) {
				t.Error("the shapes wrote different bytes")
			}
			for p := range uint32(partitions) {
				want := sum.Update(sum.Initial(), a.parts[p])
				if sums[0].ByPartition[p] != want || sums[1].ByPartition[p] != want {
					t.Errorf("checksums of partition %d: %x, %x, want %x", p, sums[0].ByPartition[p], sums[1].ByPartition[p], want)
				}
			}
			got, _ := a.table(t, o.BlockRows)
			if d := oracle.Diff(got, h.want); d != "" {
				t.Errorf("%s: %s", schema, d)
			}
		})
	}
}

// spill writes through Spill or through Blocks.
func spill(t *testing.T, s Shape, src Source, out *bytesByPartition, pull bool) {
	t.Helper()
	if !pull {
		if err := s.Spill(src, out); err != nil {
			t.Fatal(err)
		}
		return
	}
	for blocks := s.Blocks(src); ; {
		p, b, ok, err := blocks.Next()
		if err != nil {
			t.Fatal(err)
		}
		if !ok {
			return
		}
		if err := out.Write(b, []encode.Run{{Partition: p, Blocks: 1, End: len(b)}}); err != nil {
			t.Fatal(err)
		}
	}
}

// TestEmptySpill: no rows, no bytes, not even a write.
func TestEmptySpill(t *testing.T) {
	h := newHeap(t, random.SchemaOf(arrow.PrimitiveTypes.Int64), pages.MinPageSize, 4)
	one, other, _ := both(t, h.options(t, codecs[0], 5, shufflefile.Adler32))
	for _, s := range []Shape{one, other} {
		out := newSink()
		spill(t, s, h.source(), out, false)
		spill(t, s, h.source(), out, true)
		if out.writes != 0 {
			t.Errorf("%T: %d writes", s, out.writes)
		}
	}
}

// TestRefuses: pointers and pages that are wrong are typed errors in both
// shapes, before or after some good rows.
func TestRefuses(t *testing.T) {
	schema := random.SchemaOf(arrow.PrimitiveTypes.Int64, arrow.BinaryTypes.String)
	h := newHeap(t, schema, pages.MinPageSize, 8)
	h.insert(t, random.New(1).Spark(schema, 6), []uint32{0, 1, 1, 2, 3, 3})
	good := h.source().Pointers
	move := func(p pages.Pointer, partition uint32, page, offset int) pages.Pointer {
		return pages.Pack(partition, page, offset)
	}
	for _, c := range []struct {
		name    string
		pointer pages.Pointer
		want    error
	}{
		{"page beyond the table", move(good[3], 2, 1, 0), pages.ErrPage},
		{"last page of all", move(good[3], 2, pages.MaxPages-1, 0), pages.ErrPage},
		{"partition beyond the count", move(good[3], 4, 0, good[3].Offset()), pages.ErrPartition},
		{"highest partition", move(good[3], pages.MaxPartitions-1, 0, good[3].Offset()), pages.ErrPartition},
		{"unsorted", move(good[3], 0, 0, good[3].Offset()), pages.ErrOrder},
		{"offset beyond the page", move(good[3], 2, 0, pages.MinPageSize), pages.ErrOffset},
		{"offset beyond any page", move(good[3], 2, 0, pages.MaxPageSize-1), pages.ErrOffset},
		{"length cut", move(good[3], 2, 0, pages.MinPageSize-4), pages.ErrOffset},
	} {
		pointers := slices.Clone(good)
		pointers[3] = c.pointer
		one, other, _ := both(t, h.options(t, codecs[0], 4, shufflefile.CRC32))
		for _, s := range []Shape{one, other} {
			err := s.Spill(Source{pointers, &h.store.Table}, newSink())
			if !errors.Is(err, c.want) || !errors.Is(err, shufflefile.ErrCorrupt) {
				t.Errorf("%s, %T: %v, want %v", c.name, s, err, c.want)
			}
		}
	}
}

// TestRowsThatAreNone: bytes that are no row of the schema name what is wrong.
func TestRowsThatAreNone(t *testing.T) {
	schema := random.SchemaOf(arrow.PrimitiveTypes.Int64, arrow.BinaryTypes.String, &arrow.Decimal128Type{Precision: 30}, arrow.ListOf(arrow.PrimitiveTypes.Int8))
	ok := make([]byte, 72)
	at := func(slot int, v uint64) []byte {
		b := slices.Clone(ok)
		for i := range 8 {
			b[8+8*slot+i] = byte(v >> (8 * i))
		}
		return b
	}
	for name, row := range map[string][]byte{
		"fewer than 40":      ok[:32],
		`"c1": a value lies`: at(1, 70<<32|3),
		`"c2": a value lies`: at(2, 1<<63|1),
		`"c2": a decimal of`: at(2, 40<<32|17),
		`"c3": a value lies`: at(3, 72<<32|1),
		`"c3": an array has`: at(3, 64<<32|7),
	} {
		page := append([]byte{byte(len(row)), 0, 0, 0, 0, 0, 0, 0}, row...)
		table, err := pages.NewTable(8, page)
		if err != nil {
			t.Fatal(err)
		}
		h := newHeap(t, schema, pages.MinPageSize, 8)
		one, other, _ := both(t, h.options(t, codecs[0], 4, shufflefile.NoChecksum))
		for _, s := range []Shape{one, other} {
			err := s.Spill(Source{[]pages.Pointer{pages.Pack(2, 0, 0)}, table}, newSink())
			if !errors.Is(err, shufflefile.ErrCorrupt) || !bytes.Contains([]byte(err.Error()), []byte(name)) {
				t.Errorf("%s, %T: %v", name, s, err)
			}
		}
	}
}

// TestSinkFails: an error of the sink ends the spill and comes back as it is.
func TestSinkFails(t *testing.T) {
	schema := random.SchemaOf(arrow.PrimitiveTypes.Int64)
	h := newHeap(t, schema, pages.MinPageSize, 8)
	h.insert(t, random.New(1).Spark(schema, 6), []uint32{0, 1, 1, 2, 3, 3})
	one, other, _ := both(t, h.options(t, codecs[0], 4, shufflefile.CRC32))
	for _, s := range []Shape{one, other} {
		if err := s.Spill(h.source(), broken{}); !errors.Is(err, errBroken) {
			t.Errorf("%T: %v", s, err)
		}
	}
}

var errBroken = errors.New("no space")

type broken struct{}

func (broken) Write([]byte, []encode.Run) error { return errBroken }

// TestDictionaries: a string column is a dictionary in a block when the rows
// are at least the ratio times its distinct values; ids are 0, 1, ... in
// column order.
func TestDictionaries(t *testing.T) {
	str, bin := arrow.BinaryTypes.String, arrow.BinaryTypes.Binary
	schema := random.SchemaOf(arrow.PrimitiveTypes.Int64, str, bin, str, arrow.BinaryTypes.LargeString)
	h := newHeap(t, schema, 1<<20, 4)
	b := array.NewRecordBuilder(memory.DefaultAllocator, schema)
	defer b.Release()
	const rows = 60
	parts := make([]uint32, rows)
	for i := range rows {
		parts[i] = uint32(i / 30) // 30 rows each
		b.Field(0).(*array.Int64Builder).Append(int64(i))
		b.Field(1).(*array.StringBuilder).Append(fmt.Sprint("city ", i%3)) // 3 of 30: a dictionary
		if i < 30 {
			b.Field(2).(*array.BinaryBuilder).Append([]byte{byte(i % 4)}) // 4 of 30: none
		} else if i%2 == 0 {
			b.Field(2).AppendNull()
		} else {
			b.Field(2).(*array.BinaryBuilder).Append([]byte{}) // 1 of 30, and nulls: a dictionary
		}
		b.Field(3).AppendNull() // no values: none
		b.Field(4).(*array.LargeStringBuilder).Append("same")
	}
	batch := b.NewRecordBatch()
	defer batch.Release()
	h.insert(t, batch, parts)
	for _, codec := range codecs {
		o := h.options(t, codec, 2, shufflefile.NoChecksum)
		o.DictionaryRatio = 10
		one, other, _ := both(t, o)
		x, y := newSink(), newSink()
		spill(t, one, h.source(), x, false)
		spill(t, other, h.source(), y, false)
		if !maps.EqualFunc(x.parts, y.parts, bytes.Equal) {
			t.Error("the shapes wrote different bytes")
		}
		got, blocks := x.table(t, 30)
		if d := oracle.Diff(got, h.want); d != "" {
			t.Error(d)
		}
		for _, block := range blocks {
			want := []bool{false, true, block.Partition == 1, false, false}
			first := block.Batch.Column(0).(*array.Int64).Value(0)
			want[2] = first >= 30
			for c, dict := range want {
				d, is := block.Batch.Column(c).(*array.Dictionary)
				if is != dict {
					t.Errorf("block from row %d, column %d: %s", first, c, block.Batch.Column(c).DataType())
				}
				if is && d.DataType().(*arrow.DictionaryType).IndexType.ID() != arrow.INT32 {
					t.Errorf("keys are %s", d.DataType())
				}
			}
			if n := block.Batch.Column(1).(*array.Dictionary).Dictionary().Len(); n != 3 {
				t.Errorf("%d values", n)
			}
		}
	}
}

// TestFastIsPlain: filling top-level columns from slots gives the same views as
// the way that takes any value from anywhere.
func TestFastIsPlain(t *testing.T) {
	for seed := range uint64(oracle.Rounds(30)) {
		g := random.New(seed)
		schema := random.SchemaOf(random.Flat()...)
		h := newHeap(t, schema, 1<<20, 4)
		n := g.R.IntN(100)
		h.insert(t, g.Spark(schema, n), make([]uint32, n))
		var rows [][]byte
		for _, p := range h.source().Pointers {
			r, err := h.store.Row(p)
			if err != nil {
				t.Fatal(err)
			}
			rows = append(rows, r)
		}
		fast, err := newColumns(h.layout)
		if err != nil {
			t.Fatal(err)
		}
		plain, _ := newColumns(h.layout)
		if err := fast.fill(rows); err != nil {
			t.Fatal(err)
		}
		for k, f := range plain.layout.Fields {
			cells := plain.bufs[f.Node.Index].slotCells(k, plain.layout.Slots+8*k, rows)
			if err := plain.nested(f, cells); err != nil {
				t.Fatal(err)
			}
			a, b := fast.views[f.Node.Index], plain.views[f.Node.Index]
			if !bytes.Equal(a.Valid, b.Valid) || !slices.Equal(a.Off, b.Off) || !bytes.Equal(a.Data, b.Data) {
				t.Errorf("seed %d, column %d (%s): %+v, plain %+v", seed, k, schema.Field(k).Type, a, b)
			}
		}
	}
}

// TestPerSpillAllocates: what is kept from spill to spill is really kept.
func TestPerSpillAllocates(t *testing.T) {
	schema := random.SchemaOf(arrow.PrimitiveTypes.Int64, arrow.BinaryTypes.String, arrow.FixedWidthTypes.Date32)
	h := newHeap(t, schema, 1<<20, 4)
	g := random.New(1)
	parts := make([]uint32, 5000)
	for i := range parts {
		parts[i] = uint32(g.R.IntN(1000))
	}
	h.insert(t, g.Spark(schema, len(parts)), parts)
	s, other, _ := both(t, h.options(t, codecs[0], 1000, shufflefile.Adler32))
	src := h.source()
	run := func(s Shape) func() {
		return func() {
			if err := s.Spill(src, discard{}); err != nil {
				t.Fatal(err)
			}
		}
	}
	run(s)()
	if n := testing.AllocsPerRun(3, run(s)); n > 100 && !oracle.Race {
		t.Errorf("%v allocations a spill of 1,000 partitions", n)
	}
	if n := testing.AllocsPerRun(1, run(other)); n < 10_000 {
		t.Errorf("one call a partition makes %v allocations, which cannot be fresh state", n)
	}
}

type discard struct{}

func (discard) Write([]byte, []encode.Run) error { return nil }

// FuzzSpill feeds any pages and pointers to both shapes: they agree on bytes or
// refuse, and never panic.
func FuzzSpill(f *testing.F) {
	str := arrow.BinaryTypes.String
	schema := random.SchemaOf(arrow.PrimitiveTypes.Int32, str, arrow.ListOf(arrow.PrimitiveTypes.Int16), &arrow.Decimal128Type{Precision: 20})
	layout, err := segment.NewLayout(schema)
	if err != nil {
		f.Fatal(err)
	}
	for seed := range uint64(4) {
		h := newHeap(f, schema, pages.MinPageSize, 4)
		h.insert(f, random.New(seed).Spark(schema, 3), []uint32{0, 1, 1})
		var page []byte
		var at [3]uint64
		for i, q := range h.source().Pointers {
			row, _ := h.store.Row(q)
			at[i] = uint64(pages.Pack(q.Partition(), 0, len(page)))
			page = append(append(page, byte(len(row)), byte(len(row)>>8), 0, 0), row...)
		}
		f.Add(page, at[0], at[1], at[2])
	}
	tmpl, err := encode.NewTemplate(layout)
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, page []byte, p, q, r uint64) {
		table, err := pages.NewTable(4, page[:min(len(page), 4096)])
		if err != nil {
			t.Fatal(err)
		}
		h := heap{layout: layout}
		o := h.options(t, codecs[5], 3, shufflefile.CRC32C)
		o.Template = tmpl
		src := Source{[]pages.Pointer{pages.Pointer(p), pages.Pointer(q), pages.Pointer(r)}, table}
		one, other, _ := both(t, o)
		a, b := newSink(), newSink()
		errA, errB := one.Spill(src, a), other.Spill(src, b)
		if (errA == nil) != (errB == nil) {
			t.Fatalf("%v, %v", errA, errB)
		}
		if errA != nil && !errors.Is(errA, shufflefile.ErrCorrupt) {
			t.Fatal(errA)
		}
		if errA == nil && !maps.EqualFunc(a.parts, b.parts, bytes.Equal) {
			t.Fatal("the shapes wrote different bytes")
		}
	})
}
