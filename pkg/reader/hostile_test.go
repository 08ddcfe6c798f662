package reader

import (
	"bytes"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/ipc"

	"github.com/shufflebench/shufflebench/internal/ipcwire"
	"github.com/shufflebench/shufflebench/internal/shufflefile"
)

// hostileBatch has columns whose buffers refer to other buffers.
func hostileBatch(tb testing.TB, rows int) arrow.RecordBatch {
	str, i64 := arrow.BinaryTypes.String, arrow.PrimitiveTypes.Int64
	return randomBatch(tb, schemaOf(i64, str, arrow.ListOf(str), arrow.BinaryTypes.StringView,
		arrow.StructOf(nullable("a", i64), nullable("b", arrow.MapOf(str, i64))),
		&arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int32, ValueType: str},
		arrow.RunEndEncodedOf(arrow.PrimitiveTypes.Int32, i64),
		arrow.DenseUnionOf([]arrow.Field{nullable("x", i64), nullable("y", str)}, []arrow.UnionTypeCode{0, 1})), rows, 11)
}

// touch reads every value of a batch that a block was accepted for.
func touch(tb testing.TB, b arrow.RecordBatch) string {
	tb.Helper()
	return strings.Join(rowsOf(b), "\n")
}

// TestTruncated: a block cut at any byte is refused, cold and warm, with its
// own length or with one that was mended.
func TestTruncated(t *testing.T) {
	for _, c := range codecs {
		block := encode(t, c, hostileBatch(t, 5))
		warm, cold := blockReader(t, Options{}), blockReader(t, Options{SchemaCache: NoCache})
		if _, err := warm.DecodeBlock(block, shufflefile.In("f")); err != nil {
			t.Fatal(err)
		}
		step := 1 + len(block)/1500
		for n := 0; n < len(block); n += step {
			mended := bytes.Clone(block[:n])
			if n >= shufflefile.HeaderSize {
				le.PutUint64(mended, uint64(n-shufflefile.LengthSize))
			}
			for _, b := range [][]byte{block[:n], mended} {
				for _, r := range []*Reader{warm, cold} {
					if _, err := r.DecodeBlock(b, shufflefile.In("f")); !errors.Is(err, shufflefile.ErrCorrupt) {
						t.Fatalf("%v cut at %d of %d: %v", c, n, len(block), err)
					}
				}
			}
		}
	}
}

// TestFlipped: a block with any byte changed is refused or decodes to rows
// that can be read, in the validated mode without a panic; with a checksum of
// the frame only to equal rows.
func TestFlipped(t *testing.T) {
	for _, c := range codecs {
		rec := hostileBatch(t, 3)
		want := touch(t, rec)
		block := encode(t, c, rec)
		warm := blockReader(t, Options{Validated: true})
		cold := blockReader(t, Options{Validated: true, SchemaCache: NoCache})
		trusted := blockReader(t, Options{Reuse: true})
		step := 1 + len(block)/1200
		for i := 0; i < len(block); i += step {
			for _, flip := range []byte{1, 0x80, 0xff} {
				if _, err := warm.DecodeBlock(block, shufflefile.In("f")); err != nil {
					t.Fatal(err)
				}
				bad := bytes.Clone(block)
				bad[i] ^= flip
				checkFlipped(t, warm, bad, c == shufflefile.Snappy && i > 50, want)
				checkFlipped(t, cold, bad, c == shufflefile.Snappy && i > 50, want)
				if _, err := trusted.DecodeBlock(bad, shufflefile.In("f")); err != nil {
					mustBeClassed(t, err)
				}
			}
		}
	}
}

func checkFlipped(t *testing.T, r *Reader, block []byte, checked bool, want string) {
	t.Helper()
	b, err := r.DecodeBlock(block, shufflefile.In("f"))
	if err != nil {
		mustBeClassed(t, err)
		return
	}
	if got := touch(t, b.Batch); checked && got != want {
		t.Errorf("other rows although the content is checked:\n%s\nwant\n%s", got, want)
	}
}

