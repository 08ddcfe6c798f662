package frame

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"slices"
	"testing"

	"github.com/pierrec/lz4/v4"

	"github.com/shufflebench/shufflebench/internal/shufflefile"
)

// TestLZ4Frames: frames of every block size, with and without checksums and
// content size, at two compression levels, decode to what went in.
func TestLZ4Frames(t *testing.T) {
	d, _ := newDecoder(t)
	all := samples()
	for _, size := range []lz4.BlockSize{lz4.Block64Kb, lz4.Block256Kb, lz4.Block1Mb, lz4.Block4Mb} {
		for flags := range 8 {
			for name, content := range all {
				opts := []lz4.Option{lz4.BlockSizeOption(size), lz4.BlockChecksumOption(flags&1 != 0), lz4.ChecksumOption(flags&2 != 0)}
				if flags&4 != 0 {
					opts = append(opts, lz4.SizeOption(uint64(len(content))))
				}
				if len(content) > 100_000 && flags%3 != 0 {
					continue // large ones: some will do
				}
				got, err := decode(d, shufflefile.LZ4, lz4Frame1(t, content, opts...))
				if err != nil || !bytes.Equal(got, content) {
					t.Errorf("%v, flags %d, %s: %d bytes, %v; want %d", size, flags, name, len(got), err, len(content))
				}
			}
		}
	}
}

// TestLZ4Large: blocks of 4 MiB, more than one.
func TestLZ4Large(t *testing.T) {
	d, _ := newDecoder(t)
	content := bytes.Repeat(samples()["ints"], 30)
	got, err := decode(d, shufflefile.LZ4, lz4Frame1(t, content, lz4.BlockSizeOption(lz4.Block4Mb)))
	if err != nil || !bytes.Equal(got, content) {
		t.Errorf("%d bytes, %v; want %d", len(got), err, len(content))
	}
}

// lz4Of builds a frame by hand: flags, block descriptor, blocks as given.
func lz4Of(flags, bd byte, blocks ...[]byte) []byte {
	b := []byte{0x04, 0x22, 0x4d, 0x18, flags, bd}
	b = append(b, byte(xxh32(b[4:6])>>8))
	for _, block := range blocks {
		b = append(b, block...)
	}
	return b
}

// lz4Block puts a size before a block.
func lz4Block(data []byte, stored bool) []byte {
	n := uint32(len(data))
	if stored {
		n |= lz4Stored
	}
	return append(binary.LittleEndian.AppendUint32(nil, n), data...)
}

var lz4End = []byte{0, 0, 0, 0}

