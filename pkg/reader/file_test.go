package reader

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/google/go-cmp/cmp"

	"github.com/shufflebench/shufflebench/internal/shufflefile"
	"github.com/shufflebench/shufflebench/internal/vfs"
)

// indexOf encodes offsets.
func indexOf(offsets ...int64) (b []byte) {
	for _, o := range offsets {
		b = shufflefile.AppendOffset(b, o)
	}
	return b
}

// TestIndexFaults: an index at odds with its data file is refused when the
// shuffle is opened, each fault with its own words.
func TestIndexFaults(t *testing.T) {
	const size = 100
	for _, c := range []struct {
		what  string
		index []byte
		class error
		want  string
	}{
		{"data file one byte longer", indexOf(0, 40, 99), shufflefile.ErrCorrupt, "last offset is 99, but the data file has 100 bytes"},
		{"data file shorter", indexOf(0, 40, 108), shufflefile.ErrCorrupt, "last offset is 108, but the data file has 100 bytes"},
		{"offsets swapped", indexOf(0, 80, 40, 100), shufflefile.ErrCorrupt, "below the 80 before it"},
		{"first offset", indexOf(8, 40, 100), shufflefile.ErrCorrupt, "first offset is 8, want 0"},
		{"last offset missing", indexOf(0, 40), shufflefile.ErrCorrupt, "last offset is 40"},
		{"39 bytes", indexOf(0, 20, 40, 60, 100)[:39], shufflefile.ErrCorrupt, "index of 39 bytes"},
		{"empty", nil, shufflefile.ErrCorrupt, "index of 0 bytes"},
		{"one offset", indexOf(100), shufflefile.ErrCorrupt, "index of 8 bytes"},
		{"negative offset", indexOf(0, -8, 100), shufflefile.ErrCorrupt, "negative"},
	} {
		t.Run(c.what, func(t *testing.T) {
			data, index := writeFiles(t, make([]byte, size), c.index)
			_, err := OpenPair(data, index, Options{Endian: shufflefile.LittleEndian})
			wantError(t, err, c.class, c.want)
			wantError(t, err, c.class, index)
		})
	}
}

// TestOpen: the ways to open a shuffle and to fail at it.
func TestOpen(t *testing.T) {
	dir := t.TempDir()
	if _, err := Open(dir, Options{}); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("an empty directory: %v", err)
	}
	if _, err := Open(dir, Options{SchemaCache: -2, MaxPayload: -1, Layout: 9, Endian: 7}); err == nil {
		t.Error("nonsense in options is accepted")
	}
	o := Options{SchemaCache: -2, MaxPayload: -1, Layout: 9, Endian: 7}
	err := o.Validate()
	for _, part := range []string{"schema cache", "largest payload", "layout", "byte order"} {
		if err == nil || !strings.Contains(err.Error(), part) {
			t.Errorf("%v does not name the %s", err, part)
		}
	}
	index := filepath.Join(dir, "index.out")
	if err := os.WriteFile(index, indexOf(0, 0, 0, 0), 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := Open(dir, Options{})
	if err != nil {
		t.Fatalf("an empty shuffle without a data file: %v", err)
	}
	defer f.Close()
	if f.Partitions() != 3 || f.Size() != 0 || f.IndexPath() != index {
		t.Errorf("%d partitions, %d bytes, %s", f.Partitions(), f.Size(), f.IndexPath())
	}
	if err := os.WriteFile(index, indexOf(0, 5), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(dir, Options{}); !errors.Is(err, shufflefile.ErrCorrupt) {
		t.Errorf("an index of bytes without a data file: %v", err)
	}
}

// shuffleOf writes a shuffle of n partitions, each of blocks of random rows,
// and returns its rows by partition.
func shuffleOf(t *testing.T, n int, sizes ...int) (data, index string, rows [][]string) {
	t.Helper()
	schema := schemaOf(arrow.PrimitiveTypes.Int64, arrow.BinaryTypes.String)
	partitions := make([][][]byte, n)
	rows = make([][]string, n)
	for p := range n {
		for k, size := range sizes {
			if p%5 == 3 {
				continue // some are empty
			}
			rec := randomBatch(t, schema, size, uint64(p*100+k))
			partitions[p] = append(partitions[p], encode(t, codecs[(p+k)%len(codecs)], rec))
			rows[p] = append(rows[p], rowsOf(rec)...)
		}
	}
	data, index = writePair(t, partitions)
	return data, index, rows
}

func rowsOfPartition(r *Reader, p int) (rows []string, err error) {
	for b, err := range r.Partition(p) {
		if err != nil {
			return rows, err
		}
		rows = append(rows, rowsOf(b)...)
	}
	return rows, nil
}

// TestPartitionOrder: partitions read in any order, twice, or only begun, give
// their own rows.
func TestPartitionOrder(t *testing.T) {
	data, index, want := shuffleOf(t, 40, 3, 70, 1)
	for name, o := range modes() {
		_, r := openPair(t, data, index, o)
		for _, p := range []int{0, 1, 2, 39, 38, 5, 5, 3, 4, 0, 20, 21, 22} {
			for range r.Partition(p) {
				break
			}
			got, err := rowsOfPartition(r, p)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want[p], got); diff != "" {
				t.Errorf("%s, partition %d: %s", name, p, diff)
			}
		}
		for _, p := range []int{-1, 40} {
			if _, err := rowsOfPartition(r, p); err == nil {
				t.Errorf("partition %d was read", p)
			}
		}
	}
}

