package reader

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/shufflebench/shufflebench/internal/shufflefile"
	"github.com/shufflebench/shufflebench/internal/vfs"
)

// File is an open data file with its index. It is safe for concurrent use:
// all its Readers share the one handle, through positioned reads.
type File struct {
	opts        Options
	data, index string
	handle      vfs.File // nil if the shuffle is empty and has no data file
	size        int64
	offsets     shufflefile.Index
	endian      shufflefile.Endian
	layout      Layout
	schema      *schema // of the header stream, in BallistaLayout
}

// pairs are the names that Open looks for in a directory, in this order.
var pairs = [...]struct{ data, index string }{
	{"data.out", "index.out"},
	{"data.arrow", "data.arrow.index"},
}

// Open opens the data and index file of a task directory: data.out and
// index.out, or data.arrow and data.arrow.index.
func Open(dir string, o Options) (*File, error) {
	o.EnsureDefaults()
	for _, p := range pairs {
		if _, err := o.FS.Stat(filepath.Join(dir, p.index)); err == nil {
			return OpenPair(filepath.Join(dir, p.data), filepath.Join(dir, p.index), o)
		}
	}
	return nil, fmt.Errorf("open shuffle: %s holds neither %s nor %s: %w", dir, pairs[0].index, pairs[1].index, fs.ErrNotExist)
}

// OpenPair opens a data file with its index, and checks the index against the
// data file's size. A data file that does not exist is taken for an empty one,
// as Spark leaves none for a map task without rows. A broken index is a
// *shufflefile.Error of class ErrCorrupt.
func OpenPair(data, index string, o Options) (*File, error) {
	o.EnsureDefaults()
	if err := o.Validate(); err != nil {
		return nil, fmt.Errorf("open shuffle: %w", err)
	}
	f := &File{opts: o, data: data, index: index}
	if err := f.open(); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

func (f *File) open() error {
	raw, err := readIndex(f.opts.FS, f.index)
	if err != nil {
		return fmt.Errorf("open shuffle: %w", err)
	}
	if err := f.openData(); err != nil {
		return fmt.Errorf("open shuffle: %w", err)
	}
	first := int64(0)
	if f.layout, err = f.findLayout(); err == nil && f.layout == BallistaLayout {
		first, err = f.openHeader()
	}
	if err != nil {
		return shufflefile.At(shufflefile.In(f.data), err)
	}
	f.offsets, f.endian, err = shufflefile.ParseIndex(raw, f.opts.Endian, first, f.size)
	return shufflefile.At(shufflefile.In(f.index), err)
}

func (f *File) openData() error {
	h, err := f.opts.FS.Open(f.data)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	f.handle = h
	f.size, err = h.Size()
	return err
}

// readIndex reads a whole index file, which cannot be longer than the offsets
// of MaxPartitions partitions.
func readIndex(fsys vfs.FS, name string) (raw []byte, err error) {
	h, err := fsys.Open(name)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, h.Close()) }()
	size, err := h.Size()
	if err != nil {
		return nil, err
	}
	const most = (shufflefile.MaxPartitions + 1) * shufflefile.OffsetSize
	if size > most {
		return nil, shufflefile.At(shufflefile.In(name), shufflefile.Limit("index of %d bytes is above the %d of %d partitions",
			size, int64(most), shufflefile.MaxPartitions))
	}
	raw = make([]byte, size)
	if _, err := h.ReadAt(raw, 0); err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	return raw, nil
}

// Partitions is the number of output partitions.
func (f *File) Partitions() int { return f.offsets.Partitions() }

// Index is the offsets of the partitions in the data file; do not change it.
func (f *File) Index() shufflefile.Index { return f.offsets }

// Endian is the byte order that the index was found to have.
func (f *File) Endian() shufflefile.Endian { return f.endian }

// Layout is the arrangement that the data file was found or said to have.
func (f *File) Layout() Layout { return f.layout }

// Schema is that of the header stream of a file in BallistaLayout; nil in
// CometLayout, where each block brings its own.
func (f *File) Schema() *arrow.Schema {
	if f.schema == nil {
		return nil
	}
	return f.schema.arrow
}

// Size is the length of the data file in bytes.
func (f *File) Size() int64 { return f.size }

// DataPath is the path of the data file.
func (f *File) DataPath() string { return f.data }

// IndexPath is the path of the index file.
func (f *File) IndexPath() string { return f.index }

// Close closes the data file; Readers over it fail from then on.
func (f *File) Close() error {
	if f.handle == nil {
		return nil
	}
	return f.handle.Close()
}
