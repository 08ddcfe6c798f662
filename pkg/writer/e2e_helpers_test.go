package writer

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"sync/atomic"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/compress"
	"github.com/apache/arrow-go/v18/parquet/pqarrow"

	"github.com/shufflebench/shufflebench/internal/oracle"
	"github.com/shufflebench/shufflebench/internal/oracle/random"
	"github.com/shufflebench/shufflebench/internal/vfs"
	"github.com/shufflebench/shufflebench/pkg/fixture"
	"github.com/shufflebench/shufflebench/pkg/validate/sparkhash"
	"github.com/shufflebench/shufflebench/pkg/writer/convert"
)

// given is a fixture with its rows.
type given struct {
	src     *fixture.Dataset
	batches []arrow.RecordBatch // as they are read
	rows    []string            // as text, of the types that are written
}

func openDataset(t testing.TB, path string) *fixture.Dataset {
	t.Helper()
	src, err := fixture.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	return src
}

func openInput(t testing.TB, path string) *given {
	t.Helper()
	in := &given{src: openDataset(t, path)}
	plan := convert.New(in.src.Schema())
	for b, err := range in.src.Scan(context.Background(), fixture.ScanOptions{BatchSize: 1000}) {
		if err != nil {
			t.Fatal(err)
		}
		b.Retain()
		in.batches = append(in.batches, b)
		converted, err := plan.Apply(b)
		if err != nil {
			t.Fatal(err)
		}
		in.rows = append(in.rows, oracle.Rows(converted)...)
	}
	return in
}

// seedInput is a small seed fixture: id = i, value = i*17+11.
func seedInput(t testing.TB, rows, rowGroup int64) *given {
	t.Helper()
	path := filepath.Join(t.TempDir(), "seed.parquet")
	if err := fixture.MakeFile(path, fixture.Options{Preset: "seed", Rows: rows, RowGroup: rowGroup}); err != nil {
		t.Fatal(err)
	}
	in := openInput(t, path)
	if len(in.rows) != int(rows) || rows > 1 && in.rows[1] != "1|28" {
		t.Fatalf("%d rows", len(in.rows))
	}
	return in
}

// arrowInput is a fixture of given batches, a row group each.
func arrowInput(t testing.TB, s *arrow.Schema, batches ...arrow.RecordBatch) *given {
	t.Helper()
	return openInput(t, arrowFile(t, s, batches...))
}

func arrowFile(t testing.TB, s *arrow.Schema, batches ...arrow.RecordBatch) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "rows.parquet")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	w, err := pqarrow.NewFileWriter(s, f, parquet.NewWriterProperties(parquet.WithCompression(compress.Codecs.Snappy)), pqarrow.NewArrowWriterProperties())
	if err != nil {
		t.Fatal(err)
	}
	for _, b := range batches {
		if err := w.Write(b); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return path
}

// mixedInput has a column of every kind that a Parquet file holds.
func mixedInput(t testing.TB, seed uint64, rows ...int) *given {
	t.Helper()
	p := arrow.PrimitiveTypes
	st := arrow.StructOf(
		arrow.Field{Name: "a", Type: p.Int32, Nullable: true},
		arrow.Field{Name: "b", Type: arrow.ListOf(arrow.BinaryTypes.String), Nullable: true})
	s := random.SchemaOf(
		p.Int64, arrow.FixedWidthTypes.Boolean, p.Int8, p.Int16, p.Int32, p.Uint8, p.Uint16, p.Uint32, p.Uint64, p.Float32, p.Float64,
		arrow.FixedWidthTypes.Date32, arrow.FixedWidthTypes.Timestamp_us, arrow.BinaryTypes.String, arrow.BinaryTypes.Binary,
		&arrow.Decimal128Type{Precision: 10, Scale: 2}, &arrow.Decimal128Type{Precision: 30, Scale: 4}, &arrow.FixedSizeBinaryType{ByteWidth: 5},
		arrow.ListOfNonNullable(st), arrow.MapOf(arrow.BinaryTypes.String, p.Int64),
		arrow.StructOf(arrow.Field{Name: "c", Type: p.Float32, Nullable: true}, arrow.Field{Name: "d", Type: arrow.BinaryTypes.String}))
	g := random.New(seed)
	g.Plain = true
	var batches []arrow.RecordBatch
	for _, n := range rows {
		batches = append(batches, decimals(g.Batch(s, n)))
	}
	return arrowInput(t, s, batches...)
}

// decimals brings decimals into their precision, which Parquet insists on.
func decimals(b arrow.RecordBatch) arrow.RecordBatch {
	for _, col := range b.Columns() {
		if d, ok := col.(*array.Decimal128); ok {
			words := arrow.Uint64Traits.CastFromBytes(d.Data().Buffers()[1].Bytes())
			for i := 0; i < len(words); i += 2 {
				v := int64(words[i]) >> 34
				words[i], words[i+1] = uint64(v), uint64(v>>63)
			}
		}
	}
	return b
}

// partitions gives every row its partition, by the validator's hash.
func (in *given) partitions(t testing.TB, o Options) []uint32 {
	t.Helper()
	o.EnsureDefaults()
	var cols []int
	switch o.Partitioning {
	case RoundRobin:
		for c := range in.src.Schema().NumFields() {
			cols = append(cols, c)
		}
	case Hash:
		for _, name := range o.HashColumns {
			c, err := strconv.Atoi(name)
			if err != nil {
				c = in.src.Schema().FieldIndices(name)[0]
			}
			cols = append(cols, c)
		}
	}
	h, err := sparkhash.New(in.src.Schema(), cols, sparkhash.Spark)
	if err != nil {
		t.Fatal(err)
	}
	parts := make([]uint32, 0, len(in.rows))
	for _, b := range in.batches {
		for i := range int(b.NumRows()) {
			parts = append(parts, uint32(sparkhash.Partition(h.Row(b, i), o.Partitions)))
		}
	}
	return parts
}

