// Package output writes a task's pair of files, data and index, so that a
// reader sees a complete pair or none.
//
// Both are written under temporary names. Commit removes an old index, renames
// the data file and then the index: at any moment an index that is there
// belongs to the data file that is there. A third file with a checksum a
// partition goes with them on request, in place before the index is.
package output

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"

	"github.com/shufflebench/shufflebench/internal/shufflefile"
	"github.com/shufflebench/shufflebench/internal/vfs"
)

// Names of the files in a task's directory.
const (
	DataName  = "data.out"
	IndexName = "index.out"
	tempMark  = ".tmp"
)

// Form is what a pair is called, and what its data file begins with: the first
// offset of the index is the header's length.
type Form struct {
	Data, Index string
	Header      []byte
}

// Blocks is the form of partitions of blocks, Streams of consolidated files of
// IPC streams, as Ballista names them; its header is a stream of the schema.
var (
	Blocks  = Form{Data: DataName, Index: IndexName}
	Streams = Form{Data: "data.arrow", Index: "data.arrow.index"}
)

// Pair is the two files while they are written.
type Pair struct {
	fs         vfs.FS
	dir        string
	form       Form
	data       stream
	index      stream
	partitions int
	done       int        // partitions ended
	sums       *checksums // nil when none are asked for
	entry      [shufflefile.OffsetSize]byte
}

// stream gathers bytes before it writes them.
type stream struct {
	f       vfs.File
	buf     []byte
	size    int64 // bytes appended
	written int64 // bytes in the file
}

// Create opens a pair of blocks in dir, which is made if it is not there.
// bufferSize is the bytes gathered before a write to the data file.
func Create(fsys vfs.FS, dir string, partitions, bufferSize int) (*Pair, error) {
	return CreateForm(fsys, dir, Blocks, partitions, bufferSize)
}

// CreateForm is Create for a pair of any form.
func CreateForm(fsys vfs.FS, dir string, form Form, partitions, bufferSize int) (*Pair, error) {
	if err := fsys.MkdirAll(dir); err != nil {
		return nil, fmt.Errorf("output directory: %w", err)
	}
	p := &Pair{fs: fsys, dir: dir, form: form, partitions: partitions}
	var err error
	if p.data.f, err = fsys.Create(p.DataPath() + tempMark); err != nil {
		return nil, fmt.Errorf("data file: %w", err)
	}
	if p.index.f, err = fsys.Create(p.IndexPath() + tempMark); err != nil {
		return nil, errors.Join(fmt.Errorf("index file: %w", err), p.Abort())
	}
	p.data.buf = make([]byte, 0, bufferSize)
	p.index.buf = make([]byte, 0, 64<<10)
	if err := p.begin(); err != nil {
		return nil, errors.Join(err, p.Abort())
	}
	return p, nil
}

// begin writes the header, and the offset behind it.
func (p *Pair) begin() error {
	if err := p.data.append(p.form.Header); err != nil {
		return fmt.Errorf("data file: %w", err)
	}
	return p.offset(p.data.size)
}

// Clear removes a pair of either form in dir, the index first, with its
// checksums, and the temporary files of one that was never finished.
func Clear(fsys vfs.FS, dir string) error {
	names := []string{IndexName, DataName, Streams.Index, Streams.Data}
	for _, name := range append(names, checksumNames(DataName)...) {
		for _, mark := range []string{"", tempMark} {
			if err := fsys.Remove(filepath.Join(dir, name+mark)); err != nil && !errors.Is(err, fs.ErrNotExist) {
				return fmt.Errorf("old output: %w", err)
			}
		}
	}
	return nil
}

// DataPath is where the data file will be.
func (p *Pair) DataPath() string { return filepath.Join(p.dir, p.form.Data) }

// IndexPath is where the index file will be.
func (p *Pair) IndexPath() string { return filepath.Join(p.dir, p.form.Index) }

// Size is the bytes of the data file so far.
func (p *Pair) Size() int64 { return p.data.size }

