package ipcwire

import (
	"bytes"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/arrow/memory"
	flatbuffers "github.com/google/flatbuffers/go"
	"github.com/google/go-cmp/cmp"

	"github.com/shufflebench/shufflebench/internal/shufflefile"
)

// wantCorrupt wants an error of class ErrCorrupt whose text has a part.
func wantCorrupt(t *testing.T, what string, err error, part string) {
	t.Helper()
	if !errors.Is(err, shufflefile.ErrCorrupt) || !strings.Contains(err.Error(), part) {
		t.Errorf("%s: error %v, want one of class corrupt with %q", what, err, part)
	}
}

func TestPrefix(t *testing.T) {
	prefix := func(marker, n uint32, rest int) []byte {
		b := make([]byte, 8+rest)
		putUint32(b, marker)
		putUint32(b[4:], n)
		return b
	}
	for _, c := range []struct {
		what string
		b    []byte
		n    int
		want string // the error
	}{
		{"message", prefix(Continuation, 16, 16), 16, ""},
		{"end", EOS[:], 0, ""},
		{"nothing", nil, 0, "cut 0 bytes into a message prefix"},
		{"half", EOS[:5], 0, "cut 5 bytes into"},
		{"no marker", prefix(16, 0, 16), 0, "no continuation marker"},
		{"negative", prefix(Continuation, 1<<31, 16), 0, "is negative"},
		{"odd", prefix(Continuation, 12, 16), 0, "no multiple of 8"},
		{"too long", prefix(Continuation, 24, 16), 0, "metadata of 24 bytes in a stream with 16 bytes left"},
	} {
		n, err := Prefix(c.b)
		if c.want != "" {
			wantCorrupt(t, c.what, err, c.want)
		} else if err != nil || n != c.n {
			t.Errorf("%s: %d, %v; want %d", c.what, n, err, c.n)
		}
	}
}

func putUint32(b []byte, v uint32) {
	b[0], b[1], b[2], b[3] = byte(v), byte(v>>8), byte(v>>16), byte(v>>24)
}