// TestReads: a walk over many small blocks reads the file in few large pieces,
// and one partition alone reads about what it holds.
func TestReads(t *testing.T) {
	data, index, _ := shuffleOf(t, 300, 2, 3)
	f, r := openPair(t, data, index, Options{})
	for p := range f.Partitions() {
		if _, err := rowsOfPartition(r, p); err != nil {
			t.Fatal(err)
		}
	}
	if s := r.Stats(); s.Reads > 8 {
		t.Errorf("%d reads for %d blocks of %d bytes", s.Reads, s.Blocks, s.BytesIn)
	}
	counted := &countingFS{FS: vfs.OS{}}
	_, one := openPair(t, data, index, Options{FS: counted})
	before := counted.bytes
	if _, err := rowsOfPartition(one, 200); err != nil {
		t.Fatal(err)
	}
	if n := counted.bytes - before; n > windowLeast {
		t.Errorf("%d bytes read for one partition", n)
	}
}

// countingFS counts what is read and fails from the n-th read on, if n is not 0.
type countingFS struct {
	vfs.FS
	mu           sync.Mutex
	bytes, reads int64
	failFrom     int64
}

var errDisk = errors.New("disk on fire")

func (c *countingFS) Open(name string) (vfs.File, error) {
	f, err := c.FS.Open(name)
	return &countingFile{File: f, fs: c}, err
}

type countingFile struct {
	vfs.File
	fs *countingFS
}

func (f *countingFile) ReadAt(b []byte, off int64) (int, error) {
	f.fs.mu.Lock()
	defer f.fs.mu.Unlock()
	f.fs.reads++
	f.fs.bytes += int64(len(b))
	if f.fs.failFrom != 0 && f.fs.reads >= f.fs.failFrom {
		return 0, errDisk
	}
	return f.File.ReadAt(b, off)
}

// TestFailingReads: whichever read fails, the error has its cause and is no
// verdict on the data.
func TestFailingReads(t *testing.T) {
	data, index, _ := shuffleOf(t, 2, 10, 30000)
	for _, o := range []Options{{}, {Reuse: true}} {
		for n := int64(1); ; n++ {
			counted := &countingFS{FS: vfs.OS{}, failFrom: n}
			o.FS = counted
			err := readAll(data, index, o)
			if err == nil {
				if n < 5 {
					t.Errorf("only %d reads", n)
				}
				break
			}
			if !errors.Is(err, errDisk) || errors.Is(err, shufflefile.ErrCorrupt) {
				t.Errorf("read %d: %v", n, err)
			}
		}
	}
}

func readAll(data, index string, o Options) (err error) {
	f, err := OpenPair(data, index, o)
	if err != nil {
		return err
	}
	r := f.NewReader()
	defer func() { err = errors.Join(err, r.Close(), f.Close()) }()
	for p := range f.Partitions() {
		if _, err := rowsOfPartition(r, p); err != nil {
			return err
		}
	}
	return nil
}

