// Package frame decodes the containers that compress a block's payload: one
// LZ4 frame, one zstd frame or one snappy framed stream. All it decodes is
// taken for hostile: a frame must be whole and alone, its checksums must hold,
// and memory is taken only for what a frame of its size can decode to.
//
//	LZ4     magic, flags, block size, [content size], check byte,
//	        {u32 size, data, [xxh32]} ..., u32 0, [xxh32 of the content]
//	zstd    magic, descriptor, [window], [content size],
//	        {u24 last|type|size, data} ..., [low half of xxh64]
//	snappy  ff 06 00 00 "sNaPpY", {type, u24 size, masked crc32c, data} ...
//
// Where a whole payload ends up depends on its size: a small one in scratch
// memory of the Decoder, which the caller copies from; a larger one at once in
// memory of its own and of its size.
package frame

import (
	"fmt"

	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/klauspost/compress/zstd"

	"github.com/shufflebench/shufflebench/internal/shufflefile"
)

const (
	// MaxScratch is the most memory that a Decoder keeps between frames.
	MaxScratch = 1 << 20
	// trustRatio is how many times its compressed size a frame is believed to
	// decode to without proof; beyond it memory grows with what was decoded.
	trustRatio = 64
	// room behind a payload in scratch, so that the block decoder's wide
	// stores do not fall back to narrow ones for the last bytes
	scratchRoom = 64
)

// Decoder decodes frames, reusing its memory. It belongs to one goroutine.
// Close it to release its codecs.
type Decoder struct {
	// Limit is the largest size a frame may decode to.
	Limit int64
	// Small is the largest size that is decoded into scratch memory, at most MaxScratch.
	Small int
	// Alloc gives the memory of larger payloads.
	Alloc memory.Allocator

	scratch []byte
	lz4     lz4State
	zstd    *zstd.Decoder
}

// Payload is a decoded frame.
type Payload struct {
	Bytes []byte
	// Owned is the allocation that Bytes begins in, which is the caller's to
	// free, or nil if Bytes is scratch memory, valid until the next frame.
	Owned []byte
}

// Decode decodes the only frame in b. Errors are *shufflefile.Error of class
// ErrCorrupt or ErrLimit, without a place.
func (d *Decoder) Decode(c shufflefile.Codec, b []byte) (Payload, error) {
	switch c {
	case shufflefile.LZ4:
		return d.decodeLZ4(b)
	case shufflefile.Zstd:
		return d.decodeZstd(b)
	case shufflefile.Snappy:
		return d.decodeSnappy(b)
	}
	return Payload{}, fmt.Errorf("codec %v has no frame", c)
}

// Close releases the codecs. The Decoder can be used again.
func (d *Decoder) Close() {
	if d.zstd != nil {
		d.zstd.Close()
		d.zstd = nil
	}
	d.scratch, d.lz4 = nil, lz4State{}
}

// Forget gives up scratch memory that someone else refers to.
func (d *Decoder) Forget() { d.scratch = nil }

// place finds room for a payload of n bytes: scratch for a small one.
func (d *Decoder) place(n int) Payload {
	if n > d.Small {
		return d.own(n)
	}
	return Payload{Bytes: d.scratchOf(n)[:n]}
}

// own is memory for n bytes that the caller keeps.
func (d *Decoder) own(n int) Payload {
	buf := d.Alloc.Allocate(n)
	return Payload{Bytes: buf[:n], Owned: buf}
}

// scratchOf is scratch memory of n bytes and some room behind them.
func (d *Decoder) scratchOf(n int) []byte {
	if n += scratchRoom; n > len(d.scratch) {
		d.scratch = make([]byte, max(n, 2*len(d.scratch)))
	}
	return d.scratch
}

// settle is p cut to its first n bytes; an allocation much larger than that is
// exchanged for one of the right size.
func (d *Decoder) settle(p Payload, n int) Payload {
	if p.Owned == nil || n >= len(p.Bytes)-len(p.Bytes)/32 {
		p.Bytes = p.Bytes[:n:n]
		return p
	}
	exact := d.own(n)
	copy(exact.Bytes, p.Bytes)
	d.drop(p)
	return exact
}

// drop gives back what place took.
func (d *Decoder) drop(p Payload) {
	if p.Owned != nil {
		d.Alloc.Free(p.Owned)
	}
}

func (d *Decoder) checkLimit(n int64) error {
	if n > d.Limit {
		return shufflefile.Limit("what the frame decodes to is above the limit of %d bytes", d.Limit)
	}
	return nil
}

func cut(what string) error { return shufflefile.Corrupt("%s frame is cut", what) }

func trailing(what string, n int) error {
	return shufflefile.Corrupt("%d bytes after the end of the %s frame", n, what)
}
