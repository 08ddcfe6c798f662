package writer

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"github.com/shufflebench/shufflebench/internal/oracle"
	"github.com/shufflebench/shufflebench/internal/shufflefile"
	"github.com/shufflebench/shufflebench/internal/vfs"
	"github.com/shufflebench/shufflebench/internal/vfs/vfstest"
)

// leftover looks at what a run that failed has left: nothing, or for each task
// a complete pair.
func leftover(mem *vfs.Mem, want oracle.Table) error {
	if names, err := mem.List(spillDir); err != nil || len(names) > 0 {
		return fmt.Errorf("in the spill directory: %v, %v", names, err)
	}
	dirs, err := mem.List("out")
	if err != nil {
		return nil // not even made
	}
	for _, dir := range dirs {
		dir = filepath.Join("out", dir)
		names, err := mem.List(dir)
		if err != nil {
			return err
		}
		if len(names) == 0 {
			continue
		}
		data, err1 := vfs.ReadFile(mem, filepath.Join(dir, "data.out"))
		index, err2 := vfs.ReadFile(mem, filepath.Join(dir, "index.out"))
		if err := errors.Join(err1, err2); err != nil || len(names) != 2 {
			return fmt.Errorf("%s: left %v: %w", dir, names, err)
		}
		table, err := oracle.ReadTable(data, index)
		if d := oracle.Diff(table, want); err != nil || d != "" {
			return fmt.Errorf("%s: left a bad pair: %s %w", dir, d, err)
		}
	}
	return nil
}

// stride is how many places are passed over in tests that try every one.
var stride = 10 / oracle.Rounds(10)

// spillingOptions are small runs that use every operation of an engine.
func spillingOptions(engine string) []Options {
	base := Options{Engine: engine, BatchSize: 20, Partitions: 3, WriteBufferSize: 100, Workers: 1}
	var all []Options
	for _, limit := range []int64{0, 1, 800} { // nothing, every batch, several batches at once
		o := base
		o.MaxBufferBytes = limit
		all = append(all, o)
	}
	all[1].Workers = 3
	packed := all[1]
	packed.SpillCodec = "lz4"
	two := all[1]
	two.ConcurrentTasks = 2
	return append(all, packed, two)
}

// TestSweep fails every file operation of a run in turn: the cause surfaces and
// names its file, nothing stays open, and nothing is left but whole pairs.
func TestSweep(t *testing.T) {
	defer goleak.VerifyNone(t)
	in := seedInput(t, 100, 1<<20)
	eachTwin(t, func(t *testing.T, engine string) {
		for _, o := range spillingOptions(engine) {
			want := in.table(t, o)
			t.Run(strings.ReplaceAll(describe(&o), " ", ","), func(t *testing.T) {
				n := vfstest.Sweep{
					Disk: func() *vfs.Mem { return inMemory(t, &o) },
					Run: func(fsys *vfs.Faulty) error {
						o := o
						o.FS = fsys
						_, err := Run(t.Context(), in.src, o)
						return err
					},
					Check: func(disk *vfs.Mem, _ error) error { return leftover(disk, want) },
				}.Test(t)
				if n < 10 {
					t.Errorf("only %d operations", n)
				}
			})
		}
	})
}

// TestDiskGone fails everything from some operation on.
func TestDiskGone(t *testing.T) {
	defer goleak.VerifyNone(t)
	in := seedInput(t, 100, 1<<20)
	eachTwin(t, func(t *testing.T, engine string) {
		for _, o := range spillingOptions(engine) {
			vfstest.Sweep{
				Persistent: true,
				Disk:       func() *vfs.Mem { return inMemory(t, &o) },
				Run: func(fsys *vfs.Faulty) error {
					o := o
					o.FS = fsys
					_, err := Run(t.Context(), in.src, o)
					return err
				},
			}.Test(t)
		}
	})
}

// TestFullDisk is field case 11: whatever the room, a disk that is too small
// gives an error that says so, and leaves nothing.
func TestFullDisk(t *testing.T) {
	defer goleak.VerifyNone(t)
	in := seedInput(t, 100, 1<<20)
	eachTwin(t, func(t *testing.T, engine string) {
		for _, o := range spillingOptions(engine) {
			want := in.table(t, o)
			for quota := int64(0); ; quota += 97 * int64(stride) {
				mem := inMemory(t, &o)
				mem.Quota(quota)
				_, err := Run(t.Context(), in.src, o)
				if left := leftover(mem, want); left != nil || len(mem.OpenFiles()) > 0 {
					t.Fatalf("%d bytes of room: %v, open %v", quota, left, mem.OpenFiles())
				}
				if err == nil {
					break
				}
				if !strings.Contains(err.Error(), "no space left") || !strings.Contains(err.Error(), "out") && !strings.Contains(err.Error(), "spill") {
					t.Fatalf("%d bytes of room: %v", quota, err)
				}
			}
		}
	})
}

// TestCancel cancels before every operation: the reason is told, and nothing
// but whole pairs is left.
func TestCancel(t *testing.T) {
	defer goleak.VerifyNone(t)
	in := seedInput(t, 400, 100)
	reason := errors.New("enough of it")
	eachTwin(t, func(t *testing.T, engine string) {
		for _, o := range spillingOptions(engine) {
			want, stopped := in.table(t, o), 0
			for n := 0; ; n += stride {
				mem := inMemory(t, &o)
				fsys := vfs.NewFaulty(mem)
				ctx, cancel := context.WithCancelCause(t.Context())
				fsys.Hook(func(op vfs.Op) error {
					if op.N >= n {
						cancel(reason)
					}
					return nil
				})
				o := o
				o.FS = fsys
				_, err := Run(ctx, in.src, o)
				cancel(nil)
				if left := leftover(mem, want); left != nil || len(mem.OpenFiles()) > 0 {
					t.Fatalf("%s, cancelled at operation %d: %v, open %v", describe(&o), n, left, mem.OpenFiles())
				}
				if err != nil {
					stopped++
					if !errors.Is(err, reason) {
						t.Fatalf("%s, cancelled at operation %d: %v", describe(&o), n, err)
					}
				}
				if n >= fsys.Ops() {
					break
				}
			}
			if stopped == 0 {
				t.Errorf("%s: no cancellation stopped it", describe(&o))
			}
		}
	})
}

