package encode

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"

	"github.com/klauspost/compress/s2"

	"github.com/shufflebench/shufflebench/internal/shufflefile"
	"github.com/shufflebench/shufflebench/pkg/writer/frame"
	"github.com/shufflebench/shufflebench/pkg/writer/lz4"
)

// Codec says how payloads are compressed.
type Codec struct {
	Codec     shufflefile.Codec
	ZstdLevel int
	LZ4       string // column, general or pierrec
	// OffsetsAsLengths stores i32 offsets as lengths in byte planes.
	OffsetsAsLengths bool
}

// compressor appends one frame that holds a payload. What it appends depends
// on the payload and its regions alone.
type compressor interface {
	appendFrame(dst, data []byte, p payload, regions []lz4.Region) ([]byte, error)
	close() error
}

func newCompressor(c Codec, t *Template) (compressor, error) {
	switch c.Codec {
	case shufflefile.None:
		return plain{}, nil
	case shufflefile.Snappy:
		return snappyFrames{}, nil
	case shufflefile.Zstd:
		return newBlind(frame.NewZstd(c.ZstdLevel))
	case shufflefile.LZ4:
		if c.LZ4 == "column" {
			return &columnLZ4{t: t}, nil
		}
		return newBlind(frame.NewLZ4(c.LZ4))
	}
	return nil, fmt.Errorf("unknown codec %s", c.Codec)
}

// plain stores the stream as it is.
type plain struct{}

func (plain) appendFrame(dst, data []byte, _ payload, _ []lz4.Region) ([]byte, error) {
	return append(dst, data...), nil
}
func (plain) close() error { return nil }

// columnLZ4 compresses what it knows about: head and columns.
type columnLZ4 struct {
	enc lz4.Encoder
	t   *Template
}

func (c *columnLZ4) appendFrame(dst, data []byte, p payload, regions []lz4.Region) ([]byte, error) {
	width := 1
	for n := max(len(data), p.rows) >> 8; n != 0; n >>= 8 {
		width++
	}
	return c.enc.AppendFrame(dst, c.t.head(width, p.nulls), data, regions), nil
}
func (c *columnLZ4) close() error { return nil }

// blind leaves out what the codec has no use for.
type blind struct{ frame.Compressor }

func (c blind) appendFrame(dst, data []byte, _ payload, _ []lz4.Region) ([]byte, error) {
	return c.Append(dst, data)
}
func (c blind) close() error { return c.Close() }

func newBlind(c frame.Compressor, err error) (compressor, error) { return blind{c}, err }

// snappyFrames writes the snappy framing format: a stream identifier, then
// chunks of at most 64 KiB, each with the masked CRC-32C of its content.
type snappyFrames struct{}

const (
	snappyChunk      = 64 << 10
	snappyCompressed = 0x00
	snappyStored     = 0x01
	chunkHeader      = 8 // type, 3 bytes of length, 4 of checksum
)

var (
	snappyMagic = []byte("\xff\x06\x00\x00sNaPpY")
	castagnoli  = crc32.MakeTable(crc32.Castagnoli)
)

func (snappyFrames) appendFrame(dst, data []byte, _ payload, _ []lz4.Region) ([]byte, error) {
	dst = append(dst, snappyMagic...)
	for len(data) > 0 {
		n := min(len(data), snappyChunk)
		dst = appendSnappyChunk(dst, data[:n])
		data = data[n:]
	}
	return dst, nil
}
func (snappyFrames) close() error { return nil }

func appendSnappyChunk(dst, src []byte) []byte {
	at := len(dst)
	dst = growBy(dst, chunkHeader+s2.MaxEncodedLen(len(src)))
	kind, body := byte(snappyCompressed), s2.EncodeSnappy(dst[at+chunkHeader:], src)
	if len(body) >= len(src)-len(src)/8 {
		kind = snappyStored
		body = dst[at+chunkHeader : at+chunkHeader+copy(dst[at+chunkHeader:], src)]
	}
	binary.LittleEndian.PutUint32(dst[at:], uint32(kind)|uint32(len(body)+4)<<8)
	sum := crc32.Checksum(src, castagnoli)
	binary.LittleEndian.PutUint32(dst[at+4:], (sum>>15|sum<<17)+0xa282ead8)
	return dst[:at+chunkHeader+len(body)]
}
