package writer

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math/bits"
	"os"
	"slices"
	"strings"
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

// figures are what ranges counts, computed from the rows' partitions alone:
// ranges of 16 bytes in lists that double from 4, and a list header of 24 bytes
// a partition.
func figures(parts []uint32, batch, partitions int) (spills int, ranges, inner, outer int64) {
	perPartition := make([]int, partitions)
	for rows := range slices.Chunk(parts, batch) {
		seen := map[uint32]bool{}
		for _, p := range rows {
			seen[p] = true
		}
		for p := range seen {
			perPartition[p]++
		}
		spills++
	}
	for _, n := range perPartition {
		ranges += int64(n)
		capacity := 0
		for capacity < n {
			capacity = max(4, 2*capacity)
		}
		inner += 16 * int64(capacity)
	}
	return spills, ranges, inner, 24 * int64(partitions)
}

// TestFigures holds ranges to the figures that its strategy must have.
func TestFigures(t *testing.T) {
	in := seedInput(t, 20_000, 1<<20)
	for i, c := range []struct{ batch, partitions int }{{1000, 20}, {500, 700}, {20_000, 5}, {1000, 3000}} {
		if i >= oracle.Rounds(10) {
			break
		}
		parts := in.partitions(t, Options{Partitions: c.partitions})
		for _, mode := range []SpillMetadata{Retain, Release} {
			for _, tasks := range []int{1, 3} {
				o := Options{Engine: "ranges", BatchSize: c.batch, Partitions: c.partitions, MaxBufferBytes: 1, SpillMetadata: mode, ConcurrentTasks: tasks}
				inMemory(t, &o)
				out, err := Run(t.Context(), in.src, o)
				if err != nil {
					t.Fatal(err)
				}
				spills, ranges, inner, outer := figures(parts, c.batch, c.partitions)
				after := inner
				if mode == Release {
					after = 0
				}
				for _, task := range out.Tasks {
					got := fmt.Sprint(task.Spills, task.Ranges, task.InnerBefore, task.InnerAfter, task.Outer)
					if want := fmt.Sprint(spills, ranges, inner, after, outer); got != want {
						t.Errorf("%s: spills, ranges, inner before and after, outer: %s, want %s", &o, got, want)
					}
				}
			}
		}
	}
}

// TestSegmentsMetadata: segments keeps a few bytes a spill, none a partition.
func TestSegmentsMetadata(t *testing.T) {
	in := seedInput(t, 20_000, 1<<20)
	for _, partitions := range []int{1, 16_000} {
		out := shuffleInMemory(t, in, Options{BatchSize: 500, Partitions: partitions, MaxBufferBytes: 1})
		if task := out.Tasks[0]; task.Spills != 40 || task.InnerBefore > 40*64 || task.Outer > 64*64 {
			t.Errorf("%d partitions, %d spills: %d and %d bytes", partitions, task.Spills, task.InnerBefore, task.Outer)
		}
	}
}

// TestBadOptions names what is wrong.
func TestBadOptions(t *testing.T) {
	in := seedInput(t, 10, 10)
	s := arrow.NewSchema([]arrow.Field{{Name: "when", Type: arrow.FixedWidthTypes.Float16}, {Name: "id", Type: arrow.PrimitiveTypes.Int64}}, nil)
	odd := arrowInput(t, s, random.New(1).Batch(s, 3))
	for _, c := range []struct {
		in   *given
		o    Options
		want string
	}{
		{in, Options{Partitions: -1}, "partitions: -1 is not between 1 and 16777216"},
		{in, Options{Partitions: 1<<24 + 1}, "partitions: 16777217"},
		{in, Options{BatchSize: -5}, "batch size: -5"},
		{in, Options{Engine: "segment"}, `unknown engine "segment" (known: segments, ranges`},
		{in, Options{LZ4Encoder: "fast"}, `unknown LZ4 encoder "fast"`},
		{in, Options{Partitioning: "modulo"}, `unknown partitioning "modulo"`},
		{in, Options{SpillMetadata: "keep"}, `unknown spill metadata mode "keep"`},
		{in, Options{SpillCodec: "zstd"}, `unknown spill codec "zstd"`},
		{in, Options{Partitioning: Single, Partitions: 3}, "single partitioning has 1 partition, not 3"},
		{in, Options{MemoryLimit: -1}, "a buffer limit is negative"},
		{in, Options{MergeBudget: 10}, "merge budget: 10"},
		{in, Options{ZstdLevel: 23}, "zstd level: 23"},
		{in, Options{Codec: shufflefile.LZ4, OffsetLengths: true}, "offsets as lengths go with codec zstd"},
		{in, Options{HashColumns: []string{"key"}}, `hash column "key": no such column`},
		{in, Options{HashColumns: []string{"5"}}, "hash column 5: the input has 2 columns"},
		{odd, Options{}, `"when"`},
	} {
		mem := inMemory(t, &c.o)
		_, err := Run(t.Context(), c.in.src, c.o)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v, want %s", err, c.want)
		}
		if names, err := mem.List("."); err != nil || !slices.Equal(names, []string{spillDir}) {
			t.Errorf("%s: left %v", c.want, names)
		}
	}
	o := Options{}
	o.EnsureDefaults()
	if err := o.Validate(); err == nil || !strings.Contains(err.Error(), "no output directory") {
		t.Error(err)
	}
	o.BatchSize, o.WriteBufferSize, o.ConcurrentTasks = -1, -1, -1
	err := o.Validate()
	for _, want := range []string{"batch size", "write buffer size", "concurrent tasks", "no output directory"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v does not name the %s", err, want)
		}
	}
}

// TestBufferLimit: the smaller of the two limits holds.
func TestBufferLimit(t *testing.T) {
	for _, c := range [][3]int64{{0, 0, 0}, {5, 0, 5}, {0, 7, 7}, {5, 7, 5}, {7, 5, 5}} {
		if o := (Options{MemoryLimit: c[0], MaxBufferBytes: c[1]}); o.BufferLimit() != c[2] {
			t.Errorf("limits %d and %d: %d", c[0], c[1], o.BufferLimit())
		}
	}
}
