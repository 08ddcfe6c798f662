package frame

import (
	"encoding/binary"
	"errors"
	"math"

	"github.com/klauspost/compress/zstd"

	"github.com/shufflebench/shufflebench/internal/shufflefile"
)

const (
	zstdMagic = 0xFD2FB528
	// MaxZstdWindow is the largest window of a zstd frame that is decoded, as
	// in zstd's own streaming decoder and in Comet's reader.
	MaxZstdWindow    = 1 << 27
	zstdMinWindow    = 1 << 10
	zstdBlockMax     = 128 << 10
	zstdBlockHead    = 3
	zstdChecksumSize = 4
)

// Bits of a zstd frame's descriptor.
const (
	zstdSingleSegment = 0x20
	zstdReserved      = 0x08
	zstdChecksum      = 0x04
	zstdDictIDMask    = 0x03
)

// Types of a zstd block.
const (
	zstdRaw = iota
	zstdRLE
	zstdCompressed
)

// zstdFrame is what a walk over a frame finds out.
type zstdFrame struct {
	window int64
	size   int64 // content size, or -1 if the frame does not say
	bound  int64 // what it can decode to at most
	head   int   // size of its header
}

func (d *Decoder) decodeZstd(b []byte) (Payload, error) {
	var f zstdFrame
	if err := f.walk(b); err != nil {
		return Payload{}, err
	}
	if err := d.checkLimit(f.size); err != nil {
		return Payload{}, err
	}
	n := min(f.room(), d.Limit)
	if n <= int64(d.Small) || f.size < 0 && n <= MaxScratch {
		// without a content size n is a rough bound, too rough for memory that stays
		return d.zstdInto(b, Payload{Bytes: d.scratchOf(int(n))[:n]})
	}
	return d.zstdInto(b, d.place(int(min(n, trustRatio*int64(len(b))))))
}

// zstdInto decodes a frame into p's room, or into memory that grows with what
// is decoded if it holds more.
func (d *Decoder) zstdInto(b []byte, p Payload) (Payload, error) {
	dec, err := d.zstdDecoder()
	if err != nil {
		d.drop(p)
		return Payload{}, err
	}
	out, err := dec.DecodeAll(b, p.Bytes[:0])
	if err != nil {
		d.drop(p)
		if errors.Is(err, zstd.ErrDecoderSizeExceeded) {
			return Payload{}, d.checkLimit(math.MaxInt64)
		}
		return Payload{}, shufflefile.Corrupt("zstd frame: %v", err)
	}
	if err := d.checkLimit(int64(len(out))); err != nil {
		d.drop(p)
		return Payload{}, err
	}
	if len(out) > len(p.Bytes) {
		d.drop(p)
		p = d.own(len(out))
	}
	if len(out) > 0 && &out[0] != &p.Bytes[0] {
		copy(p.Bytes, out)
	}
	return d.settle(p, len(out)), nil
}

func (d *Decoder) zstdDecoder() (*zstd.Decoder, error) {
	if d.zstd != nil {
		return d.zstd, nil
	}
	dec, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true),
		zstd.WithDecoderMaxWindow(MaxZstdWindow), zstd.WithDecoderMaxMemory(uint64(max(d.Limit, MaxZstdWindow))))
	if err != nil {
		return nil, err
	}
	d.zstd = dec
	return dec, nil
}

// room is how many bytes a frame is expected to decode to.
func (f *zstdFrame) room() int64 {
	if f.size >= 0 {
		return f.size
	}
	return f.bound
}

// walk reads the frame's header and the heads of its blocks, to find its end,
// which must be that of b.
func (f *zstdFrame) walk(b []byte) error {
	if err := f.header(b); err != nil {
		return err
	}
	end := 0
	if b[4]&zstdChecksum != 0 {
		end = zstdChecksumSize
	}
	rest := b[f.head:]
	for last := false; !last; {
		n, isLast, err := f.block(rest)
		if err != nil {
			return err
		}
		rest, last = rest[n:], isLast
	}
	switch {
	case len(rest) < end:
		return cut("zstd")
	case len(rest) > end:
		return trailing("zstd", len(rest)-end)
	case f.size > f.bound:
		return shufflefile.Corrupt("zstd content size %d, but the blocks hold at most %d bytes", f.size, f.bound)
	}
	return nil
}

// block reads the head of one block and returns the block's size with it.
func (f *zstdFrame) block(b []byte) (n int, last bool, err error) {
	if len(b) < zstdBlockHead {
		return 0, false, cut("zstd")
	}
	word := int(b[0]) | int(b[1])<<8 | int(b[2])<<16
	size := word >> 3
	most := int(min(max(f.window, zstdMinWindow), zstdBlockMax))
	if size > most {
		return 0, false, shufflefile.Corrupt("zstd block of %d bytes, more than %d", size, most)
	}
	n = size
	switch word >> 1 & 3 {
	case zstdRaw:
		f.bound += int64(size)
	case zstdRLE:
		f.bound += int64(size)
		n = 1
	case zstdCompressed:
		f.bound += int64(most)
	default:
		return 0, false, shufflefile.Corrupt("zstd block of a reserved type")
	}
	if n += zstdBlockHead; n > len(b) {
		return 0, false, cut("zstd")
	}
	return n, word&1 != 0, nil
}

// header reads magic, descriptor, window and content size.
func (f *zstdFrame) header(b []byte) error {
	if len(b) < 6 {
		return cut("zstd")
	}
	if magic := binary.LittleEndian.Uint32(b); magic != zstdMagic {
		return badMagic("zstd", magic)
	}
	desc := b[4]
	switch {
	case desc&zstdReserved != 0:
		return shufflefile.Corrupt("zstd frame descriptor %02x has its reserved bit set", desc)
	case desc&zstdDictIDMask != 0:
		return shufflefile.Corrupt("zstd frame needs a dictionary")
	}
	at := 5
	if desc&zstdSingleSegment == 0 {
		exponent, mantissa := uint(b[5]>>3), int64(b[5]&7)
		f.window = 1<<(10+exponent) + 1<<(7+exponent)*mantissa
		at = 6
	}
	if err := f.contentSize(b[at:], desc); err != nil {
		return err
	}
	if f.head += at; desc&zstdSingleSegment != 0 {
		f.window = f.size
	}
	if f.window > MaxZstdWindow {
		return shufflefile.Limit("zstd window of %d bytes is above the limit of %d", f.window, MaxZstdWindow)
	}
	return nil
}

// contentSize reads the field whose width the descriptor tells, and leaves
// that in head.
func (f *zstdFrame) contentSize(b []byte, desc byte) error {
	f.head = [...]int{0, 2, 4, 8}[desc>>6]
	if f.head == 0 && desc&zstdSingleSegment != 0 {
		f.head = 1
	}
	if len(b) < f.head {
		return cut("zstd")
	}
	var field [8]byte
	copy(field[:], b[:f.head])
	f.size = int64(min(binary.LittleEndian.Uint64(field[:]), math.MaxInt64))
	switch f.head {
	case 0:
		f.size = -1
	case 2:
		f.size += 256
	}
	return nil
}
