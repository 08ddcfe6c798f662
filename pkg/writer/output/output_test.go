package output

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/shufflebench/shufflebench/internal/oracle"
	"github.com/shufflebench/shufflebench/internal/vfs"
	"github.com/shufflebench/shufflebench/internal/vfs/vfstest"
)

const dir = "out/task_0"

// parts are the bytes of some partitions, which tell from whose pair they are.
func parts(whose byte, sizes ...int) [][]byte {
	list := make([][]byte, len(sizes))
	for i, n := range sizes {
		list[i] = bytes.Repeat([]byte{whose + byte(i)}, n)
	}
	return list
}

// write writes a pair.
func write(fsys vfs.FS, list [][]byte, bufferSize int) error {
	p, err := Create(fsys, dir, len(list), bufferSize)
	if err != nil {
		return err
	}
	for i, b := range list {
		err = p.Write(b)
		if err == nil {
			err = p.EndPartitions(i + 1)
		}
		if err != nil {
			return errors.Join(err, p.Abort())
		}
	}
	return p.Commit()
}

// read reads the pair that is there: nil for none, an error for a mixed one.
func read(fsys vfs.FS) ([][]byte, error) {
	index, err := vfs.ReadFile(fsys, dir+"/"+IndexName)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	data, err := vfs.ReadFile(fsys, dir+"/"+DataName)
	if err != nil {
		return nil, fmt.Errorf("an index without data: %w", err)
	}
	offsets, err := oracle.Index(index, len(data))
	if err != nil {
		return nil, err
	}
	list := make([][]byte, len(offsets)-1)
	for i := range list {
		list[i] = data[offsets[i]:offsets[i+1]]
	}
	return list, nil
}

func same(a, b [][]byte) bool { return slices.EqualFunc(a, b, bytes.Equal) }

// TestPairs writes partitions of random sizes through buffers of random sizes.
func TestPairs(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		sizes := make([]int, 1+r.IntN(20))
		for i := range sizes {
			if r.IntN(3) > 0 {
				sizes[i] = r.IntN(100)
			}
		}
		mem := vfs.NewMem()
		want := parts('a', sizes...)
		if err := write(mem, want, 1+r.IntN(150)); err != nil {
			t.Fatal(err)
		}
		got, err := read(mem)
		if err != nil || !same(got, want) {
			t.Fatalf("%v: %v", sizes, err)
		}
		if names, err := mem.List(dir); err != nil || !slices.Equal(names, []string{DataName, IndexName}) {
			t.Fatal(names, err)
		}
		if open := mem.OpenFiles(); len(open) > 0 {
			t.Fatal(open)
		}
	}
}

// TestEmptyPartitions writes an index of equal offsets.
func TestEmptyPartitions(t *testing.T) {
	for _, n := range []int{1, 10_000} { // the latter beyond the index's buffer
		mem := vfs.NewMem()
		p, err := Create(mem, dir, n, 100)
		if err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(p.EndPartitions(n), p.Commit()); err != nil {
			t.Fatal(err)
		}
		index, err := vfs.ReadFile(mem, dir+"/"+IndexName)
		if err != nil || len(index) != 8*(n+1) || slices.ContainsFunc(index, func(b byte) bool { return b != 0 }) {
			t.Fatalf("%d bytes, %v", len(index), err)
		}
		if data, err := vfs.ReadFile(mem, dir+"/"+DataName); err != nil || len(data) != 0 {
			t.Fatal(data, err)
		}
	}
}

// TestAhead ends partitions in bytes that are still to be written.
func TestAhead(t *testing.T) {
	mem := vfs.NewMem()
	p, err := Create(mem, dir, 6, 10)
	if err != nil {
		t.Fatal(err)
	}
	err = errors.Join(
		p.EndPartitionsAt(1, 0), // empty
		p.EndPartitionsAt(2, 3), p.EndPartitionsAt(4, 7), p.Write([]byte("aaabbbb")),
		p.EndPartitionsAt(4, 1), // already ended: nothing
		p.EndPartitionsAt(5, 20), p.Write(bytes.Repeat([]byte("c"), 20)),
		p.EndPartitions(6))
	if err != nil || p.Size() != 27 {
		t.Fatal(p.Size(), err)
	}
	if err := p.Commit(); err != nil {
		t.Fatal(err)
	}
	got, err := read(mem)
	want := [][]byte{nil, []byte("aaa"), []byte("bbbb"), nil, bytes.Repeat([]byte("c"), 20), nil}
	if err != nil || !same(got, want) {
		t.Fatalf("%q, %v", got, err)
	}
}

// TestBeforeCommit: until Commit no file has its name, and Abort leaves none.
func TestBeforeCommit(t *testing.T) {
	mem := vfs.NewMem()
	p, err := Create(mem, dir, 2, 4)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(p.Write([]byte("0123456789")), p.EndPartitions(2)); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{DataName, IndexName} {
		if _, err := mem.Stat(dir + "/" + name); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s is there before Commit: %v", name, err)
		}
	}
	for range 2 {
		if err := p.Abort(); err != nil {
			t.Fatal(err)
		}
	}
	if names, err := mem.List(dir); err != nil || len(names) > 0 || len(mem.OpenFiles()) > 0 {
		t.Error("left:", names, mem.OpenFiles(), err)
	}
}

// TestTooFewPartitions refuses to commit what is not complete.
func TestTooFewPartitions(t *testing.T) {
	mem := vfs.NewMem()
	p, err := Create(mem, dir, 3, 4)
	if err != nil {
		t.Fatal(err)
	}
	if err := p.EndPartitions(2); err != nil {
		t.Fatal(err)
	}
	if err := p.Commit(); err == nil || !strings.Contains(err.Error(), "2 of 3 partitions") {
		t.Error(err)
	}
	if names, err := mem.List(dir); err != nil || len(names) > 0 {
		t.Error("left:", names, err)
	}
}