// Write appends bytes of the present partition to the data file.
func (p *Pair) Write(b []byte) error {
	if p.sums != nil {
		if err := p.sums.pass(b, p.data.size); err != nil {
			return err
		}
	}
	if err := p.data.append(b); err != nil {
		return fmt.Errorf("data file: %w", err)
	}
	return nil
}

// EndPartitions ends the partitions below n that have not ended yet, where the
// data file ends now.
func (p *Pair) EndPartitions(n int) error { return p.EndPartitionsAt(n, 0) }

// EndPartitionsAt ends them ahead bytes further on, in bytes that the next
// Write will bring.
func (p *Pair) EndPartitionsAt(n int, ahead int) error {
	at := p.data.size + int64(ahead)
	for ; p.done < n; p.done++ {
		if err := p.offset(at); err != nil {
			return err
		}
		if p.sums == nil {
			continue
		}
		if err := p.sums.end(p.done, at, p.data.size); err != nil {
			return err
		}
	}
	return nil
}

// offset appends an offset to the index.
func (p *Pair) offset(at int64) error {
	if err := p.index.append(shufflefile.AppendOffset(p.entry[:0], at)); err != nil {
		return fmt.Errorf("index file: %w", err)
	}
	return nil
}

// Commit finishes the pair and puts it in place.
func (p *Pair) Commit() error {
	err := p.finish()
	if err != nil {
		return errors.Join(err, p.Abort())
	}
	return nil
}

func (p *Pair) finish() error {
	if p.done != p.partitions {
		return fmt.Errorf("%s: %d of %d partitions were written", p.DataPath(), p.done, p.partitions)
	}
	if err := p.data.close(); err != nil {
		return fmt.Errorf("data file: %w", err)
	}
	if err := p.index.close(); err != nil {
		return fmt.Errorf("index file: %w", err)
	}
	if err := p.closeChecksums(); err != nil {
		return err
	}
	if err := p.fs.Remove(p.IndexPath()); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("old index file: %w", err)
	}
	if err := p.fs.Rename(p.DataPath()+tempMark, p.DataPath()); err != nil {
		return fmt.Errorf("data file: %w", err)
	}
	if err := p.placeChecksums(); err != nil {
		return errors.Join(err, p.fs.Remove(p.DataPath()))
	}
	if err := p.fs.Rename(p.IndexPath()+tempMark, p.IndexPath()); err != nil {
		return errors.Join(fmt.Errorf("index file: %w", err), p.fs.Remove(p.DataPath()), p.removeChecksums())
	}
	return nil
}

// Abort closes and removes what Create made. It may be called after a failed
// Commit.
func (p *Pair) Abort() error {
	var errs []error
	streams := []*stream{&p.data, &p.index}
	if p.sums != nil {
		streams = append(streams, &p.sums.stream)
	}
	for _, s := range streams {
		if s.f != nil {
			name := s.f.Name()
			errs = append(errs, s.discard())
			if err := p.fs.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
				errs = append(errs, err)
			}
		}
	}
	return errors.Join(errs...)
}

func (s *stream) append(b []byte) error {
	s.size += int64(len(b))
	if len(s.buf)+len(b) <= cap(s.buf) {
		s.buf = append(s.buf, b...)
		return nil
	}
	if err := s.flush(); err != nil {
		return err
	}
	if len(b) >= cap(s.buf) {
		return s.write(b)
	}
	s.buf = append(s.buf, b...)
	return nil
}

func (s *stream) flush() error {
	err := s.write(s.buf)
	s.buf = s.buf[:0]
	return err
}

func (s *stream) write(b []byte) error {
	if len(b) == 0 {
		return nil
	}
	n, err := s.f.Write(b)
	s.written += int64(n)
	return err
}

func (s *stream) close() error {
	if err := s.flush(); err != nil {
		return err
	}
	f := s.f
	if err := f.Close(); err != nil {
		return err
	}
	s.buf = slices.Clip(s.buf[:0])
	return nil
}

func (s *stream) discard() error {
	err := s.f.Close()
	if errors.Is(err, fs.ErrClosed) {
		return nil
	}
	return err
}
