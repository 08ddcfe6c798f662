package reader

import (
	"fmt"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/shufflebench/shufflebench/internal/ipcwire"
	"github.com/shufflebench/shufflebench/internal/shufflefile"
)

// kind is the way a type's values lie in buffers.
type kind uint8

const (
	kindNull          kind = iota // no buffers
	kindBool                      // validity, bits
	kindFixed                     // validity, values of width bytes
	kindBinary                    // validity, i32 offsets, bytes
	kindLargeBinary               // validity, i64 offsets, bytes
	kindView                      // validity, views of 16 bytes, any number of byte buffers
	kindList                      // validity, i32 offsets; one child
	kindLargeList                 // validity, i64 offsets; one child
	kindListView                  // validity, i32 offsets, i32 sizes; one child
	kindLargeListView             // validity, i64 offsets, i64 sizes; one child
	kindFixedList                 // validity; one child of width values a row
	kindStruct                    // validity; children
	kindSparse                    // type ids; children
	kindDense                     // type ids, i32 offsets; children
	kindRunEnd                    // none; run ends and values
)

// wireBuffers is the number of buffers that a kind has in a message, variadic
// ones aside.
var wireBuffers = [...]int{
	kindNull: 0, kindBool: 2, kindFixed: 2, kindBinary: 3, kindLargeBinary: 3, kindView: 2,
	kindList: 2, kindLargeList: 2, kindListView: 3, kindLargeListView: 3,
	kindFixedList: 1, kindStruct: 1, kindSparse: 1, kindDense: 2, kindRunEnd: 0,
}

// node is one field of a type, with what decoding it needs to know.
type node struct {
	dt       arrow.DataType // of the array handed out
	kind     kind
	width    int    // kindFixed: bytes a value; kindFixedList: values a list
	children []int  // the nodes of the children
	dict     int    // slot of its dictionary, or -1
	utf8     bool   // its bytes are text
	signed   bool   // its dictionary indices are
	codes    []int8 // type codes of a union's children
	isMap    bool
	column   int // top-level field it belongs to
}

// plan is the fields of a message in the order in which it lists them:
// pre-order, so children come after their parent.
type plan struct {
	nodes    []node
	roots    []int // the top-level fields
	buffers  int   // number of buffers, variadic ones aside
	views    int   // fields with variadic buffers
	children int   // number of nodes that are children
	ends     []int // fields with offsets or runs
}

// dictionary is a dictionary that a schema names.
type dictionary struct {
	id     int64
	values plan
}

// planner makes the plans of a schema. Dictionaries get slots in the order in
// which they can be built: those inside a dictionary's values before it.
type planner struct {
	dicts []dictionary
	slots map[int64]int
}

// columns is the plan of a record batch of the given schema.
func (p *planner) columns(s *arrow.Schema, ids []ipcwire.Field) (plan, error) {
	n := s.NumFields()
	out := plan{nodes: make([]node, 0, n), roots: make([]int, n)}
	if n != len(ids) {
		return out, shufflefile.Corrupt("schema of %d fields is read as %d", len(ids), n)
	}
	for i := range n {
		out.roots[i] = len(out.nodes)
		if err := p.add(&out, s.Field(i).Type, &ids[i], i, 0); err != nil {
			return out, err
		}
	}
	return out, nil
}

// add appends the nodes of a type to out.
func (p *planner) add(out *plan, dt arrow.DataType, id *ipcwire.Field, column, depth int) error {
	if depth > ipcwire.MaxDepth {
		return shufflefile.Corrupt("fields are nested deeper than %d", ipcwire.MaxDepth)
	}
	storage := dt
	for storage.ID() == arrow.EXTENSION {
		storage = storage.(arrow.ExtensionType).StorageType()
	}
	n := node{dt: dt, dict: -1, column: column}
	if err := n.classify(storage); err != nil {
		return err
	}
	if d, ok := storage.(*arrow.DictionaryType); ok {
		slot, err := p.dictionary(d, id, depth)
		if err != nil {
			return err
		}
		n.dict = slot
		n.signed = arrow.IsSignedInteger(d.IndexType.ID())
	}
	at := len(out.nodes)
	out.nodes = append(out.nodes, n)
	out.buffers += wireBuffers[n.kind]
	if n.kind == kindView {
		out.views++
	}
	if n.kind.hasEnds() {
		out.ends = append(out.ends, at)
	}
	return p.addChildren(out, at, storage, id, depth)
}

