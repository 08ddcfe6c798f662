package frame

import (
	"bytes"
	"encoding/binary"
	"math"

	"github.com/shufflebench/shufflebench/internal/shufflefile"
)

const (
	lz4Magic         = 0x184D2204
	skippableMagic   = 0x184D2A50 // and the 15 that follow
	lz4Stored        = 1 << 31    // in a block's size: its data is not compressed
	lz4MostExpansion = 255        // no LZ4 block decodes to more than so many times its size
)

// Bits of an LZ4 frame's flags.
const (
	lz4Version         = 0x40
	lz4VersionMask     = 0xC0
	lz4Independent     = 0x20
	lz4BlockChecksum   = 0x10
	lz4ContentSize     = 0x08
	lz4ContentChecksum = 0x04
	lz4Reserved        = 0x02
	lz4DictID          = 0x01
)

// lz4State is what a Decoder remembers between LZ4 frames.
type lz4State struct {
	proved [3]byte // flags, block size and check byte of a header found right
	head   lz4Head
}

// lz4Frame is one frame, seen but not yet decoded.
type lz4Frame struct {
	flags    byte
	blockMax int
	size     int64  // content size, or -1 if the frame does not say
	data     []byte // from the first block's size on
	blocks   int
	last     []byte // the last block's data, and whether it is stored
	stored   bool
	bound    int64 // what the frame can decode to at most
}

func (d *Decoder) decodeLZ4(b []byte) (Payload, error) {
	var f lz4Frame
	if err := f.open(b, &d.lz4.proved); err != nil {
		return Payload{}, err
	}
	n, err := f.room(min(int64(d.Small), d.Limit))
	if err == nil && n > d.Limit {
		if n, err = f.exactSize(); err == nil {
			err = d.checkLimit(n)
		}
	}
	if err != nil {
		return Payload{}, err
	}
	if n <= int64(d.Small) && f.blocks == 1 && !f.stored && f.flags&lz4BlockChecksum == 0 {
		return d.decodeLZ4Single(&f, int(n))
	}
	p := d.place(int(n))
	end, err := f.decode(p.Bytes)
	if err != nil {
		d.drop(p)
		return Payload{}, err
	}
	return d.settle(p, end), nil
}

// decodeLZ4Single decodes a frame of one compressed block into scratch memory,
// the usual case, where most of the block is as in the one before.
func (d *Decoder) decodeLZ4Single(f *lz4Frame, n int) (Payload, error) {
	dst := d.scratchOf(n)
	end := d.lz4.head.decode(dst, f.last)
	if end < 0 || end > f.blockMax {
		return Payload{}, notDecoding(0)
	}
	if err := f.verify(dst[:end]); err != nil {
		return Payload{}, err
	}
	return Payload{Bytes: dst[:end:end]}, nil
}

// open reads the frame's header and walks over its blocks to the end mark.
func (f *lz4Frame) open(b []byte, proved *[3]byte) error {
	if err := f.header(b, proved); err != nil {
		return err
	}
	trailer := f.trailer()
	rest := f.data
	for {
		data, stored, err := f.next(rest, trailer)
		if err != nil {
			return err
		}
		if data == nil {
			break
		}
		f.blocks++
		f.last, f.stored = data, stored
		f.bound += f.blockBound(data, stored)
		rest = rest[4+len(data)+trailer:]
	}
	return f.closing(rest[4:])
}

// closing checks what follows the end mark: the content's checksum, if there
// is to be one, and nothing else.
func (f *lz4Frame) closing(rest []byte) error {
	n := 0
	if f.flags&lz4ContentChecksum != 0 {
		n = 4
	}
	if len(rest) < n {
		return cut("LZ4")
	}
	if len(rest) > n {
		return trailing("LZ4", len(rest)-n)
	}
	return nil
}

// next is the block at the start of rest; data is nil at the end mark.
func (f *lz4Frame) next(rest []byte, trailer int) (data []byte, stored bool, err error) {
	if len(rest) < 4 {
		return nil, false, shufflefile.Corrupt("LZ4 frame without an end mark")
	}
	word := binary.LittleEndian.Uint32(rest)
	if word == 0 {
		return nil, false, nil
	}
	n := int(word &^ lz4Stored)
	if n > f.blockMax {
		return nil, false, shufflefile.Corrupt("LZ4 block of %d bytes in a frame of blocks up to %d", n, f.blockMax)
	}
	if n+trailer > len(rest)-4 {
		return nil, false, cut("LZ4")
	}
	return rest[4 : 4+n : 4+n], word&lz4Stored != 0, nil
}

func (f *lz4Frame) blockBound(data []byte, stored bool) int64 {
	if stored {
		return int64(len(data))
	}
	return min(int64(f.blockMax), lz4MostExpansion*int64(len(data)))
}

// room is how many bytes to decode into: at least as many as the frame holds,
// and not many more where that is above small.
func (f *lz4Frame) room(small int64) (int64, error) {
	if f.size >= 0 {
		if f.size > f.bound {
			return 0, shufflefile.Corrupt("LZ4 content size %d, but the blocks hold at most %d bytes", f.size, f.bound)
		}
		return f.size, nil
	}
	if f.bound <= small || f.stored || f.blocks == 0 {
		return f.bound, nil
	}
	last, err := f.blockSize(f.blocks-1, f.last, f.stored)
	return f.bound - f.blockBound(f.last, f.stored) + last, err
}

