package fingerprint

import (
	"fmt"

	"github.com/apache/arrow-go/v18/arrow"
)

// ChunkRows is the number of rows whose running states stay in the
// processor's first cache; callers do well to ask for as many at a time.
const ChunkRows = 1024

// Rows fingerprints record batches of one schema. It belongs to one goroutine.
type Rows struct {
	k     *Keys
	cols  []int
	nodes []node
	state scratch
	s     scratch
}

// MismatchError is a column whose values cannot be compared.
type MismatchError struct {
	Column int // in the source, or the first missing or surplus one
	Err    error
}

// Error names the column by its number.
func (e *MismatchError) Error() string { return fmt.Sprintf("column %d: %v", e.Column, e.Err) }

// Unwrap exposes the reason.
func (e *MismatchError) Unwrap() error { return e.Err }

// NewRows makes the Rows of batches of schema source, whose values count as
// those of schema target, over the columns cols (nil: all). Its error is a
// *MismatchError.
func NewRows(k *Keys, target, source *arrow.Schema, cols []int) (*Rows, error) {
	if t, s := target.NumFields(), source.NumFields(); t != s {
		return nil, &MismatchError{min(t, s), fmt.Errorf("the fixture has %d columns, these rows have %d", t, s)}
	}
	if cols == nil {
		cols = make([]int, target.NumFields())
		for i := range cols {
			cols[i] = i
		}
	}
	r := &Rows{k: k, cols: cols}
	for _, c := range cols {
		n, err := compile(k, target.Field(c).Type, source.Field(c).Type)
		if err != nil {
			return nil, &MismatchError{c, err}
		}
		r.nodes = append(r.nodes, n)
	}
	return r, nil
}

// Fold returns the fingerprints of rows [first, first+n) of b, one in two
// lanes a row. They are valid until the next call.
func (r *Rows) Fold(batch arrow.RecordBatch, first, n int) (a, b []uint64) {
	a, b = r.state.take(n)
	fill(a, r.k.a.seed)
	fill(b, r.k.b.seed)
	for i, c := range r.cols {
		foldInto(r.k, r.nodes[i], batch.Column(c), first, a, b, &r.s)
	}
	return a, b
}

// Digests appends a 64-bit digest of each column's value in one row: equal
// values have equal ones.
func (r *Rows) Digests(dst []uint64, batch arrow.RecordBatch, row int) []uint64 {
	var a, b [1]uint64
	for i, c := range r.cols {
		r.nodes[i].digest(batch.Column(c), row, a[:], b[:])
		dst = append(dst, avalanche(a[0]^r.k.a.final2)^b[0])
	}
	return dst
}

// Canonical appends the values of one row: two rows append the same bytes
// exactly when they are equal. It is the plain form of what Fold does.
func (r *Rows) Canonical(dst []byte, batch arrow.RecordBatch, row int) []byte {
	for i, c := range r.cols {
		dst = r.nodes[i].canon(dst, batch.Column(c), row)
	}
	return dst
}
