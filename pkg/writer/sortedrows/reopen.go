package sortedrows

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"

	"github.com/shufflebench/shufflebench/internal/vfs"
)

// Reopening is fsys with scratch files that are opened, written and closed at
// every write, as a caller does that keeps no handle from one call to the next.
// Such a file has a name until it is closed. fsys must be able to append to
// files (vfs.Appender).
func Reopening(fsys vfs.FS) vfs.FS { return reopening{fsys} }

type reopening struct{ vfs.FS }

// Scratch implements vfs.FS.
func (r reopening) Scratch(dir, label string) (vfs.File, error) {
	name := filepath.Join(dir, fmt.Sprintf("shufflebench-%s-%016x", label, rand.Uint64()))
	f, err := vfs.OpenAppend(r.FS, name)
	if err != nil {
		return nil, err
	}
	return &reopened{fsys: r.FS, name: name}, f.Close()
}

// reopened is such a file. Reading keeps a handle, as the merge does.
type reopened struct {
	fsys vfs.FS
	name string
	read vfs.File // nil before the first read
}

func (f *reopened) Name() string { return f.name }

func (f *reopened) Write(b []byte) (n int, err error) {
	w, err := vfs.OpenAppend(f.fsys, f.name)
	if err != nil {
		return 0, err
	}
	n, err = w.Write(b)
	return n, errors.Join(err, w.Close())
}

func (f *reopened) handle() (vfs.File, error) {
	var err error
	if f.read == nil {
		f.read, err = f.fsys.Open(f.name)
	}
	return f.read, err
}

func (f *reopened) ReadAt(b []byte, off int64) (int, error) {
	r, err := f.handle()
	if err != nil {
		return 0, err
	}
	return r.ReadAt(b, off)
}

func (f *reopened) Size() (int64, error) {
	r, err := f.handle()
	if err != nil {
		return 0, err
	}
	return r.Size()
}

func (f *reopened) Sync() error {
	r, err := f.handle()
	if err != nil {
		return err
	}
	return r.Sync()
}

func (f *reopened) Close() error {
	var err error
	if f.read != nil {
		err = f.read.Close()
	}
	return errors.Join(err, f.fsys.Remove(f.name))
}