// blockSize is what one block decodes to.
func (f *lz4Frame) blockSize(i int, data []byte, stored bool) (int64, error) {
	if stored {
		return int64(len(data)), nil
	}
	n := lz4BlockSize(data)
	if n < 0 || n > f.blockMax {
		return 0, notDecoding(i)
	}
	return int64(n), nil
}

// exactSize adds up what all blocks decode to.
func (f *lz4Frame) exactSize() (size int64, err error) {
	trailer := f.trailer()
	rest := f.data
	for i := range f.blocks {
		data, stored, err := f.next(rest, trailer)
		if err != nil {
			return 0, err
		}
		n, err := f.blockSize(i, data, stored)
		if err != nil {
			return 0, err
		}
		size += n
		rest = rest[4+len(data)+trailer:]
	}
	return size, nil
}

// trailer is the size of what follows each block's data.
func (f *lz4Frame) trailer() int {
	if f.flags&lz4BlockChecksum != 0 {
		return 4
	}
	return 0
}

func notDecoding(block int) error { return shufflefile.Corrupt("LZ4 block %d does not decode", block) }

// decode decodes all blocks to the start of dst and returns where they end.
func (f *lz4Frame) decode(dst []byte) (int, error) {
	trailer := f.trailer()
	rest, end := f.data, 0
	for i := range f.blocks {
		data, stored, err := f.next(rest, trailer)
		if err != nil {
			return 0, err
		}
		rest = rest[4+len(data):]
		if trailer != 0 && binary.LittleEndian.Uint32(rest) != xxh32(data) {
			return 0, shufflefile.Corrupt("LZ4 block %d has a wrong checksum", i)
		}
		rest = rest[trailer:]
		if end = f.block(dst, end, data, stored); end < 0 {
			return 0, notDecoding(i)
		}
	}
	return end, f.verify(dst[:end])
}

// block decodes one block to dst[start:] and returns its end, -1 if it is broken.
func (f *lz4Frame) block(dst []byte, start int, data []byte, stored bool) int {
	room := dst[:min(len(dst), start+f.blockMax)]
	if stored {
		if len(data) > len(room)-start {
			return -1
		}
		return start + copy(room[start:], data)
	}
	low := 0
	if f.flags&lz4Independent != 0 {
		low = start
	}
	return decodeLZ4Block(room, low, start, data)
}

// verify checks the decoded content against the frame's size and checksum.
func (f *lz4Frame) verify(content []byte) error {
	if f.size >= 0 && f.size != int64(len(content)) {
		return shufflefile.Corrupt("LZ4 content size %d, but %d bytes decoded", f.size, len(content))
	}
	if f.flags&lz4ContentChecksum != 0 {
		if want := binary.LittleEndian.Uint32(f.data[len(f.data)-4:]); want != xxh32(content) {
			return shufflefile.Corrupt("LZ4 content has a wrong checksum")
		}
	}
	return nil
}

// header reads the frame's header. proved spares the hash of one that is like
// the last.
func (f *lz4Frame) header(b []byte, proved *[3]byte) error {
	if len(b) < 7 {
		return cut("LZ4")
	}
	if magic := binary.LittleEndian.Uint32(b); magic != lz4Magic {
		return badMagic("LZ4", magic)
	}
	f.size = -1
	f.flags = b[4]
	if bytes.Equal(b[4:7], proved[:]) {
		f.blockMax = lz4BlockMax(b[5])
		f.data = b[7:]
		return nil
	}
	return f.fullHeader(b, proved)
}

func (f *lz4Frame) fullHeader(b []byte, proved *[3]byte) error {
	if f.flags&lz4VersionMask != lz4Version || f.flags&lz4Reserved != 0 || b[5]&0x8F != 0 || b[5]>>4 < 4 {
		return shufflefile.Corrupt("LZ4 frame flags %02x %02x are not of version 1", b[4], b[5])
	}
	if f.flags&lz4DictID != 0 {
		return shufflefile.Corrupt("LZ4 frame needs a dictionary")
	}
	f.blockMax = lz4BlockMax(b[5])
	at := 6
	if f.flags&lz4ContentSize != 0 {
		if at += 8; len(b) <= at {
			return cut("LZ4")
		}
		size := binary.LittleEndian.Uint64(b[6:])
		f.size = int64(min(size, math.MaxInt64))
	}
	if check := byte(xxh32(b[4:at]) >> 8); check != b[at] {
		return shufflefile.Corrupt("LZ4 frame header has a wrong check byte")
	}
	f.data = b[at+1:]
	if f.flags&lz4ContentSize == 0 {
		*proved = [3]byte(b[4:7])
	}
	return nil
}

// lz4BlockMax is the block size that a descriptor of 4 to 7 stands for.
func lz4BlockMax(bd byte) int { return 1 << (8 + 2*int(bd>>4)) }

func badMagic(what string, magic uint32) error {
	if magic&^15 == skippableMagic {
		return shufflefile.Corrupt("a skippable frame in place of an %s frame", what)
	}
	return shufflefile.Corrupt("no %s frame (it starts with %08x)", what, magic)
}
