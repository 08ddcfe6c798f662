package writer

import (
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"testing"

	"github.com/shufflebench/shufflebench/internal/oracle"
	"github.com/shufflebench/shufflebench/internal/vfs"
	"github.com/shufflebench/shufflebench/pkg/fixture"
)

// The memory limit is a promise: beyond what a scan of the fixture takes, the
// heap of a task stays within the limit, one batch, the merge budget twice a
// worker (its rows, and the blocks that are made of them), and constantBytes for
// all the rest: the write buffer of 1 MiB, buffers that have grown beyond what
// they hold, and 4 KiB of counts for each spill that is being merged.
const constantBytes = 8 << 20

// promiseEnv makes the test binary a child that runs one task and tells what
// it took.
const promiseEnv = "SHUFFLEBENCH_PROMISE"

// taken is what a child measured, in bytes.
type taken struct {
	Live   int64 // most that was live on the heap at a file operation
	VmHWM  int64 // peak of the process
	Spills int
}

// promise is what a child is to run.
type promise struct {
	Fixture, Dir string
	Scan         bool // read the fixture and do nothing
	Options      Options
}

// TestPromiseChild is no test: it is the child's main function.
func TestPromiseChild(t *testing.T) {
	arg := os.Getenv(promiseEnv)
	if arg == "" {
		t.Skip("started by TestPromise")
	}
	var p promise
	if err := json.Unmarshal([]byte(arg), &p); err != nil {
		t.Fatal(err)
	}
	debug.SetGCPercent(20)
	src := openDataset(t, p.Fixture)
	got := taken{}
	if p.Scan {
		n := 0
		for _, err := range src.Scan(context.Background(), fixture.ScanOptions{BatchSize: p.Options.BatchSize, Readers: p.Options.Workers}) {
			if err != nil {
				t.Fatal(err)
			}
			if n++; n%20 == 0 {
				got.Live = max(got.Live, live())
			}
		}
	} else {
		fsys := vfs.NewFaulty(vfs.OS{})
		fsys.Hook(func(op vfs.Op) error {
			if op.Kind == vfs.OpWrite && op.KindN%7 == 0 || op.N%200 == 0 {
				got.Live = max(got.Live, live())
			}
			return nil
		})
		p.Options.FS, p.Options.OutputDir, p.Options.SpillDir = fsys, p.Dir, p.Dir
		res, err := Run(context.Background(), src, p.Options)
		if err != nil {
			t.Fatal(err)
		}
		got.Spills = res.Tasks[0].Spills
	}
	got.VmHWM = vmHWM(t)
	if err := json.NewEncoder(os.Stdout).Encode(got); err != nil {
		t.Fatal(err)
	}
}

// live is the bytes of what the heap holds and something still refers to.
func live() int64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

func vmHWM(t *testing.T) int64 {
	b, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0
	}
	for line := range strings.Lines(string(b)) {
		if rest, ok := strings.CutPrefix(line, "VmHWM:"); ok {
			kb, err := strconv.ParseInt(strings.Fields(rest)[0], 10, 64)
			if err != nil {
				t.Fatal(err)
			}
			return kb << 10
		}
	}
	return 0
}

// child runs p in a process of its own.
func (p promise) child(t *testing.T) taken {
	t.Helper()
	p.Dir = t.TempDir()
	arg, err := json.Marshal(p)
	if err != nil {
		t.Fatal(err)
	}
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), exe, "-test.run=^TestPromiseChild$")
	cmd.Env = append(os.Environ(), promiseEnv+"="+string(arg))
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for line := range strings.Lines(string(out)) {
		var got taken
		if json.Unmarshal([]byte(line), &got) == nil {
			return got
		}
	}
	t.Fatalf("the child said\n%s", out)
	return taken{}
}

// TestPromise measures what tasks of different limits take beyond a scan.
func TestPromise(t *testing.T) {
	if oracle.Race {
		t.Skip("the race detector takes memory of its own")
	}
	const rows, batch = 1_000_000, 8192 // 16 MB of rows, 128 KiB a batch
	path := filepath.Join(t.TempDir(), "seed.parquet")
	if err := fixture.MakeFile(path, fixture.Options{Preset: "seed", Rows: rows}); err != nil {
		t.Fatal(err)
	}
	base := Options{BatchSize: batch, MergeBudget: 2 << 20, Workers: 1}
	floor := promise{Fixture: path, Scan: true, Options: base}.child(t)
	for _, c := range []struct {
		partitions int
		limit      int64
		tables     int64 // where a partition has a row or two, a window's tables outweigh its rows
	}{{1, 1, 0}, {16_000, 1, 0}, {16_000, 4 << 20, 0}, {200, 10 << 20, 0}, {1 << 20, 1 << 20, 4 * base.MergeBudget}} {
		o := base
		o.Partitions, o.MemoryLimit = c.partitions, c.limit
		got := promise{Fixture: path, Options: o}.child(t)
		allowed := c.limit + batch*20 + 2*base.MergeBudget + constantBytes + c.tables
		t.Logf("%d partitions, limit %d, %d spills: %.1f MiB live, %.1f in a scan, %.1f allowed on top; VmHWM %.1f MiB, %.1f in a scan",
			c.partitions, c.limit, got.Spills, mib(got.Live), mib(floor.Live), mib(allowed), mib(got.VmHWM), mib(floor.VmHWM))
		if got.Live > floor.Live+allowed || got.Live < c.limit {
			t.Errorf("%d partitions, limit %d: %d bytes live", c.partitions, c.limit, got.Live)
		}
		if got.VmHWM > floor.VmHWM+allowed*5/4+(16<<20) { // a heap may grow by a fifth before it is collected
			t.Errorf("%d partitions, limit %d: the process grew to %d bytes, in a scan to %d", c.partitions, c.limit, got.VmHWM, floor.VmHWM)
		}
		if got.Spills == 0 {
			t.Errorf("%d partitions, limit %d: nothing was spilled", c.partitions, c.limit)
		}
	}
}

func mib(n int64) float64 { return float64(n) / (1 << 20) }
