package unsaferow

import (
	"encoding/binary"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/shufflebench/shufflebench/internal/shufflefile"
	"github.com/shufflebench/shufflebench/pkg/writer/segment"
)

// column is an Arrow array seen as the values of a field. Row i counts from the
// array's own offset.
type column struct {
	*Field
	off      int    // row 0 in the buffers
	valid    []byte // nil when nothing is null
	data     []byte
	narrow   []int32 // offsets, whichever the type has, from row 0 on
	wide     []int64
	children []column
}

// bind makes c see an array.
func (c *column) bind(f *Field, d arrow.ArrayData) {
	*c = column{Field: f, off: d.Offset(), children: c.children}
	buffers := d.Buffers()
	if f.Kind != Null && d.NullN() != 0 && buffers[0] != nil {
		c.valid = buffers[0].Bytes()
	}
	switch f.Node.Kind {
	case segment.Fixed, segment.Bits:
		c.data = bytesOf(d, 1)
	case segment.Var:
		c.bindOffsets(d)
		c.data = bytesOf(d, 2)
	case segment.List:
		c.bindOffsets(d)
	}
	if len(c.children) != len(f.Children) {
		c.children = make([]column, len(f.Children))
	}
	for i := range f.Children {
		c.children[i].bind(f.Children[i], d.Children()[i])
	}
}

func (c *column) bindOffsets(d arrow.ArrayData) {
	raw := bytesOf(d, 1)
	switch {
	case len(raw) == 0: // an array without rows may have none
	case c.Node.Wide:
		c.wide = segment.As[int64](raw)[c.off:]
	default:
		c.narrow = segment.As[int32](raw)[c.off:]
	}
}

func bytesOf(d arrow.ArrayData, i int) []byte {
	if b := d.Buffers()[i]; b != nil {
		return b.Bytes()
	}
	return nil
}

func (c *column) null(i int) bool {
	i += c.off
	return c.Kind == Null || c.valid != nil && c.valid[i>>3]>>(i&7)&1 == 0
}

// span is where the bytes or child rows of row i are.
func (c *column) span(i int) (start, end int) {
	switch {
	case c.Node.Kind == segment.FixedList:
		start = (c.off + i) * c.Node.Width
		return start, start + c.Node.Width
	case c.wide != nil:
		return int(c.wide[i]), int(c.wide[i+1])
	case c.narrow != nil:
		return int(c.narrow[i]), int(c.narrow[i+1])
	}
	return 0, 0
}

// fixed is row i of a Bool, Slot or Small as its slot has it.
func (c *column) fixed(i int) uint64 {
	i += c.off
	switch {
	case c.Kind == Bool:
		return uint64(c.data[i>>3] >> (i & 7) & 1)
	case c.Kind == Small:
		return c.small(i)
	}
	switch c.Size {
	case 1:
		return uint64(c.data[i])
	case 2:
		return uint64(binary.LittleEndian.Uint16(c.data[2*i:]))
	case 4:
		return uint64(binary.LittleEndian.Uint32(c.data[4*i:]))
	}
	return binary.LittleEndian.Uint64(c.data[8*i:])
}

// small is the value at place i of the buffer, sign-extended or cut to 8 bytes.
func (c *column) small(i int) uint64 {
	if c.Node.Width == 4 {
		return uint64(int64(int32(binary.LittleEndian.Uint32(c.data[4*i:]))))
	}
	return binary.LittleEndian.Uint64(c.data[i*c.Node.Width:])
}

// big is row i of a Big.
func (c *column) big(i int) (lo, hi uint64) {
	i += c.off
	if c.Node.Width < 16 {
		lo = c.small(i)
		return lo, uint64(int64(lo) >> 63)
	}
	return binary.LittleEndian.Uint64(c.data[16*i:]), binary.LittleEndian.Uint64(c.data[16*i+8:])
}

// bytes is row i of Bytes or Blob.
func (c *column) bytes(i int) []byte {
	if c.Kind == Blob {
		i += c.off
		return c.data[i*c.Node.Width : (i+1)*c.Node.Width]
	}
	start, end := c.span(i)
	return c.data[start:end]
}

// check refuses values that a row cannot hold without changing them: a decimal
// of up to 18 digits that has more. Arrow does not keep anyone from that.
func (c *column) check(i int) error {
	if !c.checked || c.null(i) {
		return nil
	}
	switch c.Kind {
	case Small:
		at := (c.off + i) * c.Node.Width
		lo, hi := binary.LittleEndian.Uint64(c.data[at:]), binary.LittleEndian.Uint64(c.data[at+8:])
		if hi != uint64(int64(lo)>>63) {
			return shufflefile.Limit("column %q: a decimal of at most %d digits has a value beyond 64 bits", c.Node.Name, maxSmall)
		}
	case Struct:
		for k := range c.children {
			if err := c.children[k].check(c.off + i); err != nil {
				return err
			}
		}
	case List, Map:
		for j, end := c.span(i); j < end; j++ {
			if err := c.children[0].check(j); err != nil {
				return err
			}
		}
	}
	return nil
}

// extra is the bytes that row i takes in the variable part of a row or struct.
func (c *column) extra(i int) int {
	if c.Kind == Big {
		return bigRoom
	}
	return c.extraElement(i)
}

// extraElement is the same for the variable part of an array.
func (c *column) extraElement(i int) int {
	if c.Kind < Big || c.null(i) {
		return 0
	}
	switch c.Kind {
	case Big:
		return padded(bigSize(c.big(i)))
	case Struct:
		return structSize(c.children, c.off+i)
	case List:
		start, end := c.span(i)
		return c.children[0].arraySize(start, end)
	case Map:
		start, end := c.span(i)
		entries := &c.children[0]
		start, end = start+entries.off, end+entries.off
		return word + entries.children[0].arraySize(start, end) + entries.children[1].arraySize(start, end)
	}
	return padded(len(c.bytes(i)))
}

func structSize(fields []column, i int) int {
	size := nullBytes(len(fields)) + word*len(fields)
	for k := range fields {
		size += fields[k].extra(i)
	}
	return size
}

// arraySize is the size of an array of rows start to end of c.
func (c *column) arraySize(start, end int) int {
	size := word + nullBytes(end-start) + padded((end-start)*c.Size)
	if c.Kind >= Big {
		for j := start; j < end; j++ {
			size += c.extraElement(j)
		}
	}
	return size
}
