package writer

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow/ipc"
	"go.uber.org/goleak"

	"github.com/shufflebench/shufflebench/internal/oracle"
	"github.com/shufflebench/shufflebench/internal/shufflefile"
	"github.com/shufflebench/shufflebench/internal/vfs"
	"github.com/shufflebench/shufflebench/internal/vfs/vfstest"
)

// streamTable reads a consolidated file with the Arrow library alone.
func streamTable(data, index []byte) (table oracle.Table, batches int64, err error) {
	table = oracle.Table{}
	var offsets []int64
	for ; len(index) >= 8; index = index[8:] {
		offsets = append(offsets, int64(binary.LittleEndian.Uint64(index)))
	}
	if len(offsets) < 2 || len(index) > 0 || offsets[len(offsets)-1] != int64(len(data)) {
		return nil, 0, fmt.Errorf("offsets %v of a file of %d bytes", offsets, len(data))
	}
	header, err := ipc.NewReader(bytes.NewReader(data[:offsets[0]]))
	if err != nil {
		return nil, 0, err
	}
	if header.Next() {
		return nil, 0, fmt.Errorf("a batch in the header")
	}
	for p, end := range offsets[1:] {
		part := bytes.NewReader(data[offsets[p]:end])
		for part.Len() > 0 {
			r, err := ipc.NewReader(part)
			if err != nil {
				return nil, 0, fmt.Errorf("partition %d: %w", p, err)
			}
			if !r.Schema().Equal(header.Schema()) {
				return nil, 0, fmt.Errorf("partition %d: another schema", p)
			}
			for r.Next() {
				batches++
				table[p] = append(table[p], oracle.Rows(r.RecordBatch())...)
			}
			if r.Err() != nil && r.Err() != io.EOF {
				return nil, 0, fmt.Errorf("partition %d: %w", p, r.Err())
			}
			r.Release()
		}
	}
	return table, batches, nil
}

// consolidate runs o in memory and looks at everything that is left.
func consolidate(t *testing.T, in *given, o Options) *outcome {
	t.Helper()
	mem := inMemory(t, &o)
	res, err := Run(context.Background(), in.src, o)
	if err != nil {
		t.Fatalf("%s: %v", &o, err)
	}
	out := &outcome{Result: res}
	for i, task := range res.Tasks {
		data, index := readPair(t, mem, task)
		if i > 0 && (!bytes.Equal(data, out.data) || !bytes.Equal(index, out.index)) {
			t.Fatalf("%s: task %d left other bytes than task 0", &o, i)
		}
		out.data, out.index = data, index
	}
	if out.table, out.blocks, err = streamTable(out.data, out.index); err != nil {
		t.Fatalf("%s: %v", &o, err)
	}
	checkLeft(t, mem, &o)
	o.MaxBufferBytes, o.MemoryLimit = 2, 0 // when it spills is not so simple as with one buffer
	checkResult(t, in, &o, out)
	return out
}

// byInput puts rows of row groups of the given sizes in the order in which they
// lie in a partition: input by input, and inside one as in the fixture.
func byInput(o Options, in *given, parts []uint32, groups func(row int) int) oracle.Table {
	o.EnsureDefaults()
	table := oracle.Table{}
	rows := len(in.rows)
	if o.Limit > 0 {
		rows = min(rows, int(o.Limit))
	}
	for number := range o.Inputs {
		for i := range rows {
			if groups(i)%o.Inputs == number {
				table.Add(in.rows[i:i+1], parts[i:i+1])
			}
		}
	}
	return table
}

// sorted forgets the order of rows inside partitions.
func sorted(table oracle.Table) oracle.Table {
	for _, rows := range table {
		slices.Sort(rows)
	}
	return table
}

func randomConsolidated(r *rand.Rand, columns int) Options {
	o := randomOptions(r, columns)
	o.Engine, o.OffsetLengths = consolidatedName, false
	if o.Codec == shufflefile.Snappy {
		o.Codec = shufflefile.None
	}
	o.Inputs = pick(r, 1, 2, 3, 8)
	return o
}

// means decides how it is written.
func means(r *rand.Rand, o Options) Options {
	o.TaskMemoryLimit = int64(pick(r, NoTaskLimit, 0, 1, 20_000, 100_000))
	o.MaxBufferBytes = int64(pick(r, 0, 0, 1, 50_000))
	o.MemoryLimit = int64(pick(r, 0, 0, 1, 30_000))
	o.MergeBudget = int64(pick(r, 64<<10, 1<<20))
	o.SpillMetadata = pick(r, Retain, Release)
	o.ConcurrentTasks = pick(r, 1, 1, 3)
	return o
}

