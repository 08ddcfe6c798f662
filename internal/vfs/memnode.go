package vfs

import (
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"
)

// node is a file or a directory of a Mem.
type node struct {
	refs int // a file's names and handles; its bytes are free when none is left

	data   []byte // a file's content; bytes, once written, never change
	synced int    // how many of them a crash leaves

	entries map[string]*node // a directory's; nil for a file
	durable map[string]*node // those of its last Sync; what a crash leaves
}

func newDir() *node { return &node{entries: map[string]*node{}} }

func (n *node) isDir() bool { return n.entries != nil }

// elements are the parts of a cleaned path; the root has none.
func elements(name string) []string {
	clean := path.Clean("/" + filepath.ToSlash(name))
	if clean == "/" {
		return nil
	}
	return strings.Split(clean[1:], "/")
}

// within says whether name lies below dir, or is it.
func within(name, dir string) bool {
	n, d := elements(name), elements(dir)
	return len(n) >= len(d) && slices.Equal(n[:len(d)], d)
}

func (m *Mem) find(name string) (*node, error) {
	if name == "" {
		return nil, syscall.ENOENT
	}
	return m.walk(elements(name))
}

func (m *Mem) walk(elems []string) (*node, error) {
	n := m.root
	for _, elem := range elems {
		if !n.isDir() {
			return nil, syscall.ENOTDIR
		}
		if n = n.entries[elem]; n == nil {
			return nil, syscall.ENOENT
		}
	}
	return n, nil
}

// parent finds the directory that holds name, or would.
func (m *Mem) parent(name string) (dir *node, base string, err error) {
	if name == "" {
		return nil, "", syscall.ENOENT
	}
	elems := elements(name)
	if len(elems) == 0 {
		return nil, "", syscall.EBUSY
	}
	dir, err = m.walk(elems[:len(elems)-1])
	if err == nil && !dir.isDir() {
		err = syscall.ENOTDIR
	}
	return dir, elems[len(elems)-1], err
}

// release drops one name or handle of n.
func (m *Mem) release(n *node) {
	n.refs--
	if n.refs == 0 {
		m.used -= int64(len(n.data))
	}
}

type memInfo struct {
	name string
	size int64
	dir  bool
}

func (i memInfo) Name() string       { return i.name }
func (i memInfo) Size() int64        { return i.size }
func (i memInfo) IsDir() bool        { return i.dir }
func (i memInfo) ModTime() time.Time { return time.Time{} }
func (i memInfo) Sys() any           { return nil }

func (i memInfo) Mode() fs.FileMode {
	if i.dir {
		return fs.ModeDir | 0o777
	}
	return 0o666
}
