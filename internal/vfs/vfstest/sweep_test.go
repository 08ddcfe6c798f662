package vfstest

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/shufflebench/shufflebench/internal/vfs"
)

// deliver writes a file, beside its final name, and renames it: the pattern
// that a sweep is to find right.
func deliver(fsys vfs.FS) (err error) {
	f, err := fsys.Create("/tmp")
	if err != nil {
		return err
	}
	closed := false
	defer func() {
		if !closed {
			err = errors.Join(err, f.Close())
		}
		if err != nil {
			err = errors.Join(err, fsys.Remove("/tmp"))
		}
	}()
	for range 3 {
		if _, err := f.Write([]byte("data")); err != nil {
			return fmt.Errorf("delivering: %w", err)
		}
	}
	if err := f.Sync(); err != nil {
		return err
	}
	closed = true
	if err := f.Close(); err != nil {
		return err
	}
	return fsys.Rename("/tmp", "/data")
}

// wholeOrAbsent accepts /data with all of its content, or nothing at all.
func wholeOrAbsent(disk *vfs.Mem, err error) error {
	names, lerr := disk.List("/")
	if err != nil && len(names) > 0 {
		return fmt.Errorf("a failed run left %q", names)
	}
	if err != nil || lerr != nil {
		return lerr
	}
	data, rerr := vfs.ReadFile(disk, "/data")
	if string(data) != "datadatadata" {
		return errors.Join(rerr, fmt.Errorf("/data has %q", data))
	}
	return rerr
}

func TestSweepAcceptsGoodRun(t *testing.T) {
	s := Sweep{Run: func(fsys *vfs.Faulty) error { return deliver(fsys) }, Check: wholeOrAbsent}
	if n := s.Test(t); n != 7 {
		t.Errorf("%d operations, want 7", n)
	}
	s.Check, s.Persistent = nil, true
	s.Test(t)
}

func TestSweepUsesDisk(t *testing.T) {
	made := 0
	s := Sweep{
		Disk: func() *vfs.Mem {
			made++
			m := vfs.NewMem()
			if err := m.MkdirAll("/in"); err != nil {
				t.Fatal(err)
			}
			return m
		},
		Run: func(fsys *vfs.Faulty) error { _, err := fsys.List("/in"); return err },
	}
	if n := s.Test(t); n != 1 || made != 2 {
		t.Errorf("%d operations on %d disks, want 1 on 2", n, made)
	}
}

// TestSweepConvicts holds runs that are wrong in one way each against the
// violation that must be found, and the operation it is found at.
func TestSweepConvicts(t *testing.T) {
	for name, c := range map[string]struct {
		sweep Sweep
		at    int
		want  string
	}{
		"ignored error": {Sweep{Run: func(fsys *vfs.Faulty) error {
			f, err := fsys.Create("f")
			if err != nil {
				return err
			}
			f.Close()
			return nil
		}}, 1, "operation 1 (close, f): the run succeeded all the same"},
		"hidden cause": {Sweep{Run: func(fsys *vfs.Faulty) error {
			if fsys.MkdirAll("d") != nil {
				return errors.New("no directory")
			}
			return nil
		}}, 0, "the error does not wrap the cause: no directory"},
		"hidden name": {Sweep{Run: func(fsys *vfs.Faulty) error {
			return errors.Unwrap(fsys.MkdirAll("/task_0"))
		}}, 0, "the error does not name the file"},
		"open file": {Sweep{Run: func(fsys *vfs.Faulty) error {
			f, err := fsys.Create("f")
			if err != nil {
				return err
			}
			if _, err := f.Write(nil); err != nil {
				return err
			}
			return f.Close()
		}}, 1, "f is open, by\n"},
		"panic": {Sweep{Run: func(fsys *vfs.Faulty) error {
			f, err := fsys.Scratch("/", "spill")
			if err != nil {
				panic(err)
			}
			return f.Close()
		}}, 0, "panic: scratch /spill: injected failure"},
		"fails by itself": {Sweep{Run: func(fsys *vfs.Faulty) error {
			_, err := fsys.Open("none")
			return err
		}}, 1, "nothing failed, but the run did"},
		"check": {Sweep{
			Run:   func(fsys *vfs.Faulty) error { return fsys.MkdirAll("d") },
			Check: func(_ *vfs.Mem, err error) error { return errors.New("not so") },
		}, 1, "not so"},
	} {
		t.Run(name, func(t *testing.T) {
			found := map[int]error{}
			for n, err := range c.sweep.Runs() {
				found[n] = err
			}
			if err := found[c.at]; err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("operation %d: %v; want %q", c.at, err, c.want)
			}
		})
	}
}

func TestSweepTolerates(t *testing.T) {
	s := Sweep{
		Run: func(fsys *vfs.Faulty) error {
			if _, err := fsys.Stat("/"); err != nil {
				return fsys.MkdirAll("/")
			}
			return nil
		},
		Tolerate: func(op vfs.Op) bool { return op.Kind == vfs.OpStat },
	}
	s.Test(t)
	s.Persistent = true // now the second try fails as well, and must be told
	s.Test(t)
}
