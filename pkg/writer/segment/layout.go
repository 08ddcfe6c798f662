// Package segment holds rows grouped by partition: contiguous by column,
// unencoded, in memory or in a spill file.
//
// A segment is made from one batch by one grouped take: the rows are counted
// by partition, ordered by it (stable, so rows keep their order inside a
// partition), and every column is gathered in that order into one piece of
// memory. That memory is also the segment's form on disk:
//
//	+----------------------------+  for every node of the layout, in preorder,
//	| validity  (n+7)/8 bytes    |  what it has of these three, each padded to
//	| offsets   4(n+1) bytes     |  a multiple of 8; no validity without nulls
//	| data                       |
//	+----------------------------+
//	| counts                     |  rows a partition, see counts.go
//	+----------------------------+
//	| footer                     |  rows, entries, sizes, see file.go
//	+----------------------------+
//
// Since rows lie in partition order, the rows of any interval of partitions
// are one row range, and so one byte range in every buffer.
package segment

import (
	"fmt"

	"github.com/apache/arrow-go/v18/arrow"
)

// Kind is how a node's values lie in memory.
type Kind uint8

// The kinds. Offsets inside a segment are 32 bits wide for all of them; Wide
// says that Arrow wants 64.
const (
	Null      Kind = iota // nothing but a length
	Fixed                 // Width bytes a value
	Bits                  // a bit a value
	Var                   // offsets into bytes
	List                  // offsets into one child
	FixedList             // Width child values a value
	Struct                // children, value by value
)

// Node is one column or nested field.
type Node struct {
	Kind     Kind
	Width    int    // Fixed: bytes a value; FixedList: child values a value
	Wide     bool   // Var, List: Arrow's offsets are 64 bits wide
	Signed   bool   // Fixed: two's complement or float, for compressors
	Name     string // dotted path from the column, for messages
	Index    int    // position in preorder, and in Segment.Bufs
	Children []*Node
}

// Buffers is the number of buffers of an Arrow record batch that belong to the
// node itself.
func (n *Node) Buffers() int {
	switch n.Kind {
	case Null:
		return 0
	case Struct, FixedList:
		return 1
	case Var:
		return 3
	}
	return 2
}

// Layout is the tree of nodes of a schema.
type Layout struct {
	Schema  *arrow.Schema
	Columns []*Node
	Nodes   []*Node // all, in preorder
	RowSize int     // bytes a row takes in fixed-size buffers, about
}

// NewLayout lays out a schema. It fails, naming the column, for a type that
// segments cannot hold.
func NewLayout(schema *arrow.Schema) (*Layout, error) {
	l := &Layout{Schema: schema}
	for _, f := range schema.Fields() {
		n, err := l.add(f.Name, f.Type)
		if err != nil {
			return nil, err
		}
		l.Columns = append(l.Columns, n)
	}
	return l, nil
}

func (l *Layout) add(name string, t arrow.DataType) (*Node, error) {
	n := &Node{Name: name, Index: len(l.Nodes)}
	l.Nodes = append(l.Nodes, n)
	if err := n.classify(t); err != nil {
		return nil, fmt.Errorf("column %q: %w", name, err)
	}
	l.RowSize += n.rowSize()
	for _, f := range childFields(t) {
		c, err := l.add(name+"."+f.Name, f.Type)
		if err != nil {
			return nil, err
		}
		n.Children = append(n.Children, c)
	}
	return n, nil
}

func (n *Node) rowSize() int {
	switch n.Kind {
	case Fixed:
		return n.Width
	case Bits:
		return 1
	case Var, List:
		return 4
	}
	return 0
}

// classify sets kind and width for the node's own buffers.
func (n *Node) classify(t arrow.DataType) error {
	switch t := t.(type) {
	case *arrow.NullType:
		n.Kind = Null
	case *arrow.BooleanType:
		n.Kind = Bits
	case *arrow.StringType, *arrow.BinaryType:
		n.Kind = Var
	case *arrow.LargeStringType, *arrow.LargeBinaryType:
		n.Kind, n.Wide = Var, true
	case *arrow.ListType, *arrow.MapType:
		n.Kind = List
	case *arrow.LargeListType:
		n.Kind, n.Wide = List, true
	case *arrow.FixedSizeListType:
		n.Kind, n.Width = FixedList, int(t.Len())
	case *arrow.StructType:
		n.Kind = Struct
	case arrow.ExtensionType:
		return n.classify(t.StorageType())
	case *arrow.DictionaryType, *arrow.RunEndEncodedType:
		return fmt.Errorf("type %s cannot be grouped", t)
	case arrow.FixedWidthDataType:
		n.Kind, n.Width = Fixed, t.BitWidth()/8
	default:
		return fmt.Errorf("type %s cannot be grouped", t)
	}
	return nil
}

// childFields are the nested fields of a type, with extensions looked through.
func childFields(t arrow.DataType) []arrow.Field {
	switch t := t.(type) {
	case arrow.ExtensionType:
		return childFields(t.StorageType())
	case arrow.NestedType:
		return t.Fields()
	}
	return nil
}
