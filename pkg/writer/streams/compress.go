package streams

import (
	"github.com/shufflebench/shufflebench/internal/shufflefile"
	"github.com/shufflebench/shufflebench/pkg/writer/frame"
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
		return newBlind(frame.NewZstd(c.ZstdLevel))
	}
	if c.LZ4 == "column" {
		return &columnLZ4{}, nil
	}
	return newBlind(frame.NewLZ4(c.LZ4))
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

// blind leaves out what the codec has no use for.
type blind struct{ frame.Compressor }

func (c blind) appendFrame(dst, data []byte, _ lz4.Region) ([]byte, error) {
	return c.Append(dst, data)
}
func (c blind) close() error { return c.Close() }

func newBlind(c frame.Compressor, err error) (compressor, error) { return blind{c}, err }
