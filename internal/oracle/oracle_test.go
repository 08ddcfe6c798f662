package oracle

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"maps"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/klauspost/compress/snappy"
	"github.com/klauspost/compress/zstd"
	"github.com/pierrec/lz4/v4"
)

// TestComet reads a pair that Comet wrote.
func TestComet(t *testing.T) {
	data, err := os.ReadFile("testdata/comet_ids_zstd_16p/data.out")
	if err != nil {
		t.Fatal(err)
	}
	index, err := os.ReadFile("testdata/comet_ids_zstd_16p/index.out")
	if err != nil {
		t.Fatal(err)
	}
	table, err := ReadTable(data, index)
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for _, rows := range table {
		for _, row := range rows {
			seen[row] = true
		}
	}
	want := map[string]bool{}
	for i := range len(seen) {
		want[fmt.Sprintf("%d|%d", i, i*17+11)] = true
	}
	if table.Len() != 1500 || !maps.Equal(seen, want) {
		t.Fatalf("%d rows, %d different ones", table.Len(), len(seen))
	}
}

func ints(t testing.TB, values string) arrow.RecordBatch {
	t.Helper()
	a, _, err := array.FromJSON(memory.DefaultAllocator, arrow.PrimitiveTypes.Int64, strings.NewReader(values))
	if err != nil {
		t.Fatal(err)
	}
	s := arrow.NewSchema([]arrow.Field{{Name: "v", Type: a.DataType(), Nullable: true}}, nil)
	return array.NewRecordBatch(s, []arrow.Array{a}, int64(a.Len()))
}

