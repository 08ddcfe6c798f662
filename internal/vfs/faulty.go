package vfs

import (
	"io/fs"
	"path/filepath"
	"slices"
	"sync"
)

// Faulty wraps a file system and lets chosen operations fail, fall short or
// damage what they carry. An operation that fails does nothing, but for a
// Close: the handle is gone all the same, as it is in an operating system. Its
// error is a *fs.PathError that wraps the given cause. Faulty is safe for
// concurrent use.
type Faulty struct {
	inner FS

	mu     sync.Mutex
	rules  []rule
	hook   func(Op) error
	total  int
	counts [NumKinds]int
	fired  []Op
}

var _ FS = (*Faulty)(nil)

type rule struct {
	kind Kind // NumKinds: any
	n    int
	err  error
}

// NewFaulty wraps inner; no fault is set.
func NewFaulty(inner FS) *Faulty { return &Faulty{inner: inner} }

// Fail makes operation n, counted from 0 over all kinds since NewFaulty, fail
// with err. Several faults may be set; an err made by Short, Flip or Truncate
// damages instead.
func (f *Faulty) Fail(n int, err error) { f.add(rule{NumKinds, n, err}) }

// FailKind is Fail for operation n of one kind.
func (f *Faulty) FailKind(kind Kind, n int, err error) { f.add(rule{kind, n, err}) }

func (f *Faulty) add(r rule) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.rules = append(f.rules, r)
}

// Hook has h asked before every operation that no other fault meets; an error
// from it is a fault as if by Fail. h may be called by several goroutines at a
// time and may use the wrapped file system, but not this one. nil removes it.
func (f *Faulty) Hook(h func(Op) error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.hook = h
}

// Ops is how many operations there were, failed ones included.
func (f *Faulty) Ops() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.total
}

// OpsOf is how many operations of one kind there were, failed ones included.
func (f *Faulty) OpsOf(kind Kind) int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.counts[kind]
}

// Fired lists the operations that met a fault.
func (f *Faulty) Fired() []Op {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Clone(f.fired)
}

// fault counts an operation and gives the fault it meets, if any.
func (f *Faulty) fault(op Op) error {
	hook, err := f.count(&op)
	if err == nil && hook != nil {
		err = hook(op)
	}
	if err != nil {
		f.mu.Lock()
		defer f.mu.Unlock()
		f.fired = append(f.fired, op)
	}
	return err
}

func (f *Faulty) count(op *Op) (hook func(Op) error, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	op.N, op.KindN = f.total, f.counts[op.Kind]
	f.total++
	f.counts[op.Kind]++
	for _, r := range f.rules {
		if (r.kind == NumKinds && r.n == op.N) || (r.kind == op.Kind && r.n == op.KindN) {
			return nil, r.err
		}
	}
	return f.hook, nil
}

// begin is fault for operations that can only fail.
func (f *Faulty) begin(op Op) error {
	if err := f.fault(op); err != nil {
		return op.failed(err)
	}
	return nil
}

func (o Op) failed(err error) error {
	return &fs.PathError{Op: o.Kind.String(), Path: o.Name, Err: err}
}

// Create implements FS.
func (f *Faulty) Create(name string) (File, error) {
	return f.file(Op{Kind: OpCreate, Name: name}, func() (File, error) { return f.inner.Create(name) })
}

// Open implements FS.
func (f *Faulty) Open(name string) (File, error) {
	return f.file(Op{Kind: OpOpen, Name: name}, func() (File, error) { return f.inner.Open(name) })
}

// Scratch implements FS.
func (f *Faulty) Scratch(dir, label string) (File, error) {
	op := Op{Kind: OpScratch, Name: filepath.Join(dir, label)}
	return f.file(op, func() (File, error) { return f.inner.Scratch(dir, label) })
}

func (f *Faulty) file(op Op, open func() (File, error)) (File, error) {
	if err := f.begin(op); err != nil {
		return nil, err
	}
	inner, err := open()
	if err != nil {
		return nil, err
	}
	return newFaultyFile(f, inner), nil
}

// Rename implements FS.
func (f *Faulty) Rename(oldName, newName string) error {
	if err := f.begin(Op{Kind: OpRename, Name: oldName, To: newName}); err != nil {
		return err
	}
	return f.inner.Rename(oldName, newName)
}

// Remove implements FS.
func (f *Faulty) Remove(name string) error {
	if err := f.begin(Op{Kind: OpRemove, Name: name}); err != nil {
		return err
	}
	return f.inner.Remove(name)
}

// MkdirAll implements FS.
func (f *Faulty) MkdirAll(dir string) error {
	if err := f.begin(Op{Kind: OpMkdir, Name: dir}); err != nil {
		return err
	}
	return f.inner.MkdirAll(dir)
}

// Stat implements FS.
func (f *Faulty) Stat(name string) (fs.FileInfo, error) {
	if err := f.begin(Op{Kind: OpStat, Name: name}); err != nil {
		return nil, err
	}
	return f.inner.Stat(name)
}

// List implements FS.
func (f *Faulty) List(dir string) ([]string, error) {
	if err := f.begin(Op{Kind: OpList, Name: dir}); err != nil {
		return nil, err
	}
	return f.inner.List(dir)
}
