package rundir

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
)

// tempMark ends the names under which the writer makes its files.
const tempMark = ".tmp"

// Dir is an output directory that this process may write to.
type Dir struct {
	path    string
	private bool // made by Private, and removed as a whole
	made    bool // Claim made it
	lock    func() error
	m       *Manifest
}

// Claim takes dir for the run that m describes: it refuses a directory with
// output that no run.json of this program lists, or that another process is
// writing to; removes the files of the run before; and writes m in state
// running.
func Claim(dir string, m *Manifest) (*Dir, error) {
	made, err := makeDir(dir)
	if err != nil {
		return nil, fmt.Errorf("output directory: %w", err)
	}
	unlock, err := lock(dir)
	if err != nil {
		return nil, err
	}
	d := &Dir{path: dir, made: made, lock: unlock, m: m}
	if err := d.takeOver(); err != nil {
		return nil, errors.Join(err, d.Release())
	}
	return d, nil
}

// Private makes a directory of its own for m, to be removed by Remove.
func Private(parent string, m *Manifest) (*Dir, error) {
	dir, err := os.MkdirTemp(parent, "shufflebench-")
	if err != nil {
		return nil, fmt.Errorf("output directory: %w", err)
	}
	d := &Dir{path: dir, private: true, made: true, lock: func() error { return nil }, m: m}
	if err := d.begin(); err != nil {
		return nil, errors.Join(err, os.RemoveAll(dir))
	}
	return d, nil
}

// makeDir makes dir and reports whether it was not there.
func makeDir(dir string) (made bool, err error) {
	st, err := os.Stat(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return true, os.MkdirAll(dir, 0o777)
	case err == nil && !st.IsDir():
		return false, fmt.Errorf("%s is a file", dir)
	}
	return false, err
}

// takeOver clears the way for a new run.
func (d *Dir) takeOver() error {
	old, err := Read(d.path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("output directory: %w", err)
	}
	var listed []string
	if old != nil {
		listed = old.Files
	}
	if err := refuseForeign(d.path, listed); err != nil {
		return err
	}
	if err := removeFiles(d.path, listed); err != nil {
		return fmt.Errorf("old output: %w", err)
	}
	return d.begin()
}

func (d *Dir) begin() error {
	d.m.State = Running
	if err := d.m.write(d.path); err != nil {
		return fmt.Errorf("output directory: %w", err)
	}
	return nil
}

// refuseForeign finds output in dir's task directories that is not listed.
func refuseForeign(dir string, listed []string) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return fmt.Errorf("output directory: %w", err)
	}
	ours := map[string]bool{}
	for _, f := range listed {
		ours[f] = true
	}
	for _, e := range entries {
		for _, base := range []string{BlockNames.Data, BlockNames.Index, ConsolidatedNames.Data, ConsolidatedNames.Index} {
			name := path.Join(e.Name(), base)
			if !outputFile.MatchString(name) || ours[name] {
				continue
			}
			if _, err := os.Lstat(filepath.Join(dir, name)); err == nil {
				return fmt.Errorf("output directory %s holds %s, which no run of this program lists in %s; move it away or name another directory",
					dir, name, FileName)
			}
		}
	}
	return nil
}

// removeFiles removes listed files with their temporary twins, indexes first,
// so that what an interrupt leaves is no pair; then the empty directories.
func removeFiles(dir string, listed []string) error {
	order := slices.Clone(listed)
	slices.SortStableFunc(order, func(a, b string) int { return rank(a) - rank(b) })
	var errs []error
	for _, f := range order {
		name := filepath.Join(dir, filepath.FromSlash(f))
		errs = append(errs, ignoreMissing(os.Remove(name)), ignoreMissing(os.Remove(name+tempMark)))
	}
	for _, f := range order {
		_ = os.Remove(filepath.Join(dir, path.Dir(f))) // stays if something else is in it
	}
	return errors.Join(errs...)
}

func rank(file string) int {
	if base := path.Base(file); base == BlockNames.Index || base == ConsolidatedNames.Index {
		return 0
	}
	return 1
}

// Path is the directory.
func (d *Dir) Path() string { return d.path }

// Manifest is the description of the run; change it and call Complete.
func (d *Dir) Manifest() *Manifest { return d.m }

// Complete writes the manifest in state complete.
func (d *Dir) Complete() error {
	d.m.State = Complete
	if err := d.m.write(d.path); err != nil {
		return fmt.Errorf("%s: %w", FileName, err)
	}
	return nil
}

// Rerun marks the output as being written again.
func (d *Dir) Rerun() error {
	if d.m.State == Running {
		return nil
	}
	return d.begin()
}

// Remove removes everything that the run made, and the directory if it made
// that too and nothing else is in it.
func (d *Dir) Remove() error {
	if d.private {
		return os.RemoveAll(d.path)
	}
	errs := []error{
		removeFiles(d.path, d.m.Files),
		ignoreMissing(os.Remove(filepath.Join(d.path, FileName))),
	}
	if d.made {
		_ = os.Remove(d.path)
	}
	return errors.Join(errs...)
}

// Release lets other processes write to the directory. The output stays.
func (d *Dir) Release() error {
	if d.lock == nil {
		return nil
	}
	unlock := d.lock
	d.lock = nil
	return unlock()
}
