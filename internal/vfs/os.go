package vfs

import (
	"io/fs"
	"os"
	"path/filepath"
)

// OS is the operating system's file system.
type OS struct{}

var _ FS = OS{}

type osFile struct {
	*os.File
	label  string // what to call it instead of its name, if not ""
	doomed bool   // to be removed on Close (where an open file cannot be)
}

// Create implements FS.
func (OS) Create(name string) (File, error) {
	f, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_TRUNC, 0o666)
	if err != nil {
		return nil, err
	}
	return &osFile{File: f}, nil
}

// Open implements FS.
func (OS) Open(name string) (File, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	return &osFile{File: f}, nil
}

// Scratch implements FS: the file is unlinked while open; where that fails
// (Windows) it is removed on Close.
func (OS) Scratch(dir, label string) (File, error) {
	f, err := os.CreateTemp(dir, "shufflebench-"+label+"-*")
	if err != nil {
		return nil, err
	}
	doomed := os.Remove(f.Name()) != nil
	return &osFile{File: f, label: filepath.Join(dir, label), doomed: doomed}, nil
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

func (f *osFile) Name() string {
	if f.label != "" {
		return f.label
	}
	return f.File.Name()
}

func (f *osFile) Size() (int64, error) {
	st, err := f.Stat()
	if err != nil {
		return 0, err
	}
	return st.Size(), nil
}

func (f *osFile) Close() error {
	err := f.File.Close()
	if f.doomed {
		if rerr := os.Remove(f.File.Name()); err == nil {
			err = rerr
		}
	}
	return err
}
