package sparkhash

import (
	"fmt"

	"github.com/apache/arrow-go/v18/arrow"
)

// Hasher hashes the key columns of record batches of one schema. It holds no
// state between calls and may be used by several goroutines.
type Hasher struct {
	cols []int
	rule Rule
}

// New makes a Hasher over columns cols of schema, in that order. It fails,
// naming the column, for a type that has no hash, and for a column that is not there.
func New(schema *arrow.Schema, cols []int, rule Rule) (*Hasher, error) {
	for _, c := range cols {
		if c < 0 || c >= schema.NumFields() {
			return nil, fmt.Errorf("hash column %d: the rows have %d columns", c, schema.NumFields())
		}
		f := schema.Field(c)
		if err := Refusal(f.Type); err != nil {
			return nil, fmt.Errorf("hash column %d %q: %w", c, f.Name, err)
		}
	}
	return &Hasher{cols: cols, rule: rule}, nil
}

// Row is Spark's hash of one row, computed value by value.
func (h *Hasher) Row(b arrow.RecordBatch, row int) int32 {
	s := uint32(Seed)
	for _, c := range h.cols {
		s = h.rule.value(b.Column(c), row, s)
	}
	return int32(s)
}

// Hash puts the hashes of rows [first, first+len(dst)) of b into dst. It goes
// column by column and agrees with Row.
func (h *Hasher) Hash(dst []int32, b arrow.RecordBatch, first int) {
	for i := range dst {
		dst[i] = Seed
	}
	for _, c := range h.cols {
		h.rule.column(b.Column(c), first, dst)
	}
}
