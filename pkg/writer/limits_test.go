package writer

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/shufflebench/shufflebench/internal/oracle"
	"github.com/shufflebench/shufflebench/internal/oracle/random"
)

// TestOneBatchOver: what is buffered passes the limit by one batch at most.
func TestOneBatchOver(t *testing.T) {
	in := seedInput(t, 30_000, 1<<20)
	const batch = 1000
	most := int64(batch*16 + batch*16/4) // a batch's rows, counts and padding
	eachTwin(t, func(t *testing.T, engine string) {
		for _, limit := range []int64{1, 10_000, 50_000, 200_000, 1 << 30} {
			out := expect(t, in, Options{Engine: engine, BatchSize: batch, Partitions: 50, MemoryLimit: limit})
			task := out.Tasks[0]
			if task.PeakBuffer > limit+most || task.Spills > 0 && task.PeakBuffer <= limit {
				t.Errorf("limit %d: %d bytes were buffered, %d spills", limit, task.PeakBuffer, task.Spills)
			}
			if all := int64(30_000 * 16); (task.Spills > 0) != (limit < all) || task.PeakBuffer > all*5/4 {
				t.Errorf("limit %d: %d spills, %d bytes of rows", limit, task.Spills, all)
			}
		}
	})
}

// TestCountedOnce is field case 9: a buffer is charged once, not once a slice.
func TestCountedOnce(t *testing.T) {
	in := seedInput(t, 131_072, 131_072)
	eachTwin(t, func(t *testing.T, engine string) {
		o := Options{Engine: engine, BatchSize: 8192, Partitions: 200, MemoryLimit: 8 << 20}
		out := shuffleInMemory(t, in, o)
		if task := out.Tasks[0]; task.Spills != 0 || task.PeakBuffer > 6<<20 || task.PeakBuffer < 2<<20 {
			t.Errorf("8 MiB: %d spills, %d bytes buffered", task.Spills, task.PeakBuffer)
		}
		o.MemoryLimit = 1 << 20
		spilled := shuffleInMemory(t, in, o)
		if task := spilled.Tasks[0]; task.Spills < 2 {
			t.Errorf("1 MiB: %d spills", task.Spills)
		}
		if d := oracle.Diff(spilled.table, out.table); d != "" {
			t.Error(d)
		}
	})
}

// TestStringsSpill is the other way of field case 9: strings that fill more
// than the limit do spill.
func TestStringsSpill(t *testing.T) {
	if oracle.Race {
		t.Skip("slow")
	}
	const rows, size = 2048, 32 << 10 // 64 MiB
	s := random.SchemaOf(arrow.PrimitiveTypes.Int64, arrow.BinaryTypes.String)
	ids, text := array.NewInt64Builder(memory.DefaultAllocator), array.NewStringBuilder(memory.DefaultAllocator)
	for i := range rows {
		ids.Append(int64(i))
		text.Append(strings.Repeat(string(rune('a'+i%26)), size))
	}
	path := arrowFile(t, s, array.NewRecordBatch(s, []arrow.Array{ids.NewArray(), text.NewArray()}, rows))
	in := &given{src: openDataset(t, path)}
	eachTwin(t, func(t *testing.T, engine string) {
		o := Options{Engine: engine, BatchSize: 64, Partitions: 20, MemoryLimit: 8 << 20}
		mem := inMemory(t, &o)
		res, err := Run(t.Context(), in.src, o)
		if err != nil {
			t.Fatal(err)
		}
		task := res.Tasks[0]
		if task.Spills < 6 || task.SpillBytes < 60<<20 && engine == "segments" || task.PeakBuffer > 11<<20 {
			t.Errorf("%d spills of %d bytes, %d bytes buffered", task.Spills, task.SpillBytes, task.PeakBuffer)
		}
		data, index := readPair(t, mem, task)
		n := int64(0)
		for b, err := range oracle.Blocks(data, index) {
			if err != nil {
				t.Fatal(err)
			}
			n += b.Batch.NumRows()
			for i, id := range b.Batch.Column(0).(*array.Int64).Values() {
				if v := b.Batch.Column(1).(*array.String).Value(i); len(v) != size || v[0] != byte('a'+id%26) {
					t.Fatalf("row %d has %d bytes of %q", id, len(v), v[0])
				}
			}
		}
		if n != rows {
			t.Errorf("%d rows", n)
		}
	})
}

// TestAgain writes over an old pair, and the same input gives the same bytes.
func TestAgain(t *testing.T) {
	large, small := seedInput(t, 10_000, 3000), seedInput(t, 10, 10)
	o := Options{Partitions: 64, ConcurrentTasks: 4, MaxBufferBytes: 1}
	mem := inMemory(t, &o)
	run := func(in *given, o Options) (data, index []byte) {
		res, err := Run(t.Context(), in.src, o)
		if err != nil {
			t.Fatal(err)
		}
		return readPair(t, mem, res.Tasks[0])
	}
	first, _ := run(large, o)
	o.Partitions, o.ConcurrentTasks = 4, 1
	data, index := run(small, o)
	if len(index) != 40 {
		t.Errorf("an index of %d bytes", len(index))
	}
	table, err := oracle.ReadTable(data, index)
	if d := oracle.Diff(table, small.table(t, o)); err != nil || d != "" {
		t.Error(d, err)
	}
	o.Partitions = 64
	if again, _ := run(large, o); !bytes.Equal(again, first) {
		t.Error("the same rows gave other bytes")
	}
}

// TestArrowMemory: all Arrow memory is given back, also after a failure.
func TestArrowMemory(t *testing.T) {
	in := mixedInput(t, 4, 300, 200)
	eachTwin(t, func(t *testing.T, engine string) {
		for _, limit := range []int64{0, 1} {
			o := Options{Engine: engine, BatchSize: 70, Partitions: 9, MaxBufferBytes: limit, Workers: 2}
			givenBack(t, o, func(o Options) { shuffleInMemory(t, in, o) })
			givenBack(t, o, func(o Options) {
				mem := inMemory(t, &o)
				mem.Quota(1000)
				if _, err := Run(t.Context(), in.src, o); err == nil {
					t.Error("a full disk was not noticed")
				}
			})
		}
	})
}

// TestString is the canonical form: equal for equal cases.
func TestString(t *testing.T) {
	o := Options{}
	o.EnsureDefaults()
	want := "engine=segments partitions=200 partitioning=hash hash-columns=0 batch-size=8192 codec=lz4 lz4-encoder=column tasks=1"
	if got := o.String(); got != want {
		t.Errorf("%s", got)
	}
	if o.CaseName() != "200p_1task" {
		t.Error(o.CaseName())
	}
	o.Partitions, o.ConcurrentTasks, o.MemoryLimit = 16000, 8, 99
	if got := fmt.Sprint(o.CaseName(), " ", o.String()); !strings.HasPrefix(got, "16000p_8tasks ") || !strings.Contains(got, " buffer-limit=99 ") {
		t.Error(got)
	}
}
