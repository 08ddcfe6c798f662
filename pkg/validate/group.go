package validate

import (
	"errors"
	"io/fs"
	"sync"

	"github.com/shufflebench/shufflebench/internal/shufflefile"
	"github.com/shufflebench/shufflebench/pkg/reader"
)

// group is the files that together hold the input once: one task's, or
// those of all map tasks of a shuffle.
type group struct {
	files      []*reader.File
	partitions int

	mu      sync.Mutex
	damaged bitset // partitions that could not be read to their end
	broken  int    // how many
}

// openGroups opens every pair. Pairs whose index does not fit are findings,
// and their group is left out.
func (r *run) openGroups() ([]*group, error) {
	var groups []*group
	whole := &group{}
	complete := true
	for _, p := range r.opts.Pairs {
		f, err := r.openPair(p)
		if err != nil {
			return nil, errors.Join(err, closeAll(append(groups, whole)))
		}
		switch {
		case f == nil:
			complete = false
		case r.opts.PerTaskCopy:
			groups = append(groups, &group{files: []*reader.File{f}})
		default:
			whole.files = append(whole.files, f)
		}
	}
	if !r.opts.PerTaskCopy {
		groups = append(groups, whole)
	}
	if !complete && !r.opts.PerTaskCopy {
		return nil, closeAll(groups)
	}
	return groups, nil
}

// openPair returns nil for a pair with a fault.
func (r *run) openPair(p Pair) (*reader.File, error) {
	f, err := reader.OpenPair(p.Data, p.Index, reader.Options{
		Validated: true, Reuse: true, Layout: r.opts.Layout, Endian: r.opts.Endian, FS: r.opts.FS,
	})
	if err != nil {
		return nil, r.found.fault(IndexFault, err)
	}
	switch _, err := r.opts.FS.Stat(p.Data); {
	case errors.Is(err, fs.ErrNotExist):
		r.found.note(p.Data + " is absent, as Spark leaves it for a map task without rows")
	case err != nil:
		return nil, errors.Join(err, f.Close())
	}
	if want := r.partitions(); want != 0 && f.Partitions() != want {
		fault := shufflefile.Corrupt("index has offsets of %d partitions, want %d", f.Partitions(), want)
		return nil, errors.Join(r.found.fault(IndexFault, shufflefile.At(shufflefile.In(p.Index), fault)), f.Close())
	}
	r.report.Partitions = f.Partitions()
	r.report.Bytes += f.Size()
	return f, nil
}

// partitions is how many an index must have, 0 if any number will do.
func (r *run) partitions() int {
	switch {
	case r.opts.Partitioning == Single:
		return 1
	case r.opts.Partitions != 0:
		return r.opts.Partitions
	}
	return r.report.Partitions // the first pair's, or none yet
}

func closeAll(groups []*group) error {
	var errs []error
	for _, g := range groups {
		for _, f := range g.files {
			errs = append(errs, f.Close())
		}
	}
	return errors.Join(errs...)
}

// damage remembers a partition that could not be read to its end.
func (g *group) damage(partition int) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.damaged == nil {
		g.damaged = newBitset(g.partitions)
	}
	if !g.damaged.has(partition) {
		g.damaged.set(partition)
		g.broken++
	}
}

// whole says that partition p could be read to its end.
func (g *group) whole(p int32) bool { return g.damaged == nil || !g.damaged.has(int(p)) }

// job is a range of partitions [lo, hi) of some of the files, for one reader.
type job struct {
	files  []*reader.File
	lo, hi int
}

// jobs cuts the group's files into ranges of about the same number of bytes.
// Together, a job goes through all files of a partition before the next.
func (g *group) jobs(readers int, together bool) []job {
	var total int64
	for _, f := range g.files {
		total += f.Size()
	}
	share := max(total/int64(readers*8), 1<<16)
	if together {
		return cut(g.files, g.partitions, share)
	}
	var all []job
	for i := range g.files {
		all = append(all, cut(g.files[i:i+1], g.partitions, share)...)
	}
	return all
}

// cut ends a range when it has its share of bytes.
func cut(files []*reader.File, partitions int, share int64) []job {
	var jobs []job
	lo, had := 0, int64(0)
	for p := range partitions {
		for _, f := range files {
			_, n := f.Index().Range(p)
			had += n
		}
		if had >= share || p == partitions-1 && had > 0 {
			jobs = append(jobs, job{files, lo, p + 1})
			lo, had = p+1, 0
		}
	}
	return jobs
}