// ways are the two in which an old pair gives way to a new one.
var ways = map[string]func(fsys vfs.FS) error{
	"replaced": func(fsys vfs.FS) error { return write(fsys, newPair, 8) },
	"cleared": func(fsys vfs.FS) error {
		if err := Clear(fsys, dir); err != nil {
			return err
		}
		return write(fsys, newPair, 8)
	},
}

var oldPair, newPair = parts('a', 5, 0, 20), parts('n', 0, 12, 3, 30)

// killed is what a run that was killed has left in its files.
const killed = "half"

// withOldPair is a disk that holds an old pair, and what a killed run left.
func withOldPair(t testing.TB) *vfs.Mem {
	mem := vfs.NewMem()
	if err := write(mem, oldPair, 8); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{DataName + tempMark, IndexName + tempMark} {
		if err := vfs.WriteFile(mem, dir+"/"+name, []byte(killed)); err != nil {
			t.Fatal(err)
		}
	}
	mem.SyncAll()
	return mem
}

// complete says that the pair there, if any, is the old one or the new one.
func complete(fsys vfs.FS) error {
	got, err := read(fsys)
	if err == nil && got != nil && !same(got, oldPair) && !same(got, newPair) {
		err = fmt.Errorf("a mixed pair: %q", got)
	}
	return err
}

// TestKilled looks at the disk before every operation, as it is and as a crash
// would leave it: what is there is a complete pair or none.
func TestKilled(t *testing.T) {
	for name, write := range ways {
		t.Run(name, func(t *testing.T) {
			mem := withOldPair(t)
			fsys := vfs.NewFaulty(mem)
			fsys.Hook(func(op vfs.Op) error {
				if err := complete(mem); err != nil {
					t.Errorf("killed before %v: %v", op, err)
				}
				if err := complete(mem.CrashClone()); err != nil {
					t.Errorf("a crash before %v: %v", op, err)
				}
				return nil
			})
			if err := write(fsys); err != nil {
				t.Fatal(err)
			}
			for _, disk := range []*vfs.Mem{mem, mem.CrashClone()} {
				if err := complete(disk); err != nil {
					t.Error(err)
				}
			}
			if got, err := read(mem); err != nil || !same(got, newPair) {
				t.Errorf("%q, %v", got, err)
			}
		})
	}
}

// TestSweep fails every operation in turn. What is left is a complete pair or
// none, and no temporary file unless its removal is what failed.
func TestSweep(t *testing.T) {
	for name, write := range ways {
		t.Run(name, func(t *testing.T) {
			n := vfstest.Sweep{
				Disk: func() *vfs.Mem { return withOldPair(t) },
				Run:  func(fsys *vfs.Faulty) error { return write(fsys) },
				Check: func(disk *vfs.Mem, err error) error {
					if bad := complete(disk); bad != nil || err != nil && strings.Contains(err.Error(), "old output") {
						return bad
					}
					for _, mark := range []string{DataName + tempMark, IndexName + tempMark} {
						left, err := vfs.ReadFile(disk, dir+"/"+mark)
						if err == nil && string(left) != killed {
							return fmt.Errorf("%s is left", mark)
						}
					}
					return nil
				},
			}.Test(t)
			if n < 10 {
				t.Errorf("only %d operations", n)
			}
		})
	}
}

// TestLastRename: when the index cannot be put in place, the new data file does
// not stay behind without one.
func TestLastRename(t *testing.T) {
	mem := vfs.NewMem()
	fsys := vfs.NewFaulty(mem)
	fsys.FailKind(vfs.OpRename, 1, vfstest.ErrInjected)
	if err := write(fsys, newPair, 8); !errors.Is(err, vfstest.ErrInjected) || !strings.Contains(err.Error(), IndexName) {
		t.Error(err)
	}
	if names, err := mem.List(dir); err != nil || len(names) > 0 {
		t.Error("left:", names, err)
	}
}

// TestFullDisk: every quota below what the pair needs gives an error that says
// so, and leaves no index.
func TestFullDisk(t *testing.T) {
	need := int64(len(bytes.Join(newPair, nil)) + 8*(len(newPair)+1))
	for quota := range need {
		mem := vfs.NewMem()
		mem.Quota(quota)
		err := write(mem, newPair, 8)
		if err == nil || !strings.Contains(err.Error(), "no space left") || !strings.Contains(err.Error(), dir) {
			t.Fatalf("%d of %d bytes: %v", quota, need, err)
		}
		if names, err := mem.List(dir); err != nil || len(names) > 0 {
			t.Fatalf("%d of %d bytes: left: %v, %v", quota, need, names, err)
		}
	}
}

func TestClear(t *testing.T) {
	mem := withOldPair(t)
	if err := vfs.WriteFile(mem, dir+"/notes.txt", nil); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(Clear(mem, dir), Clear(mem, dir), Clear(mem, "no/such/dir")); err != nil {
		t.Error(err)
	}
	if names, err := mem.List(dir); err != nil || !slices.Equal(names, []string{"notes.txt"}) {
		t.Error("left:", names, err)
	}
}

// TestNoAllocations writes and ends partitions within the buffers.
func TestNoAllocations(t *testing.T) {
	p, err := Create(vfs.NewMem(), dir, 1<<20, 1<<20)
	if err != nil {
		t.Fatal(err)
	}
	block, part := []byte("0123456789"), 0
	n := testing.AllocsPerRun(100, func() {
		part++
		if err := errors.Join(p.Write(block), p.EndPartitions(part)); err != nil {
			t.Fatal(err)
		}
	})
	if n != 0 {
		t.Errorf("%v allocations a partition", n)
	}
}
