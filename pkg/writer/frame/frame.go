// Package frame compresses bytes into frames of which the codec knows nothing
// but the bytes. Blocks (package encode) and buffers of streams (package
// streams) use it beside the LZ4 encoder that knows the columns.
package frame

import (
	"fmt"

	"github.com/klauspost/compress/zstd"
	pierrec "github.com/pierrec/lz4/v4"

	"github.com/shufflebench/shufflebench/pkg/writer/lz4"
)

// Compressor appends one frame that holds data. It belongs to one goroutine.
type Compressor interface {
	Append(dst, data []byte) ([]byte, error)
	Close() error
}

// NewLZ4 makes the encoder of a name: general, ours without knowledge of
// columns, or pierrec, the library's block compressor in the same frame.
func NewLZ4(name string) (Compressor, error) {
	switch name {
	case "general":
		return &generalLZ4{}, nil
	case "pierrec":
		return &pierrecLZ4{}, nil
	}
	return nil, fmt.Errorf("unknown LZ4 encoder %q", name)
}

type generalLZ4 struct{ enc lz4.Encoder }

func (c *generalLZ4) Append(dst, data []byte) ([]byte, error) {
	return c.enc.AppendFrameGeneral(dst, data), nil
}
func (c *generalLZ4) Close() error { return nil }

type pierrecLZ4 struct{ enc pierrec.Compressor }

func (c *pierrecLZ4) Append(dst, data []byte) ([]byte, error) {
	return lz4.AppendFrameFunc(dst, data, func(dst, src []byte) (int, error) { return c.enc.CompressBlock(src, dst) })
}
func (c *pierrecLZ4) Close() error { return nil }

// zstdFrames is one reused encoder.
type zstdFrames struct{ enc *zstd.Encoder }

// NewZstd makes an encoder of a level as the zstd program counts them.
func NewZstd(level int) (Compressor, error) {
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

func (c *zstdFrames) Append(dst, data []byte) ([]byte, error) {
	return c.enc.EncodeAll(data, dst), nil
}
func (c *zstdFrames) Close() error { return c.enc.Close() }
