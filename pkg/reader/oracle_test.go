package reader

import (
	"bytes"
	"encoding/binary"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/klauspost/compress/snappy"
	"github.com/klauspost/compress/zstd"
	"github.com/pierrec/lz4/v4"

	"github.com/shufflebench/shufflebench/internal/shufflefile"
)

// The oracle: blocks written and read with the standard libraries only.

// streamOf is the IPC stream of some batches.
func streamOf(tb testing.TB, schema *arrow.Schema, batches []arrow.RecordBatch, opts ...ipc.Option) []byte {
	tb.Helper()
	var b bytes.Buffer
	w := ipc.NewWriter(&b, append(opts, ipc.WithSchema(schema))...)
	for _, rec := range batches {
		if err := w.Write(rec); err != nil {
			tb.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		tb.Fatal(err)
	}
	return b.Bytes()
}

// frameOf compresses a payload.
func frameOf(tb testing.TB, c shufflefile.Codec, payload []byte, opts ...lz4.Option) []byte {
	tb.Helper()
	var b bytes.Buffer
	var w io.WriteCloser
	switch c {
	case shufflefile.None:
		return payload
	case shufflefile.LZ4:
		z := lz4.NewWriter(&b)
		opts = append([]lz4.Option{lz4.BlockSizeOption(lz4.Block64Kb), lz4.ChecksumOption(false)}, opts...)
		if err := z.Apply(opts...); err != nil {
			tb.Fatal(err)
		}
		w = z
	case shufflefile.Snappy:
		w = snappy.NewBufferedWriter(&b)
	case shufflefile.Zstd:
		zstdWriter.Reset(&b)
		w = zstdWriter
	}
	if _, err := w.Write(payload); err != nil {
		tb.Fatal(err)
	}
	if err := w.Close(); err != nil {
		tb.Fatal(err)
	}
	return b.Bytes()
}

// zstdWriter is used for all frames: a new one takes megabytes.
var zstdWriter = func() *zstd.Encoder {
	w, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1), zstd.WithWindowSize(1<<17))
	if err != nil {
		panic(err)
	}
	return w
}()

// blockOf puts a header before a frame.
func blockOf(columns int, tag shufflefile.Tag, frame []byte) []byte {
	b := make([]byte, shufflefile.HeaderSize, shufflefile.HeaderSize+len(frame))
	shufflefile.Header{Length: uint64(12 + len(frame)), Columns: uint64(columns), Tag: tag}.Put(b)
	return append(b, frame...)
}

// encode is one block of a batch.
func encode(tb testing.TB, c shufflefile.Codec, rec arrow.RecordBatch) []byte {
	tb.Helper()
	payload := streamOf(tb, rec.Schema(), []arrow.RecordBatch{rec})
	return blockOf(int(rec.NumCols()), shufflefile.MakeTag(c, false), frameOf(tb, c, payload))
}

// writePair writes partitions of blocks as a data and a little-endian index file.
func writePair(tb testing.TB, partitions [][][]byte) (data, index string) {
	tb.Helper()
	var all, offsets []byte
	offsets = shufflefile.AppendOffset(offsets, 0)
	for _, blocks := range partitions {
		for _, b := range blocks {
			all = append(all, b...)
		}
		offsets = shufflefile.AppendOffset(offsets, int64(len(all)))
	}
	return writeFiles(tb, all, offsets)
}

func writeFiles(tb testing.TB, data, index []byte) (string, string) {
	tb.Helper()
	dir := tb.TempDir()
	d, x := filepath.Join(dir, "data.out"), filepath.Join(dir, "index.out")
	for name, b := range map[string][]byte{d: data, x: index} {
		if err := os.WriteFile(name, b, 0o600); err != nil {
			tb.Fatal(err)
		}
	}
	return d, x
}

// openPair opens a shuffle that must be fine, closed with the test.
func openPair(tb testing.TB, data, index string, o Options) (*File, *Reader) {
	tb.Helper()
	f, err := OpenPair(data, index, o)
	if err != nil {
		tb.Fatal(err)
	}
	r := f.NewReader()
	tb.Cleanup(func() {
		if err := r.Close(); err != nil {
			tb.Error(err)
		}
		if err := f.Close(); err != nil {
			tb.Error(err)
		}
	})
	return f, r
}

// blockReader decodes single blocks with DecodeBlock.
func blockReader(tb testing.TB, o Options) *Reader {
	tb.Helper()
	data, index := writePair(tb, [][][]byte{nil})
	_, r := openPair(tb, data, index, o)
	return r
}

// decodePlain decodes one block with the standard libraries, and says what of
// the format it breaks that they let pass.
func decodePlain(block []byte) (arrow.RecordBatch, error) {
	h, err := shufflefile.ParseHeader(block, int64(len(block)))
	if err != nil {
		return nil, err
	}
	codec, _, _ := h.Tag.Codec()
	payload, err := plainFrame(codec, block[shufflefile.HeaderSize:])
	if err != nil {
		return nil, err
	}
	rr, err := ipc.NewReader(bytes.NewReader(payload), ipc.WithBodySizeLimit(0))
	if err != nil {
		return nil, err
	}
	defer rr.Release()
	if !rr.Next() {
		return nil, rr.Err()
	}
	rec := rr.RecordBatch()
	rec.Retain()
	return rec, nil
}

func plainFrame(c shufflefile.Codec, frame []byte) ([]byte, error) {
	switch c {
	case shufflefile.LZ4:
		return io.ReadAll(lz4.NewReader(bytes.NewReader(frame)))
	case shufflefile.Snappy:
		return io.ReadAll(snappy.NewReader(bytes.NewReader(frame)))
	case shufflefile.Zstd:
		return zstdReader.DecodeAll(frame, nil)
	}
	return frame, nil
}

var zstdReader = func() *zstd.Decoder {
	r, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1))
	if err != nil {
		panic(err)
	}
	return r
}()

// messagesOf cuts an IPC stream into its messages, the end mark last.
func messagesOf(tb testing.TB, payload []byte) [][]byte {
	tb.Helper()
	var out [][]byte
	for m, err := range Messages(payload) {
		if err != nil {
			tb.Fatal(err)
		}
		n := int64(8)
		if m.Kind != EndOfStream {
			n += int64(m.Metadata) + m.Body
		}
		out = append(out, bytes.Clone(payload[m.Offset:m.Offset+n]))
	}
	return out
}

// codecs are all of them.
var codecs = []shufflefile.Codec{shufflefile.LZ4, shufflefile.Zstd, shufflefile.Snappy, shufflefile.None}

// le are short names for patching blocks.
var le = binary.LittleEndian
