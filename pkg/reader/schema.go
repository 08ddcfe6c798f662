package reader

import (
	"bytes"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/ipc"

	"github.com/shufflebench/shufflebench/internal/ipcwire"
	"github.com/shufflebench/shufflebench/internal/shufflefile"
)

// schema is all that follows from a schema message: made once, never changed,
// and shared by the blocks that carry the same bytes.
type schema struct {
	raw   []byte // the message's metadata
	arrow *arrow.Schema
	batch plan         // of its record batches
	dicts []dictionary // by slot
	slots map[int64]int
	slabs []slab // how to make the columns' arrays

	alike *schema // one that was found to have the same column types
	spare *shell  // memory of the last batch, if that may be used again
}

// parseSchema makes a schema from its message, whose metadata lies in message
// behind the prefix. raw is left to the caller.
func parseSchema(m *ipcwire.Message, message []byte) (*schema, error) {
	ids, err := m.Schema()
	if err != nil {
		return nil, err
	}
	if m.BodyLength != 0 {
		return nil, shufflefile.Corrupt("schema message with a body of %d bytes", m.BodyLength)
	}
	rr, err := ipc.NewReader(bytes.NewReader(message), ipc.WithMetadataSizeLimit(0))
	if err != nil {
		return nil, &shufflefile.Error{Class: shufflefile.ErrCorrupt, Place: shufflefile.In(""), Err: err}
	}
	defer rr.Release()
	s := &schema{arrow: rr.Schema()}
	var p planner
	if s.batch, err = p.columns(s.arrow, ids); err != nil {
		return nil, err
	}
	s.dicts, s.slots = p.dicts, p.slots
	s.slabs = makeSlabs(s.arrow)
	return s, nil
}

// like reports whether blocks of s and o can follow each other in a partition:
// their columns hold the same values, if one may keep them in a dictionary
// where the other does not. Names, nullability and metadata do not matter.
func (s *schema) like(o *schema) bool {
	if s == o || s.alike == o {
		return true
	}
	a, b := s.arrow.Fields(), o.arrow.Fields()
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if !sameValues(a[i].Type, b[i].Type) {
			return false
		}
	}
	s.alike = o
	return true
}

func sameValues(a, b arrow.DataType) bool {
	if d, ok := a.(*arrow.DictionaryType); ok {
		a = d.ValueType
	}
	if d, ok := b.(*arrow.DictionaryType); ok {
		b = d.ValueType
	}
	switch a.ID() {
	case arrow.LIST, arrow.LARGE_LIST, arrow.MAP, arrow.STRUCT:
	default:
		return arrow.TypeEqual(a, b)
	}
	if a.ID() != b.ID() {
		return false
	}
	fa, fb := a.(arrow.NestedType).Fields(), b.(arrow.NestedType).Fields()
	if len(fa) != len(fb) {
		return false
	}
	for i := range fa {
		if !sameValues(fa[i].Type, fb[i].Type) {
			return false
		}
	}
	return true
}
