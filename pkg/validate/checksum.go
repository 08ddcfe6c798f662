package validate

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"time"

	"github.com/shufflebench/shufflebench/internal/shufflefile"
	"github.com/shufflebench/shufflebench/internal/vfs"
	"github.com/shufflebench/shufflebench/pkg/reader"
)

// checkSums holds the data files that have a checksum file beside them to it.
// It reads their bytes once more, for itself.
func (r *run) checkSums(ctx context.Context, g *group) error {
	start := time.Now()
	defer func() { r.costs.sums.Add(int64(time.Since(start))) }()
	for _, f := range g.files {
		for _, kind := range shufflefile.Checksums() {
			path := kind.Path(f.DataPath())
			raw, err := vfs.ReadFile(r.opts.FS, path)
			if errors.Is(err, fs.ErrNotExist) {
				continue
			}
			if err != nil {
				return err
			}
			r.summed = true
			sums, err := shufflefile.ParseChecksums(raw, f.Partitions())
			if err == nil {
				err = r.compareSums(ctx, f, kind, sums)
			}
			if err := r.found.fault(ChecksumFault, shufflefile.At(shufflefile.In(path), err)); err != nil {
				return err
			}
		}
	}
	return nil
}

// compareSums reads a data file in the order of its partitions.
func (r *run) compareSums(ctx context.Context, f *reader.File, kind shufflefile.Checksum, sums []uint32) (err error) {
	s := summer{kind: kind, buf: make([]byte, 1<<20)}
	if f.Size() > 0 {
		if s.file, err = r.opts.FS.Open(f.DataPath()); err != nil {
			return err
		}
		defer func() { err = errors.Join(err, s.file.Close()) }()
	}
	for p, want := range sums {
		if err := ctx.Err(); err != nil {
			return err
		}
		at, n := f.Index().Range(p)
		got, err := s.sum(at, n)
		if err != nil {
			return err
		}
		if got == want {
			continue
		}
		fault := shufflefile.Mismatch("%s of the partition's %d bytes is %08x, the checksum file has %08x", kind, n, got, want)
		fault.Place = shufflefile.Place{File: f.DataPath(), Partition: p, Block: shufflefile.NoPlace, Offset: at}
		if err := r.found.fault(ChecksumFault, fault); err != nil {
			return err
		}
	}
	return nil
}

// summer reads a data file forward, a bufferful at a time.
type summer struct {
	kind shufflefile.Checksum
	file vfs.File
	buf  []byte
	from int64 // where in the file the buffered bytes begin
	have []byte
}

// sum is the checksum of n bytes at position at.
func (s *summer) sum(at, n int64) (uint32, error) {
	sum := s.kind.Initial()
	for n > 0 {
		if at < s.from || at >= s.from+int64(len(s.have)) {
			if err := s.fill(at); err != nil {
				return 0, err
			}
		}
		b := s.have[at-s.from:]
		b = b[:min(n, int64(len(b)))]
		sum = s.kind.Update(sum, b)
		at, n = at+int64(len(b)), n-int64(len(b))
	}
	return sum, nil
}

func (s *summer) fill(at int64) error {
	n, err := s.file.ReadAt(s.buf, at)
	if n == 0 {
		if err == nil || err == io.EOF {
			err = io.ErrUnexpectedEOF
		}
		return err
	}
	s.from, s.have = at, s.buf[:n]
	return nil
}
