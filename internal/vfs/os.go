package vfs

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
)

// OS is the operating system's file system.
type OS struct{}

var _ FS = OS{}

// Create implements FS.
func (OS) Create(name string) (File, error) {
	f, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_TRUNC, 0o666)
	if err != nil {
		return nil, err
	}
	return &osFile{f: f, name: name}, nil
}

// Open implements FS.
func (OS) Open(name string) (File, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	return &osFile{f: f, name: name}, nil
}

// Scratch implements FS. On Linux the file never has a name; elsewhere, and on
// file systems that cannot do that, it is unlinked as soon as it is open, or
// removed on Close where an open file cannot be unlinked (Windows).
func (OS) Scratch(dir, label string) (File, error) {
	name := filepath.Join(dir, label)
	if !plain(label) {
		return nil, &fs.PathError{Op: "scratch", Path: name, Err: errLabel}
	}
	if f, ok := openNameless(dir); ok {
		return &osFile{f: f, name: name}, nil
	}
	return openUnlinked(dir, label)
}

var errLabel = errors.New("label is no plain file name")

func plain(label string) bool { return filepath.IsLocal(label) && filepath.Base(label) == label }

func openUnlinked(dir, label string) (File, error) {
	name := filepath.Join(dir, label)
	f, err := os.CreateTemp(dir, "shufflebench-"+label+"-*")
	if err != nil {
		return nil, renamed("scratch", name, err)
	}
	doomed := os.Remove(f.Name()) != nil
	return &osFile{f: f, name: name, doomed: doomed}, nil
}

// Rename implements FS.
func (OS) Rename(oldName, newName string) error { return os.Rename(oldName, newName) }

// Remove implements FS.
func (OS) Remove(name string) error { return os.Remove(name) }

// MkdirAll implements FS.
func (OS) MkdirAll(dir string) error { return os.MkdirAll(dir, 0o777) }

// Stat implements FS.
func (OS) Stat(name string) (fs.FileInfo, error) { return os.Stat(name) }

// List implements FS.
func (OS) List(dir string) ([]string, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	names := make([]string, len(entries))
	for i, e := range entries {
		names[i] = e.Name()
	}
	return names, nil
}

// osFile hides all of os.File that File does not promise, and its name, which
// for a scratch file is one that nobody can find.
type osFile struct {
	f      *os.File
	name   string
	doomed bool // to be removed on Close
}

func (f *osFile) Name() string { return f.name }

func (f *osFile) Write(p []byte) (int, error) {
	n, err := f.f.Write(p)
	return n, renamed("write", f.name, err)
}

func (f *osFile) ReadAt(p []byte, off int64) (int, error) {
	n, err := f.f.ReadAt(p, off)
	return n, renamed("read", f.name, err)
}

func (f *osFile) Sync() error {
	err := f.f.Sync()
	if err != nil && runtime.GOOS == "windows" && f.isDir() {
		return nil // NTFS keeps its directories itself and refuses to be told
	}
	return renamed("sync", f.name, err)
}

func (f *osFile) isDir() bool {
	st, err := f.f.Stat()
	return err == nil && st.IsDir()
}

func (f *osFile) Size() (int64, error) {
	st, err := f.f.Stat()
	if err != nil {
		return 0, renamed("stat", f.name, err)
	}
	return st.Size(), nil
}

func (f *osFile) Close() error {
	err := renamed("close", f.name, f.f.Close())
	if !f.doomed {
		return err
	}
	f.doomed = false
	return errors.Join(err, renamed("remove", f.name, os.Remove(f.f.Name())))
}

// renamed makes err a path error that names the file as its user knows it.
// io.EOF is no failure and stays as it is.
func renamed(op, name string, err error) error {
	if err == nil || err == io.EOF {
		return err
	}
	if pe, ok := errors.AsType[*fs.PathError](err); ok {
		if pe.Path == name {
			return err
		}
		op, err = pe.Op, pe.Err
	}
	return &fs.PathError{Op: op, Path: name, Err: err}
}