func mustBeClassed(t *testing.T, err error) {
	t.Helper()
	var e *shufflefile.Error
	if !errors.As(err, &e) || e.Class == nil || e.File == "" {
		t.Fatalf("error without class or file: %v", err)
	}
}

// TestStreams: streams whose messages are wrong in number, kind or order.
func TestStreams(t *testing.T) {
	a, b := dictionaryBatch(t, "a", "b"), randomBatch(t, schemaOf(arrow.PrimitiveTypes.Int64), 3, 1)
	d := messagesOf(t, streamOf(t, a.Schema(), []arrow.RecordBatch{a}))
	m := messagesOf(t, streamOf(t, b.Schema(), []arrow.RecordBatch{b}))
	schema, batch, end := m[0], m[1], m[2]
	for _, c := range []struct {
		what  string
		parts [][]byte
		want  string
	}{
		{"nothing", nil, "cut 0 bytes into a message prefix"},
		{"only the end", [][]byte{end}, "the stream ends before a schema"},
		{"no batch", [][]byte{schema, end}, "the stream ends before a record batch"},
		{"no end", [][]byte{schema, batch}, "cut 0 bytes into a message prefix"},
		{"half an end", [][]byte{schema, batch, end[:4]}, "cut 4 bytes into a message prefix"},
		{"two batches", [][]byte{schema, batch, batch, end}, "record batch (3) in place of the end of the stream"},
		{"two schemas", [][]byte{schema, schema, batch, end}, "schema (1) in place of a record batch"},
		{"batch first", [][]byte{batch, schema, end}, "record batch (3) in place of a schema"},
		{"trailing zero", [][]byte{schema, batch, end, {0}}, "1 bytes after the end of the stream"},
		{"two ends", [][]byte{schema, batch, end, end}, "8 bytes after the end of the stream"},
		{"two streams", [][]byte{schema, batch, end, schema, batch, end}, "after the end of the stream"},
		{"old framing", [][]byte{schema[4:], batch, end}, "no continuation marker"},
		{"dictionary for no field", [][]byte{schema, d[1], batch, end}, "dictionary batch for id 0, which the schema does not have"},
		{"dictionary of an unknown id", [][]byte{d[0], dictionaryMessage(7), d[2], end}, "dictionary batch for id 7"},
		{"no dictionary", [][]byte{d[0], d[2], end}, "no dictionary batch for id 0"},
		{"only a dictionary", [][]byte{d[0], d[1], end}, "the stream ends before a record batch"},
		{"another schema's batch", [][]byte{schema, d[2], end}, ""},
	} {
		for _, warm := range []bool{false, true} {
			r := blockReader(t, Options{})
			if warm {
				for _, good := range [][]byte{noneBlock(m...), noneBlock(d...)} {
					if _, err := decodeRows(r, good); err != nil {
						t.Fatal(err)
					}
				}
			}
			_, err := decodeRows(r, noneBlock(c.parts...))
			t.Run(c.what, func(t *testing.T) { wantCorrupt(t, err, c.want) })
		}
	}
}