// table sends the rows to their partitions.
func (in *given) table(t testing.TB, o Options) oracle.Table {
	t.Helper()
	rows := in.rows
	if o.Limit > 0 {
		rows = rows[:min(len(rows), int(o.Limit))]
	}
	table := oracle.Table{}
	table.Add(rows, in.partitions(t, o))
	return table
}

// spillDir is where tests in memory spill to.
const spillDir = "spills"

// inMemory makes a disk in memory for o to run on.
func inMemory(t testing.TB, o *Options) *vfs.Mem {
	t.Helper()
	mem := vfs.NewMem()
	if err := mem.MkdirAll(spillDir); err != nil {
		t.Fatal(err)
	}
	o.FS, o.OutputDir, o.SpillDir = mem, "out", spillDir
	return mem
}

// outcome is what all tasks of a run left, which is the same for each.
type outcome struct {
	*Result
	data, index []byte
	table       oracle.Table
	blocks      int64
}

// shuffleInMemory runs o and looks at everything that any run must leave: the
// same pair of files a task, which decodes, and nothing else.
func shuffleInMemory(t testing.TB, in *given, o Options) *outcome {
	t.Helper()
	mem := inMemory(t, &o)
	res, err := Run(context.Background(), in.src, o)
	if err != nil {
		t.Fatalf("%s: %v", &o, err)
	}
	out := &outcome{Result: res, table: oracle.Table{}}
	for i, task := range res.Tasks {
		data, index := readPair(t, mem, task)
		if i > 0 && (!bytes.Equal(data, out.data) || !bytes.Equal(index, out.index)) {
			t.Fatalf("%s: task %d left other bytes than task 0", &o, i)
		}
		out.data, out.index = data, index
	}
	for b, err := range oracle.Blocks(out.data, out.index) {
		if err != nil {
			t.Fatalf("%s: %v", &o, err)
		}
		out.blocks++
		out.table[b.Partition] = append(out.table[b.Partition], b.Rows()...)
	}
	checkLeft(t, mem, &o)
	checkResult(t, in, &o, out)
	return out
}

func readPair(t testing.TB, fsys vfs.FS, task TaskResult) (data, index []byte) {
	t.Helper()
	data, err := vfs.ReadFile(fsys, task.Data)
	if err != nil {
		t.Fatal(err)
	}
	if index, err = vfs.ReadFile(fsys, task.Index); err != nil {
		t.Fatal(err)
	}
	return data, index
}

// checkLeft finds nothing but the pairs.
func checkLeft(t testing.TB, mem *vfs.Mem, o *Options) {
	t.Helper()
	if open := mem.OpenFiles(); len(open) > 0 {
		t.Errorf("%s: left open: %v", o, open)
	}
	if names, err := mem.List(spillDir); err != nil || len(names) > 0 {
		t.Errorf("%s: left in the spill directory: %v %v", o, names, err)
	}
	dirs, err := mem.List(o.OutputDir)
	if err != nil {
		t.Error(err)
	}
	data, index := OutputNames(o.Engine)
	for _, dir := range dirs {
		names, err := mem.List(filepath.Join(o.OutputDir, dir))
		if err != nil || !slices.Equal(names, []string{data, index}) {
			t.Errorf("%s: left in %s: %v %v", o, dir, names, err)
		}
	}
}

// checkResult holds the figures of a run to what it left.
func checkResult(t testing.TB, in *given, o *Options, out *outcome) {
	t.Helper()
	rows := len(in.rows)
	if o.Limit > 0 {
		rows = min(rows, int(o.Limit))
	}
	for _, task := range out.Tasks {
		limit := o.BufferLimit()
		switch {
		case task.Rows != int64(rows) || task.Bytes != int64(len(out.data)) || task.Blocks != out.blocks:
			t.Errorf("%s: %d rows, %d bytes, %d blocks; there are %d, %d, %d", o, task.Rows, task.Bytes, task.Blocks, rows, len(out.data), out.blocks)
		case limit == 0 && task.Spills > 0 || limit == 1 && task.Spills != task.Batches:
			t.Errorf("%s: %d spills of %d batches", o, task.Spills, task.Batches)
		case (task.Spills > 0) != (task.SpillBytes > 0):
			t.Errorf("%s: %d spills of %d bytes", o, task.Spills, task.SpillBytes)
		case task.Phases.Elapsed > out.Elapsed:
			t.Errorf("%s: a task took %v of a run of %v", o, task.Phases.Elapsed, out.Elapsed)
		}
	}
}

// givenBack checks that all Arrow memory is released: what is read into, which
// is o's, and what is converted into, which is the default.
func givenBack(t *testing.T, o Options, run func(o Options)) {
	t.Helper()
	before := memory.DefaultAllocator
	counting := &countingAllocator{Allocator: before}
	checked := memory.NewCheckedAllocator(counting)
	memory.DefaultAllocator, o.Alloc = checked, checked
	defer func() { memory.DefaultAllocator = before }()
	run(o)
	checked.AssertSize(t, 0)
	if counting.n.Load() == 0 {
		t.Error("nothing was allocated")
	}
}

type countingAllocator struct {
	memory.Allocator
	n atomic.Int64
}

func (c *countingAllocator) Allocate(size int) []byte {
	c.n.Add(1)
	return c.Allocator.Allocate(size)
}
