// Package unsaferow writes and reads rows in the binary form of Spark's
// UnsafeRow.
//
// A row is three regions of 8-byte words. In the first, bit i says that field i
// is null. In the second, every field has a slot of 8 bytes: a value of up to 8
// bytes, zero-extended, or where and how long its bytes are. These lie in the
// third, each value padded with zeros to a multiple of 8:
//
//	+-----------------+--------+--------+-- - - --+-------------------------+
//	| null bits       | slot 0 | slot 1 |         | variable part           |
//	| 8 B a 64 fields | 8 B    | 8 B    |         |                         |
//	+-----------------+--------+--------+-- - - --+-------------------------+
//	                            \ offset << 32 | size, from the row's start
//
// The slot of a null is zero. Decimals of up to 18 digits are numbers in the
// slot; larger ones are big-endian two's complement in as few bytes as hold
// them. A row keeps 16 bytes for each, for a null too, whose slot says where.
//
// A struct is a row of its own inside the variable part. A list is an array: a
// word with the number of elements, null bits, then elements of their own size
// (8 bytes for those with an offset, which counts from the array's start), and
// their variable part. A map is a word with the size of its key array, the key
// array, and the value array:
//
//	array   | count | null bits | elements, padded | variable part |
//	map     | bytes of keys | key array | value array |
//
// Types that Spark does not have are kept by the same rules: other fixed widths
// of up to 8 bytes in the slot, wider ones as bytes. All numbers are
// little-endian.
package unsaferow

import (
	"fmt"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/shufflebench/shufflebench/pkg/writer/segment"
)

// Kind is how a field's values lie in a row.
type Kind uint8

// The kinds. Those before Big lie in the slot, the others behind it.
const (
	Null   Kind = iota // nothing but its null bit
	Bool               // a byte
	Slot               // Size bytes as they are
	Small              // decimal of up to 18 digits, as 8 bytes
	Big                // decimal of more digits
	Bytes              // string or binary
	Blob               // fixed width that does not fit the slot
	Struct             // row
	List               // array
	Map                // two arrays; the child is a struct of key and value
)

// maxSmall is the most digits that every 8-byte integer can have.
const maxSmall = 18

// word is what all sizes and offsets are multiples of.
const word = 8

// bigRoom is what a row keeps for a Big.
const bigRoom = 16

// Field is a column or nested field.
type Field struct {
	Kind     Kind
	Size     int           // bytes of a value, or of its reference, as an array's element
	Node     *segment.Node // how the same values lie in columns
	Children []*Field
	checked  bool // it is, or has below it, a Small that is wider in Arrow
}

// Layout is how rows of a schema lie.
type Layout struct {
	Fields []*Field
	Slots  int // where the first slot begins
	Fixed  int // bytes of null bits and slots, the least that a row has
}

// NewLayout lays out rows of l's schema.
func NewLayout(l *segment.Layout) (*Layout, error) {
	out := &Layout{Slots: nullBytes(len(l.Columns))}
	out.Fixed = out.Slots + word*len(l.Columns)
	for i, n := range l.Columns {
		f, err := newField(n, l.Schema.Field(i).Type)
		if err != nil {
			return nil, err
		}
		out.Fields = append(out.Fields, f)
	}
	return out, nil
}

// nullBytes is the size of the null bits of n fields or elements.
func nullBytes(n int) int { return (n + 63) / 64 * word }

// padded rounds up to whole words.
func padded(n int) int { return (n + word - 1) &^ (word - 1) }

func newField(n *segment.Node, t arrow.DataType) (*Field, error) {
	if e, ok := t.(arrow.ExtensionType); ok {
		return newField(n, e.StorageType())
	}
	f := &Field{Node: n, Size: word}
	f.classify(t)
	nested, ok := t.(arrow.NestedType)
	if !ok {
		return f, nil
	}
	if len(nested.Fields()) != len(n.Children) {
		return nil, fmt.Errorf("column %q: type %s does not fit a row", n.Name, t)
	}
	for i, child := range nested.Fields() {
		c, err := newField(n.Children[i], child.Type)
		if err != nil {
			return nil, err
		}
		f.Children = append(f.Children, c)
		f.checked = f.checked || c.checked
	}
	return f, nil
}

// classify sets kind and size.
func (f *Field) classify(t arrow.DataType) {
	if d, ok := t.(arrow.DecimalType); ok && f.Node.Width <= 16 {
		f.Kind = Big
		if d.GetPrecision() <= maxSmall {
			f.Kind, f.checked = Small, f.Node.Width > word
		}
		return
	}
	switch f.Node.Kind {
	case segment.Null:
		f.Kind = Null
	case segment.Bits:
		f.Kind, f.Size = Bool, 1
	case segment.Fixed:
		f.Kind = Blob
		switch f.Node.Width {
		case 1, 2, 4, 8:
			f.Kind, f.Size = Slot, f.Node.Width
		}
	case segment.Var:
		f.Kind = Bytes
	case segment.Struct:
		f.Kind = Struct
	case segment.List, segment.FixedList:
		f.Kind = List
		if t.ID() == arrow.MAP {
			f.Kind = Map
		}
	}
}
