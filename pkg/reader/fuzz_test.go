package reader

import (
	"bytes"
	"errors"
	"path/filepath"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/shufflebench/shufflebench/internal/shufflefile"
)

// FuzzIndex: any index of any data size is refused with a class or gives
// partitions that lie side by side and end with the data file.
func FuzzIndex(f *testing.F) {
	f.Add(indexOf(0, 0), int64(0), uint8(0))
	f.Add(indexOf(0, 40, 100), int64(100), uint8(0))
	f.Add(indexOf(0, 1<<56), int64(1), uint8(2))
	f.Add(indexOf(0, -1, 3)[:23], int64(3), uint8(1))
	f.Fuzz(func(t *testing.T, b []byte, size int64, order uint8) {
		x, _, err := shufflefile.ParseIndex(b, shufflefile.Endian(order%3), 0, size)
		if err != nil {
			if !errors.Is(err, shufflefile.ErrCorrupt) {
				t.Fatal(err)
			}
			return
		}
		end := int64(0)
		for p := range x.Partitions() {
			off, n := x.Range(p)
			if off != end || n < 0 {
				t.Fatalf("partition %d is %d bytes at %d, after one that ended at %d", p, n, off, end)
			}
			end = off + n
		}
		if end != size {
			t.Fatalf("partitions end at %d of %d", end, size)
		}
	})
}

// FuzzHeader: a header is refused or describes a block within its room.
func FuzzHeader(f *testing.F) {
	f.Add(blockOf(2, shufflefile.MakeTag(shufflefile.LZ4, false), make([]byte, 30)), int64(50))
	f.Add(blockOf(1, shufflefile.MakeTag(shufflefile.Zstd, true), nil), int64(20))
	f.Add(bytes.Repeat([]byte{0xff}, 20), int64(1<<62))
	f.Fuzz(func(t *testing.T, b []byte, room int64) {
		h, err := shufflefile.ParseHeader(b, room)
		if err != nil {
			if !errors.Is(err, shufflefile.ErrCorrupt) && !errors.Is(err, shufflefile.ErrLimit) {
				t.Fatal(err)
			}
			return
		}
		if h.Payload() < 0 || h.Size() > room || h.Size() > shufflefile.MaxBlock {
			t.Fatalf("%+v in %d bytes", h, room)
		}
		var again [shufflefile.HeaderSize]byte
		if h.Put(again[:]); !bytes.Equal(again[:], b[:shufflefile.HeaderSize]) {
			t.Fatal("the header does not survive")
		}
	})
}

// FuzzBlock: an uncompressed block of any bytes, whose offsets may be stored
// as lengths, decodes to the same cold and warm, and what the validated mode
// accepts can be read to its end and is what the trusted modes give.
func FuzzBlock(f *testing.F) {
	seed := func(payload []byte) { f.Add(payload, false) }
	for _, dt := range allTypes() {
		for _, n := range []int{0, 3} {
			rec := randomBatch(f, schemaOf(dt), n, 3)
			seed(streamOf(f, rec.Schema(), []arrow.RecordBatch{rec}))
		}
	}
	a := dictionaryBatch(f, "a", "b")
	d := messagesOf(f, streamOf(f, a.Schema(), []arrow.RecordBatch{a}))
	seed(bytes.Join([][]byte{d[0], dictionaryMessage(0), d[2], d[3]}, nil))
	seed(bytes.Join([][]byte{d[0], batchMessage(2, [][2]int64{{2, 0}}, [][2]int64{{0, 0}, {0, 8}}, make([]byte, 8)), d[3]}, nil))
	addFound(f)

	warm := blockReader(f, Options{Validated: true})
	cold := blockReader(f, Options{Validated: true, SchemaCache: NoCache})
	trusted := blockReader(f, Options{Reuse: true})
	f.Fuzz(func(t *testing.T, payload []byte, lengths bool) {
		columns := columnsOf(payload)
		block := blockOf(columns, shufflefile.MakeTag(shufflefile.None, lengths), payload)
		w, werr := warm.DecodeBlock(block, shufflefile.In("f"))
		c, cerr := cold.DecodeBlock(block, shufflefile.In("f"))
		tr, terr := trusted.DecodeBlock(block, shufflefile.In("f"))
		if (werr == nil) != (cerr == nil) || werr == nil && terr != nil {
			t.Fatalf("warm %v, cold %v, trusted %v", werr, cerr, terr)
		}
		if werr != nil {
			mustBeClassed(t, werr)
			return
		}
		if rows := w.Batch.NumRows(); rows > 10000 {
			return // of null columns: nothing to read
		}
		want := touch(t, w.Batch)
		if got := touch(t, c.Batch); got != want {
			t.Fatalf("cold:\n%s\nwarm:\n%s", got, want)
		}
		if got := touch(t, tr.Batch); got != want {
			t.Fatalf("trusted:\n%s\nwarm:\n%s", got, want)
		}
	})
}

// addFound seeds with the blocks of the goldens.
func addFound(f *testing.F) {
	found, err := filepath.Glob("testdata/*/*/*.index")
	if err != nil {
		f.Fatal(err)
	}
	for _, x := range found {
		file, err := OpenPair(x[:len(x)-len("index")]+"data", x, Options{Layout: CometLayout})
		if err != nil {
			continue
		}
		r := file.NewReader()
		for raw, err := range r.Raw(0) {
			if err != nil {
				break
			}
			if payload, err := r.Payload(raw); err == nil && len(payload) < 10000 {
				_, lengths, _ := raw.Header.Tag.Codec()
				f.Add(bytes.Clone(payload), lengths)
			}
		}
		if err := errors.Join(r.Close(), file.Close()); err != nil {
			f.Fatal(err)
		}
	}
}

// columnsOf is the number of columns of a payload's schema, 0 if it has none.
func columnsOf(payload []byte) int {
	var c cache
	var s stream
	if err := s.read(payload, &c); err != nil || s.schema == nil {
		return 0
	}
	return len(s.schema.batch.roots)
}

// FuzzConsolidated: any bytes as a consolidated file are refused or can be read.
func FuzzConsolidated(f *testing.F) {
	rec := dictionaryBatch(f, "a", "b")
	whole := streamOf(f, rec.Schema(), []arrow.RecordBatch{rec, rec})
	header := streamOf(f, rec.Schema(), nil)
	f.Add(append(bytes.Clone(header), whole...), uint16(len(header)))
	f.Add(header, uint16(len(header)))
	f.Fuzz(func(t *testing.T, data []byte, first uint16) {
		d, x := writeFiles(t, data, indexOf(int64(first), int64(len(data))))
		file, err := OpenPair(d, x, Options{Layout: BallistaLayout, Validated: true})
		if err != nil {
			mustBeClassed(t, err)
			return
		}
		r := file.NewReader()
		defer func() {
			if err := errors.Join(r.Close(), file.Close()); err != nil {
				t.Error(err)
			}
		}()
		for b, err := range r.Partition(0) {
			if err != nil {
				mustBeClassed(t, err)
			} else if b.NumRows() < 10000 {
				touch(t, b)
			}
		}
	})
}