func (p *planner) addChildren(out *plan, at int, storage arrow.DataType, id *ipcwire.Field, depth int) error {
	if out.nodes[at].kind < kindList {
		return nil
	}
	fields := storage.(arrow.NestedType).Fields()
	if len(fields) != len(id.Children) {
		return shufflefile.Corrupt("%v has %d children in the schema message", storage, len(id.Children))
	}
	for i, f := range fields {
		out.nodes[at].children = append(out.nodes[at].children, len(out.nodes))
		out.children++
		if err := p.add(out, f.Type, &id.Children[i], out.nodes[at].column, depth+1); err != nil {
			return err
		}
	}
	return nil
}

// dictionary finds or makes the slot of a field's dictionary.
func (p *planner) dictionary(dt *arrow.DictionaryType, id *ipcwire.Field, depth int) (int, error) {
	if !id.HasDictionary {
		return 0, shufflefile.Corrupt("a dictionary field has no dictionary id")
	}
	d := dictionary{id: id.Dictionary}
	values := ipcwire.Field{Children: id.Children}
	d.values.roots = []int{0}
	if err := p.add(&d.values, dt.ValueType, &values, 0, depth+1); err != nil {
		return 0, err
	}
	if slot, ok := p.slots[d.id]; ok {
		if have := p.dicts[slot].values.nodes[0].dt; !arrow.TypeEqual(have, dt.ValueType) {
			return 0, shufflefile.Corrupt("dictionary %d has values of %v and of %v", d.id, have, dt.ValueType)
		}
		return slot, nil
	}
	if p.slots == nil {
		p.slots = map[int64]int{}
	}
	p.dicts = append(p.dicts, d)
	p.slots[d.id] = len(p.dicts) - 1
	return len(p.dicts) - 1, nil
}

// classify fills in kind, width and what else depends on the storage type.
func (n *node) classify(storage arrow.DataType) error {
	switch dt := storage.(type) {
	case *arrow.NullType:
		n.kind = kindNull
	case *arrow.BooleanType:
		n.kind = kindBool
	case *arrow.StringType:
		n.kind, n.utf8 = kindBinary, true
	case *arrow.BinaryType:
		n.kind = kindBinary
	case *arrow.LargeStringType:
		n.kind, n.utf8 = kindLargeBinary, true
	case *arrow.LargeBinaryType:
		n.kind = kindLargeBinary
	case *arrow.StringViewType:
		n.kind, n.utf8 = kindView, true
	case *arrow.BinaryViewType:
		n.kind = kindView
	case arrow.FixedWidthDataType:
		n.kind, n.width = kindFixed, dt.BitWidth()/8
		if n.width < 0 || dt.BitWidth()%8 != 0 {
			return shufflefile.Corrupt("%v has no whole number of bytes", dt)
		}
	default:
		return n.classifyNested(storage)
	}
	return nil
}

func (n *node) classifyNested(storage arrow.DataType) error {
	switch dt := storage.(type) {
	case *arrow.ListType:
		n.kind = kindList
	case *arrow.MapType:
		n.kind, n.isMap = kindList, true
	case *arrow.LargeListType:
		n.kind = kindLargeList
	case *arrow.ListViewType:
		n.kind = kindListView
	case *arrow.LargeListViewType:
		n.kind = kindLargeListView
	case *arrow.FixedSizeListType:
		n.kind, n.width = kindFixedList, int(dt.Len())
	case *arrow.StructType:
		n.kind = kindStruct
	case *arrow.SparseUnionType:
		n.kind, n.codes = kindSparse, dt.TypeCodes()
	case *arrow.DenseUnionType:
		n.kind, n.codes = kindDense, dt.TypeCodes()
	case *arrow.RunEndEncodedType:
		n.kind = kindRunEnd
	default:
		return fmt.Errorf("arrays of type %v are not read", storage)
	}
	return nil
}

// byCode maps a union's type codes to its children, counted from 1.
func (n *node) byCode() (children [128]int) {
	for i, c := range n.codes {
		if c >= 0 {
			children[c] = i + 1
		}
	}
	return children
}
