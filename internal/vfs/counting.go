package vfs

import (
	"io"
	"io/fs"
	"sync/atomic"
)

// Counts is what a Counting has seen.
type Counts struct {
	Calls      [NumKinds]int64 // by Kind, failed ones included
	Failed     int64           // calls that gave an error; the end of a file is none
	ReadBytes  int64           // bytes that reads gave
	WriteBytes int64           // bytes that writes took
	Open       int64           // files open now
	MaxOpen    int64           // most files that were open at a time
}

// Of is the number of calls of one kind.
func (c Counts) Of(kind Kind) int64 { return c.Calls[kind] }

// Since is what happened between an earlier snapshot and this one. Open and
// MaxOpen are levels, not sums, and stay as they are.
func (c Counts) Since(earlier Counts) Counts {
	for k := range c.Calls {
		c.Calls[k] -= earlier.Calls[k]
	}
	c.Failed -= earlier.Failed
	c.ReadBytes -= earlier.ReadBytes
	c.WriteBytes -= earlier.WriteBytes
	return c
}

// Counting wraps a file system and counts calls and bytes, by one or two
// atomic additions a call and without an allocation but for the handle. It is
// safe for concurrent use.
type Counting struct {
	inner             FS
	calls             [NumKinds]atomic.Int64
	failed            atomic.Int64
	readB, writeB     atomic.Int64
	openNow, openMost atomic.Int64
}

var _ FS = (*Counting)(nil)

// NewCounting wraps inner; all counts are 0.
func NewCounting(inner FS) *Counting { return &Counting{inner: inner} }

// Snapshot is the counts now. Each is exact; between them, calls that run
// meanwhile may be in one and not yet in another.
func (c *Counting) Snapshot() Counts {
	s := Counts{
		Failed:    c.failed.Load(),
		ReadBytes: c.readB.Load(), WriteBytes: c.writeB.Load(),
		Open: c.openNow.Load(), MaxOpen: c.openMost.Load(),
	}
	for k := range s.Calls {
		s.Calls[k] = c.calls[k].Load()
	}
	return s
}

// done counts a call and hands its error through.
func (c *Counting) done(kind Kind, err error) error {
	c.calls[kind].Add(1)
	if err != nil && err != io.EOF {
		c.failed.Add(1)
	}
	return err
}

func (c *Counting) file(kind Kind, f File, err error) (File, error) {
	if c.done(kind, err) != nil {
		return nil, err
	}
	now := c.openNow.Add(1)
	for most := c.openMost.Load(); now > most && !c.openMost.CompareAndSwap(most, now); {
		most = c.openMost.Load()
	}
	return &countingFile{c: c, inner: f}, nil
}

// Create implements FS.
func (c *Counting) Create(name string) (File, error) {
	f, err := c.inner.Create(name)
	return c.file(OpCreate, f, err)
}

// Open implements FS.
func (c *Counting) Open(name string) (File, error) {
	f, err := c.inner.Open(name)
	return c.file(OpOpen, f, err)
}

// Scratch implements FS.
func (c *Counting) Scratch(dir, label string) (File, error) {
	f, err := c.inner.Scratch(dir, label)
	return c.file(OpScratch, f, err)
}

// Rename implements FS.
func (c *Counting) Rename(oldName, newName string) error {
	return c.done(OpRename, c.inner.Rename(oldName, newName))
}

// Remove implements FS.
func (c *Counting) Remove(name string) error { return c.done(OpRemove, c.inner.Remove(name)) }

// MkdirAll implements FS.
func (c *Counting) MkdirAll(dir string) error { return c.done(OpMkdir, c.inner.MkdirAll(dir)) }

// Stat implements FS.
func (c *Counting) Stat(name string) (fs.FileInfo, error) {
	st, err := c.inner.Stat(name)
	return st, c.done(OpStat, err)
}

// List implements FS.
func (c *Counting) List(dir string) ([]string, error) {
	names, err := c.inner.List(dir)
	return names, c.done(OpList, err)
}

type countingFile struct {
	c      *Counting
	inner  File
	closed atomic.Bool
}

func (f *countingFile) Name() string { return f.inner.Name() }

func (f *countingFile) Write(p []byte) (int, error) {
	n, err := f.inner.Write(p)
	f.c.writeB.Add(int64(n))
	return n, f.c.done(OpWrite, err)
}

func (f *countingFile) ReadAt(p []byte, off int64) (int, error) {
	n, err := f.inner.ReadAt(p, off)
	f.c.readB.Add(int64(n))
	return n, f.c.done(OpRead, err)
}

func (f *countingFile) Size() (int64, error) {
	n, err := f.inner.Size()
	return n, f.c.done(OpStat, err)
}

func (f *countingFile) Sync() error { return f.c.done(OpSync, f.inner.Sync()) }

func (f *countingFile) Close() error {
	if !f.closed.Swap(true) {
		f.c.openNow.Add(-1)
	}
	return f.c.done(OpClose, f.inner.Close())
}
