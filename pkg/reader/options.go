package reader

import (
	"errors"
	"fmt"

	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/shufflebench/shufflebench/internal/shufflefile"
	"github.com/shufflebench/shufflebench/internal/vfs"
)

// Values of Options.SchemaCache.
const (
	// DefaultSchemaCache is the number of schemas a Reader remembers.
	DefaultSchemaCache = 4
	// NoCache makes a Reader parse the schema message of every block.
	NoCache = -1
	// MaxSchemaCache bounds the cache, whose entries are searched one by one.
	MaxSchemaCache = 64
)

// Layout is the arrangement of a data file.
type Layout uint8

// The layouts. AutoLayout looks at the first bytes of the data file: a
// consolidated file opens with the marker of an IPC message, which no block
// header can.
const (
	AutoLayout Layout = iota
	CometLayout
	BallistaLayout
)

var layoutNames = [...]string{"auto", "comet", "ballista"}

// String is auto, comet or ballista.
func (l Layout) String() string {
	if int(l) < len(layoutNames) {
		return layoutNames[l]
	}
	return fmt.Sprintf("layout(%d)", uint8(l))
}

// ParseLayout is the inverse of Layout.String.
func ParseLayout(s string) (Layout, error) {
	for i, name := range layoutNames {
		if s == name {
			return Layout(i), nil
		}
	}
	return 0, fmt.Errorf("unknown layout %q (known: auto, comet, ballista)", s)
}

// Options say how to read a shuffle. The zero value of a field means its default.
type Options struct {
	// SchemaCache is the number of schemas each Reader remembers by the raw
	// bytes of their message; default DefaultSchemaCache, NoCache for none.
	SchemaCache int
	// Validated checks every offset, length, null count, string, dictionary
	// index and child before a batch is handed out; for data from elsewhere.
	// Without it a batch cannot be made to read outside its buffers either, but
	// touching a value of a damaged batch may panic with an index out of range.
	Validated bool
	// Layout of the data file; default AutoLayout.
	Layout Layout
	// Endian is the byte order of the index; default AutoEndian.
	Endian shufflefile.Endian
	// Alloc owns the memory of arrays; nil leaves it to the garbage collector,
	// which is the fastest. With an allocator every buffer is counted and
	// freed by the last Release.
	Alloc memory.Allocator
	// Reuse builds each batch in the memory of the one before, without
	// allocations, unless that was retained. What is to be kept must be kept by
	// Retain of the whole batch; a column retained alone is overwritten.
	Reuse bool
	// FS is the file system; default the operating system's.
	FS vfs.FS
	// MaxPayload is the largest payload, decompressed, that is accepted;
	// default and upper bound shufflefile.MaxBlock.
	MaxPayload int64
}

// EnsureDefaults fills every field that holds its zero value.
func (o *Options) EnsureDefaults() {
	if o.SchemaCache == 0 {
		o.SchemaCache = DefaultSchemaCache
	}
	if o.MaxPayload == 0 {
		o.MaxPayload = shufflefile.MaxBlock
	}
	if o.Alloc == nil {
		o.Alloc = heap{}
	}
	if o.FS == nil {
		o.FS = vfs.OS{}
	}
}

// Validate names every contradiction in options with defaults filled in.
func (o *Options) Validate() error {
	var errs []error
	check := func(ok bool, format string, args ...any) {
		if !ok {
			errs = append(errs, fmt.Errorf(format, args...))
		}
	}
	check(o.SchemaCache == NoCache || o.SchemaCache >= 1 && o.SchemaCache <= MaxSchemaCache,
		"schema cache: %d is neither %d (none) nor between 1 and %d", o.SchemaCache, NoCache, MaxSchemaCache)
	check(o.MaxPayload >= 1 && o.MaxPayload <= shufflefile.MaxBlock,
		"largest payload: %d is not between 1 and %d", o.MaxPayload, shufflefile.MaxBlock)
	check(!o.Reuse || o.isHeap(), "memory that is reused cannot come from an allocator")
	check(o.Layout <= BallistaLayout, "unknown %v", o.Layout)
	check(o.Endian <= shufflefile.BigEndian, "unknown byte order %d", uint8(o.Endian))
	return errors.Join(errs...)
}
