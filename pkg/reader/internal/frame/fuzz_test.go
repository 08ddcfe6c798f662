package frame

import (
	"bytes"
	"io"
	"testing"

	"github.com/klauspost/compress/snappy"
	"github.com/klauspost/compress/zstd"
	"github.com/pierrec/lz4/v4"

	"github.com/shufflebench/shufflebench/internal/shufflefile"
)

const fuzzLimit = 8 << 20

// fuzzFrames holds a codec's decoder against another one: what it accepts the
// other decodes to the same bytes.
func fuzzFrames(f *testing.F, c shufflefile.Codec, frame func([]byte) []byte, other func([]byte) ([]byte, error)) {
	for _, content := range samples() {
		if len(content) < 100_000 {
			f.Add(frame(content))
		}
	}
	w := newWatched()
	d := &Decoder{Limit: fuzzLimit, Small: 1 << 10, Alloc: w}
	f.Cleanup(d.Close)
	f.Fuzz(func(t *testing.T, b []byte) {
		got, err := decode(d, c, b)
		w.AssertSize(t, 0)
		if err != nil {
			return
		}
		want, err := other(b)
		if err != nil || !bytes.Equal(got, want) {
			t.Fatalf("%d bytes, the other decoder: %d, %v", len(got), len(want), err)
		}
	})
}

func FuzzLZ4(f *testing.F) {
	linked := lz4Of(lz4Version, 0x40, lz4Block([]byte("\x80abcdefgh"), false), lz4Block([]byte("\x08\x08\x00\x50vwxyz"), false), lz4End)
	f.Add(linked)
	fuzzFrames(f, shufflefile.LZ4, func(b []byte) []byte { return lz4Frame1(f, b) },
		func(b []byte) ([]byte, error) { return io.ReadAll(lz4.NewReader(bytes.NewReader(b))) })
}

func FuzzZstd(f *testing.F) {
	other, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(MaxZstdWindow))
	if err != nil {
		f.Fatal(err)
	}
	f.Cleanup(other.Close)
	fuzzFrames(f, shufflefile.Zstd, func(b []byte) []byte { return zstdFrame1(f, b) },
		func(b []byte) ([]byte, error) { return other.DecodeAll(b, nil) })
}

func FuzzSnappy(f *testing.F) {
	fuzzFrames(f, shufflefile.Snappy, func(b []byte) []byte { return snappyFrame1(f, b) },
		func(b []byte) ([]byte, error) { return io.ReadAll(snappy.NewReader(bytes.NewReader(b))) })
}

// FuzzLZ4Block holds the block decoder, alone and behind a head, against
// pierrec's, with output that just fits and that does not.
func FuzzLZ4Block(f *testing.F) {
	for _, content := range samples() {
		if len(content) > 60_000 {
			content = content[:60_000]
		}
		b := make([]byte, lz4.CompressBlockBound(len(content)))
		var z lz4.Compressor
		if n, err := z.CompressBlock(content, b); err == nil && n > 0 {
			f.Add(b[:n], uint16(len(content)))
		}
	}
	var head lz4Head
	f.Fuzz(func(t *testing.T, src []byte, size uint16) {
		want := make([]byte, size)
		n, err := lz4.UncompressBlock(src, want)
		if err != nil {
			n = -1
		}
		const guard = 0xa5
		room := bytes.Repeat([]byte{guard}, int(size)+64)
		for _, decode := range []func(dst []byte) int{
			func(dst []byte) int { return decodeLZ4Block(dst, 0, 0, src) },
			func(dst []byte) int { return head.decode(dst, src) },
			func(dst []byte) int { return head.decode(dst, src) },
		} {
			got := decode(room[:size:size])
			if got >= 0 && (got != n || !bytes.Equal(room[:got], want[:got])) {
				t.Fatalf("%d bytes, the other decoder %d", got, n)
			}
			if got >= 0 && lz4BlockSize(src) != got {
				t.Fatalf("size %d, but %d bytes decode", lz4BlockSize(src), got)
			}
			for _, b := range room[size:] {
				if b != guard {
					t.Fatal("written past the end")
				}
			}
		}
	})
}

// FuzzSnappyBlock holds the block decoder against the strict one of the library.
func FuzzSnappyBlock(f *testing.F) {
	for _, content := range samples() {
		if len(content) < 70_000 {
			f.Add(snappy.Encode(nil, content))
		}
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		n, err := snappy.DecodedLen(b)
		if err != nil || n > fuzzLimit {
			return
		}
		want, wantErr := snappy.DecodeStrict(nil, b)
		head := 1
		for head < len(b) && b[head-1]&0x80 != 0 {
			head++
		}
		got := make([]byte, n)
		if ok := decodeSnappyBlock(got, b[head:]); ok != (wantErr == nil) || ok && !bytes.Equal(got, want) {
			t.Fatalf("decodes: %v; the other decoder: %v", ok, wantErr)
		}
	})
}
