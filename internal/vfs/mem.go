package vfs

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"syscall"
)

// Mem is a file system in memory that behaves as OS does on Linux, down to the
// error numbers, and tells what an operating system does not: which files are
// open, what a crash would leave, what a full disk does. It is safe for
// concurrent use. Relative names start at its root. Times are always zero.
type Mem struct {
	mu    sync.RWMutex
	root  *node
	used  int64      // bytes of all files with a name or a handle
	quota int64      // most that used may be; below 0: no limit
	open  []*memFile // in the order they were opened
}

var _ FS = (*Mem)(nil)

// NewMem makes a file system that holds an empty root directory.
func NewMem() *Mem { return &Mem{root: newDir(), quota: -1} }

// Quota limits the bytes of all files, those that are open but have no name
// included. A write beyond it writes what fits and fails with an error that
// wraps syscall.ENOSPC. 0 is a full disk, a negative number no limit.
func (m *Mem) Quota(bytes int64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.quota = bytes
}

// Used is the bytes of all files, those that are open but have no name included.
func (m *Mem) Used() int64 {
	m.mu.RLock()
	defer m.mu.RUnlock()
	return m.used
}

// OpenFiles tells every file that is open, in the order of opening: its name
// and the stack of the call that opened it.
func (m *Mem) OpenFiles() []string {
	m.mu.RLock()
	defer m.mu.RUnlock()
	var open []string
	for _, f := range m.open {
		open = append(open, f.name+" is open, by\n"+f.stack())
	}
	return open
}

// Create implements FS.
func (m *Mem) Create(name string) (File, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	n, err := m.made(name)
	if err != nil {
		return nil, err
	}
	m.used -= int64(len(n.data))
	n.data, n.synced = nil, 0
	return m.handle(n, name, true), nil
}

// made is the file of a name, a new one if there is none; m is locked.
func (m *Mem) made(name string) (*node, error) {
	dir, base, err := m.parent(name)
	switch {
	case err != nil:
		return nil, pathError("open", name, err)
	case dir.entries[base] == nil:
		dir.entries[base] = &node{refs: 1}
	case dir.entries[base].isDir():
		return nil, pathError("open", name, syscall.EISDIR)
	}
	return dir.entries[base], nil
}

// Open implements FS.
func (m *Mem) Open(name string) (File, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	n, err := m.find(name)
	if err != nil {
		return nil, pathError("open", name, err)
	}
	return m.handle(n, name, false), nil
}

// Scratch implements FS.
func (m *Mem) Scratch(dir, label string) (File, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	name := filepath.Join(dir, label)
	d, err := m.find(dir)
	switch {
	case !plain(label):
		err = errLabel
	case err == nil && !d.isDir():
		err = syscall.ENOTDIR
	}
	if err != nil {
		return nil, pathError("scratch", name, err)
	}
	return m.handle(&node{}, name, true), nil
}

// Rename implements FS. As os.Rename, it does not replace a directory.
func (m *Mem) Rename(oldName, newName string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if err := m.rename(oldName, newName); err != nil {
		return &os.LinkError{Op: "rename", Old: oldName, New: newName, Err: err}
	}
	return nil
}

func (m *Mem) rename(oldName, newName string) error {
	from, oldBase, err := m.parent(oldName)
	if err != nil {
		return err
	}
	to, newBase, err := m.parent(newName)
	if err != nil {
		return err
	}
	n := from.entries[oldBase]
	switch target := to.entries[newBase]; {
	case n == nil:
		return syscall.ENOENT
	case target != nil && target.isDir():
		return syscall.EEXIST
	case n.isDir() && within(newName, oldName):
		return syscall.EINVAL
	case target == nil:
	case target == n:
		return nil
	case n.isDir():
		return syscall.ENOTDIR
	default:
		m.release(target)
	}
	delete(from.entries, oldBase)
	to.entries[newBase] = n
	return nil
}

// Remove implements FS.
func (m *Mem) Remove(name string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	n, err := m.find(name)
	if err != nil {
		return pathError("remove", name, err)
	}
	if len(n.entries) > 0 {
		return pathError("remove", name, syscall.ENOTEMPTY)
	}
	dir, base, err := m.parent(name)
	if err != nil {
		return pathError("remove", name, err)
	}
	delete(dir.entries, base)
	m.release(n)
	return nil
}

// MkdirAll implements FS.
func (m *Mem) MkdirAll(dir string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if dir == "" {
		return pathError("mkdir", dir, syscall.ENOENT)
	}
	n := m.root
	for _, elem := range elements(dir) {
		next := n.entries[elem]
		if next == nil {
			next = newDir()
			n.entries[elem] = next
		}
		if !next.isDir() {
			return pathError("mkdir", dir, syscall.ENOTDIR)
		}
		n = next
	}
	return nil
}

// Stat implements FS.
func (m *Mem) Stat(name string) (fs.FileInfo, error) {
	m.mu.RLock()
	defer m.mu.RUnlock()
	n, err := m.find(name)
	if err != nil {
		return nil, pathError("stat", name, err)
	}
	return memInfo{name: filepath.Base(name), size: int64(len(n.data)), dir: n.isDir()}, nil
}

// List implements FS.
func (m *Mem) List(dir string) ([]string, error) {
	m.mu.RLock()
	defer m.mu.RUnlock()
	n, err := m.find(dir)
	if err == nil && !n.isDir() {
		err = syscall.ENOTDIR
	}
	if err != nil {
		return nil, pathError("open", dir, err)
	}
	names := make([]string, 0, len(n.entries))
	for name := range n.entries {
		names = append(names, name)
	}
	slices.Sort(names)
	return names, nil
}

func pathError(op, name string, err error) error {
	return &fs.PathError{Op: op, Path: name, Err: err}
}
