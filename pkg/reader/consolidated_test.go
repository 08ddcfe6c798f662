package reader

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/google/go-cmp/cmp"

	"github.com/shufflebench/shufflebench/internal/ipcwire"
	"github.com/shufflebench/shufflebench/internal/shufflefile"
)

// TestBodyCompression: buffers that are compressed one by one, in blocks of
// any codec.
func TestBodyCompression(t *testing.T) {
	for name, o := range modes() {
		r := blockReader(t, o)
		for k, dt := range allTypes() {
			for i, opts := range [][]ipc.Option{{ipc.WithLZ4()}, {ipc.WithZstd()}, {ipc.WithZstd(), ipc.WithMinSpaceSavings(0.3)}} {
				if (i+k+len(name))%6 != 0 {
					continue // writers of zstd take long to make
				}
				rec := randomBatch(t, schemaOf(arrow.PrimitiveTypes.Int64, dt), 20*k, uint64(k))
				payload := streamOf(t, rec.Schema(), []arrow.RecordBatch{rec}, opts...)
				c := codecs[(k+i)%len(codecs)]
				block := blockOf(2, shufflefile.MakeTag(c, false), frameOf(t, c, payload))
				plain := encode(t, shufflefile.None, rec)
				t.Run(fmt.Sprint(name, k, i), func(t *testing.T) { checkBlock(t, r, block, plain) })
			}
		}
	}
}

// TestBodyLies: the length before a compressed buffer is held to what it
// decodes to, and to the limit.
func TestBodyLies(t *testing.T) {
	rec := randomBatch(t, schemaOf(arrow.PrimitiveTypes.Int64), 500, 1)
	for _, opt := range []ipc.Option{ipc.WithLZ4(), ipc.WithZstd()} {
		messages := messagesOf(t, streamOf(t, rec.Schema(), []arrow.RecordBatch{rec}, opt))
		values := buffersOf(t, messages[1], 1)[0]
		size := le.Uint64(values)
		for _, lie := range []uint64{0, 1, size - 1, size + 1, 1 << 30, 1 << 40, 1 << 63, 1<<64 - 2} {
			le.PutUint64(values, lie)
			for _, o := range []Options{{}, {Validated: true}} {
				_, err := blockReader(t, o).DecodeBlock(noneBlock(messages...), shufflefile.In("f"))
				if err == nil {
					t.Errorf("a length of %d for %d bytes is believed", lie, size)
				} else {
					mustBeClassed(t, err)
				}
			}
		}
	}
}

// consolidated is a file of a header and of the streams of each partition.
func consolidated(t *testing.T, schema *arrow.Schema, partitions [][][]byte) (data, index string) {
	t.Helper()
	all := streamOf(t, schema, nil)
	offsets := indexOf(int64(len(all)))
	for _, streams := range partitions {
		all = append(all, bytes.Join(streams, nil)...)
		offsets = append(offsets, indexOf(int64(len(all)))...)
	}
	return writeFiles(t, all, offsets)
}

// TestConsolidated: streams of several batches, of none with rows, with
// dictionaries that grow from batch to batch, plain and compressed, large and
// small, in every mode.
func TestConsolidated(t *testing.T) {
	dict := &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int32, ValueType: arrow.BinaryTypes.String}
	schema := schemaOf(arrow.PrimitiveTypes.Int64, arrow.BinaryTypes.String, arrow.BinaryTypes.StringView, dict, arrow.ListOf(dict))
	var want [][]string
	var partitions [][][]byte
	for p, sizes := range [][]int{{3, 0, 70}, {}, {0}, {6000, 1}, {5}} {
		var streams [][]byte
		var rows []string
		for k, opts := range [][]ipc.Option{{ipc.WithLZ4()}, {}, {ipc.WithZstd(), ipc.WithMinSpaceSavings(0.2)}} {
			var batches []arrow.RecordBatch
			for i, n := range sizes {
				batches = append(batches, randomBatch(t, schema, n, uint64(p*100+k*10+i)))
				rows = append(rows, rowsOf(batches[i])...)
			}
			if len(batches) > 0 {
				streams = append(streams, streamOf(t, schema, batches, opts...))
			}
		}
		partitions, want = append(partitions, streams), append(want, rows)
	}
	data, index := consolidated(t, schema, partitions)
	all := modes()
	mem := memory.NewCheckedAllocator(memory.NewGoAllocator())
	t.Cleanup(func() { mem.AssertSize(t, 0) }) // once the Readers are closed
	all["counted"] = Options{Alloc: mem}
	for name, o := range all {
		f, r := openPair(t, data, index, o)
		if !f.Schema().Equal(schema) || f.Layout() != BallistaLayout {
			t.Errorf("layout %v, schema %v", f.Layout(), f.Schema())
		}
		for _, p := range []int{0, 1, 2, 3, 4, 2, 0} {
			got, err := rowsOfPartition(r, p)
			if err != nil {
				t.Fatal(name, p, err)
			}
			if diff := cmp.Diff(want[p], got); diff != "" {
				t.Errorf("%s, partition %d: %s", name, p, diff)
			}
		}
		for range r.Partition(0) {
			break // in the middle of a stream
		}
	}
}

