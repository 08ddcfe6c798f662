package validate

import (
	"github.com/apache/arrow-go/v18/arrow"

	"github.com/shufflebench/shufflebench/internal/shufflefile"
	"github.com/shufflebench/shufflebench/pkg/validate/fingerprint"
)

// chunk is a few rows of one batch with their fingerprints, on its way to a
// visitor. Nothing in it outlives the visit.
type chunk struct {
	batch arrow.RecordBatch
	first int               // row of the batch that index 0 below stands for
	a, b  []uint64          // fingerprints, one in two lanes a row
	keys  []uint64          // fingerprints of the key columns, if asked for,
	tags  []uint64          // and their other lane
	rows  *fingerprint.Rows // what made a and b

	// place is what the fingerprint is mixed with: the partition that each
	// row's key says (parts, of the input), or the one where all lie (part).
	parts []int32
	part  int32

	input int64             // number of the first row in the input
	where shufflefile.Place // block in the output
}

// placed is the partition of row i, 0 if placement is not known by rows.
func (c *chunk) placed(i int) int32 {
	if c.parts != nil {
		return c.parts[i]
	}
	return c.part
}

// visitor takes chunks, on one goroutine.
type visitor interface{ visit(c *chunk) }
