package ipcwire

import (
	"encoding/binary"
	"errors"
)

// errBounds: an offset, size or count in a flatbuffer leads outside it.
var errBounds = errors.New("metadata points outside itself")

// bad is the position of a field that does not lie inside the buffer; 0, where
// no field can be, stands for an absent one.
const bad = -1

// table reads one flatbuffer table where it lies. Every position is checked
// against the buffer before it is used, and positions only grow from a table
// to what it refers to, so no input can make it read outside or go in circles.
type table struct {
	buf    []byte
	pos    int // of the table
	vtable int // of its vtable
	slots  int // size of the vtable
}

// root is the table that a message's metadata starts with.
func root(buf []byte) (table, error) {
	if len(buf) < 8 {
		return table{}, errBounds
	}
	return tableAt(buf, int64(binary.LittleEndian.Uint32(buf)))
}

// tableAt is the table at position at.
func tableAt(buf []byte, at int64) (table, error) {
	if at < 4 || at > int64(len(buf))-4 {
		return table{}, errBounds
	}
	pos := int(at)
	v := at - int64(int32(binary.LittleEndian.Uint32(buf[pos:])))
	if v < 0 || v > int64(len(buf))-4 {
		return table{}, errBounds
	}
	vtable := int(v)
	slots := int(binary.LittleEndian.Uint16(buf[vtable:]))
	if slots < 4 || slots > len(buf)-vtable {
		return table{}, errBounds
	}
	return table{buf: buf, pos: pos, vtable: vtable, slots: slots}, nil
}

// at is the position of the field of the given width at a slot: 0 if it is
// absent, bad if it does not fit the buffer. The vtable's word on the size of
// the table is not asked: writers share a vtable between tables of different
// sizes if only their fields are in the same places.
func (t *table) at(slot, width int) int {
	if slot > t.slots-2 {
		return 0
	}
	off := int(binary.LittleEndian.Uint16(t.buf[t.vtable+slot:]))
	switch {
	case off == 0:
		return 0
	case off < 4 || off > len(t.buf)-t.pos-width:
		return bad
	}
	return t.pos + off
}

// scalars with the value an absent field stands for

func (t *table) int64(slot int) (int64, error) {
	at := t.at(slot, 8)
	if at <= 0 {
		return 0, boundsIf(at)
	}
	return int64(binary.LittleEndian.Uint64(t.buf[at:])), nil
}

func (t *table) int16(slot int) (int16, error) {
	at := t.at(slot, 2)
	if at <= 0 {
		return 0, boundsIf(at)
	}
	return int16(binary.LittleEndian.Uint16(t.buf[at:])), nil
}

func (t *table) uint8(slot int) (uint8, error) {
	at := t.at(slot, 1)
	if at <= 0 {
		return 0, boundsIf(at)
	}
	return t.buf[at], nil
}

func boundsIf(at int) error {
	if at == bad {
		return errBounds
	}
	return nil
}

// table follows the field at slot to another table.
func (t *table) table(slot int) (sub table, present bool, err error) {
	at := t.at(slot, 4)
	if at <= 0 {
		return table{}, false, boundsIf(at)
	}
	sub, err = tableAt(t.buf, int64(at)+int64(binary.LittleEndian.Uint32(t.buf[at:])))
	return sub, err == nil, err
}

// vector follows the field at slot to the elements of a vector, each of width
// bytes; nil if it is absent.
func (t *table) vector(slot, width int) ([]byte, error) {
	start, n, err := t.span(slot, width)
	if err != nil || n == 0 {
		return nil, err
	}
	return t.buf[start : start+n*width : start+n*width], nil
}

// span is the position and the number of elements of a vector.
func (t *table) span(slot, width int) (start, n int, err error) {
	at := t.at(slot, 4)
	if at <= 0 {
		return 0, 0, boundsIf(at)
	}
	p := int64(at) + int64(binary.LittleEndian.Uint32(t.buf[at:]))
	if p < 4 || p > int64(len(t.buf))-4 {
		return 0, 0, errBounds
	}
	start = int(p) + 4
	count := int64(binary.LittleEndian.Uint32(t.buf[p:]))
	if count > int64(len(t.buf)-start)/int64(width) {
		return 0, 0, errBounds
	}
	return start, int(count), nil
}

// element is the i-th table of a vector of tables that starts at start.
func (t *table) element(start, i int) (table, error) {
	at := start + 4*i
	return tableAt(t.buf, int64(at)+int64(binary.LittleEndian.Uint32(t.buf[at:])))
}
