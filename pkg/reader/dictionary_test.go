package reader

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/google/go-cmp/cmp"

	"github.com/shufflebench/shufflebench/internal/shufflefile"
)

// dictionaryBatch is a batch of one dictionary column whose dictionary is the
// distinct values in order.
func dictionaryBatch(tb testing.TB, values ...string) arrow.RecordBatch {
	tb.Helper()
	dt := &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int32, ValueType: arrow.BinaryTypes.String}
	b := array.NewDictionaryBuilder(memory.DefaultAllocator, dt).(*array.BinaryDictionaryBuilder)
	for _, v := range values {
		if err := b.AppendString(v); err != nil {
			tb.Fatal(err)
		}
	}
	schema := arrow.NewSchema([]arrow.Field{{Name: "d", Type: dt}}, nil)
	return array.NewRecordBatch(schema, []arrow.Array{b.NewArray()}, int64(len(values)))
}

// noneBlock is an uncompressed block of some messages of one column.
func noneBlock(messages ...[]byte) []byte {
	return blockOf(1, shufflefile.MakeTag(shufflefile.None, false), bytes.Join(messages, nil))
}

func decodeRows(r *Reader, block []byte) (string, error) {
	b, err := r.DecodeBlock(block, shufflefile.In("f"))
	if err != nil {
		return "", err
	}
	return strings.Join(rowsOf(b.Batch), ""), nil
}

// TestDictionaryScope: with a warm cache, each block's dictionary replaces the
// last one's, and a block without one is refused even if the block before had
// what it needs.
func TestDictionaryScope(t *testing.T) {
	for name, o := range modes() {
		r := blockReader(t, o)
		first := dictionaryBatch(t, "a", "b", "a")
		messages := messagesOf(t, streamOf(t, first.Schema(), []arrow.RecordBatch{first}))
		for _, c := range []struct {
			block []byte
			want  string
		}{
			{encode(t, shufflefile.LZ4, first), `"a"|"b"|"a"|`},
			{encode(t, shufflefile.LZ4, dictionaryBatch(t, "x", "y", "x")), `"x"|"y"|"x"|`},
			{encode(t, shufflefile.Zstd, dictionaryBatch(t, "longer", "z")), `"longer"|"z"|`},
		} {
			if got, err := decodeRows(r, c.block); err != nil || got != c.want {
				t.Errorf("%s: %s, %v; want %s", name, got, err, c.want)
			}
		}
		_, err := decodeRows(r, noneBlock(messages[0], messages[2], messages[3]))
		wantCorrupt(t, err, "no dictionary batch for id 0")
	}
}

// TestDictionaryDeltas: a dictionary may go on and may start anew, before the
// batch, in one block.
func TestDictionaryDeltas(t *testing.T) {
	batches := []arrow.RecordBatch{dictionaryBatch(t, "a", "b"), dictionaryBatch(t, "a", "b", "c", "d", "c")}
	grown := messagesOf(t, streamOf(t, batches[0].Schema(), batches, ipc.WithDictionaryDeltas(true)))
	if len(grown) != 6 {
		t.Fatalf("%d messages, want schema, dictionary, batch, delta, batch, end", len(grown))
	}
	other := dictionaryBatch(t, "x", "y", "x", "y", "y")
	anew := messagesOf(t, streamOf(t, other.Schema(), []arrow.RecordBatch{other}))
	schema, base, delta, batch, end := grown[0], grown[1], grown[3], grown[4], grown[5]
	for name, o := range modes() {
		r := blockReader(t, o)
		for _, c := range []struct {
			what   string
			block  []byte
			want   string
			failed string
		}{
			{"delta", noneBlock(schema, base, delta, batch, end), `"a"|"b"|"c"|"d"|"c"|`, ""},
			{"replacement", noneBlock(schema, base, anew[1], anew[2], end), `"x"|"y"|"x"|"y"|"y"|`, ""},
			{"delta, then replacement", noneBlock(schema, base, delta, anew[1], anew[2], end), `"x"|"y"|"x"|"y"|"y"|`, ""},
			{"replacement, then delta", noneBlock(schema, anew[1], base, delta, batch, end), `"a"|"b"|"c"|"d"|"c"|`, ""},
			{"delta first", noneBlock(schema, delta, batch, end), "", "goes on before it starts"},
			{"after the batch", noneBlock(schema, base, batch, delta, end), "", "in place of the end of the stream"},
		} {
			got, err := decodeRows(r, c.block)
			if c.failed != "" {
				wantCorrupt(t, err, c.failed)
			} else if err != nil || got != c.want {
				t.Errorf("%s, %s: %s, %v; want %s", name, c.what, got, err, c.want)
			}
		}
		if o.Validated {
			_, err := decodeRows(r, noneBlock(schema, base, batch, end))
			wantCorrupt(t, err, "into a dictionary of 2 values")
		}
	}
}