// TestHeaderAndPayload: a header or payload at odds with the other.
func TestHeaderAndPayload(t *testing.T) {
	rec := randomBatch(t, schemaOf(arrow.PrimitiveTypes.Int64, arrow.BinaryTypes.String), 3, 1)
	payload := streamOf(t, rec.Schema(), []arrow.RecordBatch{rec})
	none := shufflefile.MakeTag(shufflefile.None, false)
	for _, c := range []struct {
		what  string
		block []byte
		class error
		want  string
	}{
		{"columns", blockOf(3, none, payload), shufflefile.ErrCorrupt, "says 3 columns, its schema 2"},
		{"a huge number of columns", blockOf(math.MaxInt64, none, payload), shufflefile.ErrCorrupt, "columns, its schema 2"},
		{"tag", blockOf(2, shufflefile.Tag{'L', 'Z', 'O', '_'}, payload), shufflefile.ErrCorrupt, "unknown codec tag"},
		{"codec", blockOf(2, shufflefile.MakeTag(shufflefile.LZ4, false), payload), shufflefile.ErrCorrupt, "no LZ4 frame"},
		{"bytes behind the block", append(blockOf(2, none, payload), 0), shufflefile.ErrCorrupt, "1 bytes after the end of the block"},
		{"big-endian", blockOf(2, none, bigEndian(t, payload)), shufflefile.ErrCorrupt, "not little-endian"},
		{"offsets as lengths that are none", blockOf(2, shufflefile.Tag{'N' | 0x80, 'O', 'N', 'E'}, payload), shufflefile.ErrCorrupt, "column 1: offsets from"},
		{"dictionaries with lengths", func() []byte {
			d := dictionaryBatch(t, "a")
			return blockOf(1, shufflefile.Tag{'N' | 0x80, 'O', 'N', 'E'}, streamOf(t, d.Schema(), []arrow.RecordBatch{d}))
		}(), shufflefile.ErrCorrupt, "dictionaries in a block whose offsets"},
	} {
		t.Run(c.what, func(t *testing.T) {
			_, err := blockReader(t, Options{}).DecodeBlock(c.block, shufflefile.In("f"))
			wantError(t, err, c.class, c.want)
		})
	}
	for _, codec := range codecs {
		small := blockReader(t, Options{MaxPayload: int64(len(payload)) - 1})
		_, err := small.DecodeBlock(encode(t, codec, rec), shufflefile.In("f"))
		wantError(t, err, shufflefile.ErrLimit, "above the limit")
		enough := blockReader(t, Options{MaxPayload: int64(len(payload))})
		if _, err := enough.DecodeBlock(encode(t, codec, rec), shufflefile.In("f")); err != nil {
			t.Errorf("%v at the limit: %v", codec, err)
		}
	}
}

// bigEndian is a stream whose schema says that it is big-endian.
func bigEndian(tb testing.TB, payload []byte) []byte {
	tb.Helper()
	rr, err := ipc.NewReader(bytes.NewReader(payload))
	if err != nil {
		tb.Fatal(err)
	}
	defer rr.Release()
	schema := rr.Schema().WithEndianness(1)
	return slices.Concat(messagesOf(tb, streamOf(tb, schema, nil))...)
}

// TestMetadataLies patches every number of a batch's metadata, one by one, to
// values that lie: the block is refused or can be read to its end.
func TestMetadataLies(t *testing.T) {
	lies := []uint64{0, 1, 7, 8, 1 << 20, 1 << 31, 1<<31 - 1, 1 << 32, 1 << 62, math.MaxInt64, 1 << 63, math.MaxUint64, math.MaxUint64 - 7}
	rec := hostileBatch(t, 6)
	messages := messagesOf(t, streamOf(t, rec.Schema(), []arrow.RecordBatch{rec}))
	block := func(parts [][]byte) []byte {
		return blockOf(int(rec.NumCols()), shufflefile.MakeTag(shufflefile.None, false), bytes.Join(parts, nil))
	}
	r, trusted := blockReader(t, Options{Validated: true}), blockReader(t, Options{})
	refused := 0
	for k, message := range messages {
		meta := int(le.Uint32(message[4:]))
		for at := 0; at+8 <= ipcwire.PrefixSize+meta; at += 4 {
			for _, lie := range lies {
				for _, width := range []int{4, 8} {
					bad := bytes.Clone(message)
					patchWidth(bad[at:], lie, width)
					parts := slices.Clone(messages)
					parts[k] = bad
					b, err := r.DecodeBlock(block(parts), shufflefile.In("f"))
					if err == nil {
						touch(t, b.Batch)
					} else {
						refused++
						mustBeClassed(t, err)
					}
					if _, err := trusted.DecodeBlock(block(parts), shufflefile.In("f")); err != nil {
						mustBeClassed(t, err)
					}
				}
			}
		}
	}
	if refused < 1000 {
		t.Errorf("only %d lies were found out", refused)
	}
}

