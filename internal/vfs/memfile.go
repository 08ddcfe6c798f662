package vfs

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"runtime"
	"slices"
	"strings"
	"syscall"
)

// memFile is a handle of a Mem. The mutex of its file system guards it.
type memFile struct {
	m        *Mem
	n        *node
	name     string
	writable bool
	closed   bool
	callers  [32]uintptr // who opened it; resolved only when asked for
	depth    int         // how many of them
}

func (m *Mem) handle(n *node, name string, writable bool) *memFile {
	n.refs++
	f := &memFile{m: m, n: n, name: name, writable: writable}
	f.depth = runtime.Callers(3, f.callers[:]) // without Callers, handle and the method of Mem
	m.open = append(m.open, f)
	return f
}

func (f *memFile) stack() string {
	var s strings.Builder
	frames := runtime.CallersFrames(f.callers[:f.depth])
	for more := f.depth > 0; more; {
		var frame runtime.Frame
		frame, more = frames.Next()
		fmt.Fprintf(&s, "\t%s\n\t\t%s:%d\n", frame.Function, frame.File, frame.Line)
	}
	return s.String()
}

// check refuses what a handle cannot do.
func (f *memFile) check(op string, write bool) error {
	switch {
	case f.closed:
		return pathError(op, f.name, fs.ErrClosed)
	case write && !f.writable:
		return pathError(op, f.name, syscall.EBADF)
	}
	return nil
}

func (f *memFile) Name() string { return f.name }

func (f *memFile) Write(p []byte) (int, error) {
	f.m.mu.Lock()
	defer f.m.mu.Unlock()
	if err := f.check("write", true); err != nil {
		return 0, err
	}
	fits := int64(len(p))
	if f.m.quota >= 0 {
		fits = min(fits, max(0, f.m.quota-f.m.used))
	}
	f.n.data = append(f.n.data, p[:fits]...)
	f.m.used += fits
	if fits < int64(len(p)) {
		return int(fits), pathError("write", f.name, syscall.ENOSPC)
	}
	return len(p), nil
}

func (f *memFile) ReadAt(p []byte, off int64) (int, error) {
	f.m.mu.RLock()
	defer f.m.mu.RUnlock()
	if err := f.check("read", false); err != nil {
		return 0, err
	}
	switch {
	case off < 0:
		return 0, pathError("readat", f.name, errors.New("negative offset"))
	case len(p) == 0:
		return 0, nil
	case f.n.isDir():
		return 0, pathError("read", f.name, syscall.EISDIR)
	case off >= int64(len(f.n.data)):
		return 0, io.EOF
	}
	n := copy(p, f.n.data[off:])
	if n < len(p) {
		return n, io.EOF
	}
	return n, nil
}

func (f *memFile) Size() (int64, error) {
	f.m.mu.RLock()
	defer f.m.mu.RUnlock()
	return int64(len(f.n.data)), f.check("stat", false)
}

func (f *memFile) Sync() error {
	f.m.mu.Lock()
	defer f.m.mu.Unlock()
	if err := f.check("sync", false); err != nil {
		return err
	}
	f.n.sync()
	return nil
}

func (n *node) sync() {
	n.synced = len(n.data)
	n.durable = maps.Clone(n.entries)
}

func (f *memFile) Close() error {
	f.m.mu.Lock()
	defer f.m.mu.Unlock()
	if err := f.check("close", false); err != nil {
		return err
	}
	f.closed = true
	f.m.release(f.n)
	i := slices.Index(f.m.open, f)
	f.m.open = slices.Delete(f.m.open, i, i+1)
	return nil
}
