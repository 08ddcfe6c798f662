package lz4

import (
	"encoding/binary"
	"slices"
)

// BlockFunc compresses src into dst, which has room for whatever comes out, and
// returns the bytes written, 0 when src does not shrink.
type BlockFunc func(dst, src []byte) (int, error)

// AppendFrameFunc appends to dst the frame of payload with another block
// compressor inside, so that only the compressor differs between encoders.
func AppendFrameFunc(dst, payload []byte, compress BlockFunc) ([]byte, error) {
	dst = appendFrameHeader(dst, len(payload))
	for at := 0; at < len(payload); at += maxBlockSize {
		src := payload[at:min(at+maxBlockSize, len(payload))]
		start := len(dst) + sizeField
		dst = slices.Grow(dst, sizeField+maxEncoded(len(src)))
		n, err := compress(dst[start:start+maxEncoded(len(src))], src)
		if err != nil {
			return nil, err
		}
		size := uint32(n)
		if n == 0 || n >= len(src) {
			size, n = uint32(len(src))|storedBit, len(src)
			copy(dst[start:start+n], src)
		}
		dst = dst[:start+n]
		binary.LittleEndian.PutUint32(dst[start-sizeField:], size)
	}
	return append(dst, 0, 0, 0, 0), nil
}
