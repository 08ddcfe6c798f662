package vfs

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"sync/atomic"
)

// damage is a fault that spoils a read or write in place of failing it. It is
// an error so that rules and hooks can give it; an operation that cannot carry
// it fails with it, so that no damage goes unnoticed.
type damage struct {
	what string
	keep int        // short: bytes that are moved
	err  error      // short: what is returned then
	at   int        // flip: the byte
	mask byte       // flip: the bits
	size int64      // truncate: where the file ends
	kind damageKind // which of them
}

type damageKind uint8

const (
	noDamage damageKind = iota
	shortened
	flipped
	truncated
)

func (d *damage) Error() string { return d.what }

// Short lets a read or write move only keep bytes (below 0: all but -keep) and
// then fail with err; a nil err is io.EOF for a read, as if the file ended
// there, and io.ErrShortWrite for a write.
func Short(keep int, err error) error {
	return &damage{kind: shortened, keep: keep, err: err, what: fmt.Sprintf("short after %d bytes", keep)}
}

// Flip inverts the bits of mask in byte at (modulo the bytes moved) of what is
// read or written, without an error.
func Flip(at int, mask byte) error {
	return &damage{kind: flipped, at: max(0, at), mask: mask, what: fmt.Sprintf("byte %d flipped by %#02x", at, mask)}
}

// Truncate lets the file end after size bytes for every read and Size of this
// handle, from this one on.
func Truncate(size int64) error {
	return &damage{kind: truncated, size: max(0, size), what: fmt.Sprintf("truncated to %d bytes", size)}
}

type faultyFile struct {
	fs    *Faulty
	inner File
	end   atomic.Int64 // where Truncate lets it end
}

func newFaultyFile(fs *Faulty, inner File) *faultyFile {
	f := &faultyFile{fs: fs, inner: inner}
	f.end.Store(math.MaxInt64)
	return f
}

func (f *faultyFile) op(kind Kind, off int64, n int) Op {
	return Op{Kind: kind, Name: f.inner.Name(), Off: off, Len: n}
}

// meet counts op and gives the damage to do to it, or the error to fail with.
func (f *faultyFile) meet(op Op, can ...damageKind) (damage, error) {
	err := f.fs.fault(op)
	if err == nil {
		return damage{}, nil
	}
	if d, ok := errors.AsType[*damage](err); ok {
		for _, kind := range can {
			if d.kind == kind {
				return *d, nil
			}
		}
	}
	return damage{}, op.failed(err)
}

// kept is how many of n bytes a short operation moves.
func (d damage) kept(n int) int {
	if d.keep < 0 {
		return max(0, n+d.keep)
	}
	return min(n, d.keep)
}

func (f *faultyFile) Name() string { return f.inner.Name() }

func (f *faultyFile) ReadAt(p []byte, off int64) (int, error) {
	op := f.op(OpRead, off, len(p))
	d, err := f.meet(op, shortened, flipped, truncated)
	if err != nil {
		return 0, err
	}
	switch d.kind {
	case shortened:
		return f.readShort(p, op, d)
	case truncated:
		f.end.Store(d.size)
	}
	n, err := f.readToEnd(p, off)
	if d.kind == flipped && n > 0 {
		p[d.at%n] ^= d.mask
	}
	return n, err
}

func (f *faultyFile) readShort(p []byte, op Op, d damage) (int, error) {
	n, err := f.readToEnd(p[:d.kept(len(p))], op.Off)
	switch {
	case err != nil || n == len(p):
		return n, err
	case d.err == nil:
		return n, io.EOF
	}
	return n, op.failed(d.err)
}

// readToEnd reads as far as Truncate allows.
func (f *faultyFile) readToEnd(p []byte, off int64) (int, error) {
	room := max(0, f.end.Load()-max(0, off))
	if int64(len(p)) <= room {
		return f.inner.ReadAt(p, off)
	}
	n, err := f.inner.ReadAt(p[:room], off)
	if err == nil {
		err = io.EOF
	}
	return n, err
}

func (f *faultyFile) Write(p []byte) (int, error) {
	op := f.op(OpWrite, 0, len(p))
	d, err := f.meet(op, shortened, flipped)
	switch {
	case err != nil:
		return 0, err
	case d.kind == shortened:
		return f.writeShort(p, op, d)
	case d.kind == flipped && len(p) > 0:
		p = bytes.Clone(p)
		p[d.at%len(p)] ^= d.mask
	}
	return f.inner.Write(p)
}

func (f *faultyFile) writeShort(p []byte, op Op, d damage) (int, error) {
	n, err := f.inner.Write(p[:d.kept(len(p))])
	switch {
	case err != nil || n == len(p):
		return n, err
	case d.err == nil:
		return n, op.failed(io.ErrShortWrite)
	}
	return n, op.failed(d.err)
}

func (f *faultyFile) Size() (int64, error) {
	d, err := f.meet(f.op(OpStat, 0, 0), truncated)
	if err != nil {
		return 0, err
	}
	if d.kind == truncated {
		f.end.Store(d.size)
	}
	size, err := f.inner.Size()
	return min(size, f.end.Load()), err
}

func (f *faultyFile) Sync() error {
	if err := f.fs.begin(f.op(OpSync, 0, 0)); err != nil {
		return err
	}
	return f.inner.Sync()
}

func (f *faultyFile) Close() error {
	err := f.fs.begin(f.op(OpClose, 0, 0))
	return errors.Join(err, f.inner.Close())
}
