package vfs

import (
	"errors"
	"io"
	"io/fs"
)

// ReadFile reads a whole file. A file that is shorter than it said is an error
// that wraps io.ErrUnexpectedEOF.
func ReadFile(fsys FS, name string) (data []byte, err error) {
	f, err := fsys.Open(name)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	size, err := f.Size()
	if err != nil {
		return nil, err
	}
	data = make([]byte, size)
	n, err := f.ReadAt(data, 0)
	if err == io.EOF && int64(n) < size {
		err = &fs.PathError{Op: "read", Path: name, Err: io.ErrUnexpectedEOF}
	}
	if err == io.EOF {
		err = nil
	}
	return data[:n], err
}

// WriteFile makes or truncates a file and writes data to it. A failure leaves
// what was written until then.
func WriteFile(fsys FS, name string, data []byte) error {
	f, err := fsys.Create(name)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	return errors.Join(err, f.Close())
}

// SyncDir makes the entries of a directory durable: names made, renamed or
// removed since the last time. On Windows, whose file system does so itself,
// it does nothing.
func SyncDir(fsys FS, dir string) error {
	d, err := fsys.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}
