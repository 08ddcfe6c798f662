// Package shufflefile owns the bytes of a shuffle: the block header, the codec
// tags, the index file and the limits. Writer and reader meet only here.
//
// A data file holds the blocks of partition 0, then of partition 1, and so on,
// with nothing between or after them. All integers are little-endian.
//
//	 0        8        16   20                       8+length
//	+--------+--------+----+---------------------------+
//	| length | columns| tag|          payload          |
//	+--------+--------+----+---------------------------+
//	  u64      u64      [4]B  one frame of the codec, holding
//	                          one Arrow IPC stream
//
// length counts everything after its own 8 bytes, so a block occupies
// 8 + length bytes and its payload length - 12. The whole block is at most
// MaxBlock bytes. docs/format.md has the same with a worked example.
package shufflefile

import (
	"encoding/binary"
	"fmt"
	"math"
	"strings"
)

const (
	// HeaderSize is the number of bytes before a block's payload.
	HeaderSize = 20
	// LengthSize is the size of the length field, which does not count itself.
	LengthSize = 8
	// MaxBlock is the largest block, header included, that is written or read.
	MaxBlock = math.MaxInt32
	// MaxPartitions is the largest partition count (2^24, as a packed row pointer has it).
	MaxPartitions = 1 << 24
	// planeBit marks, in a tag's first byte, offsets stored as lengths in byte planes (Comet 1.2).
	planeBit = 0x80
)

// Codec is the compression of a block's payload.
type Codec uint8

// The codecs, in the order in which they are listed to users.
const (
	LZ4 Codec = iota
	Zstd
	Snappy
	None
)

var codecs = [...]struct{ name, tag string }{
	LZ4:    {"lz4", "LZ4_"},
	Zstd:   {"zstd", "ZSTD"},
	Snappy: {"snappy", "SNAP"},
	None:   {"none", "NONE"},
}

// CodecNames lists the names ParseCodec takes.
func CodecNames() []string {
	names := make([]string, len(codecs))
	for i, c := range codecs {
		names[i] = c.name
	}
	return names
}

// String is the name users type: lz4, zstd, snappy or none.
func (c Codec) String() string {
	if int(c) < len(codecs) {
		return codecs[c].name
	}
	return fmt.Sprintf("codec(%d)", uint8(c))
}

// ParseCodec is the inverse of Codec.String, in any letter case.
func ParseCodec(name string) (Codec, error) {
	for i, c := range codecs {
		if strings.EqualFold(name, c.name) {
			return Codec(i), nil
		}
	}
	return 0, fmt.Errorf("unknown codec %q", name)
}

// Tag is the four bytes that name the codec in a block header.
type Tag [4]byte

// MakeTag gives the tag of a codec; lengths says that offsets buffers are
// stored as lengths in byte planes.
func MakeTag(c Codec, lengths bool) Tag {
	var t Tag
	copy(t[:], codecs[c].tag)
	if lengths {
		t[0] |= planeBit
	}
	return t
}

// Codec names the codec of a tag and whether offsets are stored as lengths.
// ok is false for a tag that no writer is known to write. Snappy has no
// offsets-as-lengths form: Comet's reader refuses it.
func (t Tag) Codec() (c Codec, lengths, ok bool) {
	lengths = t[0]&planeBit != 0
	plain := t
	plain[0] &^= planeBit
	switch plain { // one comparison of 4 bytes each: readers do this for every block
	case Tag{'L', 'Z', '4', '_'}:
		return LZ4, lengths, true
	case Tag{'Z', 'S', 'T', 'D'}:
		return Zstd, lengths, true
	case Tag{'N', 'O', 'N', 'E'}:
		return None, lengths, true
	case Tag{'S', 'N', 'A', 'P'}:
		return Snappy, lengths, !lengths
	}
	return 0, false, false
}

// String shows a tag as text where it is text, and else as hex.
func (t Tag) String() string {
	for _, b := range t {
		if b < 0x20 || b > 0x7e {
			return fmt.Sprintf("% X", t[:])
		}
	}
	return string(t[:])
}

// Header is the first HeaderSize bytes of a block.
type Header struct {
	Length  uint64 // bytes after the length field: 12 + payload
	Columns uint64 // top-level columns
	Tag     Tag
}

// Payload is the number of payload bytes.
func (h Header) Payload() int64 { return int64(h.Length) - (HeaderSize - LengthSize) }

// Size is the number of bytes of the whole block.
func (h Header) Size() int64 { return int64(h.Length) + LengthSize }

// Put writes the header into the first HeaderSize bytes of b.
func (h Header) Put(b []byte) {
	_ = b[HeaderSize-1]
	binary.LittleEndian.PutUint64(b, h.Length)
	binary.LittleEndian.PutUint64(b[8:], h.Columns)
	copy(b[16:HeaderSize], h.Tag[:])
}

// ParseHeader reads a header from the start of b, where room is the number of
// bytes from there to the end of the block's partition. Its errors are of
// class ErrCorrupt or ErrLimit, without a place; the caller adds it.
func ParseHeader(b []byte, room int64) (Header, error) {
	if len(b) < HeaderSize || room < HeaderSize {
		return Header{}, Corrupt("the partition ends %d bytes into a block header of %d", min(int64(len(b)), room), HeaderSize)
	}
	h := Header{
		Length:  binary.LittleEndian.Uint64(b),
		Columns: binary.LittleEndian.Uint64(b[8:]),
		Tag:     Tag(b[16:HeaderSize]),
	}
	switch {
	case h.Length < HeaderSize-LengthSize:
		return h, Corrupt("block length %d is below the %d bytes of column count and codec tag", h.Length, HeaderSize-LengthSize)
	case h.Length > MaxBlock-LengthSize && h.Length > uint64(room-LengthSize):
		return h, Corrupt("block length %d runs past the end of the partition (%d bytes left)", h.Length, room-LengthSize)
	case h.Length > MaxBlock-LengthSize:
		return h, Limit("block of %d bytes is above the limit of %d", h.Length+LengthSize, MaxBlock)
	case h.Length > uint64(room-LengthSize):
		return h, Corrupt("block length %d runs past the end of the partition (%d bytes left)", h.Length, room-LengthSize)
	}
	if _, _, ok := h.Tag.Codec(); !ok {
		return h, Corrupt("unknown codec tag %q", h.Tag.String())
	}
	return h, nil
}
