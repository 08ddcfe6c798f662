package vfs

import (
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
)

func TestMemQuota(t *testing.T) {
	m := NewMem()
	must(t, WriteFile(m, "old", make([]byte, 6)))
	m.Quota(10)
	f := got(m.Create("f"))(t)
	n, err := f.Write(make([]byte, 7))
	wantError(t, err, syscall.ENOSPC, "f")
	if n != 4 || m.Used() != 10 {
		t.Errorf("wrote %d, used %d; want 4, 10", n, m.Used())
	}
	got(f.Write(nil))(t)

	s := got(m.Scratch("/", "spill"))(t)
	n, err = s.Write([]byte("x"))
	if wantError(t, err, syscall.ENOSPC, "/spill"); n != 0 {
		t.Errorf("wrote %d on a full disk", n)
	}
	must(t, m.Remove("old"))
	got(s.Write(make([]byte, 6)))(t)
	must(t, s.Close()) // gives its bytes back
	must(t, m.Remove("f"))
	if m.Used() != 4 {
		t.Errorf("used %d while the removed file is open, want 4", m.Used())
	}
	must(t, f.Close())
	if m.Used() != 0 {
		t.Errorf("used %d in the end", m.Used())
	}
	m.Quota(-1)
	must(t, WriteFile(m, "big", make([]byte, 100)))
	must(t, WriteFile(m, "small", make([]byte, 1)))
	must(t, m.Rename("small", "big"))
	if m.Used() != 1 {
		t.Errorf("used %d after a file was replaced, want 1", m.Used())
	}
}

func TestMemOpenFiles(t *testing.T) {
	m := NewMem()
	f := got(m.Create("data.out"))(t)
	s := openDeep(t, m, 100)
	open := m.OpenFiles()
	if len(open) != 2 {
		t.Fatalf("%d open files: %q", len(open), open)
	}
	if !strings.HasPrefix(open[0], "data.out is open") || !strings.Contains(open[0], "mem_test.go") {
		t.Errorf("first: %s", open[0])
	}
	if !strings.HasPrefix(open[1], "/spill is open") || !strings.Contains(open[1], "openDeep") {
		t.Errorf("second: %s", open[1])
	}
	must(t, f.Close())
	must(t, s.Close())
	if open := m.OpenFiles(); len(open) != 0 {
		t.Errorf("open: %q", open)
	}
}

func openDeep(t *testing.T, m *Mem, depth int) File {
	if depth > 0 {
		return openDeep(t, m, depth-1)
	}
	return got(m.Scratch("/", "spill"))(t)
}

// TestCrashClone tells step by step what a crash leaves of a file that arrives
// by writing, syncing and renaming.
func TestCrashClone(t *testing.T) {
	m := NewMem()
	m.Quota(1000)
	must(t, m.MkdirAll("/out"))
	wantList(t, m.CrashClone(), "/")
	m.SyncAll()
	wantAfterCrash := func(want ...string) {
		t.Helper()
		wantTree(t, m.CrashClone(), want...)
	}
	must(t, WriteFile(m, "/out/data", []byte("old")))
	m.SyncAll()
	f := got(m.Create("/out/tmp"))(t)
	got(f.Write([]byte("new")))(t)
	wantAfterCrash("/out/data=old")
	must(t, SyncDir(m, "/out"))
	wantAfterCrash("/out/data=old", "/out/tmp=")
	must(t, f.Sync())
	got(f.Write([]byte(" tail")))(t)
	wantAfterCrash("/out/data=old", "/out/tmp=new")
	must(t, f.Close())
	must(t, m.Rename("/out/tmp", "/out/data"))
	wantTree(t, m, "/out/data=new tail")
	wantAfterCrash("/out/data=old", "/out/tmp=new")
	must(t, SyncDir(m, "/out"))
	wantAfterCrash("/out/data=new")
	must(t, m.Remove("/out/data"))
	wantAfterCrash("/out/data=new")
	must(t, SyncDir(m, "/out"))
	wantAfterCrash()
}