func patchWidth(b []byte, v uint64, width int) {
	if width == 8 && len(b) >= 8 {
		le.PutUint64(b, v)
	} else {
		le.PutUint32(b, uint32(v))
	}
}

// TestValues: what only the full check sees, each with the column it is in.
func TestValues(t *testing.T) {
	for _, c := range valueLies() {
		t.Run(c.what, func(t *testing.T) {
			rec := randomBatch(t, schemaOf(arrow.PrimitiveTypes.Int64, c.dt), 40, c.seed)
			messages := messagesOf(t, streamOf(t, rec.Schema(), []arrow.RecordBatch{rec}))
			good := blockOf(2, shufflefile.MakeTag(shufflefile.None, false), bytes.Join(messages, nil))
			r := blockReader(t, Options{Validated: true})
			if _, err := r.DecodeBlock(good, shufflefile.In("f")); err != nil {
				t.Fatal(err)
			}
			batch := messages[len(messages)-2]
			c.lie(buffersOf(t, batch, 2))
			bad := blockOf(2, shufflefile.MakeTag(shufflefile.None, false), bytes.Join(messages, nil))
			_, err := r.DecodeBlock(bad, shufflefile.In("f"))
			wantCorrupt(t, err, c.want)
			wantCorrupt(t, err, "column 1")
		})
	}
}

// buffersOf are the buffers of a record batch message from the first of the
// second column on.
func buffersOf(t *testing.T, message []byte, first int) [][]byte {
	t.Helper()
	n, err := ipcwire.Prefix(message)
	if err != nil {
		t.Fatal(err)
	}
	m, err := ipcwire.ParseMessage(message[ipcwire.PrefixSize : ipcwire.PrefixSize+n])
	if err != nil {
		t.Fatal(err)
	}
	var b ipcwire.Batch
	if err := m.RecordBatch(&b); err != nil {
		t.Fatal(err)
	}
	body := message[ipcwire.PrefixSize+n:]
	var out [][]byte
	for i := first; i < b.Buffers(); i++ {
		off, size := b.Buffer(i)
		out = append(out, body[off:off+size])
	}
	return out
}

// TestEnds: offsets and runs that end outside are refused in the trusted mode
// too, and also by a Reader that knows the batch's shape, as its metadata are
// those of the good block before.
func TestEnds(t *testing.T) {
	str, i64 := arrow.BinaryTypes.String, arrow.PrimitiveTypes.Int64
	for _, c := range []struct {
		dt    arrow.DataType
		bytes int // of an offset or run end
		count int // of them
		value uint64
	}{
		{str, 4, 41, 1 << 20}, {str, 4, 41, 1<<32 - 1}, {str, 4, 1, 1 << 20}, {str, 4, 1, 1<<32 - 1},
		{arrow.BinaryTypes.LargeBinary, 8, 41, 1 << 40}, {arrow.BinaryTypes.LargeBinary, 8, 1, 1<<64 - 1},
		{arrow.ListOf(i64), 4, 41, 1 << 20}, {arrow.LargeListOf(i64), 8, 41, 1 << 20}, {arrow.MapOf(str, i64), 4, 1, 1<<32 - 5},
	} {
		rec := randomBatch(t, schemaOf(i64, c.dt), 40, 1)
		messages := messagesOf(t, streamOf(t, rec.Schema(), []arrow.RecordBatch{rec}))
		none := shufflefile.MakeTag(shufflefile.None, false)
		good := blockOf(2, none, bytes.Join(messages, nil))
		patchWidth(buffersOf(t, messages[1], 2)[1][(c.count-1)*c.bytes:], c.value, c.bytes)
		bad := blockOf(2, none, bytes.Join(messages, nil))
		for name, o := range modes() {
			r := blockReader(t, o)
			for range 3 {
				_, err := r.DecodeBlock(bad, shufflefile.In("f"))
				wantCorrupt(t, err, "column 1: offsets from")
				if _, err := r.DecodeBlock(good, shufflefile.In("f")); err != nil {
					t.Fatal(name, err)
				}
			}
		}
	}
}
