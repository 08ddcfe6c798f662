package vfs

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
)

// TestScratchIsNameless wants no entry in the directory while the file is open.
func TestScratchIsNameless(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("an open file keeps its name here")
	}
	dir := t.TempDir()
	for _, f := range []File{got(OS{}.Scratch(dir, "spill"))(t), got(openUnlinked(dir, "spill"))(t)} {
		got(f.Write([]byte("x")))(t)
		wantList(t, OS{}, dir)
		must(t, f.Close())
		_, err := f.Write(nil)
		if err == nil || strings.Contains(err.Error(), "shufflebench-") {
			t.Errorf("error %v tells a name that is gone", err)
		}
		wantError(t, err, fs.ErrClosed, filepath.Join(dir, "spill"))
	}
}

func TestUnlinkedScratchNamesDirectory(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "none")
	_, err := openUnlinked(dir, "spill")
	wantError(t, err, fs.ErrNotExist, filepath.Join(dir, "spill"))
	if strings.Contains(err.Error(), "shufflebench-") {
		t.Errorf("error %q tells a name that never was", err)
	}
}

// TestDoomedScratch covers systems where an open file cannot be unlinked.
func TestDoomedScratch(t *testing.T) {
	dir := t.TempDir()
	f := &osFile{f: got(os.Create(filepath.Join(dir, "tmp")))(t), name: "spill", doomed: true}
	must(t, f.Close())
	wantList(t, OS{}, dir)
	wantError(t, f.Close(), fs.ErrClosed, "spill")
}

// TestFullDevice holds Mem's quota against a device that is always full.
func TestFullDevice(t *testing.T) {
	if _, err := os.Stat("/dev/full"); err != nil {
		t.Skip("no /dev/full here")
	}
	mem := NewMem()
	mem.Quota(0)
	must(t, mem.MkdirAll("/dev"))
	for _, fsys := range []FS{OS{}, mem} {
		f := got(fsys.Create("/dev/full"))(t)
		n, err := f.Write([]byte("x"))
		must(t, f.Close())
		pe, ok := errors.AsType[*fs.PathError](err)
		if n != 0 || !ok || pe.Op != "write" || pe.Path != "/dev/full" || pe.Err != syscall.ENOSPC {
			t.Errorf("%T: %d, %v", fsys, n, err)
		}
	}
}
