package validate

import (
	"bytes"
	"context"
	"encoding/binary"
	"iter"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/klauspost/compress/snappy"
	"github.com/klauspost/compress/zstd"
	"github.com/pierrec/lz4/v4"
	"go.uber.org/goleak"

	"github.com/shufflebench/shufflebench/internal/shufflefile"
	"github.com/shufflebench/shufflebench/pkg/fixture"
	"github.com/shufflebench/shufflebench/pkg/validate/internal/randrows"
	"github.com/shufflebench/shufflebench/pkg/validate/sparkhash"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// rowsOf is an input in memory.
type rowsOf struct {
	schema  *arrow.Schema
	batches []arrow.RecordBatch
}

func (s *rowsOf) Schema() *arrow.Schema { return s.schema }

func (s *rowsOf) Rows() (n int64) {
	for _, b := range s.batches {
		n += b.NumRows()
	}
	return n
}

func (s *rowsOf) Scan(ctx context.Context, o fixture.ScanOptions) iter.Seq2[arrow.RecordBatch, error] {
	return func(yield func(arrow.RecordBatch, error) bool) {
		left := s.Rows()
		if o.Limit > 0 {
			left = min(left, o.Limit)
		}
		for _, b := range s.batches {
			b = b.NewSlice(0, min(b.NumRows(), left))
			left -= b.NumRows()
			if !yield(b, ctx.Err()) {
				return
			}
		}
	}
}

var field = randrows.Field

// tableOf makes an input of one batch from columns in JSON.
func tableOf(t testing.TB, fields []arrow.Field, columns ...string) *rowsOf {
	t.Helper()
	arrs := make([]arrow.Array, len(fields))
	for i, f := range fields {
		a, err := randrows.FromJSON(f.Type, columns[i])
		if err != nil {
			t.Fatal(err)
		}
		arrs[i] = a
	}
	s := arrow.NewSchema(fields, nil)
	return &rowsOf{s, []arrow.RecordBatch{array.NewRecordBatch(s, arrs, int64(arrs[0].Len()))}}
}

// seedRows is id = i, value = i*17+11, in batches of a thousand rows.
func seedRows(n int) *rowsOf {
	s := arrow.NewSchema([]arrow.Field{field("id", arrow.PrimitiveTypes.Int64), field("value", arrow.PrimitiveTypes.Int64)}, nil)
	src := &rowsOf{schema: s}
	for i := 0; i < n; i += 1000 {
		src.batches = append(src.batches, seedBatch(s, i, min(n, i+1000)))
	}
	return src
}

func seedBatch(s *arrow.Schema, from, to int) arrow.RecordBatch {
	var ids []int64
	for i := from; i < to; i++ {
		ids = append(ids, int64(i))
	}
	return idBatch(s, ids, func(id int64) int64 { return id*17 + 11 })
}

// idBatch has a row an id.
func idBatch(s *arrow.Schema, ids []int64, value func(int64) int64) arrow.RecordBatch {
	a, b := array.NewInt64Builder(memory.DefaultAllocator), array.NewInt64Builder(memory.DefaultAllocator)
	for _, id := range ids {
		a.Append(id)
		b.Append(value(id))
	}
	return array.NewRecordBatch(s, []arrow.Array{a.NewArray(), b.NewArray()}, int64(len(ids)))
}

// output is a shuffle's blocks by partition, to be damaged and written.
type output [][][]byte

// shuffle places the rows of src by hash of the key columns and encodes them
// in blocks of up to blockRows rows, row order kept.
func shuffle(t testing.TB, src *rowsOf, partitions, blockRows int, codec shufflefile.Codec, key ...int) output {
	t.Helper()
	h, err := sparkhash.New(src.schema, key, sparkhash.Spark)
	if err != nil {
		t.Fatal(err)
	}
	return shuffleBy(t, src, partitions, blockRows, codec, func(b arrow.RecordBatch, i int) int {
		return int(sparkhash.Partition(h.Row(b, i), partitions))
	})
}

func shuffleBy(t testing.TB, src *rowsOf, partitions, blockRows int, codec shufflefile.Codec, place func(arrow.RecordBatch, int) int) output {
	t.Helper()
	rows := make([][]arrow.RecordBatch, partitions) // of one row each
	for _, b := range src.batches {
		for i := range int(b.NumRows()) {
			p := place(b, i)
			rows[p] = append(rows[p], b.NewSlice(int64(i), int64(i+1)))
		}
	}
	out := make(output, partitions)
	for p, list := range rows {
		for i := 0; i < len(list); i += blockRows {
			out[p] = append(out[p], encode(t, joined(t, list[i:min(len(list), i+blockRows)]), codec))
		}
	}
	return out
}

// joined makes one batch of several.
func joined(t testing.TB, list []arrow.RecordBatch) arrow.RecordBatch {
	t.Helper()
	cols := make([]arrow.Array, list[0].NumCols())
	rows := int64(0)
	for c := range cols {
		parts := make([]arrow.Array, len(list))
		for i, b := range list {
			parts[i] = b.Column(c)
		}
		a, err := array.Concatenate(parts, memory.DefaultAllocator)
		if err != nil {
			t.Fatal(err)
		}
		cols[c] = a
	}
	for _, b := range list {
		rows += b.NumRows()
	}
	return array.NewRecordBatch(list[0].Schema(), cols, rows)
}

// encode makes one block.
func encode(t testing.TB, b arrow.RecordBatch, codec shufflefile.Codec) []byte {
	t.Helper()
	return block(t, stream(t, b), b.NumCols(), codec)
}

// stream is a batch as an IPC stream.
func stream(t testing.TB, b arrow.RecordBatch) []byte {
	t.Helper()
	var buf bytes.Buffer
	w := ipc.NewWriter(&buf, ipc.WithSchema(b.Schema()))
	if err := w.Write(b); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return buf.Bytes()
}

// block frames a payload.
func block(t testing.TB, payload []byte, columns int64, codec shufflefile.Codec) []byte {
	t.Helper()
	frame := compress(t, payload, codec)
	head := make([]byte, shufflefile.HeaderSize)
	h := shufflefile.Header{Length: uint64(len(frame)) + shufflefile.HeaderSize - shufflefile.LengthSize,
		Columns: uint64(columns), Tag: shufflefile.MakeTag(codec, false)}
	h.Put(head)
	return append(head, frame...)
}

func compress(t testing.TB, p []byte, codec shufflefile.Codec) []byte {
	t.Helper()
	var buf bytes.Buffer
	var err error
	switch codec {
	case shufflefile.None:
		return p
	case shufflefile.LZ4:
		w := lz4.NewWriter(&buf)
		_, err = w.Write(p)
		err = firstOf(err, w.Close())
	case shufflefile.Snappy:
		w := snappy.NewBufferedWriter(&buf)
		_, err = w.Write(p)
		err = firstOf(err, w.Close())
	case shufflefile.Zstd:
		var w *zstd.Encoder
		w, err = zstd.NewWriter(&buf, zstd.WithEncoderConcurrency(1))
		if err == nil {
			_, err = w.Write(p)
			err = firstOf(err, w.Close())
		}
	}
	if err != nil {
		t.Fatal(err)
	}
	return buf.Bytes()
}

func firstOf(a, b error) error {
	if a != nil {
		return a
	}
	return b
}

// files is the bytes of a data file and the numbers of its index.
type files struct {
	data    []byte
	offsets []int64
	big     bool
}

func (o output) files() *files {
	f := &files{offsets: []int64{0}}
	for _, blocks := range o {
		for _, b := range blocks {
			f.data = append(f.data, b...)
		}
		f.offsets = append(f.offsets, int64(len(f.data)))
	}
	return f
}

// write puts the pair into a directory.
func (f *files) write(t testing.TB) Pair {
	t.Helper()
	dir := t.TempDir()
	p := Pair{filepath.Join(dir, "data.out"), filepath.Join(dir, "index.out")}
	var index []byte
	for _, o := range f.offsets {
		if f.big {
			index = binary.BigEndian.AppendUint64(index, uint64(o))
		} else {
			index = binary.LittleEndian.AppendUint64(index, uint64(o))
		}
	}
	for name, content := range map[string][]byte{p.Data: f.data, p.Index: index} {
		if err := os.WriteFile(name, content, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return p
}

// offset is where a block lies.
func (o output) offset(partition, block int) (at int64) {
	for p := range partition {
		for _, b := range o[p] {
			at += int64(len(b))
		}
	}
	for _, b := range o[partition][:block] {
		at += int64(len(b))
	}
	return at
}

// prove runs and wants no error.
func prove(t testing.TB, o Options) *Report {
	t.Helper()
	if o.Seed == 0 {
		o.Seed = 1
	}
	r, err := Run(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	checkReport(t, r)
	return r
}

// checkReport holds what is true of every report.
func checkReport(t testing.TB, r *Report) {
	t.Helper()
	if r.Valid != (len(r.Findings) == 0) || r.Valid != (len(r.Counts) == 0) {
		t.Errorf("valid %v, %d findings, counts %v", r.Valid, len(r.Findings), r.Counts)
	}
	for _, f := range r.Findings {
		if f.Message == "" || f.Count < 1 || r.Counts[f.Kind] < f.Count {
			t.Errorf("finding %+v, counts %v", f, r.Counts)
		}
	}
	if err := r.WriteText(new(bytes.Buffer)); err != nil {
		t.Error(err)
	}
}

// counts wants exactly these faults.
func counts(t testing.TB, r *Report, want map[Kind]int64) {
	t.Helper()
	same := len(want) == len(r.Counts)
	for k, n := range want {
		same = same && r.Counts[k] == n
	}
	if !same {
		var text strings.Builder
		r.WriteText(&text)
		t.Fatalf("counts %v, want %v\n%s", r.Counts, want, text.String())
	}
}

// finding is the first of a kind.
func finding(t testing.TB, r *Report, k Kind) Finding {
	t.Helper()
	for _, f := range r.Findings {
		if f.Kind == k {
			return f
		}
	}
	t.Fatalf("no finding %s among %v", k, r.Counts)
	return Finding{}
}

// at wants a finding's place.
func at(t testing.TB, f Finding, p Pair, partition, block int, offset int64) {
	t.Helper()
	want := shufflefile.Place{File: p.Data, Partition: partition, Block: block, Offset: offset}
	if f.Place() != want {
		t.Errorf("%s at %s, want %s", f.Kind, f.Place(), want)
	}
}

// values wants the rendered values of a sample.
func values(t testing.TB, s RowSample, want ...string) {
	t.Helper()
	for i, c := range s.Values {
		if i >= len(want) || c.Value != want[i] {
			t.Fatalf("row %v, want %v", s.Values, want)
		}
	}
}
