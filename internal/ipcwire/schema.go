package ipcwire

import "github.com/shufflebench/shufflebench/internal/shufflefile"

// MaxDepth is the deepest nesting of fields that is read.
const MaxDepth = 64

// Field is the part of a schema's field that a general Arrow schema does not
// keep: which dictionary messages belong to it.
type Field struct {
	HasDictionary bool
	Dictionary    int64   // the id in dictionary batches, if HasDictionary
	Children      []Field // of the dictionary's values, if HasDictionary
}

// Codes of the Type union whose tables hold something of variable size.
const (
	typeTimestamp uint8 = 10
	typeUnion     uint8 = 14
)

const (
	slotTimestampZone = 6 // string
	slotUnionTypeIDs  = 6 // vector of i32
)

// Schema reads a message of kind HeaderSchema: its top-level fields, with the
// ids of their dictionaries. It refuses a big-endian schema, nesting deeper
// than MaxDepth, and metadata in which several fields share the same bytes:
// a few of those could stand for billions of fields. What it accepts is thus
// safe to hand to a general parser.
func (m *Message) Schema() ([]Field, error) {
	order, err := m.header.int16(SlotSchemaEndianness)
	if err != nil {
		return nil, shufflefile.Corrupt("schema metadata: %v", err)
	}
	if order != LittleEndian {
		return nil, shufflefile.Corrupt("schema is not little-endian (byte order code %d)", order)
	}
	w := newWalker(m.root.buf)
	fields, err := w.fields(&m.header, SlotSchemaFields, 0)
	if err == nil {
		err = w.pairs(&m.header, SlotSchemaMetadata)
	}
	if err == nil {
		err = w.pairs(&m.root, SlotMessageMetadata)
	}
	if err != nil {
		return nil, shufflefile.Corrupt("schema metadata: %v", err)
	}
	return fields, nil
}

// leastField is the size of the smallest table of a field.
const leastField = 8

// walker visits a schema. What it visits is taken off a budget of a few times
// the metadata's size (some builders store equal strings once), which runs out
// only when bytes are visited over and over.
type walker struct{ budget int }

func newWalker(metadata []byte) walker { return walker{budget: 4*len(metadata) + 1024} }

func (w *walker) spend(n int) error {
	if w.budget -= n; w.budget < 0 {
		return shufflefile.Corrupt("its parts overlap")
	}
	return nil
}

func (w *walker) fields(t *table, slot, depth int) ([]Field, error) {
	start, n, err := t.span(slot, 4)
	if err != nil || n == 0 {
		return nil, err
	}
	if depth >= MaxDepth {
		return nil, shufflefile.Corrupt("fields are nested deeper than %d", MaxDepth)
	}
	if err := w.spend(4 * n); err != nil {
		return nil, err
	}
	fields := make([]Field, n)
	for i := range fields {
		ft, err := t.element(start, i)
		if err != nil {
			return nil, err
		}
		if err := w.field(&ft, &fields[i], depth); err != nil {
			return nil, err
		}
	}
	return fields, nil
}

func (w *walker) field(t *table, f *Field, depth int) (err error) {
	if err := w.spend(leastField); err != nil {
		return err
	}
	if err := w.vector(t, SlotFieldName, 1); err != nil {
		return err
	}
	if err := w.pairs(t, SlotFieldMetadata); err != nil {
		return err
	}
	if err := w.fieldType(t); err != nil {
		return err
	}
	enc, present, err := t.table(SlotFieldDictionary)
	if err != nil {
		return err
	}
	if present {
		f.HasDictionary = true
		if f.Dictionary, err = enc.int64(SlotEncodingID); err != nil {
			return err
		}
	}
	f.Children, err = w.fields(t, SlotFieldChildren, depth+1)
	return err
}

// fieldType counts the parts of a type whose size varies.
func (w *walker) fieldType(t *table) error {
	code, err := t.uint8(SlotFieldTypeType)
	if err != nil {
		return err
	}
	typ, present, err := t.table(SlotFieldType)
	if err != nil || !present {
		return err
	}
	switch code {
	case typeTimestamp:
		return w.vector(&typ, slotTimestampZone, 1)
	case typeUnion:
		return w.vector(&typ, slotUnionTypeIDs, 4)
	}
	return nil
}

func (w *walker) vector(t *table, slot, width int) error {
	b, err := t.vector(slot, width)
	if err != nil {
		return err
	}
	return w.spend(len(b))
}

// pairs counts a vector of key-value pairs.
func (w *walker) pairs(t *table, slot int) error {
	return eachPair(t, slot, func(key, value []byte) error {
		return w.spend(4 + len(key) + len(value))
	})
}

func eachPair(t *table, slot int, visit func(key, value []byte) error) error {
	start, n, err := t.span(slot, 4)
	if err != nil {
		return err
	}
	for i := range n {
		kv, err := t.element(start, i)
		if err != nil {
			return err
		}
		key, err := kv.vector(SlotKeyValueKey, 1)
		if err != nil {
			return err
		}
		value, err := kv.vector(SlotKeyValueValue, 1)
		if err != nil {
			return err
		}
		if err := visit(key, value); err != nil {
			return err
		}
	}
	return nil
}

// Metadata is a message's own key-value pairs, nil if it has none.
func (m *Message) Metadata() (keys, values []string, err error) {
	if m.root.at(SlotMessageMetadata, 4) == 0 {
		return nil, nil, nil
	}
	w := newWalker(m.root.buf)
	err = eachPair(&m.root, SlotMessageMetadata, func(key, value []byte) error {
		keys, values = append(keys, string(key)), append(values, string(value))
		return w.spend(4 + len(key) + len(value))
	})
	if err != nil {
		return nil, nil, shufflefile.Corrupt("message metadata: %v", err)
	}
	return keys, values, nil
}

// HeaderName names a kind of message for people.
func HeaderName(kind uint8) string {
	names := [...]string{"none", "schema", "dictionary batch", "record batch", "tensor", "sparse tensor"}
	if int(kind) < len(names) {
		return names[kind]
	}
	return "unknown"
}
