package oracle

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"sync"

	"github.com/klauspost/compress/snappy"
	"github.com/klauspost/compress/zstd"
	"github.com/pierrec/lz4/v4"
)

// unframe decompresses a payload.
func unframe(tag string, frame []byte) ([]byte, error) {
	switch tag {
	case "LZ4_":
		return unLZ4(frame)
	case "ZSTD":
		d, err := unZstd()
		if err != nil {
			return nil, err
		}
		return d.DecodeAll(frame, nil)
	case "SNAP":
		if !bytes.HasPrefix(frame, []byte("\xff\x06\x00\x00sNaPpY")) {
			return nil, errors.New("snappy: no stream identifier")
		}
		return io.ReadAll(snappy.NewReader(bytes.NewReader(frame)))
	case "NONE":
		return bytes.Clone(frame), nil
	}
	return nil, fmt.Errorf("unknown tag %q", tag)
}

// unZstd is one decoder for all, since each takes megabytes.
var unZstd = sync.OnceValues(func() (*zstd.Decoder, error) { return zstd.NewReader(nil, zstd.WithDecoderConcurrency(1)) })

// unLZ4 decodes one frame that fills its bytes.
func unLZ4(frame []byte) ([]byte, error) {
	size, err := lz4FrameSize(frame)
	if err != nil {
		return nil, fmt.Errorf("lz4: %w", err)
	}
	if size != len(frame) {
		return nil, fmt.Errorf("lz4: a frame of %d bytes in %d", size, len(frame))
	}
	return io.ReadAll(lz4.NewReader(bytes.NewReader(frame)))
}

// lz4FrameSize finds the end of a frame by its block sizes, since the library's
// reader takes a second frame for more of the first.
func lz4FrameSize(b []byte) (int, error) {
	const magic = 0x184d2204
	if len(b) < 7 || binary.LittleEndian.Uint32(b) != magic {
		return 0, errors.New("no magic number")
	}
	flags := b[4]
	at := 7
	if flags&0x08 != 0 { // content size
		at += 8
	}
	for {
		if at+4 > len(b) {
			return 0, errors.New("no end mark")
		}
		size := int(binary.LittleEndian.Uint32(b[at:]) &^ (1 << 31))
		at += 4
		if size == 0 {
			break
		}
		at += size
		if flags&0x10 != 0 { // block checksum
			at += 4
		}
	}
	if flags&0x04 != 0 { // content checksum
		at += 4
	}
	return at, nil
}
