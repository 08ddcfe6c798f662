package random

import (
	"encoding/binary"
	"math"
	"unicode/utf8"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
)

// content makes an array's buffers behind the validity, and its children.
// size values are laid out; rows from offset on are the array's own.
func (g *Gen) content(t arrow.DataType, bits *memory.Buffer, offset, rows, size int) ([]*memory.Buffer, []arrow.ArrayData) {
	switch t := t.(type) {
	case *arrow.BooleanType:
		return one(g.bytes((size + 7) / 8)), nil
	case *arrow.StringType, *arrow.BinaryType, *arrow.LargeStringType, *arrow.LargeBinaryType:
		text := t.ID() == arrow.STRING || t.ID() == arrow.LARGE_STRING
		wide := t.ID() == arrow.LARGE_STRING || t.ID() == arrow.LARGE_BINARY
		ends, data := g.values(size, text)
		return append(one(g.offsets(ends, wide)), memory.NewBufferBytes(data)), nil
	case *arrow.MapType:
		return g.list(size, bits, false, func(n int) arrow.ArrayData { return g.entries(t, n) })
	case *arrow.ListType:
		return g.list(size, bits, false, func(n int) arrow.ArrayData { return g.data(t.Elem(), n, t.ElemField().Nullable) })
	case *arrow.LargeListType:
		return g.list(size, bits, true, func(n int) arrow.ArrayData { return g.data(t.Elem(), n, t.ElemField().Nullable) })
	case *arrow.FixedSizeListType:
		n := (offset + rows) * int(t.Len())
		return nil, []arrow.ArrayData{g.data(t.Elem(), n, t.ElemField().Nullable)}
	case *arrow.StructType:
		children := make([]arrow.ArrayData, t.NumFields())
		for i, f := range t.Fields() {
			children[i] = g.data(f.Type, offset+rows, f.Nullable)
		}
		return nil, children
	}
	return one(g.fixed(t, size)), nil
}

func one(b []byte) []*memory.Buffer { return []*memory.Buffer{memory.NewBufferBytes(b)} }

// values makes strings or binaries and gives each one's end.
func (g *Gen) values(n int, text bool) (ends []int, data []byte) {
	data = append(data, "hidden"[:g.lead(6)]...)
	ends = append(ends, len(data))
	for range n {
		switch g.R.IntN(8) {
		case 0:
		case 1:
			for range g.R.IntN(200) {
				data = append(data, 'a'+byte(g.R.IntN(3)))
			}
		default:
			for range g.R.IntN(12) {
				data = g.appendChar(data, text)
			}
		}
		ends = append(ends, len(data))
	}
	return ends, append(data, "behind"[:g.lead(6)]...)
}

// lead is how much lies in a buffer that no row owns.
func (g *Gen) lead(most int) int {
	if g.Plain {
		return 0
	}
	return g.R.IntN(most + 1)
}

func (g *Gen) appendChar(b []byte, text bool) []byte {
	if !text {
		return append(b, byte(g.R.Uint32()))
	}
	return utf8.AppendRune(b, []rune("abcxyz09 äß€\U0001f600\x00")[g.R.IntN(14)])
}

func (g *Gen) offsets(ends []int, wide bool) []byte {
	var b []byte
	for _, end := range ends {
		if wide {
			b = binary.LittleEndian.AppendUint64(b, uint64(end))
		} else {
			b = binary.LittleEndian.AppendUint32(b, uint32(end))
		}
	}
	return b
}

// list makes the offsets and the child of lists.
func (g *Gen) list(size int, bits *memory.Buffer, wide bool, child func(n int) arrow.ArrayData) ([]*memory.Buffer, []arrow.ArrayData) {
	ends := []int{g.lead(4)}
	for i := range size {
		n := 0
		null := g.Plain && bits != nil && bits.Bytes()[i/8]>>(i%8)&1 == 0
		if !null && g.R.IntN(4) > 0 {
			n = g.R.IntN(5)
		}
		ends = append(ends, ends[i]+n)
	}
	d := child(ends[size] + g.lead(4))
	return one(g.offsets(ends, wide)), []arrow.ArrayData{d}
}

// entries makes a map's child, in which neither entries nor keys are null.
func (g *Gen) entries(t *arrow.MapType, n int) arrow.ArrayData {
	offset, _ := g.room(n)
	keys := g.data(t.KeyType(), offset+n, false)
	items := g.data(t.ItemType(), offset+n, t.ItemField().Nullable)
	return array.NewData(t.Elem(), n, []*memory.Buffer{nil}, []arrow.ArrayData{keys, items}, 0, offset)
}

// fixed makes values of a fixed width: small numbers, rising ones, any bytes,
// and the odd floats.
func (g *Gen) fixed(t arrow.DataType, n int) []byte {
	width := t.(arrow.FixedWidthDataType).BitWidth() / 8
	b := g.bytes(n * width)
	style := g.R.IntN(3)
	for i := range n {
		v := b[i*width : (i+1)*width]
		if style < 2 {
			clear(v[1:])
		}
		if style == 0 {
			v[0] = byte(i)
		}
	}
	switch t.ID() {
	case arrow.FLOAT32:
		for i := range n {
			if g.R.IntN(3) == 0 {
				odd := []uint32{1 << 31, 0, 0x7fc00000, 0xffc00001, 0x7f800001, math.Float32bits(float32(math.Inf(1)))}
				binary.LittleEndian.PutUint32(b[4*i:], odd[g.R.IntN(len(odd))])
			}
		}
	case arrow.FLOAT64:
		for i := range n {
			if g.R.IntN(3) == 0 {
				odd := []uint64{1 << 63, 0, 0x7ff8000000000000, 0xfff8000000000001, 0x7ff0000000000001, math.Float64bits(math.Inf(-1))}
				binary.LittleEndian.PutUint64(b[8*i:], odd[g.R.IntN(len(odd))])
			}
		}
	}
	return b
}