// TestConsolidatedFaults: what the streams of a partition may not do.
func TestConsolidatedFaults(t *testing.T) {
	rec := randomBatch(t, schemaOf(arrow.PrimitiveTypes.Int64), 3, 1)
	other := randomBatch(t, schemaOf(arrow.BinaryTypes.String), 3, 1)
	m := messagesOf(t, streamOf(t, rec.Schema(), []arrow.RecordBatch{rec}))
	x := messagesOf(t, streamOf(t, other.Schema(), []arrow.RecordBatch{other}))
	schema, batch, end := m[0], m[1], m[2]
	for _, c := range []struct {
		what    string
		stream  [][]byte
		batches int // before the error
		class   error
		want    string
	}{
		{"no end", [][]byte{schema, batch, batch}, 2, shufflefile.ErrCorrupt, "cut 0 bytes into a message prefix"},
		{"no batch", [][]byte{schema, end}, 0, shufflefile.ErrCorrupt, "ends before a record batch"},
		{"only an end", [][]byte{end}, 0, shufflefile.ErrCorrupt, "ends before a schema"},
		{"no schema", [][]byte{batch, end}, 0, shufflefile.ErrCorrupt, "in place of a schema"},
		{"two schemas", [][]byte{schema, batch, schema, end}, 1, shufflefile.ErrCorrupt, "in place of a record batch"},
		{"another schema", slices.Concat([][]byte{schema, batch, end}, x), 1, shufflefile.ErrMismatch, "not the file's"},
		{"cut body", [][]byte{schema, batch, end, schema, batch[:len(batch)-8]}, 1, shufflefile.ErrCorrupt, "bytes left"},
		{"cut metadata", [][]byte{schema, batch, end, schema[:20]}, 1, shufflefile.ErrCorrupt, "bytes left"},
		{"padding", [][]byte{schema, batch, end, make([]byte, 8)}, 1, shufflefile.ErrCorrupt, "no continuation marker"},
	} {
		t.Run(c.what, func(t *testing.T) {
			data, index := consolidated(t, rec.Schema(), [][][]byte{{m[0], m[1], m[2]}, c.stream})
			_, r := openPair(t, data, index, Options{})
			n := 0
			var err error
			var last Block
			for last, err = range r.Blocks(1) {
				if err == nil {
					n++
				}
			}
			wantError(t, err, c.class, c.want)
			wantError(t, err, c.class, fmt.Sprintf("partition 1, block %d, offset %d", n, last.Place.Offset))
			if n != c.batches {
				t.Errorf("%d batches before the error, want %d", n, c.batches)
			}
		})
	}
}

