package shufflefile

import (
	"encoding/binary"
	"fmt"
)

// Endian is the byte order of an index file. Comet's native writer, Ballista
// and this tool write little-endian offsets; Spark's own index is big-endian.
type Endian uint8

// The byte orders; AutoEndian picks the one in which the index is consistent.
const (
	AutoEndian Endian = iota
	LittleEndian
	BigEndian
)

// String is auto, little or big.
func (e Endian) String() string { return [...]string{"auto", "little", "big"}[e] }

// ParseEndian is the inverse of Endian.String.
func ParseEndian(s string) (Endian, error) {
	for _, e := range []Endian{AutoEndian, LittleEndian, BigEndian} {
		if e.String() == s {
			return e, nil
		}
	}
	return 0, fmt.Errorf("unknown byte order %q", s)
}

// OffsetSize is the size of one index entry.
const OffsetSize = 8

// Index is the P+1 offsets of a data file: partition p is [Index[p], Index[p+1]).
type Index []int64

// Partitions is P.
func (x Index) Partitions() int { return len(x) - 1 }

// Range is the byte interval of partition p.
func (x Index) Range(p int) (offset, length int64) { return x[p], x[p+1] - x[p] }

// AppendOffset appends one little-endian index entry.
func AppendOffset(b []byte, offset int64) []byte {
	return binary.LittleEndian.AppendUint64(b, uint64(offset))
}

// ParseIndex decodes an index file and checks it against the data file: its
// size is a positive multiple of 8, its first offset is first (0; Ballista's
// layout: the header's length; -1 accepts any), offsets never fall, and the
// last is dataSize. With AutoEndian the order that passes is taken, little
// first. Errors are of class ErrCorrupt; a Place's Offset is in the index.
func ParseIndex(b []byte, order Endian, first, dataSize int64) (Index, Endian, error) {
	if len(b) < 2*OffsetSize || len(b)%OffsetSize != 0 {
		return nil, order, Corrupt("index of %d bytes is no list of at least 2 offsets of %d bytes", len(b), OffsetSize)
	}
	if order != AutoEndian {
		x := decodeIndex(b, order)
		return x, order, x.check(first, dataSize)
	}
	x := decodeIndex(b, LittleEndian)
	err := x.check(first, dataSize)
	if err == nil {
		return x, LittleEndian, nil
	}
	if big := decodeIndex(b, BigEndian); big.check(first, dataSize) == nil {
		return big, BigEndian, nil
	}
	return x, LittleEndian, err
}

func decodeIndex(b []byte, order Endian) Index {
	var bo binary.ByteOrder = binary.LittleEndian
	if order == BigEndian {
		bo = binary.BigEndian
	}
	x := make(Index, len(b)/OffsetSize)
	for i := range x {
		x[i] = int64(bo.Uint64(b[i*OffsetSize:]))
	}
	return x
}

// check finds the first broken rule of an index.
func (x Index) check(first, dataSize int64) error {
	at := func(i int, format string, args ...any) error {
		e := Corrupt(format, args...)
		e.Offset = int64(i) * OffsetSize
		return e
	}
	if x[0] < 0 {
		return at(0, "first offset is negative (%d)", x[0])
	}
	if first >= 0 && x[0] != first {
		return at(0, "first offset is %d, want %d", x[0], first)
	}
	for i := 1; i < len(x); i++ {
		switch {
		case x[i] < 0:
			return at(i, "offset %d of partition %d is negative", x[i], i)
		case x[i] < x[i-1]:
			return at(i, "offset %d of partition %d is below the %d before it", x[i], i, x[i-1])
		}
	}
	if last := x[len(x)-1]; last != dataSize {
		return at(len(x)-1, "last offset is %d, but the data file has %d bytes", last, dataSize)
	}
	return nil
}
