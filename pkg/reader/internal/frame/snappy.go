package frame

import (
	"encoding/binary"
	"hash/crc32"

	"github.com/shufflebench/shufflebench/internal/shufflefile"
)

// Chunk types of the snappy framing format. Types from 2 to 0x7f may not be
// skipped by a reader that does not know them, higher ones may.
const (
	snappyCompressed = 0x00
	snappyStored     = 0x01
	snappySkippable  = 0x80
	snappyIdentifier = 0xff
)

const (
	snappyMagic     = "\xff\x06\x00\x00sNaPpY"
	snappyChunkHead = 4       // type, u24 size
	snappyCRC       = 4       // masked CRC-32C of a chunk's content
	snappyChunkMax  = 1 << 16 // most content of a chunk
	// snappyMostExpansion: the densest element is a 3-byte copy of 64 bytes.
	snappyMostExpansion = 22
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

func (d *Decoder) decodeSnappy(b []byte) (Payload, error) {
	if len(b) < len(snappyMagic) || string(b[:len(snappyMagic)]) != snappyMagic {
		return Payload{}, shufflefile.Corrupt("no snappy stream identifier")
	}
	size, err := snappySize(b)
	if err == nil {
		err = d.checkLimit(size)
	}
	if err != nil {
		return Payload{}, err
	}
	p := d.place(int(size))
	if err := snappyChunks(b, p.Bytes); err != nil {
		d.drop(p)
		return Payload{}, err
	}
	return p, nil
}

// snappySize adds up what the chunks say they hold, each checked against what
// its size allows.
func snappySize(b []byte) (size int64, err error) {
	for len(b) > 0 {
		typ, data, rest, err := snappyChunk(b)
		if err != nil {
			return 0, err
		}
		if typ <= snappyStored {
			n, err := snappyContent(typ, data)
			if err != nil {
				return 0, err
			}
			size += int64(n)
		}
		b = rest
	}
	return size, nil
}

// snappyChunk splits the first chunk off b; data has no CRC for the types that
// carry none.
func snappyChunk(b []byte) (typ byte, data, rest []byte, err error) {
	if len(b) < snappyChunkHead {
		return 0, nil, nil, cut("snappy")
	}
	typ = b[0]
	n := int(b[1]) | int(b[2])<<8 | int(b[3])<<16
	if b = b[snappyChunkHead:]; n > len(b) {
		return 0, nil, nil, cut("snappy")
	}
	data, rest = b[:n], b[n:]
	switch {
	case typ == snappyIdentifier && string(data) != snappyMagic[snappyChunkHead:]:
		return 0, nil, nil, shufflefile.Corrupt("wrong snappy stream identifier")
	case typ <= snappyStored && n < snappyCRC:
		return 0, nil, nil, shufflefile.Corrupt("snappy chunk of %d bytes has no checksum", n)
	case typ > snappyStored && typ < snappySkippable:
		return 0, nil, nil, shufflefile.Corrupt("unknown snappy chunk type %02x", typ)
	}
	return typ, data, rest, nil
}

// snappyContent is the size of a chunk's content.
func snappyContent(typ byte, data []byte) (int, error) {
	data = data[snappyCRC:]
	n := uint64(len(data))
	if typ == snappyCompressed {
		var used int
		if n, used = binary.Uvarint(data); used <= 0 || n > snappyMostExpansion*uint64(len(data)) {
			return 0, shufflefile.Corrupt("snappy chunk of %d bytes cannot hold what it says", len(data))
		}
	}
	if n > snappyChunkMax {
		return 0, shufflefile.Corrupt("snappy chunk holds %d bytes, more than %d", n, snappyChunkMax)
	}
	return int(n), nil
}

// snappyChunks decodes all chunks into dst, which is as long as their contents.
func snappyChunks(b, dst []byte) error {
	for i := 0; len(b) > 0; i++ {
		typ, data, rest, err := snappyChunk(b)
		if err != nil {
			return err
		}
		b = rest
		if typ > snappyStored {
			continue
		}
		n, err := snappyContent(typ, data)
		if err != nil {
			return err
		}
		if !snappyInto(dst[:n:n], typ, data[snappyCRC:]) {
			return shufflefile.Corrupt("snappy chunk %d does not decode", i)
		}
		if got := maskedCRC(dst[:n]); got != binary.LittleEndian.Uint32(data) {
			return shufflefile.Corrupt("snappy chunk %d has a wrong checksum", i)
		}
		dst = dst[n:]
	}
	return nil
}

func snappyInto(dst []byte, typ byte, data []byte) bool {
	if typ == snappyStored {
		copy(dst, data)
		return true
	}
	_, used := binary.Uvarint(data)
	return decodeSnappyBlock(dst, data[used:])
}

func maskedCRC(b []byte) uint32 {
	c := crc32.Checksum(b, castagnoli)
	return (c>>15 | c<<17) + 0xa282ead8
}
