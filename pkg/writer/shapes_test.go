package writer

import (
	"bytes"
	"encoding/binary"
	"math/bits"
	"os"
	"slices"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/shufflebench/shufflebench/internal/oracle"
	"github.com/shufflebench/shufflebench/internal/oracle/random"
	"github.com/shufflebench/shufflebench/internal/shufflefile"
	"github.com/shufflebench/shufflebench/internal/vfs"
	"github.com/shufflebench/shufflebench/pkg/writer/merge"
)

// eachTwin runs a test with both engines.
func eachTwin(t *testing.T, test func(t *testing.T, engine string)) {
	for _, engine := range twins {
		t.Run(engine, func(t *testing.T) { test(t, engine) })
	}
}

func expect(t *testing.T, in *given, o Options) *outcome {
	t.Helper()
	out := shuffleInMemory(t, in, o)
	if d := oracle.Diff(out.table, in.table(t, o)); d != "" {
		t.Fatalf("%s\n%s", describe(&o), d)
	}
	return out
}

// TestRowCounts loses no row at the edges of batches.
func TestRowCounts(t *testing.T) {
	for _, batch := range []int{1, 64} {
		for _, rows := range []int{1, batch - 1, batch, batch + 1, 3*batch + 7} {
			if rows == 0 {
				continue
			}
			in := seedInput(t, int64(rows), 1<<20)
			eachTwin(t, func(t *testing.T, engine string) {
				for _, limit := range []int64{0, 1} {
					out := expect(t, in, Options{Engine: engine, BatchSize: batch, Partitions: 5, MaxBufferBytes: limit})
					if want := (rows + batch - 1) / batch; out.Tasks[0].Batches != want {
						t.Errorf("%d rows in batches of %d: %d batches", rows, batch, out.Tasks[0].Batches)
					}
				}
			})
		}
	}
}

// TestZeroRows writes an index of equal offsets.
func TestZeroRows(t *testing.T) {
	inputs := map[string]*given{"no rows": arrowInput(t, random.SchemaOf(arrow.PrimitiveTypes.Int64, arrow.BinaryTypes.String))}
	empty := random.New(1).Batch(random.SchemaOf(arrow.PrimitiveTypes.Int64), 0)
	inputs["empty row groups"] = arrowInput(t, empty.Schema(), empty, empty)
	for name, in := range inputs {
		t.Run(name, func(t *testing.T) {
			eachTwin(t, func(t *testing.T, engine string) {
				for _, codec := range []shufflefile.Codec{shufflefile.LZ4, shufflefile.None} {
					out := shuffleInMemory(t, in, Options{Engine: engine, Codec: codec, Partitions: 300, MaxBufferBytes: 1})
					if len(out.data) != 0 || len(out.index) != 8*301 || slices.ContainsFunc(out.index, func(b byte) bool { return b != 0 }) {
						t.Errorf("%d bytes of data, an index of %d", len(out.data), len(out.index))
					}
				}
			})
		})
	}
}

// TestManySpills spills more often than is merged at once.
func TestManySpills(t *testing.T) {
	const batch = 10
	in := seedInput(t, batch*(merge.FanIn+60), 1<<20)
	eachTwin(t, func(t *testing.T, engine string) {
		var first *outcome
		for _, spillCodec := range []string{"none", "lz4"} {
			out := expect(t, in, Options{Engine: engine, BatchSize: batch, Partitions: 37, MaxBufferBytes: 1, SpillCodec: spillCodec})
			if out.Tasks[0].Spills != merge.FanIn+60 {
				t.Errorf("%d spills", out.Tasks[0].Spills)
			}
			if first == nil {
				first = out
			}
			if !bytes.Equal(out.data, first.data) {
				t.Error("packed spills give other bytes")
			}
		}
	})
}