func stream(t testing.TB, batches ...arrow.RecordBatch) []byte {
	t.Helper()
	var b bytes.Buffer
	w := ipc.NewWriter(&b, ipc.WithSchema(batches[0].Schema()))
	for _, batch := range batches {
		if err := w.Write(batch); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func frame(t testing.TB, tag string, payload []byte) []byte {
	t.Helper()
	var b bytes.Buffer
	var w io.WriteCloser
	switch tag {
	case "LZ4_":
		w = lz4.NewWriter(&b)
	case "ZSTD":
		z, err := zstd.NewWriter(&b)
		if err != nil {
			t.Fatal(err)
		}
		w = z
	case "SNAP":
		w = snappy.NewBufferedWriter(&b)
	default:
		return payload
	}
	if _, err := w.Write(payload); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func block(tag string, columns int, frame []byte) []byte {
	b := binary.LittleEndian.AppendUint64(nil, uint64(12+len(frame)))
	b = binary.LittleEndian.AppendUint64(b, uint64(columns))
	return append(append(b, tag...), frame...)
}

func indexOf(offsets ...int) []byte {
	var b []byte
	for _, o := range offsets {
		b = binary.LittleEndian.AppendUint64(b, uint64(o))
	}
	return b
}

func TestCodecs(t *testing.T) {
	payload := stream(t, ints(t, `[1, null, -3]`))
	for _, tag := range []string{"LZ4_", "ZSTD", "SNAP", "NONE"} {
		b := block(tag, 1, frame(t, tag, payload))
		data := slices.Concat(b, b)
		table, err := ReadTable(data, indexOf(0, 0, len(b), len(data), len(data)))
		want := Table{1: {"1", "null", "-3"}, 2: {"1", "null", "-3"}}
		if err != nil || Diff(table, want) != "" {
			t.Errorf("%s: %v %s", tag, err, Diff(table, want))
		}
	}
}

// TestRefusals damages a good block in the ways that readers disagree about.
func TestRefusals(t *testing.T) {
	batch := ints(t, `[1, 2]`)
	good := stream(t, batch)
	two := stream(t, batch, batch)
	lz := frame(t, "LZ4_", good)
	none := func(payload []byte) []byte { return block("NONE", 1, payload) }
	cases := map[string][]byte{
		"second batch":        none(two),
		"no end mark":         none(good[:len(good)-8]),
		"bytes behind stream": none(append(slices.Clone(good), endOfStream...)),
		"empty batch":         none(stream(t, ints(t, `[]`))),
		"no batch":            none(append(slices.Clone(good[:streamHead(t, good)]), endOfStream...)),
		"columns":             block("NONE", 2, good),
		"tag":                 block("ZST_", 1, good),
		"two LZ4 frames":      block("LZ4_", 1, slices.Concat(lz, frame(t, "LZ4_", nil))),
		"bytes behind frame":  block("LZ4_", 1, append(slices.Clone(lz), 0)),
		"LZ4 without end":     block("LZ4_", 1, lz[:len(lz)-8]),
		"raw snappy":          block("SNAP", 1, snappy.Encode(nil, good)),
		"half a header":       none(good)[:19],
		"length":              none(good)[:100],
	}
	for name, b := range cases {
		if _, err := ReadTable(b, indexOf(0, len(b))); err == nil {
			t.Errorf("%s is accepted", name)
		}
	}
	if _, err := ReadTable(none(good), indexOf(0, len(none(good)))); err != nil {
		t.Error(err)
	}
	if _, err := DecodeBlock(append(none(good), 0)); err == nil {
		t.Error("a byte behind the block is accepted")
	}
}

// streamHead is the size of a stream's schema message.
func streamHead(t *testing.T, payload []byte) int {
	m, err := nextMessage(payload, 0)
	if err != nil {
		t.Fatal(err)
	}
	return m.end
}

func TestIndex(t *testing.T) {
	for name, index := range map[string][]byte{
		"short": indexOf(0), "odd": indexOf(0, 9)[:15], "first": indexOf(1, 9), "falls": indexOf(0, 9, 5, 9),
		"last": indexOf(0, 8), "negative": indexOf(0, -1, 9),
	} {
		if _, err := Index(index, 9); err == nil {
			t.Errorf("%s is accepted", name)
		}
	}
	if x, err := Index(indexOf(0, 4, 4, 9), 9); err != nil || !slices.Equal(x, []int64{0, 4, 4, 9}) {
		t.Error(x, err)
	}
}

func TestMessage(t *testing.T) {
	m, err := BatchMessage(stream(t, ints(t, `[1, null, 3]`)))
	if err != nil {
		t.Fatal(err)
	}
	if m.Rows != 3 || !slices.Equal(m.Nodes, [][2]int64{{3, 1}}) || len(m.Buffers) != 2 || m.Buffers[1][1] < 24 {
		t.Fatalf("%+v", m)
	}
	if v := binary.LittleEndian.Uint64(m.Body[m.Buffers[1][0]+16:]); v != 3 {
		t.Fatal(v)
	}
}

// TestText shows the values that text must keep apart.
func TestText(t *testing.T) {
	f := array.NewFloat64Builder(memory.DefaultAllocator)
	f.AppendValues([]float64{0, math.Copysign(0, -1), math.NaN(), math.Float64frombits(0x7ff8000000000002)}, nil)
	a := f.NewArray()
	for i := range 4 {
		for k := range i {
			if Value(a, i) == Value(a, k) {
				t.Errorf("values %d and %d are both %s", i, k, Value(a, i))
			}
		}
	}
	n, _, err := array.FromJSON(memory.DefaultAllocator, arrow.StructOf(
		arrow.Field{Name: "l", Type: arrow.ListOf(arrow.BinaryTypes.String), Nullable: true},
		arrow.Field{Name: "m", Type: arrow.MapOf(arrow.BinaryTypes.String, arrow.PrimitiveTypes.Int32), Nullable: true},
	), strings.NewReader(`[{"l": ["a", null, ""], "m": [{"key": "k", "value": 7}]}, null, {"l": [], "m": null}]`))
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []string{`{["a",null,""],[{"k",7}]}`, `null`, `{[],null}`} {
		if got := Value(n, i); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}

func TestDiff(t *testing.T) {
	want := Table{0: {"a", "b"}, 3: {"c"}}
	for _, got := range []Table{{0: {"a"}, 3: {"c"}}, {0: {"a", "x"}, 3: {"c"}}, {0: {"a", "b"}}, {0: {"a", "b"}, 2: {"c"}}, {0: {"b", "a"}, 3: {"c"}}} {
		if Diff(got, want) == "" {
			t.Errorf("%v equals %v", got, want)
		}
	}
	if d := Diff(Table{0: {"a", "b"}, 1: nil, 3: {"c"}}, want); d != "" {
		t.Error(d)
	}
}
