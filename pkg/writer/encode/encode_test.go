package encode

import (
	"bytes"
	"encoding/binary"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/shufflebench/shufflebench/internal/oracle"
	"github.com/shufflebench/shufflebench/internal/oracle/random"
	"github.com/shufflebench/shufflebench/internal/shufflefile"
	"github.com/shufflebench/shufflebench/pkg/metrics"
	"github.com/shufflebench/shufflebench/pkg/writer/segment"
)

// TestFlat encodes every type by itself.
func TestFlat(t *testing.T) {
	eachCodec(t, func(t *testing.T, c Codec) {
		for i, typ := range random.Flat() {
			for round := range c.rounds(3) {
				g := random.New(uint64(10*i + round))
				r := makeRows(t, g, random.SchemaOf(typ), 1+g.R.IntN(10), 1, 100, 0, 200, 20)
				blockRows := []int{7, 50, 8192}[round%3]
				data, index := r.encode(t, newEncoder(t, r.layout, c, blockRows), blockRows, 4096)
				r.check(t, data, index, c.tag(r.layout), blockRows)
			}
		}
	})
}

// TestNested encodes rows of random nested schemas.
func TestNested(t *testing.T) {
	eachCodec(t, func(t *testing.T, c Codec) {
		for seed := range uint64(c.rounds(60)) {
			g := random.New(seed)
			r := makeRows(t, g, g.Schema(1+int(seed%4), 1+int(seed%3)), 1+g.R.IntN(30), g.R.IntN(100), g.R.IntN(300), g.R.IntN(20))
			blockRows := []int{1, 7, 64, 8192}[g.R.IntN(4)]
			data, index := r.encode(t, newEncoder(t, r.layout, c, blockRows), blockRows, int64(1+g.R.IntN(10_000)))
			r.check(t, data, index, c.tag(r.layout), blockRows)
		}
	})
}

// TestLarge encodes blocks of many chunks and frames' blocks, where lengths
// need several bytes: a list of booleans has more values than bytes.
func TestLarge(t *testing.T) {
	bools := arrow.FixedSizeListOf(1000, arrow.FixedWidthTypes.Boolean)
	for _, c := range []struct {
		schema *arrow.Schema
		rows   int
	}{
		{random.SchemaOf(arrow.PrimitiveTypes.Int64, arrow.BinaryTypes.String, bools, arrow.ListOf(arrow.Null)), 300},
		{random.SchemaOf(arrow.PrimitiveTypes.Int64), 300_000}, // beyond 4 MiB
	} {
		r := makeRows(t, random.New(4), c.schema, 1, c.rows, c.rows)
		eachCodec(t, func(t *testing.T, codec Codec) {
			if codec.ZstdLevel > 1 {
				t.Skip("slow")
			}
			blockRows := 2*c.rows - 7
			data, index := r.encode(t, newEncoder(t, r.layout, codec, blockRows), blockRows, 1<<20)
			r.check(t, data, index, codec.tag(r.layout), blockRows)
		})
	}
}

// TestNoColumns keeps the number of rows of no columns.
func TestNoColumns(t *testing.T) {
	eachCodec(t, func(t *testing.T, c Codec) {
		r := makeRows(t, random.New(1), arrow.NewSchema(nil, nil), 3, 5, 6)
		data, index := r.encode(t, newEncoder(t, r.layout, c, 4), 4, 100)
		r.check(t, data, index, c.tag(r.layout), 4)
	})
}

// TestWindowsDoNotShow: the bytes are the same for any cut into windows.
func TestWindowsDoNotShow(t *testing.T) {
	eachCodec(t, func(t *testing.T, c Codec) {
		for seed := range uint64(c.rounds(20)) {
			g := random.New(seed)
			r := makeRows(t, g, g.Schema(2, 2), 1+g.R.IntN(30), g.R.IntN(300), g.R.IntN(300))
			blockRows := []int{7, 64}[seed%2]
			want, _ := r.encode(t, newEncoder(t, r.layout, c, blockRows), blockRows, 1<<30)
			for _, budget := range []int64{1, 777, 10_000} {
				if got, _ := r.encode(t, newEncoder(t, r.layout, c, blockRows), blockRows, budget); !bytes.Equal(got, want) {
					t.Fatalf("seed %d: other bytes with windows of %d bytes", seed, budget)
				}
			}
		}
	})
}

// TestHistory: what an encoder writes does not depend on what it wrote before.
func TestHistory(t *testing.T) {
	eachCodec(t, func(t *testing.T, c Codec) {
		for seed := range uint64(c.rounds(10)) {
			g := random.New(seed)
			s := g.Schema(3, 2)
			if seed%2 == 0 {
				s = random.SchemaOf(random.Flat()...)
			}
			a := makeRows(t, g, s, 9, 200, 100)
			b := makeRows(t, g, s, 30, 500)
			used := newEncoder(t, a.layout, c, 64)
			first, _ := a.encode(t, used, 64, 1<<30)
			b.encode(t, used, 64, 1<<30)
			b.encode(t, used, 64, 1000)
			again, _ := a.encode(t, used, 64, 1<<30)
			fresh, _ := a.encode(t, newEncoder(t, a.layout, c, 64), 64, 1<<30)
			if !bytes.Equal(first, again) || !bytes.Equal(first, fresh) {
				t.Fatalf("seed %d: the same rows gave other bytes", seed)
			}
		}
	})
}

