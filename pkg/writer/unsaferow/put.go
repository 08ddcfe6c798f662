package unsaferow

import "encoding/binary"

// The functions here write one value at a time, whatever its type. b always
// begins where the row, struct or array does that offsets count from; cursor is
// where its next variable bytes go.

func putWord(b []byte, at int, v uint64) { binary.LittleEndian.PutUint64(b[at:], v) }

func putRef(b []byte, at, off, size int) { putWord(b, at, uint64(off)<<32|uint64(size)) }

func setNull(bits []byte, i int) { bits[i>>3] |= 1 << (i & 7) }

// putStruct writes row i of fields and returns its size.
func putStruct(b []byte, fields []column, i int) int {
	slots := nullBytes(len(fields))
	cursor := slots + word*len(fields)
	clear(b[:cursor])
	for k := range fields {
		cursor = fields[k].putField(b, k, slots+word*k, cursor, i)
	}
	return cursor
}

// putField writes row i as field k of a row or struct whose null bit and slot
// are zero, and returns where the next variable bytes go.
func (c *column) putField(b []byte, k, slot, cursor, i int) int {
	null := c.null(i)
	switch {
	case null:
		setNull(b, k)
		if c.Kind != Big {
			return cursor
		}
		clear(b[cursor : cursor+bigRoom])
		putRef(b, slot, cursor, 0)
		return cursor + bigRoom
	case c.Kind < Big:
		putWord(b, slot, c.fixed(i))
		return cursor
	case c.Kind == Big:
		clear(b[cursor : cursor+bigRoom])
		putRef(b, slot, cursor, c.put(b[cursor:], i))
		return cursor + bigRoom
	}
	size := c.put(b[cursor:], i)
	putRef(b, slot, cursor, size)
	return cursor + padded(size)
}

// put writes the variable bytes of row i, which is not null, with their
// padding, and returns their size without it.
func (c *column) put(b []byte, i int) int {
	switch c.Kind {
	case Big:
		lo, hi := c.big(i)
		size := bigSize(lo, hi)
		clear(b[:padded(size)])
		putBig(b, size, lo, hi)
		return size
	case Struct:
		return putStruct(b, c.children, c.off+i)
	case List:
		start, end := c.span(i)
		return c.children[0].putArray(b, start, end)
	case Map:
		return c.putMap(b, i)
	}
	v := c.bytes(i)
	size := padded(len(v))
	clear(b[copy(b, v):size])
	return len(v)
}

func (c *column) putMap(b []byte, i int) int {
	start, end := c.span(i)
	entries := &c.children[0]
	start, end = start+entries.off, end+entries.off
	keys := entries.children[0].putArray(b[word:], start, end)
	putWord(b, 0, uint64(keys))
	return word + keys + entries.children[1].putArray(b[word+keys:], start, end)
}

// putArray writes an array of rows start to end and returns its size.
func (c *column) putArray(b []byte, start, end int) int {
	n := end - start
	first := word + nullBytes(n)
	cursor := first + padded(n*c.Size)
	clear(b[:cursor])
	putWord(b, 0, uint64(n))
	for j := range n {
		at := first + j*c.Size
		switch {
		case c.null(start + j):
			setNull(b[word:], j)
		case c.Kind < Big:
			putElement(b[at:], c.Size, c.fixed(start+j))
		default:
			size := c.put(b[cursor:], start+j)
			putRef(b, at, cursor, size)
			cursor += padded(size)
		}
	}
	return cursor
}

func putElement(b []byte, size int, v uint64) {
	switch size {
	case 1:
		b[0] = byte(v)
	case 2:
		binary.LittleEndian.PutUint16(b, uint16(v))
	case 4:
		binary.LittleEndian.PutUint32(b, uint32(v))
	default:
		binary.LittleEndian.PutUint64(b, v)
	}
}