// TestLargeBlocks: blocks larger than the window and than any scratch memory,
// between small ones.
func TestLargeBlocks(t *testing.T) {
	schema := schemaOf(arrow.PrimitiveTypes.Int64, arrow.BinaryTypes.String)
	var blocks [][]byte
	var want []string
	for k, rows := range []int{5, 60000, 2, 6000, 1} {
		for _, c := range codecs {
			rec := randomBatch(t, schema, rows, uint64(k))
			blocks = append(blocks, encode(t, c, rec))
			want = append(want, fmt.Sprint(rowsOf(rec)))
		}
	}
	if most := slices.MaxFunc(blocks, func(a, b []byte) int { return len(a) - len(b) }); len(most) < 5*windowSize/4 {
		t.Fatalf("the largest block has only %d bytes", len(most))
	}
	data, index := writePair(t, [][][]byte{blocks})
	for _, o := range []Options{{}, {Reuse: true}} {
		_, r := openPair(t, data, index, o)
		k := 0
		for b, err := range r.Blocks(0) {
			if err != nil {
				t.Fatal(err)
			}
			if fmt.Sprint(rowsOf(b.Batch)) != want[k] {
				t.Errorf("block %d of %d rows decodes to others", k, b.Batch.NumRows())
			}
			k++
		}
		if held := cap(r.window.buf); held > windowSize {
			t.Errorf("the window holds %d bytes", held)
		}
	}
}

// TestParallel: several Readers over one File.
func TestParallel(t *testing.T) {
	data, index, want := shuffleOf(t, 60, 4, 30)
	f, _ := openPair(t, data, index, Options{})
	got := make([][]string, f.Partitions())
	var wg sync.WaitGroup
	for k := range 4 {
		wg.Go(func() {
			r := f.NewReader()
			defer r.Close()
			for p := k; p < f.Partitions(); p += 4 {
				rows, err := rowsOfPartition(r, p)
				if err != nil {
					t.Error(err)
				}
				got[p] = rows
			}
		})
	}
	wg.Wait()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// TestErrorPlace: an error in the middle names its partition, block and offset.
func TestErrorPlace(t *testing.T) {
	rec := randomBatch(t, schemaOf(arrow.PrimitiveTypes.Int64), 5, 1)
	good := encode(t, shufflefile.LZ4, rec)
	bad := encode(t, shufflefile.LZ4, rec)
	bad[len(bad)-1] = 1 // the end mark
	data, index := writePair(t, [][][]byte{{good}, {good, good, bad, good}})
	_, r := openPair(t, data, index, Options{})
	var blocks int
	var err error
	var last Block
	for last, err = range r.Blocks(1) {
		blocks++
	}
	var e *shufflefile.Error
	want := shufflefile.Place{File: data, Partition: 1, Block: 2, Offset: 3 * int64(len(good))}
	if !errors.As(err, &e) || e.Place != want || last.Place != want || blocks != 3 {
		t.Errorf("%d blocks, then %v at %v; want 3, at %v", blocks, err, last.Place, want)
	}
	for raw, err := range r.Raw(1) {
		if err != nil {
			t.Fatal(err)
		}
		_, derr := r.DecodeBlock(raw.Bytes, raw.Place)
		if (raw.Place.Block == 2) != (derr != nil) {
			t.Errorf("block %d: %v", raw.Place.Block, derr)
		}
	}
}

// TestMessages: what inspection sees of a block.
func TestMessages(t *testing.T) {
	rec := dictionaryBatch(t, "a", "b", "a")
	data, index := writePair(t, [][][]byte{{encode(t, shufflefile.Zstd, rec)}})
	_, r := openPair(t, data, index, Options{})
	for raw, err := range r.Raw(0) {
		if err != nil {
			t.Fatal(err)
		}
		payload, err := r.Payload(raw)
		if err != nil {
			t.Fatal(err)
		}
		var kinds []string
		for m, err := range Messages(payload) {
			if err != nil {
				t.Fatal(err)
			}
			kinds = append(kinds, fmt.Sprint(m.Kind, " ", m.Rows, " ", m.Buffers))
		}
		want := []string{"schema 0 0", "dictionary batch 2 3", "record batch 3 2", "end of stream 0 0"}
		if diff := cmp.Diff(want, kinds); diff != "" {
			t.Error(diff)
		}
		for m, err := range Messages(append(slices.Clone(payload), 0)) {
			if err != nil && m.Offset != int64(len(payload)) {
				t.Errorf("%v at %d", err, m.Offset)
			}
		}
	}
}
