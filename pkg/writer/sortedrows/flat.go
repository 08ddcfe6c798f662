package sortedrows

import (
	"encoding/binary"
	"unsafe"

	"github.com/shufflebench/shufflebench/internal/shufflefile"
	"github.com/shufflebench/shufflebench/pkg/writer/segment"
	"github.com/shufflebench/shufflebench/pkg/writer/unsaferow"
)

// The loops here have a column's type outside and its rows inside. A null's
// slot is as good a value as any other where only the slot is looked at.

func asBytes(words []uint64) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(words))), 8*len(words))
}

func (b *buffers) slots(width, slot int, rows [][]byte) []byte {
	raw := b.raw(width * len(rows))
	switch width {
	case 1:
		for i, r := range rows {
			raw[i] = r[slot]
		}
	case 2:
		dst := segment.As[uint16](raw)
		for i, r := range rows {
			dst[i] = uint16(binary.LittleEndian.Uint64(r[slot:]))
		}
	case 4:
		dst := segment.As[uint32](raw)
		for i, r := range rows {
			dst[i] = uint32(binary.LittleEndian.Uint64(r[slot:]))
		}
	case 8:
		dst := segment.As[uint64](raw)
		for i, r := range rows {
			dst[i] = binary.LittleEndian.Uint64(r[slot:])
		}
	}
	return raw
}

func (b *buffers) bools(slot int, rows [][]byte) []byte {
	b.bytes = bits(b.bytes, len(rows))
	for i, r := range rows {
		if r[slot] != 0 {
			b.bytes[i>>3] |= 1 << (i & 7)
		}
	}
	return b.bytes
}

// small makes decimals of 4, 8 or 16 bytes of 8-byte numbers.
func (b *buffers) small(width, slot int, rows [][]byte) []byte {
	if width <= 8 {
		return b.slots(width, slot, rows)
	}
	raw := b.raw(16 * len(rows))
	dst := segment.As[[2]uint64](raw)
	for i, r := range rows {
		v := binary.LittleEndian.Uint64(r[slot:])
		dst[i] = [2]uint64{v, uint64(int64(v) >> 63)}
	}
	return raw
}

func (b *buffers) big(f *unsaferow.Field, slot int, rows [][]byte) ([]byte, error) {
	raw := b.raw(16 * len(rows))
	dst := segment.As[[2]uint64](raw)
	for i, r := range rows {
		v, ok := unsaferow.Ref(r, unsaferow.Word(r, slot))
		if !ok {
			return nil, outside(f)
		}
		lo, hi, ok := unsaferow.Decimal(v)
		if !ok {
			return nil, shufflefile.Corrupt("column %q: a decimal of %d bytes", f.Node.Name, len(v))
		}
		dst[i] = [2]uint64{lo, hi}
	}
	return raw, nil
}

// strings copies the bytes that the slots refer to. The slot of a null refers
// to none.
func (b *buffers) strings(f *unsaferow.Field, slot int, rows [][]byte) ([]int32, []byte, error) {
	off, data := b.offsets(len(rows)), b.bytes[:0]
	for i, r := range rows {
		v, ok := unsaferow.Ref(r, binary.LittleEndian.Uint64(r[slot:]))
		if !ok {
			return nil, nil, outside(f)
		}
		data = append(data, v...)
		off[i+1] = int32(len(data))
	}
	b.bytes = data
	return off, data, tooLong(f, len(data))
}
