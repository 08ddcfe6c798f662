package streams

import (
	"fmt"

	"github.com/klauspost/compress/zstd"
	pierrec "github.com/pierrec/lz4/v4"

	"github.com/shufflebench/shufflebench/internal/shufflefile"
	"github.com/shufflebench/shufflebench/pkg/writer/lz4"
)

// compressor appends one frame that holds a buffer. What it appends depends on
// the buffer and its region alone.
type compressor interface {
	appendFrame(dst, data []byte, r lz4.Region) ([]byte, error)
	close() error
}

// newCompressor gives nil for buffers that stay as they are.
func newCompressor(c Codec) (compressor, error) {
	switch c.Codec {
	case shufflefile.None:
		return nil, nil
	case shufflefile.Zstd:
		return newZstd(c.ZstdLevel)
	}
	switch c.LZ4 {
	case "column":
		return &columnLZ4{}, nil
	case "general":
		return &generalLZ4{}, nil
	case "pierrec":
		return &pierrecLZ4{}, nil
	}
	return nil, fmt.Errorf("unknown LZ4 encoder %q", c.LZ4)
}

// columnLZ4 knows what the buffer holds.
type columnLZ4 struct {
	enc    lz4.Encoder
	region [1]lz4.Region
}

func (c *columnLZ4) appendFrame(dst, data []byte, r lz4.Region) ([]byte, error) {
	c.region[0] = r
	return c.enc.AppendFrame(dst, nil, data, c.region[:]), nil
}
func (c *columnLZ4) close() error { return nil }

// generalLZ4 knows nothing of columns.
type generalLZ4 struct{ enc lz4.Encoder }

func (c *generalLZ4) appendFrame(dst, data []byte, _ lz4.Region) ([]byte, error) {
	return c.enc.AppendFrameGeneral(dst, data), nil
}
func (c *generalLZ4) close() error { return nil }

// pierrecLZ4 is the library's block compressor in the same frame.
type pierrecLZ4 struct{ enc pierrec.Compressor }

func (c *pierrecLZ4) appendFrame(dst, data []byte, _ lz4.Region) ([]byte, error) {
	return lz4.AppendFrameFunc(dst, data, func(dst, src []byte) (int, error) { return c.enc.CompressBlock(src, dst) })
}
func (c *pierrecLZ4) close() error { return nil }

// zstdFrames is one reused encoder.
type zstdFrames struct{ enc *zstd.Encoder }

func newZstd(level int) (compressor, error) {
	enc, err := zstd.NewWriter(nil,
		zstd.WithEncoderLevel(zstd.EncoderLevelFromZstd(level)),
		zstd.WithEncoderConcurrency(1),
		zstd.WithEncoderCRC(false),
		zstd.WithLowerEncoderMem(true))
	if err != nil {
		return nil, fmt.Errorf("zstd: %w", err)
	}
	return &zstdFrames{enc}, nil
}

func (c *zstdFrames) appendFrame(dst, data []byte, _ lz4.Region) ([]byte, error) {
	return c.enc.EncodeAll(data, dst), nil
}
func (c *zstdFrames) close() error { return c.enc.Close() }