// TestLZ4ByHand: what the writer at hand does not write.
func TestLZ4ByHand(t *testing.T) {
	d, _ := newDecoder(t)
	// 8 literals; then, in the next block, 12 bytes from 8 back and 5 literals
	first := lz4Block(append([]byte{0x80}, "abcdefgh"...), false)
	second := lz4Block(append([]byte{0x08, 8, 0, 0x50}, "vwxyz"...), false)
	const linked, independent = lz4Version, lz4Version | lz4Independent
	for _, c := range []struct {
		what  string
		frame []byte
		want  string // the content, or the error if it starts with !
	}{
		{"linked blocks", lz4Of(linked, 0x40, first, second, lz4End), "abcdefghabcdefghabcdvwxyz"},
		{"linked to a stored block", lz4Of(linked, 0x40, lz4Block([]byte("abcdefgh"), true), second, lz4End), "abcdefghabcdefghabcdvwxyz"},
		{"independent blocks that are not", lz4Of(independent, 0x40, first, second, lz4End), "!block 1 does not decode"},
		{"a stored block of no bytes", lz4Of(independent, 0x40, lz4Block(nil, true), first, lz4End), "abcdefgh"},
		{"no blocks", lz4Of(independent, 0x40, lz4End), ""},
		{"no end mark", lz4Of(independent, 0x40, first), "!without an end mark"},
		{"half an end mark", lz4Of(independent, 0x40, first, lz4End[:2]), "!without an end mark"},
		{"a byte after the end", lz4Of(independent, 0x40, first, lz4End, []byte{0}), "!1 bytes after the end"},
		{"two frames", append(lz4Of(independent, 0x40, first, lz4End), lz4Of(independent, 0x40, first, lz4End)...), "!bytes after the end"},
		{"a block cut short", lz4Of(independent, 0x40, first[:7]), "!frame is cut"},
		{"a block that ends with a match", lz4Of(independent, 0x40, lz4Block([]byte{0x84, 'a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 8, 0}, false), lz4End), "!block 0 does not decode"},
		{"a match before the start", lz4Of(independent, 0x40, lz4Block([]byte{0x14, 'a', 2, 0, 0x10, 'b'}, false), lz4End), "!block 0 does not decode"},
		{"a match of offset 0", lz4Of(independent, 0x40, lz4Block([]byte{0x14, 'a', 0, 0, 0x10, 'b'}, false), lz4End), "!block 0 does not decode"},
		{"a block above the block size", lz4Of(independent, 0x40, lz4Block(make([]byte, 64<<10+1), true), lz4End), "!in a frame of blocks up to 65536"},
		{"a block that decodes to more", lz4Of(independent, 0x40, lz4Block(zeroBlock(64<<10+1), false), lz4End), "!block 0 does not decode"},
		{"version", lz4Of(0x20, 0x40, first, lz4End), "!not of version 1"},
		{"reserved flag", lz4Of(independent|lz4Reserved, 0x40, first, lz4End), "!not of version 1"},
		{"reserved descriptor", lz4Of(independent, 0x41, first, lz4End), "!not of version 1"},
		{"block size 3", lz4Of(independent, 0x30, first, lz4End), "!not of version 1"},
		{"dictionary", lz4Of(independent|lz4DictID, 0x40, first, lz4End), "!needs a dictionary"},
		{"check byte", func() []byte { b := lz4Of(independent, 0x50, first, lz4End); b[6]++; return b }(), "!wrong check byte"},
		{"skippable frame", append([]byte{0x53, 0x2a, 0x4d, 0x18}, first...), "!skippable frame"},
		{"legacy frame", append([]byte{0x02, 0x21, 0x4c, 0x18}, first...), "!no LZ4 frame"},
		{"nothing", nil, "!is cut"},
	} {
		for range 2 { // the second time with a warm head
			got, err := decode(d, shufflefile.LZ4, c.frame)
			if len(c.want) > 0 && c.want[0] == '!' {
				wantError(t, err, shufflefile.ErrCorrupt, c.want[1:])
			} else if err != nil || string(got) != c.want {
				t.Errorf("%s: %q, %v; want %q", c.what, got, err, c.want)
			}
		}
	}
}

// zeroBlock is a block of n zeros.
func zeroBlock(n int) []byte {
	b := []byte{0x1f, 0, 1, 0}
	rest := n - 1 - 5 - 19
	for ; rest >= 255; rest -= 255 {
		b = append(b, 255)
	}
	return append(b, byte(rest), 0x50, 0, 0, 0, 0, 0)
}

// TestLZ4Damage: with checksums no cut and no changed byte goes unnoticed,
// unless it changes nothing (a match may lie in two places).
func TestLZ4Damage(t *testing.T) {
	d, _ := newDecoder(t)
	content := samples()["mixed"]
	for _, opts := range [][]lz4.Option{
		{lz4.ChecksumOption(true)},
		{lz4.BlockChecksumOption(true), lz4.SizeOption(uint64(len(content)))},
	} {
		whole := lz4Frame1(t, content, opts...)
		for i := range whole {
			bad := bytes.Clone(whole)
			bad[i] ^= 0x10
			for what, b := range map[string][]byte{"changed": bad, "cut": whole[:i]} {
				if got, err := decode(d, shufflefile.LZ4, b); err == nil && !bytes.Equal(got, content) {
					t.Errorf("%s at byte %d: %d bytes", what, i, len(got))
				}
			}
		}
	}
	small := &Decoder{Limit: 100, Small: 1 << 10}
	_, err := decode(small, shufflefile.LZ4, lz4Frame1(t, make([]byte, 101)))
	wantError(t, err, shufflefile.ErrLimit, "above the limit of 100 bytes")
	if _, err := decode(small, shufflefile.LZ4, lz4Frame1(t, make([]byte, 100))); err != nil {
		t.Error(err)
	}
}

// TestLZ4Memory: memory is taken for what can be in a frame, not for what it
// says, and a large payload takes hardly more than its size.
func TestLZ4Memory(t *testing.T) {
	d, w := newDecoder(t)
	lie := []byte{0x04, 0x22, 0x4d, 0x18, lz4Version | lz4Independent | lz4ContentSize, 0x70, 0, 0, 0, 0x30, 0, 0, 0, 0}
	lie = append(lie, byte(xxh32(lie[4:])>>8))
	lie = slices.Concat(lie, lz4Block([]byte{0x50, 1, 2, 3, 4, 5}, false), lz4End)
	_, err := decode(d, shufflefile.LZ4, lie)
	wantError(t, err, shufflefile.ErrCorrupt, "the blocks hold at most")
	if w.most > 0 {
		t.Errorf("%d bytes were taken for a frame of 5", w.most)
	}
	for _, content := range [][]byte{samples()["ints"], samples()["random"]} {
		w.most = 0
		if _, err := decode(d, shufflefile.LZ4, lz4Frame1(t, content)); err != nil {
			t.Fatal(err)
		}
		if w.most != len(content) {
			t.Errorf("%d bytes were taken for %d", w.most, len(content))
		}
	}
	if len(d.scratch) > MaxScratch {
		t.Errorf("%d bytes of scratch are kept", len(d.scratch))
	}
}

// TestLZ4Head: blocks that begin alike decode as they do alone, whatever came
// before.
func TestLZ4Head(t *testing.T) {
	var head lz4Head
	text := samples()["text"]
	var blocks [][]byte
	var contents [][]byte
	for i := range 60 {
		c := slices.Concat(text[:400], fmt.Appendf(nil, "%d", i*i), text[100:100+i*3])
		if i%17 == 5 {
			c = samples()["random"][i*100 : i*100+900]
		}
		b := make([]byte, lz4.CompressBlockBound(len(c)))
		var z lz4.Compressor
		n, err := z.CompressBlock(c, b)
		if err != nil || n == 0 {
			continue
		}
		blocks, contents = append(blocks, b[:n]), append(contents, c)
	}
	dst := make([]byte, 4<<10)
	for i, b := range blocks {
		if n := head.decode(dst, b); n != len(contents[i]) || !bytes.Equal(dst[:n], contents[i]) {
			t.Fatalf("block %d decodes to %d bytes, want %d", i, n, len(contents[i]))
		}
		for cut := range b {
			want := decodeLZ4Block(make([]byte, 4<<10), 0, 0, b[:cut])
			if got := head.decode(dst, b[:cut]); got != want {
				t.Fatalf("block %d cut at %d: %d, alone %d", i, cut, got, want)
			}
		}
	}
	if n := head.decode(dst[:10], blocks[0]); n != -1 {
		t.Errorf("%d bytes decode into 10", n)
	}
}

// TestXXH32 holds the hash against known values and the frames of a writer.
func TestXXH32(t *testing.T) {
	for in, want := range map[string]uint32{"": 0x02cc5d05, "a": 0x550d7456, "abc": 0x32d153ff,
		"Nobody inspects the spammish repetition": 0xe2293b2f} {
		if got := xxh32([]byte(in)); got != want {
			t.Errorf("xxh32(%q) = %08x, want %08x", in, got, want)
		}
	}
}