// TestConsolidatedHeader: a header stream that is none, and an index that does
// not start behind it.
func TestConsolidatedHeader(t *testing.T) {
	rec := randomBatch(t, schemaOf(arrow.PrimitiveTypes.Int64), 3, 1)
	header := streamOf(t, rec.Schema(), nil)
	whole := streamOf(t, rec.Schema(), []arrow.RecordBatch{rec})
	n := int64(len(header))
	for _, c := range []struct {
		what  string
		data  []byte
		first int64
		want  string
	}{
		{"first offset 0", slices.Concat(header, whole), 0, fmt.Sprintf("first offset is 0, want %d", n)},
		{"first offset 8 on", slices.Concat(header, whole), n + 8, fmt.Sprintf("first offset is %d, want %d", n+8, n)},
		{"a batch in the header", slices.Concat(whole, whole), int64(len(whole)), "holds more than a schema"},
		{"no schema", slices.Concat(ipcwire.EOS[:], whole), 8, "has no schema"},
		{"cut header", header[:len(header)-12], n, "metadata of"},
	} {
		t.Run(c.what, func(t *testing.T) {
			data, index := writeFiles(t, c.data, indexOf(c.first, int64(len(c.data))))
			_, err := OpenPair(data, index, Options{Layout: BallistaLayout})
			wantCorrupt(t, err, c.want)
		})
	}
	data, index := writeFiles(t, header, indexOf(n, n))
	f, r := openPair(t, data, index, Options{})
	if rows, err := rowsOfPartition(r, 0); len(rows) > 0 || err != nil || f.Layout() != BallistaLayout {
		t.Errorf("an empty consolidated file: %v, %v, %v", f.Layout(), rows, err)
	}
	for range r.Raw(0) {
		continue
	}
	for _, err := range r.Raw(0) {
		if err == nil || !strings.Contains(err.Error(), "no blocks") {
			t.Errorf("raw blocks of a consolidated file: %v", err)
		}
	}
}

// TestAboveArrowsLimit: a payload above the 256 MiB that arrow-go's reader
// takes, from a frame of a megabyte.
func TestAboveArrowsLimit(t *testing.T) {
	if testing.Short() {
		t.Skip("takes 300 MB")
	}
	const blocks = 4200 // of 64 KiB of zeros
	const size = blocks << 16
	rec := randomBatch(t, schemaOf(arrow.PrimitiveTypes.Int64), 0, 1)
	m := messagesOf(t, streamOf(t, rec.Schema(), []arrow.RecordBatch{rec}))
	head := slices.Concat(m[0], framed(metadataOf(ipcwire.HeaderRecordBatch, size, batchOfZeros(size)), nil))
	frame := zerosFrame(head, blocks, ipcwire.EOS[:])
	block := blockOf(1, shufflefile.MakeTag(shufflefile.LZ4, false), frame)
	b, err := blockReader(t, Options{}).DecodeBlock(block, shufflefile.In("f"))
	if err != nil || b.Batch.NumRows() != size/8 {
		t.Fatal(b, err)
	}
	_, err = blockReader(t, Options{MaxPayload: size}).DecodeBlock(block, shufflefile.In("f"))
	wantError(t, err, shufflefile.ErrLimit, "above the limit")
}

// TestConsolidatedDictionaries: dictionaries that grow and that are replaced
// between the batches of a stream.
func TestConsolidatedDictionaries(t *testing.T) {
	batches := []arrow.RecordBatch{dictionaryBatch(t, "a", "b"), dictionaryBatch(t, "a", "b", "c"), dictionaryBatch(t, "a", "b", "c", "d"),
		dictionaryBatch(t, "x"), dictionaryBatch(t, "x"), dictionaryBatch(t, "x", "y")}
	mem := memory.NewCheckedAllocator(memory.NewGoAllocator())
	t.Cleanup(func() { mem.AssertSize(t, 0) }) // once the Readers are closed
	all := modes()
	all["counted"] = Options{Alloc: mem}
	stream := streamOf(t, batches[0].Schema(), batches, ipc.WithDictionaryDeltas(true), ipc.WithLZ4())
	data, index := consolidated(t, batches[0].Schema(), [][][]byte{{stream, stream}})
	var want []string
	for _, b := range append(slices.Clone(batches), batches...) {
		want = append(want, rowsOf(b)...)
	}
	for name, o := range all {
		_, r := openPair(t, data, index, o)
		var kept []arrow.RecordBatch
		for b, err := range r.Partition(0) {
			if err != nil {
				t.Fatal(err)
			}
			b.Retain()
			kept = append(kept, b)
		}
		var got []string
		for _, b := range kept {
			got = append(got, rowsOf(b)...)
			b.Release()
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}
