package lz4

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"testing"

	"github.com/pierrec/lz4/v4"
)

// checkFrame decodes a frame twice and compares: by the pierrec decoder, which
// shares nothing with this package, to its very end; and by a plain decoder
// that holds every block to the rules of the format.
func checkFrame(t testing.TB, frame, payload []byte) {
	t.Helper()
	r := bytes.NewReader(frame)
	got, err := io.ReadAll(lz4.NewReader(r))
	if err != nil {
		t.Fatalf("decoding the frame of %d bytes: %v", len(payload), err)
	}
	if !bytes.Equal(got, payload) {
		t.Fatalf("%d bytes decode differently from byte %d on", len(payload), firstDifference(got, payload))
	}
	if r.Len() != 0 {
		t.Fatalf("%d bytes left behind the frame", r.Len())
	}
	if got, err = plainFrame(frame); err != nil || !bytes.Equal(got, payload) {
		t.Fatalf("a frame of %d bytes breaks the rules: %v", len(payload), err)
	}
	if len(frame) > FrameSizeStored(len(payload)) {
		t.Fatalf("frame of %d bytes for %d, stored it takes %d", len(frame), len(payload), FrameSizeStored(len(payload)))
	}
}

func firstDifference(a, b []byte) int {
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			return i
		}
	}
	return min(len(a), len(b))
}

// plainFrame decodes a frame of independent blocks without checksums.
func plainFrame(frame []byte) (out []byte, err error) {
	if len(frame) < 11 || binary.LittleEndian.Uint32(frame) != 0x184d2204 || frame[4] != 0x60 {
		return nil, errors.New("not the header of a frame of independent blocks")
	}
	maximum := 1 << (8 + 2*(frame[5]>>4&7))
	rest := frame[7:]
	for len(rest) >= 4 {
		size := int(binary.LittleEndian.Uint32(rest) &^ storedBit)
		stored := rest[3]&0x80 != 0
		rest = rest[4:]
		if size == 0 {
			if len(rest) > 0 {
				return nil, errors.New("bytes behind the end mark")
			}
			return out, nil
		}
		if size > len(rest) {
			return nil, io.ErrUnexpectedEOF
		}
		block := rest[:size]
		if !stored {
			if block, err = plainBlock(block); err != nil {
				return nil, err
			}
			if len(block) <= size {
				return nil, fmt.Errorf("%d bytes are encoded in %d", len(block), size)
			}
		}
		if len(block) > maximum {
			return nil, fmt.Errorf("a block of %d bytes, maximum %d", len(block), maximum)
		}
		out, rest = append(out, block...), rest[size:]
	}
	return nil, io.ErrUnexpectedEOF
}

// plainBlock decodes a block and checks the rules that decoders rely on.
func plainBlock(in []byte) (out []byte, err error) {
	length := func(n int) int {
		if n == 15 {
			for b := byte(255); b == 255 && len(in) > 0; in = in[1:] {
				b = in[0]
				n += int(b)
			}
		}
		return n
	}
	lastMatch := -1
	for len(in) > 0 {
		token := in[0]
		in = in[1:]
		lit := length(int(token >> 4))
		if lit > len(in) {
			return nil, io.ErrUnexpectedEOF
		}
		out, in = append(out, in[:lit]...), in[lit:]
		if len(in) == 0 {
			if lastMatch >= 0 && (lit < 5 || len(out)-lastMatch < 12) {
				return nil, fmt.Errorf("%d last literals, last match %d before the end", lit, len(out)-lastMatch)
			}
			return out, nil
		}
		if len(in) < 2 {
			return nil, io.ErrUnexpectedEOF
		}
		off := int(in[0]) | int(in[1])<<8
		in = in[2:]
		lastMatch = len(out)
		n := length(int(token&15)) + 4
		if off == 0 || off > len(out) {
			return nil, fmt.Errorf("offset %d at byte %d", off, len(out))
		}
		for range n {
			out = append(out, out[len(out)-off])
		}
	}
	return nil, errors.New("block ends with a match")
}
