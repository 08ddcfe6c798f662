// Package vfstest fails every file operation of a run in turn.
//
//	run 0:  X                              the 1st operation fails
//	run 1:  create X                       the 2nd
//	run 2:  create write X                 the 3rd
//	  …
//	run n:  create write sync close …      none is left to fail: the run must succeed
//
// After every run the error must wrap the injected cause and name the file, no
// file may be open, and the disk must pass the caller's own check.
package vfstest

import (
	"errors"
	"fmt"
	"iter"
	"runtime/debug"
	"slices"
	"strings"
	"testing"

	"github.com/shufflebench/shufflebench/internal/vfs"
)

// ErrInjected is the cause of every failure that a Sweep injects.
var ErrInjected = errors.New("injected failure")

// Sweep describes the runs. Only Run is required.
type Sweep struct {
	// Disk makes the file system of one run, with what Run expects to be there;
	// the default is an empty one.
	Disk func() *vfs.Mem
	// Run does the work. It must end by itself, whatever fails.
	Run func(fsys *vfs.Faulty) error
	// Check looks at what a run left on the disk; err is what Run returned.
	// What it returns is a violation.
	Check func(disk *vfs.Mem, err error) error
	// Tolerate says that Run may succeed though op failed: it is advisory, or
	// tried again. The default tolerates nothing.
	Tolerate func(op vfs.Op) bool
	// Persistent lets every operation from the nth on fail, as on a disk that
	// is gone, in place of the nth alone. Then a run cannot remove files either.
	Persistent bool
}

// Test reports every violation through tb, gives up after ten, and returns the
// number of operations that a run without a failure makes.
func (s Sweep) Test(tb testing.TB) int {
	tb.Helper()
	last, bad := 0, 0
	for n, err := range s.Runs() {
		last = n
		if err == nil {
			continue
		}
		tb.Errorf("failure at operation %d: %v", n, err)
		if bad++; bad == 10 {
			tb.Fatalf("ten violations, giving up")
		}
	}
	return last
}

// Runs yields the number of the operation that failed and the violation that
// followed, nil where the run behaved. The last pair is of the run in which
// nothing was left to fail.
func (s Sweep) Runs() iter.Seq2[int, error] {
	return func(yield func(int, error) bool) {
		for n := 0; ; n++ {
			fired, err := s.one(n)
			if !yield(n, err) || !fired {
				return
			}
		}
	}
}

func (s Sweep) one(n int) (fired bool, violation error) {
	disk := vfs.NewMem()
	if s.Disk != nil {
		disk = s.Disk()
	}
	fsys := vfs.NewFaulty(disk)
	s.inject(fsys, n)
	err, violation := s.run(fsys)
	met := fsys.Fired()
	if violation == nil {
		violation = s.judge(err, met)
	}
	for _, open := range disk.OpenFiles() {
		violation = errors.Join(violation, errors.New(open))
	}
	if s.Check != nil {
		violation = errors.Join(violation, s.Check(disk, err))
	}
	if violation != nil && len(met) > 0 {
		violation = fmt.Errorf("%v: %w", met[0], violation)
	}
	return len(met) > 0, violation
}

func (s Sweep) inject(fsys *vfs.Faulty, n int) {
	if !s.Persistent {
		fsys.Fail(n, ErrInjected)
		return
	}
	fsys.Hook(func(op vfs.Op) error {
		if op.N >= n {
			return ErrInjected
		}
		return nil
	})
}

// run turns a panic into a violation, so that it names its operation.
func (s Sweep) run(fsys *vfs.Faulty) (err, violation error) {
	defer func() {
		if p := recover(); p != nil {
			violation = fmt.Errorf("panic: %v\n%s", p, debug.Stack())
			err = violation
		}
	}()
	return s.Run(fsys), nil
}

func (s Sweep) judge(err error, met []vfs.Op) error {
	switch {
	case len(met) == 0 && err != nil:
		return fmt.Errorf("nothing failed, but the run did: %w", err)
	case len(met) == 0:
		return nil
	case err != nil && !errors.Is(err, ErrInjected):
		return fmt.Errorf("the error does not wrap the cause: %w", err)
	case err != nil && !slices.ContainsFunc(met, func(op vfs.Op) bool { return strings.Contains(err.Error(), op.Name) }):
		return fmt.Errorf("the error does not name the file: %w", err)
	case err != nil:
		return nil
	case s.tolerated(met):
		return nil
	}
	return errors.New("the run succeeded all the same")
}

func (s Sweep) tolerated(met []vfs.Op) bool {
	return s.Tolerate != nil && !slices.ContainsFunc(met, func(op vfs.Op) bool { return !s.Tolerate(op) })
}
