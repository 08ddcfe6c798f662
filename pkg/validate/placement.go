package validate

import (
	"fmt"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/shufflebench/shufflebench/pkg/validate/fingerprint"
	"github.com/shufflebench/shufflebench/pkg/validate/sparkhash"
)

// placement says where rows of the input belong.
type placement struct {
	known      bool // each row has a partition of its own right
	hasher     *sparkhash.Hasher
	partitions int
	keyCols    []int // columns that tell which of two rows is the other changed; nil = none
}

func newPlacement(o *Options) (placement, error) {
	p := placement{}
	cols := o.HashColumns
	switch o.Partitioning {
	case Single:
		p.known = true
		return p, nil
	case None:
		return p, nil
	case ByKey:
		p.keyCols = cols
		return p, nil
	case Range:
		p.keyCols = cols
		return p, orderable(o.Input.Schema(), cols)
	case RoundRobin:
		cols = nil
		for i := range o.Input.Schema().NumFields() {
			cols = append(cols, i)
		}
	case Hash:
		p.keyCols = cols
	}
	p.known = true
	var err error
	p.hasher, err = sparkhash.New(o.Input.Schema(), cols, o.HashRule)
	return p, err
}

func orderable(s *arrow.Schema, cols []int) error {
	for _, c := range cols {
		if err := refuseOrder(s.Field(c).Type); err != nil {
			return fmt.Errorf("key column %d %q: %w", c, s.Field(c).Name, err)
		}
	}
	return nil
}

// place writes the partitions of rows of the input to dst; of is false, and
// dst untouched, if all belong to partition 0 or to none in particular.
func (p *placement) place(dst []int32, b arrow.RecordBatch, first int) (of bool) {
	if p.hasher == nil {
		return false
	}
	p.hasher.Hash(dst, b, first)
	for i, h := range dst {
		dst[i] = sparkhash.Partition(h, p.partitions)
	}
	return true
}

// folders makes the two fingerprinters of a schema: of whole rows, and of the
// key (nil if there is none or it is not wanted).
func folders(k *fingerprint.Keys, target, source *arrow.Schema, keyCols []int) (rows, keys *fingerprint.Rows, err error) {
	rows, err = fingerprint.NewRows(k, target, source, nil)
	if err != nil || keyCols == nil {
		return rows, nil, err
	}
	keys, err = fingerprint.NewRows(k, target, source, keyCols)
	return rows, keys, err
}
