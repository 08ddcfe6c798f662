package vfs

import (
	"os"
	"syscall"
)

// Appender is a file system that can open a file to write behind what it has.
// All of this package can; a wrapper can if what it wraps can.
type Appender interface {
	// Append opens a file for writing at its end, and makes it if it is not
	// there.
	Append(name string) (File, error)
}

// OpenAppend opens a file of fsys to append to it.
func OpenAppend(fsys FS, name string) (File, error) {
	if a, ok := fsys.(Appender); ok {
		return a.Append(name)
	}
	return nil, pathError("append", name, syscall.ENOTSUP)
}

// Append implements Appender.
func (OS) Append(name string) (File, error) {
	f, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_APPEND, 0o666)
	if err != nil {
		return nil, err
	}
	return &osFile{f: f, name: name}, nil
}

// Append implements Appender.
func (m *Mem) Append(name string) (File, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	n, err := m.made(name)
	if err != nil {
		return nil, err
	}
	return m.handle(n, name, true), nil
}

// Append implements Appender. It counts as OpCreate.
func (f *Faulty) Append(name string) (File, error) {
	return f.file(Op{Kind: OpCreate, Name: name}, func() (File, error) { return OpenAppend(f.inner, name) })
}

// Append implements Appender. It counts as OpCreate.
func (c *Counting) Append(name string) (File, error) {
	f, err := OpenAppend(c.inner, name)
	return c.file(OpCreate, f, err)
}
