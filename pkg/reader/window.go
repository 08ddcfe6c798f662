package reader

import (
	"github.com/shufflebench/shufflebench/internal/shufflefile"
	"github.com/shufflebench/shufflebench/internal/vfs"
)

const (
	// windowSize is the most that a Reader reads at once, and holds.
	windowSize = 1 << 20
	// windowLeast is the least: enough for the header of a block that is then
	// read on its own, and for a few small blocks.
	windowLeast = 4 << 10
	// windowStart is what a Reader reads first of a partition that does not
	// follow the one before.
	windowStart = 64 << 10
)

// window reads a file forward in large pieces. Blocks lie side by side, those
// of one partition after those of the last, so one read serves thousands of
// small ones.
type window struct {
	file  vfs.File
	size  int64  // of the file
	buf   []byte // holds the file's bytes from at on
	at    int64
	ahead int // how much to read at once
	reads int64
}

// seek prepares for reading from off on. Where that does not follow what was
// read last, only as much as n is read at first.
func (w *window) seek(off, n int64) {
	if w.ahead > 0 && off >= w.at && off <= w.at+int64(len(w.buf)) {
		return
	}
	w.buf = w.buf[:0]
	w.at = off
	w.ahead = int(min(max(n, windowLeast), windowStart))
}

// forget gives up the window's memory, which someone else refers to.
func (w *window) forget() {
	w.at += int64(len(w.buf))
	w.buf = nil
}

// view is the n bytes at off, n at most windowSize, valid until the next call.
func (w *window) view(off int64, n int) ([]byte, error) {
	i := off - w.at
	if i < 0 || i+int64(n) > int64(len(w.buf)) {
		if err := w.fill(off, n); err != nil {
			return nil, err
		}
		i = 0
	}
	return w.buf[i : int(i)+n : int(i)+n], nil
}

// fill moves the window to off, keeping what it already has from there on.
func (w *window) fill(off int64, n int) error {
	kept := 0
	want := int(min(int64(max(n, w.ahead)), w.size-off))
	old := w.buf
	if cap(w.buf) < want {
		w.buf = make([]byte, 0, max(want, min(2*cap(w.buf), windowSize)))
	}
	if i := off - w.at; i >= 0 && i < int64(len(old)) {
		kept = copy(w.buf[:want], old[i:])
	}
	w.buf, w.at = w.buf[:kept], off
	w.reads++
	if _, err := w.file.ReadAt(w.buf[kept:want], off+int64(kept)); err != nil {
		return err
	}
	w.buf = w.buf[:want]
	w.ahead = min(2*w.ahead, windowSize)
	return nil
}

// read reads the bytes at off into dst, through the window if they fit it.
func (w *window) read(dst []byte, off int64) error {
	if len(dst) > windowSize {
		return w.into(dst, off)
	}
	b, err := w.view(off, len(dst))
	copy(dst, b)
	return err
}

// into reads the bytes at off into dst, those that the window has from there,
// and makes the next piece small, as more of the same size will follow.
func (w *window) into(dst []byte, off int64) error {
	if i := off - w.at; i >= 0 && i < int64(len(w.buf)) {
		n := copy(dst, w.buf[i:])
		dst, off = dst[n:], off+int64(n)
	}
	w.ahead = windowLeast
	if len(dst) == 0 {
		return nil
	}
	w.reads++
	_, err := w.file.ReadAt(dst, off)
	return err
}

// header reads the block header at off in a partition that ends at end.
func (w *window) header(off, end int64) (shufflefile.Header, error) {
	b, err := w.view(off, int(min(end-off, shufflefile.HeaderSize)))
	if err != nil {
		return shufflefile.Header{}, err
	}
	return shufflefile.ParseHeader(b, end-off)
}
