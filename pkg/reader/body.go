package reader

import (
	"encoding/binary"

	"github.com/shufflebench/shufflebench/internal/ipcwire"
	"github.com/shufflebench/shufflebench/internal/shufflefile"
)

// lengthPrefix is the size of the number before a compressed buffer: what it
// decodes to, or ipcwire.StoredBuffer if it is not compressed after all.
const lengthPrefix = 8

// decompress decodes one buffer of a body that is compressed buffer by buffer.
func (l *loader) decompress(b []byte) (view, error) {
	if len(b) < lengthPrefix {
		return view{}, shufflefile.Corrupt("compressed buffer of %d bytes has no length", len(b))
	}
	n := int64(binary.LittleEndian.Uint64(b))
	b = b[lengthPrefix:]
	switch {
	case n == ipcwire.StoredBuffer:
		return l.stored(b), nil
	case n < 0:
		return view{}, shufflefile.Corrupt("compressed buffer of length %d", n)
	case n == 0:
		return view{bytes: b[:0:0]}, nil
	case n > l.left:
		return view{}, shufflefile.Limit("a buffer of %d bytes takes the batch above the limit", n)
	}
	codec := shufflefile.LZ4
	if l.part.meta.Compression == ipcwire.BodyZstd {
		codec = shufflefile.Zstd
	}
	out, err := l.frames.Buffer(codec, b, n)
	if err != nil {
		return view{}, err
	}
	l.left -= n
	return view{bytes: out, owned: true}, nil
}

// stored is a buffer that lies in the body as it is.
func (l *loader) stored(b []byte) view {
	if !l.part.lent || len(b) == 0 {
		return view{bytes: b}
	}
	kept := l.alloc.Allocate(len(b))
	copy(kept, b)
	return view{bytes: kept, owned: true}
}
