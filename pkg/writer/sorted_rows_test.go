package writer

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/apache/arrow-go/v18/parquet/pqarrow"
	"go.uber.org/goleak"

	"github.com/shufflebench/shufflebench/internal/oracle"
	"github.com/shufflebench/shufflebench/internal/shufflefile"
	"github.com/shufflebench/shufflebench/internal/vfs"
	"github.com/shufflebench/shufflebench/internal/vfs/vfstest"
	"github.com/shufflebench/shufflebench/pkg/fixture"
	"github.com/shufflebench/shufflebench/pkg/writer/pages"
)

// presetFile makes a small fixture.
func presetFile(t testing.TB, preset string, rows, group int64) *fixture.Dataset {
	t.Helper()
	path := filepath.Join(t.TempDir(), preset+".parquet")
	if err := fixture.MakeFile(path, fixture.Options{Preset: preset, Rows: rows, RowGroup: group}); err != nil {
		t.Fatal(err)
	}
	return open(t, path)
}

func open(t testing.TB, path string) *fixture.Dataset {
	t.Helper()
	src, err := fixture.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	return src
}

// written is what one run left.
type written struct {
	data, index, sums []byte
	table             oracle.Table
	result            TaskResult
}

// shuffle runs one task in memory, looks at its index, blocks and checksums,
// and that nothing but its files is left.
func shuffle(t testing.TB, src *fixture.Dataset, o Options) written {
	t.Helper()
	mem := vfs.NewMem()
	if err := mem.MkdirAll("spills"); err != nil {
		t.Fatal(err)
	}
	o.FS, o.OutputDir, o.SpillDir, o.Workers = mem, "out", "spills", 1
	res, err := Run(t.Context(), src, o)
	if err != nil {
		t.Fatalf("%s: %v", o.String(), err)
	}
	w := written{result: res.Tasks[0]}
	read := func(name string) []byte {
		b, err := vfs.ReadFile(mem, name)
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	w.data, w.index = read(w.result.Data), read(w.result.Index)
	decode := oracle.ReadTable
	if o.Engine == consolidatedName {
		decode = func(data, index []byte) (oracle.Table, error) {
			table, _, err := streamTable(data, index)
			return table, err
		}
	}
	if w.table, err = decode(w.data, w.index); err != nil {
		t.Fatalf("%s: %v", o.String(), err)
	}
	if o.Checksum != shufflefile.NoChecksum {
		w.sums = read(w.result.Checksums)
		checkSums(t, w, o.Checksum)
	}
	if names, err := mem.List("spills"); err != nil || len(names) > 0 || len(mem.OpenFiles()) > 0 {
		t.Errorf("%s: left %v, open %v, %v", o.String(), names, mem.OpenFiles(), err)
	}
	return w
}

// checkSums holds the checksum file to the partitions' bytes.
func checkSums(t testing.TB, w written, kind shufflefile.Checksum) {
	t.Helper()
	index, _, err := shufflefile.ParseIndex(w.index, shufflefile.LittleEndian, 0, int64(len(w.data)))
	if err != nil {
		t.Fatal(err)
	}
	sums, err := shufflefile.ParseChecksums(w.sums, index.Partitions())
	if err != nil {
		t.Fatal(err)
	}
	for p, sum := range sums {
		at, n := index.Range(p)
		if want := kind.Update(kind.Initial(), w.data[at:at+n]); sum != want {
			t.Fatalf("%s of partition %d: %#x, want %#x", kind, p, sum, want)
		}
	}
}

const testRows = 2000

// TestSortedRows: over all kinds of data and random options both shapes of call
// leave the same three files, with the rows of every partition that ranges and
// segments leave there, in the same order.
func TestSortedRows(t *testing.T) {
	defer goleak.VerifyNone(t)
	for i, preset := range fixture.Presets() {
		src := presetFile(t, preset.Name, testRows, 700)
		for round := range uint64(oracle.Rounds(3)) {
			r := rand.New(rand.NewPCG(uint64(i), round))
			o := Options{
				BatchSize:       []int{64, 700, 8192}[r.IntN(3)],
				Partitions:      []int{1, 5, 200, 2500}[r.IntN(4)],
				Partitioning:    []Partitioning{Hash, RoundRobin}[r.IntN(2)],
				Codec:           shufflefile.Codec(r.IntN(4)),
				MaxBufferBytes:  []int64{0, 1, 100_000}[r.IntN(3)],
				WriteBufferSize: 1 << (8 + r.IntN(13)),
				Checksum:        shufflefile.Checksums()[r.IntN(3)],
				PageSize:        []int64{pages.MinPageSize, 64 << 10, 0}[r.IntN(3)],
				SpillRows:       []int{0, 0, 333, 1000}[r.IntN(4)],
				RecordLength:    4 + 4*r.IntN(2),
				DictionaryRatio: []float64{0, 1, 2}[r.IntN(3)],
			}
			if preset.Name == "nested" {
				o.Partitioning = Hash // a map has no hash
			}
			t.Run(fmt.Sprintf("%s/%d", preset.Name, round), func(t *testing.T) {
				o.Engine = "ranges"
				want := shuffle(t, src, o)
				o.Engine = "segments"
				if d := oracle.Diff(shuffle(t, src, o).table, want.table); d != "" {
					t.Errorf("segments: %s", d)
				}
				o.Engine, o.Calls = sortedRowsName, PerSpill
				one := shuffle(t, src, o)
				o.Calls = PerPartition
				other := shuffle(t, src, o)
				if d := oracle.Diff(one.table, want.table); d != "" {
					t.Errorf("%s: %s", o.String(), d)
				}
				if !bytes.Equal(one.data, other.data) || !bytes.Equal(one.index, other.index) || !bytes.Equal(one.sums, other.sums) {
					t.Errorf("%s: the shapes of call leave different files", o.String())
				}
				if a, b := one.result, other.result; a.Spills != b.Spills || a.Ranges != b.Ranges || a.Blocks != b.Blocks || a.SpillBytes != b.SpillBytes {
					t.Errorf("%s: %+v and %+v", o.String(), a, b)
				}
				if n := o.SpillRows; n > 0 && o.MaxBufferBytes == 0 && one.result.Spills != testRows/n {
					t.Errorf("%d spills of %d rows by %d", one.result.Spills, testRows, n)
				}
			})
		}
	}
}

// TestLargePartition: one partition of many windows, all in memory.
func TestLargePartition(t *testing.T) {
	src := presetFile(t, "lineitem", 20_000, 20_000)
	var want oracle.Table
	for _, engine := range Engines() {
		w := shuffle(t, src, Options{Engine: engine, Partitioning: Single, BatchSize: 1000})
		if want == nil {
			want = w.table
		}
		if d := oracle.Diff(w.table, want); d != "" || w.table.Len() != 20_000 {
			t.Errorf("%s: %d rows, %s", engine, w.table.Len(), d)
		}
	}
}

// TestFullTable: rows that take a page each fill the page table, which is a
// spill by itself.
func TestFullTable(t *testing.T) {
	schema := arrow.NewSchema([]arrow.Field{{Name: "s", Type: arrow.BinaryTypes.String}}, nil)
	b := array.NewRecordBuilder(memory.DefaultAllocator, schema)
	defer b.Release()
	text := strings.Repeat("long row ", 500)
	const rows = pages.MaxPages + 700
	for i := range rows {
		b.Field(0).(*array.StringBuilder).Append(fmt.Sprint(i, text))
	}
	batch := b.NewRecordBatch()
	defer batch.Release()
	path := filepath.Join(t.TempDir(), "long.parquet")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	w, err := pqarrow.NewFileWriter(schema, f, nil, pqarrow.DefaultWriterProps())
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(w.Write(batch), w.Close()); err != nil {
		t.Fatal(err)
	}
	got := shuffle(t, open(t, path), Options{Engine: sortedRowsName, PageSize: pages.MinPageSize, Partitions: 3})
	if got.result.Spills != 1 || got.table.Len() != rows {
		t.Errorf("%d spills, %d rows", got.result.Spills, got.table.Len())
	}
}

// TestSortedRowsFaults fails every file operation in turn, in both shapes.
func TestSortedRowsFaults(t *testing.T) {
	src := presetFile(t, "strings", 300, 300)
	for _, calls := range CallShapes() {
		n := vfstest.Sweep{
			Disk: func() *vfs.Mem {
				mem := vfs.NewMem()
				if err := mem.MkdirAll("spills"); err != nil {
					t.Fatal(err)
				}
				return mem
			},
			Run: func(fsys *vfs.Faulty) error {
				_, err := Run(t.Context(), src, Options{
					Engine: sortedRowsName, Calls: Calls(calls), Partitions: 7, SpillRows: 100, Workers: 1,
					Checksum: shufflefile.CRC32C, FS: fsys, OutputDir: "out", SpillDir: "spills",
				})
				return err
			},
			Check: func(disk *vfs.Mem, err error) error {
				if err == nil {
					return nil
				}
				if names, listErr := disk.List("out/task_0"); listErr == nil && len(names) > 0 && !strings.Contains(err.Error(), "spill") {
					return fmt.Errorf("left: %v", names)
				}
				return nil
			},
		}.Test(t)
		if n < 20 {
			t.Errorf("%s: only %d operations", calls, n)
		}
	}
}

func TestRowOptions(t *testing.T) {
	for want, o := range map[string]Options{
		"page size":           {PageSize: 100},
		"record length":       {RecordLength: 5},
		"shape of calls":      {Calls: "per-row"},
		"spill rows":          {SpillRows: -1},
		"dictionary ratio: 0": {DictionaryRatio: 0.5},
	} {
		o.OutputDir = "out"
		o.EnsureDefaults()
		if err := o.Validate(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", want, err)
		}
	}
	o := Options{OutputDir: "out", Engine: sortedRowsName}
	o.EnsureDefaults()
	if err := o.Validate(); err != nil || o.PageSize != 4<<20 || o.RecordLength != 4 || o.Calls != PerSpill || o.DictionaryRatio != 10 {
		t.Errorf("%+v, %v", o, err)
	}
}