// TestConsolidated runs random options: whatever the inputs, limits and ways to
// encode, every partition has the rows that every other engine puts there, and
// the Arrow library reads them; serial and parallel leave the same bytes, and
// spill the same.
func TestConsolidated(t *testing.T) {
	defer goleak.VerifyNone(t)
	const group = 700
	seeds := []*given{seedInput(t, 2500, group), seedInput(t, 40_000, 15_000), seedInput(t, 1, 1)}
	sizes := []int{group, 15_000, 1}
	mixed := []*given{mixedInput(t, 1, 600, 1, 0, 300), mixedInput(t, 2, 50)}
	for seed := range uint64(oracle.Rounds(30)) {
		r := rand.New(rand.NewPCG(seed, 1))
		t.Run(fmt.Sprintf("seed=%d", seed), func(t *testing.T) {
			n := r.IntN(len(seeds) + len(mixed))
			in := slices.Concat(seeds, mixed)[n]
			o := randomConsolidated(r, in.src.Schema().NumFields())
			if len(in.rows) > 10_000 {
				o.BatchSize = max(o.BatchSize, 1000)
			}
			first := twoWays(t, in, means(r, o))
			if n < len(seeds) {
				want := byInput(o, in, in.partitions(t, o), func(row int) int { return row / sizes[n] })
				if d := oracle.Diff(first.table, want); d != "" {
					t.Fatalf("%s\n%s", &o, d)
				}
			}
			want := sorted(in.table(t, o))
			for _, out := range []*outcome{first, twoWays(t, in, means(r, o))} {
				if d := oracle.Diff(sorted(out.table), want); d != "" {
					t.Fatalf("%s\n%s", &o, d)
				}
			}
		})
	}
}

// twoWays runs o serial and parallel.
func twoWays(t *testing.T, in *given, o Options) *outcome {
	t.Helper()
	var outs [2]*outcome
	for i, how := range []Encode{Serial, Parallel} {
		o.Encode = how
		outs[i] = consolidate(t, in, o)
	}
	a, b := outs[0], outs[1]
	if !bytes.Equal(a.data, b.data) || !bytes.Equal(a.index, b.index) {
		t.Fatalf("%s: serial and parallel leave other bytes", &o)
	}
	for i := range a.Tasks {
		x, y := a.Tasks[i], b.Tasks[i]
		if x.Spills != y.Spills || x.SpillBytes != y.SpillBytes || x.Ranges != y.Ranges || x.PeakBuffer != y.PeakBuffer ||
			x.BudgetSpills != y.BudgetSpills || x.PoolSpills != y.PoolSpills || x.Spills != x.BudgetSpills+x.PoolSpills {
			t.Fatalf("%s: serial %+v\nparallel %+v", &o, x, y)
		}
	}
	return a
}

// TestTriggers: the limit that a task reaches first is the one that its spills
// name, and a task that fits both does not spill.
func TestTriggers(t *testing.T) {
	in := seedInput(t, 8000, 1000)
	for _, c := range []struct {
		name                string
		budget, pool        int64
		tasks               int
		byBudget, byPool    bool
		maxBuffer           int64
		unlimited, defaults bool
	}{
		{name: "defaults", tasks: 1},
		{name: "off", budget: NoTaskLimit, tasks: 1},
		{name: "budget", budget: 40_000, tasks: 1, byBudget: true},
		{name: "pool", budget: NoTaskLimit, pool: 40_000, tasks: 1, byPool: true},
		{name: "pool is smaller", budget: 80_000, pool: 40_000, tasks: 1, byPool: true},
		{name: "pool is larger", budget: 40_000, pool: 80_000, tasks: 1, byBudget: true},
		{name: "pool of two tasks", budget: 50_000, pool: 80_000, tasks: 2, byPool: true},
		{name: "other name of the budget", maxBuffer: 40_000, pool: 80_000, tasks: 1, byBudget: true},
		{name: "all fits", budget: 1 << 20, pool: 1 << 20, tasks: 1},
	} {
		o := Options{Engine: consolidatedName, Partitions: 5, BatchSize: 100, TaskMemoryLimit: c.budget, MemoryLimit: c.pool,
			MaxBufferBytes: c.maxBuffer, ConcurrentTasks: c.tasks}
		for i, task := range consolidate(t, in, o).Tasks {
			if (task.BudgetSpills > 0) != c.byBudget || (task.PoolSpills > 0) != c.byPool {
				t.Errorf("%s: task %d spilled %d times for its budget, %d for the pool", c.name, i, task.BudgetSpills, task.PoolSpills)
			}
		}
	}
}

// TestShares: inputs share a limit by their rows, whatever its size.
func TestShares(t *testing.T) {
	for _, c := range []struct{ limit, part, whole, want int64 }{
		{0, 1, 2, 0}, {100, 1, 4, 25}, {1, 1, 8, 1}, {100, 0, 4, 1}, {100, 0, 0, 100}, {1 << 62, 1 << 40, 1 << 41, 1 << 61}, {7, 3, 3, 7},
	} {
		if got := share(c.limit, c.part, c.whole); got != c.want {
			t.Errorf("share(%d, %d, %d) = %d, want %d", c.limit, c.part, c.whole, got, c.want)
		}
	}
}

