package vfs

import (
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"path/filepath"
	"runtime"
	"syscall"
	"testing"
)

// TestMemIsOSTwin runs random operations over a few clashing names on both, and
// wants the same results, error numbers and contents.
func TestMemIsOSTwin(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("Mem has Linux's error numbers")
	}
	for seed := range uint64(20) {
		osDir, mem := t.TempDir(), NewMem()
		memDir := filepath.Join("/", "m")
		must(t, mem.MkdirAll(memDir))
		r := rand.New(rand.NewPCG(seed, 1))
		for step := range 500 {
			op := randomOp(r)
			want, have := op(OS{}, osDir), op(mem, memDir)
			if want != have {
				t.Fatalf("seed %d, step %d: OS %s\nMem %s", seed, step, want, have)
			}
		}
		if open := mem.OpenFiles(); len(open) > 0 {
			t.Fatalf("open: %s", open)
		}
	}
}

// randomOp is an operation that tells what it did and what came of it.
func randomOp(r *rand.Rand) func(fsys FS, dir string) string {
	names := []string{"a", "b", "a/c", "b/c", "a/c/d", "b/c/d", "a/c/../e", "b//e"}
	x, y := names[r.IntN(len(names))], names[r.IntN(len(names))]
	data, off := make([]byte, r.IntN(5)), r.Int64N(6)
	tell := func(op string, v any, err error) string {
		return fmt.Sprintf("%s %s %s: %v, %v", op, x, y, v, cause(err))
	}
	switch r.IntN(9) {
	case 0:
		return func(fsys FS, dir string) string {
			return tell("mkdir", nil, fsys.MkdirAll(filepath.Join(dir, x)))
		}
	case 1:
		return func(fsys FS, dir string) string { return tell("remove", nil, fsys.Remove(filepath.Join(dir, x))) }
	case 2, 3:
		return func(fsys FS, dir string) string {
			return tell("rename", nil, fsys.Rename(filepath.Join(dir, x), filepath.Join(dir, y)))
		}
	case 4:
		return func(fsys FS, dir string) string {
			names, err := fsys.List(filepath.Join(dir, x))
			return tell("list", len(names), err) + fmt.Sprint(names)
		}
	case 5:
		return func(fsys FS, dir string) string {
			st, err := fsys.Stat(filepath.Join(dir, x))
			if err != nil || st.IsDir() {
				return tell("stat", nil, err)
			}
			return tell("stat", st.Size(), nil)
		}
	case 6:
		return func(fsys FS, dir string) string {
			f, err := fsys.Open(filepath.Join(dir, x))
			if err != nil {
				return tell("open", nil, err)
			}
			defer f.Close()
			n, err := f.ReadAt(make([]byte, len(data)), off)
			return tell("read", n, err)
		}
	}
	return func(fsys FS, dir string) string {
		return tell("write", nil, WriteFile(fsys, filepath.Join(dir, x), data))
	}
}

// cause is the error number, without the names.
func cause(err error) error {
	if no, ok := errors.AsType[syscall.Errno](err); ok {
		return no
	}
	if err == nil || err == io.EOF {
		return err
	}
	return errors.New("other")
}