func TestCrashCloneTruncationCountsAtOnce(t *testing.T) {
	m := NewMem()
	must(t, WriteFile(m, "f", []byte("old")))
	m.SyncAll()
	must(t, WriteFile(m, "f", []byte("new")))
	wantTree(t, m.CrashClone(), "/f=")
}

// TestCrashCloneOfMoves moves nodes between directories of which only one is
// synced, into a cycle of directories in the end.
func TestCrashCloneOfMoves(t *testing.T) {
	m := NewMem()
	must(t, m.MkdirAll("/a/b"))
	must(t, WriteFile(m, "/a/f", []byte("x")))
	m.SyncAll()
	must(t, m.Rename("/a/f", "/f"))
	must(t, SyncDir(m, "/"))
	c := m.CrashClone()
	wantTree(t, c, "/a/f=x", "/f=x")
	if c.Used() != 1 {
		t.Errorf("one file with two names uses %d bytes, want 1", c.Used())
	}
	must(t, m.Rename("/a/b", "/b"))
	must(t, m.Rename("/a", "/b/a"))
	must(t, SyncDir(m, "/b"))
	wantTree(t, m.CrashClone(), "/a/f=x", "/f=x")
}

func TestCrashCloneSharesNothing(t *testing.T) {
	m := NewMem()
	f := got(m.Create("f"))(t)
	got(f.Write([]byte("ab")))(t)
	got(m.Scratch("/", "spill"))(t)
	m.SyncAll()
	m.Quota(3)
	c := m.CrashClone()
	if open := c.OpenFiles(); len(open) != 0 {
		t.Errorf("open: %q", open)
	}
	got(f.Write([]byte("c")))(t)
	must(t, c.Rename("f", "g"))
	n, err := got(c.Create("h"))(t).Write([]byte("xy"))
	if wantError(t, err, syscall.ENOSPC, "h"); n != 1 {
		t.Errorf("the clone's quota lets %d bytes through, want 1", n)
	}
	wantTree(t, m, "/f=abc")
	wantTree(t, c, "/g=ab", "/h=x")
	wantTree(t, c.CrashClone(), "/f=ab")
}

// TestMemConcurrent is for the race detector.
func TestMemConcurrent(t *testing.T) {
	m := NewMem()
	must(t, WriteFile(m, "shared", []byte("shared")))
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			dir := fmt.Sprintf("/task_%d", i)
			for range 50 {
				if err := useAll(m, dir); err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	wg.Wait()
	if open := m.OpenFiles(); len(open) != 0 || m.Used() != 6+8 {
		t.Errorf("used %d, open: %q", m.Used(), open)
	}
}

func useAll(m *Mem, dir string) error {
	if err := m.MkdirAll(dir); err != nil {
		return err
	}
	if err := WriteFile(m, dir+"/tmp", []byte("x")); err != nil {
		return err
	}
	if err := m.Rename(dir+"/tmp", dir+"/data"); err != nil {
		return err
	}
	if _, err := ReadFile(m, "shared"); err != nil {
		return err
	}
	if _, err := m.CrashClone().List("/"); err != nil {
		return err
	}
	m.OpenFiles()
	return SyncDir(m, dir)
}

// wantTree wants these files, "/name=content", and no other.
func wantTree(t *testing.T, fsys FS, want ...string) {
	t.Helper()
	if have := tree(t, fsys, "/"); strings.Join(have, " ") != strings.Join(want, " ") {
		t.Errorf("files %q, want %q", have, want)
	}
}

func tree(t *testing.T, fsys FS, dir string) (files []string) {
	t.Helper()
	for _, base := range got(fsys.List(dir))(t) {
		name := filepath.Join(dir, base)
		if st := got(fsys.Stat(name))(t); st.Mode()&fs.ModeDir != 0 {
			files = append(files, tree(t, fsys, name)...)
			continue
		}
		files = append(files, name+"="+string(got(ReadFile(fsys, name))(t)))
	}
	return files
}