// TestCancelMerge stops in the middle of a merge, not at its end.
func TestCancelMerge(t *testing.T) {
	defer goleak.VerifyNone(t)
	in := seedInput(t, 50_000, 1<<20)
	eachTwin(t, func(t *testing.T, engine string) {
		o := Options{Engine: engine, BatchSize: 10_000, Partitions: 300, MaxBufferBytes: 1, MergeBudget: 64 << 10, Codec: shufflefile.None}
		mem := inMemory(t, &o)
		fsys := vfs.NewFaulty(mem)
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		fsys.Hook(func(op vfs.Op) error {
			if op.Kind == vfs.OpRead {
				cancel()
			}
			return nil
		})
		o.FS = fsys
		if _, err := Run(ctx, in.src, o); !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
		if err := leftover(mem, nil); err != nil {
			t.Error(err)
		}
	})
}

// TestCancelled does nothing once it is cancelled.
func TestCancelled(t *testing.T) {
	in := seedInput(t, 100, 100)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	eachTwin(t, func(t *testing.T, engine string) {
		o := Options{Engine: engine}
		mem := inMemory(t, &o)
		if _, err := Run(ctx, in.src, o); !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
		if err := leftover(mem, nil); err != nil {
			t.Error(err)
		}
	})
}

// TestSpillFileShrinks: a spill file that is shorter at the merge than it was
// fails the task with its name and an offset, and leaves no index.
func TestSpillFileShrinks(t *testing.T) {
	defer goleak.VerifyNone(t)
	in := seedInput(t, 500, 1<<20)
	cause := errors.New("bad sector")
	eachTwin(t, func(t *testing.T, engine string) {
		for name, fault := range map[string]error{
			"emptied": vfs.Truncate(0), "cut": vfs.Truncate(700), "short read": vfs.Short(-1, nil), "failing": cause,
		} {
			for _, o := range spillingOptions(engine)[1:] {
				for n := range 4 { // the nth read meets it
					mem := inMemory(t, &o)
					fsys := vfs.NewFaulty(mem)
					fsys.FailKind(vfs.OpRead, n, fault)
					o := o
					o.FS = fsys
					_, err := Run(t.Context(), in.src, o)
					place, ok := errors.AsType[*shufflefile.Error](err)
					if !ok || !strings.Contains(place.File, "spill") || place.Offset < 0 || !strings.Contains(err.Error(), "offset") {
						t.Fatalf("%s at read %d of %s: %v", name, n, describe(&o), err)
					}
					if want := map[bool]error{true: cause, false: io.ErrUnexpectedEOF}[fault == cause]; !errors.Is(err, want) {
						t.Fatalf("%s at read %d of %s: %v", name, n, describe(&o), err)
					}
					if err := leftover(mem, in.table(t, o)); err != nil {
						t.Fatalf("%s at read %d of %s: %v", name, n, describe(&o), err)
					}
				}
			}
		}
	})
}

// TestTaskFails: one task's failure stops the others and is the one reported.
func TestTaskFails(t *testing.T) {
	defer goleak.VerifyNone(t)
	in := seedInput(t, 5000, 1000)
	eachTwin(t, func(t *testing.T, engine string) {
		o := Options{Engine: engine, BatchSize: 50, Partitions: 20, ConcurrentTasks: 4, MaxBufferBytes: 1, Workers: 2}
		mem := inMemory(t, &o)
		fsys := vfs.NewFaulty(mem)
		fsys.Hook(func(op vfs.Op) error {
			if op.Kind == vfs.OpCreate && strings.Contains(op.Name, "task_2") {
				return vfstest.ErrInjected
			}
			return nil
		})
		o.FS = fsys
		_, err := Run(t.Context(), in.src, o)
		if !errors.Is(err, vfstest.ErrInjected) || !strings.HasPrefix(err.Error(), "task 2: ") || errors.Is(err, context.Canceled) {
			t.Error(err)
		}
		if err := leftover(mem, in.table(t, o)); err != nil {
			t.Error(err)
		}
	})
}

// TestOutputInTheWay names a directory that cannot be made or written to.
func TestOutputInTheWay(t *testing.T) {
	in := seedInput(t, 10, 10)
	for _, engine := range twins {
		o := Options{Engine: engine}
		mem := inMemory(t, &o)
		if err := vfs.WriteFile(mem, "out", []byte("a file")); err != nil {
			t.Fatal(err)
		}
		if _, err := Run(t.Context(), in.src, o); err == nil || !strings.Contains(err.Error(), "out/task_0") {
			t.Error(err)
		}
		o.OutputDir, o.SpillDir, o.MaxBufferBytes = "elsewhere", "nowhere", 1
		if _, err := Run(t.Context(), in.src, o); err == nil || !strings.Contains(err.Error(), "nowhere") {
			t.Error(err)
		}
		if b, err := vfs.ReadFile(mem, "out"); err != nil || !bytes.Equal(b, []byte("a file")) {
			t.Error("the file in the way was touched")
		}
	}
}