// TestEncodeCountsOnce: the phases add up to the task's time whichever way the
// inputs encode, and the pass that copies encodes nothing.
func TestEncodeCountsOnce(t *testing.T) {
	in := seedInput(t, 40_000, 5000)
	for _, how := range []Encode{Serial, Parallel} {
		o := Options{Engine: consolidatedName, Encode: how}
		task := consolidate(t, in, o).Tasks[0]
		b := task.Phases
		var sum = -b.Overlap
		for _, d := range b.Spent {
			sum += d
		}
		if sum != b.Elapsed || b.Spent[4] <= 0 || b.Spent[5] <= 0 {
			t.Errorf("%s: phases %v of %v", how, b.Spent, b.Elapsed)
		}
		if task.Encode <= 0 || task.Copy <= 0 || task.Encode+task.Copy > task.Merge {
			t.Errorf("%s: encode %v, copy %v, merge %v", how, task.Encode, task.Copy, task.Merge)
		}
		if how == Serial && b.Spent[4]+b.Spent[5] > task.Encode {
			t.Errorf("serial: encode and compress %v in %v", b.Spent[4]+b.Spent[5], task.Encode)
		}
	}
}

// TestConsolidatedFaults fails every file operation in turn, where inputs spill
// side by side.
func TestConsolidatedFaults(t *testing.T) {
	defer goleak.VerifyNone(t)
	in := seedInput(t, 90, 30)
	for _, o := range []Options{
		{Engine: consolidatedName, Partitions: 3, WriteBufferSize: 100, Inputs: 1},
		{Engine: consolidatedName, Partitions: 3, WriteBufferSize: 100, Inputs: 3, MaxBufferBytes: 1},
	} {
		vfstest.Sweep{
			Disk: func() *vfs.Mem { return inMemory(t, &o) },
			Run: func(fsys *vfs.Faulty) error {
				o := o
				o.FS = fsys
				_, err := Run(t.Context(), in.src, o)
				return err
			},
			Check: func(disk *vfs.Mem, _ error) error {
				names, err := disk.List(filepath.Join("out", "task_0"))
				if err != nil || len(names) == 0 {
					return nil
				}
				if !slices.Equal(names, []string{"data.arrow", "data.arrow.index"}) {
					return fmt.Errorf("left %v", names)
				}
				return nil
			},
		}.Test(t)
	}
}

// TestConsolidatedOptions names what does not go with Arrow streams.
func TestConsolidatedOptions(t *testing.T) {
	for text, o := range map[string]Options{
		"codec snappy":       {Codec: shufflefile.Snappy},
		"offsets as lengths": {Codec: shufflefile.Zstd, OffsetLengths: true},
		"checksums":          {Checksum: shufflefile.CRC32C},
		"inputs: -1":         {Inputs: -1},
		"inputs: 1025":       {Inputs: 1025},
		"task memory limit":  {TaskMemoryLimit: -2},
		`way to encode "x"`:  {Encode: "x"},
	} {
		o.Engine, o.OutputDir = consolidatedName, "out"
		o.EnsureDefaults()
		if err := o.Validate(); err == nil || !strings.Contains(err.Error(), text) {
			t.Errorf("%v, want %q", err, text)
		}
	}
}

// TestConsolidatedRange: inputs share the bounds, so rows go where those of
// another engine go.
func TestConsolidatedRange(t *testing.T) {
	in := seedInput(t, 5000, 600)
	o := Options{Partitioning: Range, Partitions: 10, BatchSize: 300, MaxBufferBytes: 20_000}
	want := shuffleInMemory(t, in, o).table
	o.Engine = consolidatedName
	if d := oracle.Diff(sorted(consolidate(t, in, o).table), sorted(want)); d != "" {
		t.Error(d)
	}
}

// TestConsolidatedCancel stops inputs wherever they are: the reason is told, and
// a pair is whole or not there.
func TestConsolidatedCancel(t *testing.T) {
	defer goleak.VerifyNone(t)
	in := seedInput(t, 400, 100)
	reason := errors.New("enough of it")
	for n := 0; ; n++ {
		o := Options{Engine: consolidatedName, Inputs: 3, Partitions: 3, BatchSize: 50, MaxBufferBytes: 1}
		mem := inMemory(t, &o)
		fsys := vfs.NewFaulty(mem)
		ctx, cancel := context.WithCancelCause(t.Context())
		fsys.Hook(func(op vfs.Op) error {
			if op.N >= n {
				cancel(reason)
			}
			return nil
		})
		o.FS = fsys
		_, err := Run(ctx, in.src, o)
		cancel(nil)
		if err != nil && !errors.Is(err, reason) {
			t.Fatalf("cancelled at operation %d: %v", n, err)
		}
		names, _ := mem.List(filepath.Join("out", "task_0"))
		spills, _ := mem.List(spillDir)
		if open := mem.OpenFiles(); len(names) == 1 || len(names) == 0 && err == nil || len(spills) > 0 || len(open) > 0 {
			t.Fatalf("cancelled at operation %d: left %v, %v, open %v", n, names, spills, open)
		}
		if n >= fsys.Ops() {
			return
		}
	}
}