// messages are the metadata of the messages of a stream.
func messages(t *testing.T, schema *arrow.Schema, batches ...arrow.RecordBatch) (out [][]byte) {
	t.Helper()
	var b bytes.Buffer
	w := ipc.NewWriter(&b, ipc.WithSchema(schema))
	for _, rec := range batches {
		if err := w.Write(rec); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	for rest := b.Bytes(); ; {
		n, err := Prefix(rest)
		if err != nil {
			t.Fatal(err)
		}
		if n == 0 {
			return out
		}
		out = append(out, rest[PrefixSize:PrefixSize+n])
		m, err := ParseMessage(rest[PrefixSize : PrefixSize+n])
		if err != nil {
			t.Fatal(err)
		}
		rest = rest[PrefixSize+n+int(m.BodyLength):]
	}
}

// TestBatch reads what a general writer wrote about a batch.
func TestBatch(t *testing.T) {
	schema := arrow.NewSchema([]arrow.Field{
		{Name: "a", Type: arrow.PrimitiveTypes.Int64, Nullable: true},
		{Name: "v", Type: arrow.BinaryTypes.StringView, Nullable: true},
	}, nil)
	rb := array.NewRecordBuilder(memory.DefaultAllocator, schema)
	rb.Field(0).(*array.Int64Builder).AppendValues([]int64{1, 2, 3}, []bool{true, false, true})
	rb.Field(1).(*array.StringViewBuilder).AppendValues([]string{"short", "a text that is too long for a view", ""}, nil)
	all := messages(t, schema, rb.NewRecordBatch())
	m, err := ParseMessage(all[1])
	if err != nil || m.Kind != HeaderRecordBatch || m.Version != MetadataV5 {
		t.Fatal(m.Kind, m.Version, err)
	}
	var b Batch
	if err := m.RecordBatch(&b); err != nil {
		t.Fatal(err)
	}
	var nodes [][2]int64
	for i := range b.Nodes() {
		n, nulls := b.Node(i)
		nodes = append(nodes, [2]int64{n, nulls})
	}
	if diff := cmp.Diff([][2]int64{{3, 1}, {3, 0}}, nodes); diff != "" || b.Rows != 3 || b.Compressed {
		t.Error(b.Rows, b.Compressed, diff)
	}
	if b.Buffers() != 5 || b.Variadics() != 1 || b.Variadic(0) != 1 {
		t.Errorf("%d buffers, %d variadic", b.Buffers(), b.Variadics())
	}
	end := int64(0)
	for i := range b.Buffers() {
		off, n := b.Buffer(i)
		if n > 0 && (off < end || off+n > m.BodyLength) {
			t.Errorf("buffer %d is %d bytes at %d", i, n, off)
		}
		end = max(end, off+n)
	}
	if keys, vals, err := m.Metadata(); keys != nil || vals != nil || err != nil {
		t.Error(keys, vals, err)
	}
}

// TestDictionaryIDs finds the ids that a writer gave to nested dictionaries.
func TestDictionaryIDs(t *testing.T) {
	dict := &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int32, ValueType: arrow.BinaryTypes.String}
	schema := arrow.NewSchema([]arrow.Field{
		{Name: "plain", Type: arrow.PrimitiveTypes.Int64},
		{Name: "d", Type: dict},
		{Name: "l", Type: arrow.ListOf(dict)},
	}, nil)
	m, err := ParseMessage(messages(t, schema)[0])
	if err != nil {
		t.Fatal(err)
	}
	got, err := m.Schema()
	if err != nil {
		t.Fatal(err)
	}
	want := []Field{{}, {HasDictionary: true, Dictionary: 0}, {Children: []Field{{HasDictionary: true, Dictionary: 1}}}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// schemaOf is the metadata of a schema message with one field that build makes.
func schemaOf(order int16, build func(*flatbuffers.Builder) flatbuffers.UOffsetT) []byte {
	b := flatbuffers.NewBuilder(1 << 10)
	fields := vectorOf(b, build(b))
	b.StartObject(4)
	b.PrependInt16Slot(0, order, 0)
	b.PrependUOffsetTSlot(1, fields, 0)
	return message(b, HeaderSchema, b.EndObject())
}

func message(b *flatbuffers.Builder, kind byte, header flatbuffers.UOffsetT) []byte {
	b.StartObject(5)
	b.PrependInt16Slot(0, MetadataV5, 0)
	b.PrependByteSlot(1, kind, 0)
	b.PrependUOffsetTSlot(2, header, 0)
	b.Finish(b.EndObject())
	return b.FinishedBytes()
}

func vectorOf(b *flatbuffers.Builder, tables ...flatbuffers.UOffsetT) flatbuffers.UOffsetT {
	b.StartVector(4, len(tables), 4)
	for _, t := range slices.Backward(tables) {
		b.PrependUOffsetT(t)
	}
	return b.EndVector(len(tables))
}

// fieldOf is a field with the given children.
func fieldOf(b *flatbuffers.Builder, name string, children ...flatbuffers.UOffsetT) flatbuffers.UOffsetT {
	s := b.CreateString(name)
	kids := vectorOf(b, children...)
	b.StartObject(7)
	b.PrependUOffsetTSlot(0, s, 0)
	b.PrependUOffsetTSlot(5, kids, 0)
	return b.EndObject()
}

// TestSchemaLimits: schemas that are too deep, or whose few bytes stand for
// many fields, are refused at once.
func TestSchemaLimits(t *testing.T) {
	deep := func(n, width int, name string) []byte {
		return schemaOf(LittleEndian, func(b *flatbuffers.Builder) flatbuffers.UOffsetT {
			at := fieldOf(b, name)
			for range n {
				at = fieldOf(b, "", slices.Repeat([]flatbuffers.UOffsetT{at}, width)...)
			}
			return at
		})
	}
	for _, c := range []struct {
		what string
		b    []byte
		want string // the error
	}{
		{"63 levels", deep(62, 1, "x"), ""},
		{"66 levels", deep(65, 1, "x"), "nested deeper than 64"},
		{"two to the 40th fields", deep(40, 2, "x"), "overlap"},
		{"a long name over and over", deep(1, 3000, strings.Repeat("n", 5000)), "overlap"},
		{"big-endian", schemaOf(1, func(b *flatbuffers.Builder) flatbuffers.UOffsetT { return fieldOf(b, "x") }), "not little-endian"},
	} {
		m, err := ParseMessage(c.b)
		if err != nil {
			t.Fatal(c.what, err)
		}
		start := time.Now()
		_, err = m.Schema()
		if c.want != "" {
			wantCorrupt(t, c.what, err, c.want)
		} else if err != nil {
			t.Errorf("%s: %v", c.what, err)
		}
		if d := time.Since(start); d > 10*time.Second {
			t.Errorf("%s: it took %v", c.what, d)
		}
	}
}

// TestMessageLies: metadata whose numbers lead outside it is refused by
// whoever follows them, and never read past its end.
func TestMessageLies(t *testing.T) {
	dict := &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int32, ValueType: arrow.BinaryTypes.String}
	schema := arrow.NewSchema([]arrow.Field{{Name: "d", Type: dict}, {Name: "s", Type: arrow.StructOf(arrow.Field{Name: "x", Type: arrow.Null})}},
		new(arrow.NewMetadata([]string{"k"}, []string{"v"})))
	rb := array.NewRecordBuilder(memory.DefaultAllocator, schema)
	if err := rb.Field(0).(*array.BinaryDictionaryBuilder).AppendString("a"); err != nil {
		t.Fatal(err)
	}
	rb.Field(1).(*array.StructBuilder).AppendEmptyValue()
	refused := 0
	for _, good := range messages(t, schema, rb.NewRecordBatch()) {
		for at := range len(good) - 3 {
			for _, lie := range []uint32{0, 1, 3, 1 << 15, 1 << 16, math.MaxInt32, 1 << 31, math.MaxUint32} {
				bad := bytes.Clone(good)
				putUint32(bad[at:], lie)
				if read(bad[:len(bad):len(bad)]) != nil {
					refused++
				}
			}
		}
		for n := range good {
			_ = read(good[:n:n])
		}
	}
	if refused < 100 {
		t.Errorf("only %d lies were found out", refused)
	}
}

// read follows everything in a message's metadata.
func read(metadata []byte) error {
	m, err := ParseMessage(metadata)
	if err != nil {
		return err
	}
	var b Batch
	switch m.Kind {
	case HeaderSchema:
		_, err = m.Schema()
	case HeaderRecordBatch:
		err = m.RecordBatch(&b)
	case HeaderDictionaryBatch:
		_, err = m.Dictionary(&b)
	}
	for i := range b.Nodes() {
		b.Node(i)
	}
	for i := range b.Buffers() {
		b.Buffer(i)
	}
	for i := range b.Variadics() {
		b.Variadic(i)
	}
	_, _, merr := m.Metadata()
	return errors.Join(err, merr)
}

// FuzzMetadata: any bytes as a message's metadata.
func FuzzMetadata(f *testing.F) {
	f.Add(schemaOf(LittleEndian, func(b *flatbuffers.Builder) flatbuffers.UOffsetT { return fieldOf(b, "x", fieldOf(b, "y")) }))
	f.Add([]byte{4, 0, 0, 0, 0, 0, 0, 0})
	f.Fuzz(func(t *testing.T, b []byte) {
		if err := read(b); err != nil && !errors.Is(err, shufflefile.ErrCorrupt) {
			t.Fatal(err)
		}
	})
}
