// Package spill keeps what the ranges engine has moved to disk: one file of
// blocks a task, and for every partition the list of its ranges in it.
package spill

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"unsafe"

	"github.com/shufflebench/shufflebench/internal/shufflefile"
	"github.com/shufflebench/shufflebench/internal/vfs"
)

// Range is the bytes of one partition in a spill file.
type Range struct{ Offset, Length int64 }

// Sizes of what the lists are made of.
const (
	rangeSize = int64(unsafe.Sizeof(Range{}))
	listSize  = int64(unsafe.Sizeof([]Range(nil)))
	firstCap  = 4 // ranges in a list's first allocation; full lists double
)

// Ranges is the spill file of a task and its metadata. In every spill the
// ranges lie in partition order and touch.
type Ranges struct {
	fs     vfs.FS
	dir    string
	f      vfs.File
	size   int64
	starts []int64   // where each spill begins
	lists  [][]Range // by partition, ranges in spill order
	arena  arena     // what the lists are made of
	count  int64
}

// NewRanges makes the metadata for a number of partitions; the file is made
// with the first spill, in dir.
func NewRanges(fs vfs.FS, dir string, partitions int) *Ranges {
	return &Ranges{fs: fs, dir: dir, lists: make([][]Range, partitions)}
}

// Begin starts a spill.
func (r *Ranges) Begin() error {
	if r.f == nil {
		f, err := r.fs.Scratch(r.dir, "spill")
		if err != nil {
			return fmt.Errorf("spill file: %w", err)
		}
		r.f = f
	}
	r.starts = append(r.starts, r.size)
	return nil
}

// Write appends bytes whose ranges Add has told or will tell.
func (r *Ranges) Write(b []byte) error {
	n, err := r.f.Write(b)
	r.size += int64(n)
	if err != nil {
		return fmt.Errorf("spill file: %w", err)
	}
	return nil
}

// Add notes a non-empty range.
func (r *Ranges) Add(partition uint32, x Range) {
	list := r.lists[partition]
	if n := len(list); n > 0 && list[n-1].Offset+list[n-1].Length == x.Offset && x.Offset > r.starts[len(r.starts)-1] {
		list[n-1].Length += x.Length // the same spill, written in two goes
		return
	}
	if len(list) == cap(list) {
		grown := append(r.arena.alloc(max(firstCap, 2*cap(list))), list...)
		r.arena.release(list)
		list = grown
	}
	r.lists[partition] = append(list, x)
	r.count++
}

// Size is the bytes of the spill file.
func (r *Ranges) Size() int64 { return r.size }

// Spills is the number of spills.
func (r *Ranges) Spills() int { return len(r.starts) }

// Count is the number of ranges over all partitions.
func (r *Ranges) Count() int64 { return r.count }

// Starts is where each spill begins.
func (r *Ranges) Starts() []int64 { return r.starts }

// List is the ranges of a partition.
func (r *Ranges) List(partition int) []Range { return r.lists[partition] }

// Free gives up a partition's list.
func (r *Ranges) Free(partition int) {
	r.arena.release(r.lists[partition])
	r.lists[partition] = nil
}

// Inner is the allocated bytes of all lists, Outer those of the table that
// holds them.
func (r *Ranges) Inner() int64 {
	entries := 0
	for _, l := range r.lists {
		entries += cap(l)
	}
	return int64(entries) * rangeSize
}

// Outer is the allocated bytes of the table of lists.
func (r *Ranges) Outer() int64 { return int64(cap(r.lists)) * listSize }

// ReadAt fills b from the spill file; a file that is shorter than its ranges
// is an error that names it and the offset.
func (r *Ranges) ReadAt(b []byte, pos int64) error {
	n, err := r.f.ReadAt(b, pos)
	if n == len(b) {
		return nil
	}
	if err == nil || errors.Is(err, io.EOF) {
		err = fmt.Errorf("the file ends at %d: %w", pos+int64(n), io.ErrUnexpectedEOF)
	}
	place := shufflefile.In(r.f.Name())
	place.Offset = pos
	return &shufflefile.Error{Place: place, Msg: "spill file", Err: err}
}

// Close removes the file.
func (r *Ranges) Close() error {
	r.starts = slices.Clip(r.starts)
	if r.f == nil {
		return nil
	}
	f := r.f
	r.f = nil
	return f.Close()
}
