// Package sortedrows turns rows that lie in pages, found by pointers sorted by
// partition, into blocks: the native side of a sorter that keeps Spark's rows.
//
//	pointers  p0 p0 p1 p3 p3 p3 ...        sorted; each leads to a record
//	             │
//	rows      where they lie in the pages
//	             │  column by column
//	columns   values of the rows, one partition after another
//	             │  encode
//	blocks    of up to Options.BlockRows rows, a checksum a partition
//
// There are two shapes of call. PerPartition is what a caller gets who sorts on
// one side and encodes on the other, a partition at a time: it collects the
// addresses and sizes of a partition's rows, and every call begins with nothing
// but these and the schema. It works out the types, makes builders, encodes the
// schema message, makes a compressor, opens the file, writes, and closes it.
// PerSpill takes all sorted pointers and the page table in one call: what those
// calls make anew is made once and kept, small partitions share the passes over
// their columns, and blocks are gathered before they are written. Both give the
// same blocks, lengths and checksums.
package sortedrows

import (
	"github.com/shufflebench/shufflebench/internal/shufflefile"
	"github.com/shufflebench/shufflebench/pkg/metrics"
	"github.com/shufflebench/shufflebench/pkg/writer/encode"
	"github.com/shufflebench/shufflebench/pkg/writer/merge"
	"github.com/shufflebench/shufflebench/pkg/writer/pages"
	"github.com/shufflebench/shufflebench/pkg/writer/segment"
)

// Source is the rows of a spill: pointers sorted by partition, and the pages
// that they lead into.
type Source struct {
	Pointers []pages.Pointer
	Table    *pages.Table
}

// Options say what blocks to make. The caller has checked them.
type Options struct {
	Layout          *segment.Layout
	Template        *encode.Template // of Layout
	Codec           encode.Codec
	Partitions      int
	BlockRows       int     // rows a block at most
	DictionaryRatio float64 // rows a distinct value from which strings become dictionaries; up to 1 never
	Buffer          int     // bytes of blocks gathered before a write
	Sums            *Sums   // continued with every block; nil for no checksums
	Clock           *metrics.Clock
}

// Sink takes blocks in partition order.
type Sink interface {
	// Write takes b, the blocks of partitions that rise; runs tell whose they
	// are and where in b each ends.
	Write(b []byte, runs []encode.Run) error
}

// Shape is one of the two ways to call.
type Shape interface {
	// Spill writes the blocks of all rows of src. No rows write nothing.
	Spill(src Source, out Sink) error
	// Blocks gives them one partition after another instead, valid until the
	// next one is asked for. A large partition may come in several goes.
	Blocks(src Source) merge.Blocks
	// Made is the number of blocks made so far.
	Made() int64
	// Close gives back what is kept.
	Close() error
}

// Sums are the checksums of partitions, continued from spill to spill.
type Sums struct {
	Kind        shufflefile.Checksum
	ByPartition []uint32
}

// NewSums begins the checksums of a number of partitions; nil for
// shufflefile.NoChecksum.
func NewSums(kind shufflefile.Checksum, partitions int) *Sums {
	if kind == shufflefile.NoChecksum {
		return nil
	}
	s := &Sums{Kind: kind, ByPartition: make([]uint32, partitions)}
	for i := range s.ByPartition {
		s.ByPartition[i] = kind.Initial()
	}
	return s
}

// add continues the checksums with blocks.
func (s *Sums) add(b []byte, runs []encode.Run) {
	start := 0
	for i := range runs {
		sum := &s.ByPartition[runs[i].Partition]
		*sum = s.Kind.Update(*sum, b[start:runs[i].End])
		start = runs[i].End
	}
}

// count is what a shape has made.
type count struct{ blocks int64 }

// Made implements Shape.
func (c *count) Made() int64 { return c.blocks }

// note takes an encoder's blocks into account before they are given out.
func (c *count) note(o *Options, enc *encode.Encoder) {
	if o.Sums != nil {
		o.Sums.add(enc.Out, enc.Runs)
	}
	for i := range enc.Runs {
		c.blocks += int64(enc.Runs[i].Blocks)
	}
}
