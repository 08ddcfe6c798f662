package reader

import (
	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/arrow/memory"

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

	shapes shapes  // of the batches that came with it
	alike  *schema // one that was found to have the same column types
	spare  *shell  // memory of the last batch, if that may be used again
}

// parseSchema makes a schema from its message and the message's metadata. raw
// is left to the caller.
func parseSchema(m *ipcwire.Message, metadata []byte) (*schema, error) {
	ids, err := m.Schema()
	if err != nil {
		return nil, err
	}
	if m.BodyLength != 0 {
		return nil, shufflefile.Corrupt("schema message with a body of %d bytes", m.BodyLength)
	}
	rr, err := ipc.NewReaderFromMessageReader(newOneMessage(metadata))
	if err != nil {
		return nil, &shufflefile.Error{Class: shufflefile.ErrCorrupt, Place: shufflefile.In(""), Err: err}
	}
	s := &schema{arrow: rr.Schema()}
	var p planner
	if s.batch, err = p.columns(s.arrow, ids); err != nil {
		return nil, err
	}
	s.dicts, s.slots = p.dicts, p.slots
	s.slabs = makeSlabs(s.arrow)
	return s, nil
}

// oneMessage hands arrow's reader a message where it lies, which spares a copy.
type oneMessage struct{ msg *ipc.Message }

var noBody = memory.NewBufferBytes(nil)

func newOneMessage(metadata []byte) oneMessage {
	return oneMessage{ipc.NewMessage(memory.NewBufferBytes(metadata), noBody)}
}

// Message implements ipc.MessageReader.
func (o oneMessage) Message() (*ipc.Message, error) { return o.msg, nil }

// Retain implements ipc.MessageReader; there is nothing to count.
func (o oneMessage) Retain() {}

// Release implements ipc.MessageReader; there is nothing to count.
func (o oneMessage) Release() {}

// like reports whether blocks of s and o can follow each other in a partition:
// their columns have the same names and hold the same values, though one may
// keep them in a dictionary where the other does not. Nullability and metadata
// do not matter.
func (s *schema) like(o *schema) bool {
	if s == o || s.alike == o {
		return true
	}
	if s.arrow.NumFields() != o.arrow.NumFields() {
		return false
	}
	for i := range s.arrow.NumFields() {
		a, b := s.arrow.Field(i), o.arrow.Field(i)
		if a.Name != b.Name || !sameValues(a.Type, b.Type) {
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
		if fa[i].Name != fb[i].Name || !sameValues(fa[i].Type, fb[i].Type) {
			return false
		}
	}
	return true
}
