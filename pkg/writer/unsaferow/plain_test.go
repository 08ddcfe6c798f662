package unsaferow

import (
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/shufflebench/shufflebench/internal/shufflefile"
	"github.com/shufflebench/shufflebench/pkg/writer/segment"
)

// plainColumn collects values one by one and makes an array of them: the
// opposite of Writer, without anything in common with it but object.go.
type plainColumn struct {
	f        *Field
	t        arrow.DataType
	rows     int
	nulls    int
	valid    []byte
	data     []byte
	ends     []int
	children []*plainColumn
}

func newPlain(f *Field, t arrow.DataType) *plainColumn {
	p := &plainColumn{f: f, t: t, ends: []int{0}}
	if e, ok := t.(arrow.ExtensionType); ok {
		t = e.StorageType()
	}
	if n, ok := t.(arrow.NestedType); ok {
		for i, c := range n.Fields() {
			p.children = append(p.children, newPlain(f.Children[i], c.Type))
		}
	}
	return p
}

// readRows makes a batch of rows.
func readRows(l *Layout, schema *arrow.Schema, rows [][]byte) (arrow.RecordBatch, error) {
	cols := make([]arrow.Array, len(l.Fields))
	for k, f := range l.Fields {
		p := newPlain(f, schema.Field(k).Type)
		for _, r := range rows {
			if err := l.CheckRow(r); err != nil {
				return nil, err
			}
			if err := p.add(r, l.Slots+8*k, 8, IsNull(r, k)); err != nil {
				return nil, err
			}
		}
		cols[k] = array.MakeFromData(p.make())
	}
	return array.NewRecordBatch(schema, cols, int64(len(rows))), nil
}

func (p *plainColumn) bit(bits []byte, v bool) []byte {
	if p.rows%8 == 0 {
		bits = append(bits, 0)
	}
	if v {
		bits[p.rows/8] |= 1 << (p.rows % 8)
	}
	return bits
}

// add appends the value whose slot of size bytes lies at b[at:].
func (p *plainColumn) add(b []byte, at, size int, null bool) error {
	if p.f.Kind == Null {
		p.rows++
		p.nulls++
		return nil
	}
	p.valid = p.bit(p.valid, !null)
	defer func() { p.rows++ }()
	if null {
		p.nulls++
		return p.hidden()
	}
	if p.f.Kind < Big {
		var slot [16]byte
		copy(slot[:], b[at:at+size])
		if p.f.Kind == Bool {
			p.data = p.bit(p.data, slot[0] != 0)
			return nil
		}
		if int8(slot[7]) < 0 {
			copy(slot[8:], "\xff\xff\xff\xff\xff\xff\xff\xff")
		}
		p.data = append(p.data, slot[:p.f.Node.Width]...)
		return nil
	}
	v, ok := Ref(b, Word(b, at))
	if !ok {
		return shufflefile.Corrupt("column %q: reference outside", p.f.Node.Name)
	}
	return p.addBytes(v)
}

func (p *plainColumn) addBytes(v []byte) error {
	switch p.f.Kind {
	case Big:
		lo, hi, ok := Decimal(v)
		if !ok {
			return shufflefile.Corrupt("decimal of %d bytes", len(v))
		}
		p.data = binary.LittleEndian.AppendUint64(p.data, lo)
		p.data = binary.LittleEndian.AppendUint64(p.data, hi)
	case Bytes, Blob:
		p.data = append(p.data, v...)
		p.ends = append(p.ends, len(p.data))
	case Struct:
		slots, err := p.f.CheckStruct(v)
		if err != nil {
			return err
		}
		for k, c := range p.children {
			if err := c.add(v, slots+8*k, 8, IsNull(v, k)); err != nil {
				return err
			}
		}
	case List:
		return p.addArray(p.children[0], v)
	case Map:
		keys, values, err := ParseMap(v)
		if err != nil {
			return err
		}
		entries := p.children[0]
		if err := errors.Join(entries.addArray(entries.children[0], keys), entries.addArray(entries.children[1], values)); err != nil {
			return err
		}
		for entries.rows < entries.children[0].rows {
			entries.valid = entries.bit(entries.valid, true)
			entries.rows++
		}
		p.ends = append(p.ends, entries.rows)
	default:
		return fmt.Errorf("kind %d", p.f.Kind)
	}
	return nil
}

func (p *plainColumn) addArray(child *plainColumn, v []byte) error {
	a, err := ParseArray(v, child.f.Size)
	if err != nil {
		return err
	}
	for i := range a.Len {
		if err := child.add(a.Bytes(), a.At(i), a.Size, a.IsNull(i)); err != nil {
			return err
		}
	}
	p.ends = append(p.ends, child.rows)
	return nil
}

// hidden appends what lies behind a null.
func (p *plainColumn) hidden() error {
	switch p.f.Node.Kind {
	case segment.Bits:
		p.data = p.bit(p.data, false)
	case segment.Fixed:
		p.data = append(p.data, make([]byte, p.f.Node.Width)...)
	case segment.Var, segment.List:
		p.ends = append(p.ends, p.ends[len(p.ends)-1])
	case segment.Struct:
		for _, c := range p.children {
			if err := c.add(make([]byte, 8), 0, 8, true); err != nil {
				return err
			}
		}
	case segment.FixedList:
		for range p.f.Node.Width {
			if err := p.children[0].add(make([]byte, 8), 0, 8, true); err != nil {
				return err
			}
		}
	}
	return nil
}

func (p *plainColumn) make() arrow.ArrayData {
	buffers := []*memory.Buffer{memory.NewBufferBytes(p.valid)}
	if p.f.Kind == Null {
		buffers[0] = nil
	}
	switch p.f.Node.Kind {
	case segment.Var, segment.List:
		var off []byte
		for _, e := range p.ends {
			if p.f.Node.Wide {
				off = binary.LittleEndian.AppendUint64(off, uint64(e))
			} else {
				off = binary.LittleEndian.AppendUint32(off, uint32(e))
			}
		}
		buffers = append(buffers, memory.NewBufferBytes(off))
	}
	switch p.f.Node.Kind {
	case segment.Bits, segment.Fixed, segment.Var:
		buffers = append(buffers, memory.NewBufferBytes(p.data))
	}
	var children []arrow.ArrayData
	for _, c := range p.children {
		children = append(children, c.make())
	}
	return array.NewData(p.t, p.rows, buffers, children, p.nulls, 0)
}
