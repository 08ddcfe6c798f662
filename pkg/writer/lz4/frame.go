package lz4

import (
	"encoding/binary"
	"slices"
)

// The bytes of a frame around its blocks.
const (
	frameHeaderSize = 7       // magic number, FLG, BD, header checksum
	sizeField       = 4       // before each block, and as the end mark
	storedBit       = 1 << 31 // in the size field: the block is not compressed
	maxBlockSize    = 4 << 20
)

// frameHeaders are the four headers there are, by block maximum. FLG 0x60
// means version 1 and independent blocks, with neither checksums nor content
// size; the last byte is the second byte of the XXH32 of FLG and BD.
var frameHeaders = [...]struct {
	maximum int
	header  [frameHeaderSize]byte
}{
	{64 << 10, [...]byte{0x04, 0x22, 0x4d, 0x18, 0x60, 0x40, 0x82}},
	{256 << 10, [...]byte{0x04, 0x22, 0x4d, 0x18, 0x60, 0x50, 0xfb}},
	{1 << 20, [...]byte{0x04, 0x22, 0x4d, 0x18, 0x60, 0x60, 0x51}},
	{maxBlockSize, [...]byte{0x04, 0x22, 0x4d, 0x18, 0x60, 0x70, 0x73}},
}

// Encoder writes frames. The zero value is ready for use; one encoder serves
// one goroutine at a time. What it writes depends on its arguments alone,
// never on earlier calls.
type Encoder struct {
	block
	tables
	bad int // boundaries at which the current kernel did not do well
}

// MaxFrameSize is the capacity beyond its length that dst needs, so that
// appending the frame of an n-byte payload allocates nothing. The frame itself
// is never longer than FrameSizeStored.
func MaxFrameSize(n int) int {
	return FrameSizeStored(n) + maxEncoded(min(n, maxBlockSize))
}

// FrameSizeStored is the size of a frame whose blocks are all stored as they
// are: the most that an n-byte payload takes.
func FrameSizeStored(n int) int {
	blocks := (n + maxBlockSize - 1) / maxBlockSize
	return frameHeaderSize + blocks*sizeField + n + sizeField
}

// AppendFrame appends to dst the frame of payload, encoded by what regions say
// about its parts. Regions that are out of order or reach past the payload are
// cut to what fits; they decide about size, never about correctness. If h fits
// the payload, its sequences stand for the payload's first bytes.
func (e *Encoder) AppendFrame(dst []byte, h *Head, payload []byte, regions []Region) []byte {
	dst = appendFrameHeader(dst, len(payload))
	for at := 0; at < len(payload); at += maxBlockSize {
		src := payload[at:min(at+maxBlockSize, len(payload))]
		room := e.open(&dst, src)
		if len(src) > lastMatchGap {
			e.columns(h, src, regions, at)
		}
		dst = e.close(dst, room, src)
		h = nil
	}
	return append(dst, 0, 0, 0, 0)
}

// AppendFrameGeneral appends to dst the frame of payload, of which nothing is
// known.
func (e *Encoder) AppendFrameGeneral(dst, payload []byte) []byte {
	dst = appendFrameHeader(dst, len(payload))
	for at := 0; at < len(payload); at += maxBlockSize {
		src := payload[at:min(at+maxBlockSize, len(payload))]
		room := e.open(&dst, src)
		if len(src) > lastMatchGap {
			e.general(0, len(src))
		}
		dst = e.close(dst, room, src)
	}
	return append(dst, 0, 0, 0, 0)
}

// appendFrameHeader picks the smallest block maximum that holds the payload.
func appendFrameHeader(dst []byte, n int) []byte {
	for i := range frameHeaders {
		if n <= frameHeaders[i].maximum {
			return append(dst, frameHeaders[i].header[:]...)
		}
	}
	return append(dst, frameHeaders[len(frameHeaders)-1].header[:]...)
}

// open makes room in dst for the block of src, starts it, and returns where
// its size field stands.
func (e *Encoder) open(dst *[]byte, src []byte) (at int) {
	at = len(*dst)
	*dst = slices.Grow(*dst, sizeField+maxEncoded(len(src)))
	e.begin((*dst)[at+sizeField:cap(*dst)], src)
	e.nextGeneration(len(src))
	return at
}

// close ends the block whose size field stands at dst[at:], stored as it is
// unless encoding made it smaller.
func (e *Encoder) close(dst []byte, at int, src []byte) []byte {
	size := uint32(len(src)) | storedBit
	if n := e.finish(); n < len(src) {
		size = uint32(n)
		dst = dst[:at+sizeField+n]
	} else {
		dst = append(dst[:at+sizeField], src...)
	}
	binary.LittleEndian.PutUint32(dst[at:], size)
	e.sp, e.dp = nil, nil
	return dst
}
