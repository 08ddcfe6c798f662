package segment

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"github.com/shufflebench/shufflebench/internal/shufflefile"
	"github.com/shufflebench/shufflebench/internal/vfs"
)

// The footer is u64s, little-endian: rows, entries, bytes of counts, and for
// every node bytes of validity, of offsets and of data. Its size depends on
// the layout alone, so it is found from the segment's end, and since every
// buffer is aligned the sizes give the positions.
func footerSize(l *Layout) int { return 8 * (3 + 3*len(l.Nodes)) }

func appendFooter(b []byte, s *Segment) []byte {
	put := func(v int) { b = binary.LittleEndian.AppendUint64(b, uint64(v)) }
	put(s.Rows)
	put(s.Entries)
	put(len(s.counts))
	for _, n := range s.Bufs {
		put(len(n.Valid))
		put(4 * len(n.Off))
		put(len(n.Data))
	}
	return b
}

// File is a task's spill file: segments one after another.
type File struct {
	f    vfs.File
	size int64
	pack *packer // nil when segments are stored as they are
}

// NewFile makes a spill file in dir; packed says that buffers are stored as
// LZ4 blocks.
func NewFile(fs vfs.FS, dir string, packed bool) (*File, error) {
	f, err := fs.Scratch(dir, "spill")
	if err != nil {
		return nil, fmt.Errorf("spill file: %w", err)
	}
	file := &File{f: f}
	if packed {
		file.pack = new(packer)
	}
	return file, nil
}

// Size is the bytes written.
func (f *File) Size() int64 { return f.size }

// Close gives the file back to the system, which removes it.
func (f *File) Close() error { return f.f.Close() }

// Extent is where a stored segment lies; all that is kept of it in memory
// between spill and merge.
type Extent struct{ Pos, Len int64 }

// Append stores a segment.
func (f *File) Append(s *Segment) (Extent, error) {
	mem := s.Mem
	if f.pack != nil {
		mem = f.pack.pack(s)
	}
	e := Extent{f.size, int64(len(mem))}
	n, err := f.f.Write(mem)
	f.size += int64(n)
	if err != nil {
		return e, fmt.Errorf("spill file: %w", err)
	}
	return e, nil
}

// readAt fills b; a file that has become shorter is an error like any other.
func (f *File) readAt(b []byte, pos int64) error {
	n, err := f.f.ReadAt(b, pos)
	if n == len(b) {
		return nil
	}
	if err == nil || errors.Is(err, io.EOF) {
		err = fmt.Errorf("ends at %d: %w", pos+int64(n), io.ErrUnexpectedEOF)
	}
	place := shufflefile.In(f.f.Name())
	place.Offset = pos
	return &shufflefile.Error{Place: place, Msg: "spill file", Err: err}
}
