package frame

import (
	"bytes"
	"slices"
	"testing"

	"github.com/klauspost/compress/zstd"

	"github.com/shufflebench/shufflebench/internal/shufflefile"
)

func TestZstdFrames(t *testing.T) {
	d, _ := newDecoder(t)
	all := samples()
	for _, opts := range [][]zstd.EOption{
		{}, {zstd.WithEncoderCRC(false)}, {zstd.WithSingleSegment(true)},
		{zstd.WithEncoderLevel(zstd.SpeedBetterCompression), zstd.WithWindowSize(1 << 12)},
	} {
		enc, err := zstd.NewWriter(nil, append(opts, zstd.WithEncoderConcurrency(1), zstd.WithZeroFrames(true))...)
		if err != nil {
			t.Fatal(err)
		}
		for name, content := range all {
			for kind, frame := range map[string][]byte{"stream": zstdFrame1(t, content, opts...), "with size": enc.EncodeAll(content, nil)} {
				got, err := decode(d, shufflefile.Zstd, frame)
				if err != nil || !bytes.Equal(got, content) {
					t.Errorf("%s, %s: %d bytes, %v; want %d", name, kind, len(got), err, len(content))
				}
			}
		}
		if err := enc.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// rleFrame is a frame of n blocks that each repeat a byte 128 KiB times.
func rleFrame(window byte, n int) []byte {
	b := []byte{0x28, 0xb5, 0x2f, 0xfd, 0, window}
	for i := range n {
		word := 128<<10<<3 | zstdRLE<<1
		if i == n-1 {
			word |= 1
		}
		b = append(b, byte(word), byte(word>>8), byte(word>>16), 7)
	}
	return b
}

const window128KiB, window128MiB, window256MiB = 7 << 3, 17 << 3, 18 << 3

func TestZstdByHand(t *testing.T) {
	d, _ := newDecoder(t)
	content := []byte("hello, hello, hello, hello, hello")
	good := zstdFrame1(t, content)
	fields := func(desc byte, rest ...byte) []byte {
		return append([]byte{0x28, 0xb5, 0x2f, 0xfd, desc}, rest...)
	}
	for _, c := range []struct {
		what  string
		frame []byte
		class error
		want  string
	}{
		{"two frames", append(bytes.Clone(good), good...), shufflefile.ErrCorrupt, "bytes after the end"},
		{"a byte after the end", append(bytes.Clone(good), 0), shufflefile.ErrCorrupt, "1 bytes after the end"},
		{"a skippable frame behind", slices.Concat(good, []byte{0x50, 0x2a, 0x4d, 0x18, 0, 0, 0, 0}), shufflefile.ErrCorrupt, "8 bytes after"},
		{"a skippable frame before", slices.Concat([]byte{0x50, 0x2a, 0x4d, 0x18, 0, 0, 0, 0}, good), shufflefile.ErrCorrupt, "skippable"},
		{"reserved bit", fields(8, window128KiB, 1, 0, 0), shufflefile.ErrCorrupt, "reserved bit"},
		{"dictionary", fields(1, window128KiB, 5, 1, 0, 0), shufflefile.ErrCorrupt, "needs a dictionary"},
		{"reserved block type", fields(0, window128KiB, 7, 0, 0), shufflefile.ErrCorrupt, "reserved type"},
		{"window of 256 MiB", rleFrame(window256MiB, 1), shufflefile.ErrLimit, "window of 268435456 bytes"},
		{"block above 128 KiB", fields(0, window128MiB, 1, 0, 0x20), shufflefile.ErrCorrupt, "zstd block of 262144 bytes"},
		{"content size that cannot be", fields(0x20|0xc0, 0, 0, 0, 2, 0, 0, 0, 0, 1, 0, 0), shufflefile.ErrCorrupt, "content size"},
		{"huge content size", fields(0x20|0xc0, 255, 255, 255, 255, 255, 255, 255, 255, 1, 0, 0), shufflefile.ErrLimit, "window"},
		{"nothing", nil, shufflefile.ErrCorrupt, "is cut"},
	} {
		t.Run(c.what, func(t *testing.T) {
			_, err := decode(d, shufflefile.Zstd, c.frame)
			wantError(t, err, c.class, c.want)
		})
	}
	small := &Decoder{Limit: 1 << 20, Small: 1 << 10, Alloc: newWatched()}
	defer small.Close()
	_, err := decode(small, shufflefile.Zstd, rleFrame(window128KiB, 9))
	wantError(t, err, shufflefile.ErrLimit, "above the limit")
	got, err := decode(d, shufflefile.Zstd, rleFrame(window128MiB, 3))
	if err != nil || !bytes.Equal(got, bytes.Repeat([]byte{7}, 3<<17)) {
		t.Errorf("a window of 128 MiB: %d bytes, %v", len(got), err)
	}
}

func TestZstdDamage(t *testing.T) {
	d, _ := newDecoder(t)
	content := samples()["mixed"]
	whole := zstdFrame1(t, content)
	for i := range whole {
		bad := bytes.Clone(whole)
		bad[i] ^= 0x10
		for what, b := range map[string][]byte{"changed": bad, "cut": whole[:i]} {
			if got, err := decode(d, shufflefile.Zstd, b); err == nil && !bytes.Equal(got, content) {
				t.Errorf("%s at byte %d: %d bytes", what, i, len(got))
			}
		}
	}
}

// TestZstdMemory: a frame that would decode to far more than its size is not
// believed, and one of usual density takes what it needs.
func TestZstdMemory(t *testing.T) {
	d, w := newDecoder(t)
	bomb := rleFrame(window128KiB, 64)
	bad := bytes.Clone(bomb)
	bad[len(bad)-4] |= zstdCompressed << 1 // the last block does not decode
	if _, err := decode(d, shufflefile.Zstd, bad); err == nil {
		t.Fatal("the bomb is no dud")
	}
	if w.most > trustRatio*len(bomb) {
		t.Errorf("%d bytes were taken for a frame of %d that does not decode", w.most, len(bomb))
	}
	if got, err := decode(d, shufflefile.Zstd, bomb); err != nil || len(got) != 64<<17 {
		t.Errorf("%d bytes, %v", len(got), err)
	}
	enc, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1))
	if err != nil {
		t.Fatal(err)
	}
	defer enc.Close()
	w.most = 0
	content := samples()["random"]
	if _, err := decode(d, shufflefile.Zstd, enc.EncodeAll(content, nil)); err != nil || w.most != len(content) {
		t.Errorf("%v; %d bytes were taken for %d", err, w.most, len(content))
	}
}