// TestNestedDictionaries: dictionaries whose values hold dictionaries, in
// blocks of one warm Reader, in either order of their messages.
func TestNestedDictionaries(t *testing.T) {
	inner := &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int8, ValueType: arrow.BinaryTypes.String}
	outer := &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int32, ValueType: arrow.ListOf(inner)}
	schema := arrow.NewSchema([]arrow.Field{{Name: "d", Type: outer}}, nil)
	nested := func(words ...string) arrow.RecordBatch {
		lb := array.NewListBuilder(memory.DefaultAllocator, inner)
		for i, w := range words {
			lb.Append(true)
			vb := lb.ValueBuilder().(*array.BinaryDictionaryBuilder)
			if err := vb.AppendString(w); err != nil {
				t.Fatal(err)
			}
			if err := vb.AppendString(words[0]); i > 0 && err != nil {
				t.Fatal(err)
			}
		}
		ib := array.NewInt32Builder(memory.DefaultAllocator)
		for i := range 2 * len(words) {
			ib.Append(int32(i % len(words)))
		}
		d := array.NewDictionaryArray(outer, ib.NewArray(), lb.NewArray())
		return array.NewRecordBatch(schema, []arrow.Array{d}, int64(d.Len()))
	}
	for name, o := range modes() {
		r := blockReader(t, o)
		for _, rec := range []arrow.RecordBatch{nested("a", "b"), nested("x", "yy", "zzz"), nested("a", "b")} {
			messages := messagesOf(t, streamOf(t, schema, []arrow.RecordBatch{rec}))
			for range 2 {
				got, err := decodeRows(r, noneBlock(messages...))
				if want := strings.Join(rowsOf(rec), ""); err != nil || got != want {
					t.Errorf("%s: %s, %v; want %s", name, got, err, want)
				}
				slices.Reverse(messages[1:3])
			}
			_, err := decodeRows(r, noneBlock(append(slices.Clone(messages[:1]), messages[2:]...)...))
			wantCorrupt(t, err, "no dictionary batch for id")
		}
	}
}

// TestDictionaryChanges: blocks of one partition may keep a column in a
// dictionary or not, but not change its values' type.
func TestDictionaryChanges(t *testing.T) {
	named := func(dt arrow.DataType) *arrow.Schema {
		return arrow.NewSchema([]arrow.Field{nullable("d", dt)}, nil)
	}
	text := randomBatch(t, named(arrow.BinaryTypes.String), 4, 1)
	dict := dictionaryBatch(t, "a", "b")
	data, index := writePair(t, [][][]byte{
		{encode(t, shufflefile.LZ4, text), encode(t, shufflefile.LZ4, dict), encode(t, shufflefile.None, text)},
		{encode(t, shufflefile.LZ4, text), encode(t, shufflefile.LZ4, randomBatch(t, named(arrow.BinaryTypes.Binary), 2, 1))},
		{encode(t, shufflefile.LZ4, text), encode(t, shufflefile.LZ4, randomBatch(t, schemaOf(arrow.BinaryTypes.String), 2, 1))},
		{encode(t, shufflefile.LZ4, text), encode(t, shufflefile.LZ4, randomBatch(t, schemaOf(arrow.BinaryTypes.String, arrow.Null), 2, 1))},
	})
	_, r := openPair(t, data, index, Options{})
	var rows []string
	for b, err := range r.Partition(0) {
		if err != nil {
			t.Fatal(err)
		}
		rows = append(rows, rowsOf(b)...)
	}
	want := slices.Concat(rowsOf(text), rowsOf(dict), rowsOf(text))
	if diff := cmp.Diff(want, rows); diff != "" {
		t.Error(diff)
	}
	for p := 1; p < 4; p++ {
		_, err := rowsOfPartition(r, p)
		wantError(t, err, shufflefile.ErrMismatch, "the schema changes within the partition")
		wantError(t, err, shufflefile.ErrMismatch, fmt.Sprintf("partition %d, block 1", p))
	}
}

// TestManyDictionaryMessages: a block of very many messages for a dictionary,
// which start it anew or go on with it, takes time by its size.
func TestManyDictionaryMessages(t *testing.T) {
	batches := []arrow.RecordBatch{dictionaryBatch(t, "a", "b"), dictionaryBatch(t, "a", "b", "c", "d", "c")}
	grown := messagesOf(t, streamOf(t, batches[0].Schema(), batches, ipc.WithDictionaryDeltas(true)))
	schema, base, delta, batch, end := grown[0], grown[1], grown[3], grown[4], grown[5]
	const n = 20_000
	for what, middle := range map[string][][]byte{
		"anew":  slices.Repeat([][]byte{base}, n),
		"on":    slices.Concat([][]byte{base}, slices.Repeat([][]byte{delta}, n)),
		"mixed": slices.Concat([][]byte{base}, slices.Repeat([][]byte{delta, base}, n/2)),
	} {
		parts := slices.Concat([][]byte{schema}, middle, [][]byte{delta, batch, end})
		for _, o := range []Options{{}, {Validated: true}} {
			start := time.Now()
			got, err := decodeRows(blockReader(t, o), noneBlock(parts...))
			if want := `"a"|"b"|"c"|"d"|"c"|`; err != nil || got != want {
				t.Errorf("%s: %s, %v; want %s", what, got, err, want)
			}
			if d := time.Since(start); d > time.Minute {
				t.Errorf("%s: %d messages took %v", what, n, d)
			}
		}
	}
}