// TestLevels merges in several passes, with few runs at once, and writes what
// one pass writes.
func TestLevels(t *testing.T) {
	in := seedInput(t, 40*100+3, 1<<20)
	o := Options{BatchSize: 100, Partitions: 11, MaxBufferBytes: 1, MergeBudget: 64 << 10}
	want := expect(t, in, o)
	for _, fanIn := range []int{2, 3, 7, 40, 41} {
		for _, packed := range []string{"none", "lz4"} {
			o.SpillCodec = packed
			mem := inMemory(t, &o)
			o.EnsureDefaults()
			task, err := newTask(in.src, o, 0)
			if err != nil {
				t.Fatal(err)
			}
			task.engine.(*segments).fanIn = fanIn
			res, err := task.run(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if err := task.engine.close(); err != nil {
				t.Fatal(err)
			}
			data, index := readPair(t, mem, res)
			if !bytes.Equal(data, want.data) || !bytes.Equal(index, want.index) {
				t.Errorf("%d runs at once, %s: other bytes", fanIn, packed)
			}
			checkLeft(t, mem, &o)
			passes := (res.SpillBytes - 1) / want.Tasks[0].SpillBytes
			if levels := int64(bits.Len(40)) - 1; fanIn == 2 && packed == "none" && (passes < levels-1 || passes > levels+1) {
				t.Errorf("%d bytes spilled, %d in one pass", res.SpillBytes, want.Tasks[0].SpillBytes)
			}
		}
	}
}

// TestMostPartitions writes to as many partitions as there may be, on a disk.
func TestMostPartitions(t *testing.T) {
	if testing.Short() || oracle.Race {
		t.Skip("writes an index of 128 MiB")
	}
	in := seedInput(t, 1000, 1<<20)
	for engine, partitions := range map[string]int{"segments": shufflefile.MaxPartitions, "ranges": 1 << 20} { // 400 MiB of lists else
		o := Options{Engine: engine, Partitions: partitions, BatchSize: 300, MaxBufferBytes: 1}
		o.OutputDir, o.SpillDir = t.TempDir(), t.TempDir()
		res, err := Run(t.Context(), in.src, o)
		if err != nil {
			t.Fatal(err)
		}
		data, index := readPair(t, vfs.OS{}, res.Tasks[0])
		if len(index) != 8*(partitions+1) {
			t.Fatalf("an index of %d bytes", len(index))
		}
		table := sparse(t, data, index)
		if d := oracle.Diff(table, in.table(t, o)); d != "" {
			t.Errorf("%s: %s", engine, d)
		}
		if err := os.RemoveAll(o.OutputDir); err != nil {
			t.Fatal(err)
		}
	}
}

// sparse decodes a pair of very many partitions, nearly all of them empty.
func sparse(t *testing.T, data, index []byte) oracle.Table {
	table, last := oracle.Table{}, int64(0)
	for p := range len(index)/8 - 1 {
		next := int64(binary.LittleEndian.Uint64(index[8*(p+1):]))
		if next > last {
			part := shufflefile.AppendOffset(shufflefile.AppendOffset(nil, 0), next-last)
			rows, err := oracle.ReadTable(data[last:next], part)
			if err != nil {
				t.Fatal(err)
			}
			table[p] = rows[0]
		}
		last = next
	}
	if last != int64(len(data)) {
		t.Fatalf("the index ends at %d of %d", last, len(data))
	}
	return table
}

// TestOnePartition keeps the fixture's order.
func TestOnePartition(t *testing.T) {
	in := seedInput(t, 60_000, 20_000)
	eachTwin(t, func(t *testing.T, engine string) {
		for _, limit := range []int64{0, 1, 300_000} {
			out := expect(t, in, Options{Engine: engine, Partitions: 1, BatchSize: 5000, MaxBufferBytes: limit})
			if !slices.Equal(out.table[0], in.rows) {
				t.Error("other rows, or another order")
			}
		}
	})
}

// TestRange: partitions follow the order of the keys, none is much larger than
// the others, and every row is in one of them.
func TestRange(t *testing.T) {
	in := seedInput(t, 20_000, 3000)
	var first oracle.Table
	eachTwin(t, func(t *testing.T, engine string) {
		out := shuffleInMemory(t, in, Options{Engine: engine, Partitioning: Range, Partitions: 10, BatchSize: 700, MaxBufferBytes: 1})
		var all []string
		for p := range 10 {
			all = append(all, out.table[p]...)
			if n := len(out.table[p]); n > 4000 || n < 1000 {
				t.Errorf("partition %d has %d rows", p, n)
			}
		}
		if !slices.Equal(all, in.rows) { // which rise
			t.Error("the partitions one after the other are not the rows in order")
		}
		if first == nil {
			first = out.table
		}
		if d := oracle.Diff(out.table, first); d != "" {
			t.Error(d)
		}
	})
}

// TestSlicedTypes writes every type with nulls in small batches: field case 22.
// Uncompressed, the blocks are not much larger than the data.
func TestSlicedTypes(t *testing.T) {
	in := mixedInput(t, 9, 1003)
	eachTwin(t, func(t *testing.T, engine string) {
		for _, codec := range []shufflefile.Codec{shufflefile.None, shufflefile.LZ4} {
			out := expect(t, in, Options{Engine: engine, Codec: codec, Partitions: 7, BatchSize: 100, MaxBufferBytes: 1})
			if codec == shufflefile.None && engine == "segments" {
				bodies := 0
				for b, err := range oracle.Blocks(out.data, out.index) {
					if err != nil {
						t.Fatal(err)
					}
					m, err := oracle.BatchMessage(b.Payload)
					if err != nil {
						t.Fatal(err)
					}
					for _, buf := range m.Buffers {
						bodies += int(buf[1])
					}
				}
				if size := dataSize(in); bodies > size*3/2 {
					t.Errorf("%d bytes in blocks, %d in the data", bodies, size)
				}
			}
		}
	})
}

// dataSize is the bytes of the rows' buffers.
func dataSize(in *given) int {
	size := 0
	for _, b := range in.batches {
		for _, col := range b.Columns() {
			size += bufferBytes(col.Data())
		}
	}
	return size
}

func bufferBytes(d arrow.ArrayData) int {
	size := 0
	for _, b := range d.Buffers() {
		if b != nil {
			size += b.Len()
		}
	}
	for _, c := range d.Children() {
		size += bufferBytes(c)
	}
	return size
}

// TestAllNull writes columns in which there is nothing.
func TestAllNull(t *testing.T) {
	s := random.SchemaOf(arrow.PrimitiveTypes.Int64, arrow.BinaryTypes.String, arrow.FixedWidthTypes.Boolean, arrow.ListOf(arrow.PrimitiveTypes.Int8))
	var cols []arrow.Array
	for _, f := range s.Fields() {
		cols = append(cols, array.MakeArrayOfNull(memory.DefaultAllocator, f.Type, 500))
	}
	in := arrowInput(t, s, array.NewRecordBatch(s, cols, 500))
	eachTwin(t, func(t *testing.T, engine string) {
		out := expect(t, in, Options{Engine: engine, Partitions: 9, BatchSize: 77, MaxBufferBytes: 1})
		if len(out.table) != 1 || len(out.table[42%9]) != 500 {
			t.Errorf("nulls are in %d partitions", len(out.table))
		}
	})
}

// TestSchema keeps names, types and nullability, and no metadata.
func TestSchema(t *testing.T) {
	meta := arrow.NewMetadata([]string{"k"}, []string{"v"})
	s := arrow.NewSchema([]arrow.Field{
		{Name: "a", Type: arrow.PrimitiveTypes.Int64, Metadata: meta}, {Name: "", Type: arrow.BinaryTypes.String, Nullable: true},
	}, &meta)
	in := arrowInput(t, s, random.New(1).Batch(s, 10))
	want := OutputSchema(in.src.Schema())
	out := expect(t, in, Options{Partitions: 2})
	for b, err := range oracle.Blocks(out.data, out.index) {
		got := b.Batch.Schema()
		if err != nil || !got.Equal(want) || got.HasMetadata() || got.Field(0).HasMetadata() || got.Field(0).Nullable || !got.Field(1).Nullable {
			t.Errorf("%v, want %v, %v", got, want, err)
		}
	}
}