// TestSideBySide: encoders of one template work at the same time and write the
// same bytes.
func TestSideBySide(t *testing.T) {
	r := makeRows(t, random.New(6), random.SchemaOf(arrow.PrimitiveTypes.Int64, arrow.BinaryTypes.String), 20, 500, 500)
	tmpl, err := NewTemplate(r.layout)
	if err != nil {
		t.Fatal(err)
	}
	var outs [4][]byte
	var wg sync.WaitGroup
	for i := range outs {
		e, err := New(tmpl, Codec{Codec: shufflefile.LZ4, LZ4: "column"}, 64, new(metrics.Clock))
		if err != nil {
			t.Fatal(err)
		}
		wg.Go(func() { outs[i], _ = r.encode(t, e, 64, 1000) })
	}
	wg.Wait()
	for _, out := range outs[1:] {
		if !bytes.Equal(out, outs[0]) {
			t.Error("two encoders wrote different bytes")
		}
	}
}

// TestNoAllocations: once warm, nothing is allocated a window.
func TestNoAllocations(t *testing.T) {
	flat := slices.DeleteFunc(random.Flat(), func(t arrow.DataType) bool { return t.ID() == arrow.EXTENSION })
	nested := []arrow.DataType{arrow.ListOf(arrow.BinaryTypes.String), arrow.StructOf(arrow.Field{Name: "a", Type: arrow.PrimitiveTypes.Int32, Nullable: true})}
	eachCodec(t, func(t *testing.T, c Codec) {
		if c.ZstdLevel > 1 || oracle.Race {
			t.Skip("not counted")
		}
		r := makeRows(t, random.New(1), random.SchemaOf(append(flat, nested...)...), 50, 400, 400)
		e := newEncoder(t, r.layout, c, 8192)
		r.windows(t, 8192, 1<<30, func(w *segment.Window) {
			n := testing.AllocsPerRun(5, func() {
				e.Reset()
				if err := e.Window(w); err != nil {
					t.Fatal(err)
				}
			})
			if blocks := len(e.Runs); n != 0 || blocks < 20 {
				t.Errorf("%v allocations for %d blocks", n, blocks)
			}
		})
	})
}

// TestLimits refuses what 32-bit offsets or a block cannot hold, before it
// takes the memory.
func TestLimits(t *testing.T) {
	for _, typ := range []arrow.DataType{arrow.BinaryTypes.String, arrow.BinaryTypes.LargeString, arrow.ListOf(arrow.Null)} {
		l, err := segment.NewLayout(random.SchemaOf(arrow.PrimitiveTypes.Int8, typ))
		if err != nil {
			t.Fatal(err)
		}
		const each = 1 << 30
		w := &segment.Window{Nodes: len(l.Nodes)}
		part := segment.Part{Partition: 7}
		for s := range uint32(3) {
			views := make([]segment.View, len(l.Nodes))
			views[0].Data = []byte{1}
			views[1].Off = []int32{0, each}
			w.Views = append(w.Views, views...)
			part.Pieces = append(part.Pieces, segment.Piece{Source: s, Rows: 1})
			part.Rows++
		}
		w.Parts = []segment.Part{part}
		err = newEncoder(t, l, codecs[0], 100).Window(w)
		if !errors.Is(err, shufflefile.ErrLimit) || !strings.Contains(err.Error(), `"c1"`) || !strings.Contains(err.Error(), "smaller batch size") {
			t.Errorf("%s: %v", typ, err)
		}
	}
}

// TestHeader checks a block's header by hand.
func TestHeader(t *testing.T) {
	r := makeRows(t, random.New(1), random.SchemaOf(arrow.PrimitiveTypes.Int8, arrow.PrimitiveTypes.Int8), 1, 5)
	data, _ := r.encode(t, newEncoder(t, r.layout, codecs[0], 10), 10, 100)
	if n := binary.LittleEndian.Uint64(data); n != uint64(len(data)-8) {
		t.Errorf("length %d of %d bytes", n, len(data))
	}
	if n := binary.LittleEndian.Uint64(data[8:]); n != 2 {
		t.Errorf("%d columns", n)
	}
	if tag := string(data[16:20]); tag != "NONE" {
		t.Errorf("tag %q", tag)
	}
}

func TestUnknownCodec(t *testing.T) {
	l, err := segment.NewLayout(random.SchemaOf(arrow.PrimitiveTypes.Int8))
	if err != nil {
		t.Fatal(err)
	}
	tmpl, err := NewTemplate(l)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []Codec{{Codec: 99}, {Codec: shufflefile.LZ4, LZ4: "fast"}} {
		if _, err := New(tmpl, c, 10, new(metrics.Clock)); err == nil {
			t.Errorf("%v is accepted", c)
		}
	}
}
