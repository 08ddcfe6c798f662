// Package partition finds the output partition of every row of a batch.
//
// The hash is Spark's Murmur3 (x86, 32 bit), folded over the key columns from
// left to right with seed 42, and the partition is its positive remainder by
// the partition count. The work goes column by column: a slice of running
// hashes, one a row, is updated by each key column in turn. docs/format.md has
// the rule for each type.
package partition

import (
	"fmt"
	"math/bits"
	"strconv"

	"github.com/apache/arrow-go/v18/arrow"
)

// Seed is Spark's seed of the fold.
const Seed = 42

// Partitioner gives the partition of every row of a batch.
type Partitioner interface {
	// Partition appends nothing and allocates nothing once warm: it returns
	// one partition a row, valid until the next call.
	Partition(batch arrow.RecordBatch) ([]uint32, error)
}

// Resolve turns column references, indices or names, into indices of schema.
// An exact name wins over an index.
func Resolve(schema *arrow.Schema, refs []string) ([]int, error) {
	cols := make([]int, 0, len(refs))
	for _, ref := range refs {
		col, err := resolveOne(schema, ref)
		if err != nil {
			return nil, err
		}
		cols = append(cols, col)
	}
	return cols, nil
}

func resolveOne(schema *arrow.Schema, ref string) (int, error) {
	if found := schema.FieldIndices(ref); len(found) == 1 {
		return found[0], nil
	} else if len(found) > 1 {
		return 0, fmt.Errorf("hash column %q: %d columns have this name; give its index", ref, len(found))
	}
	n, err := strconv.Atoi(ref)
	if err != nil {
		return 0, fmt.Errorf("hash column %q: no such column", ref)
	}
	if n < 0 || n >= schema.NumFields() {
		return 0, fmt.Errorf("hash column %d: the input has %d columns", n, schema.NumFields())
	}
	return n, nil
}

// NewSingle sends every row to partition 0.
func NewSingle() Partitioner { return &single{} }

type single struct{ zeros []uint32 }

func (s *single) Partition(batch arrow.RecordBatch) ([]uint32, error) {
	n := int(batch.NumRows())
	if n > len(s.zeros) {
		s.zeros = make([]uint32, n)
	}
	return s.zeros[:n], nil
}

// NewHash partitions by the hash of the given columns. It fails, naming the
// column, for a type that it cannot hash.
func NewHash(schema *arrow.Schema, cols []int, partitions int) (Partitioner, error) {
	return Spark.NewHash(schema, cols, partitions)
}

// NewHash partitions by the hash of the given columns under the rule.
func (r Rule) NewHash(schema *arrow.Schema, cols []int, partitions int) (Partitioner, error) {
	h := &hash{cols: cols, mod: newRemainder(uint32(partitions))}
	for _, c := range cols {
		f := schema.Field(c)
		fold, err := folder(r, f.Type)
		if err != nil {
			return nil, fmt.Errorf("column %q (%d): %w", f.Name, c, err)
		}
		h.folds = append(h.folds, fold)
	}
	return h, nil
}

// NewRoundRobin is NewHash over all columns: deterministic, and independent of
// batches, spills and tasks.
func (r Rule) NewRoundRobin(schema *arrow.Schema, partitions int) (Partitioner, error) {
	cols := make([]int, schema.NumFields())
	for i := range cols {
		cols[i] = i
	}
	return r.NewHash(schema, cols, partitions)
}

type hash struct {
	cols  []int
	folds []foldFunc
	mod   remainder
	h     []uint32
}

func (h *hash) Partition(batch arrow.RecordBatch) ([]uint32, error) {
	n := int(batch.NumRows())
	if n > cap(h.h) {
		h.h = make([]uint32, n)
	}
	out := h.h[:n]
	for i := range out {
		out[i] = Seed
	}
	for i, c := range h.cols {
		h.folds[i](batch.Column(c), out)
	}
	h.mod.apply(out)
	return out, nil
}

// remainder computes positive remainders of int32 hashes by a constant, by
// multiplication (Lemire, Kaser, Kurz: Faster remainder by direct computation).
type remainder struct {
	d     uint32
	m     uint64 // ceil(2^64 / d)
	shift uint32 // -2^31 mod d
}

func newRemainder(d uint32) remainder {
	return remainder{d: d, m: ^uint64(0)/uint64(d) + 1, shift: (d - (1<<31)%d) % d}
}

// of is u mod d.
func (r remainder) of(u uint32) uint32 {
	hi, _ := bits.Mul64(r.m*uint64(u), uint64(r.d))
	return uint32(hi)
}

// apply replaces every hash, seen as an int32, by its positive remainder. The
// hash is (its bits with the sign flipped) - 2^31, which needs no branch.
func (r remainder) apply(h []uint32) {
	for i, u := range h {
		rest := r.of(u^1<<31) + r.shift
		if rest >= r.d {
			rest -= r.d
		}
		h[i] = rest
	}
}
