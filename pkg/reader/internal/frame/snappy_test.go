package frame

import (
	"bytes"
	"encoding/binary"
	"slices"
	"testing"

	"github.com/klauspost/compress/snappy"

	"github.com/shufflebench/shufflebench/internal/shufflefile"
)

func TestSnappyFrames(t *testing.T) {
	d, _ := newDecoder(t)
	for name, content := range samples() {
		got, err := decode(d, shufflefile.Snappy, snappyFrame1(t, content))
		if err != nil || !bytes.Equal(got, content) {
			t.Errorf("%s: %d bytes, %v; want %d", name, len(got), err, len(content))
		}
	}
}

// chunk is a chunk of the framing format.
func chunk(typ byte, data []byte) []byte {
	n := len(data)
	return append([]byte{typ, byte(n), byte(n >> 8), byte(n >> 16)}, data...)
}

// checked puts the checksum of content before data.
func checked(content, data []byte) []byte {
	return append(binary.LittleEndian.AppendUint32(nil, maskedCRC(content)), data...)
}

func TestSnappyByHand(t *testing.T) {
	d, _ := newDecoder(t)
	id := []byte(snappyMagic)
	hello := []byte("hello, hello, hello, hello")
	stored := chunk(snappyStored, checked(hello, hello))
	packed := chunk(snappyCompressed, checked(hello, snappy.Encode(nil, hello)))
	for _, c := range []struct {
		what  string
		frame [][]byte
		want  string // the content, or the error if it starts with !
	}{
		{"stored chunk", [][]byte{id, stored}, string(hello)},
		{"both", [][]byte{id, stored, packed}, string(hello) + string(hello)},
		{"identifier again", [][]byte{id, packed, id, packed}, string(hello) + string(hello)},
		{"padding", [][]byte{id, chunk(0xfe, make([]byte, 300)), packed, chunk(0xfe, nil)}, string(hello)},
		{"skippable", [][]byte{id, chunk(0x80, []byte("?")), packed}, string(hello)},
		{"not skippable", [][]byte{id, chunk(0x02, []byte("?")), packed}, "!unknown snappy chunk type 02"},
		{"no identifier", [][]byte{packed}, "!no snappy stream identifier"},
		{"other identifier", [][]byte{id, chunk(0xff, []byte("sNaPpX"))}, "!wrong snappy stream identifier"},
		{"raw snappy", [][]byte{snappy.Encode(nil, bytes.Repeat(hello, 5))}, "!no snappy stream identifier"},
		{"bad checksum", [][]byte{id, chunk(snappyStored, append([]byte{1, 2, 3, 4}, hello...))}, "!wrong checksum"},
		{"no checksum", [][]byte{id, chunk(snappyStored, []byte{1, 2, 3})}, "!has no checksum"},
		{"cut chunk", [][]byte{id, packed[:len(packed)-1]}, "!is cut"},
		{"cut head", [][]byte{id, packed, {0, 1}}, "!is cut"},
		{"chunk that is too large", [][]byte{id, chunk(snappyStored, checked(make([]byte, 65537), make([]byte, 65537)))}, "!more than 65536"},
		{"chunk that lies", [][]byte{id, chunk(snappyCompressed, checked(nil, []byte{0xff, 0xff, 3, 0}))}, "!cannot hold what it says"},
		{"S2's repeats", [][]byte{id, chunk(snappyCompressed, checked([]byte("abcdefgabcdefgabcdefg"), []byte{21, 6 << 2, 'a', 'b', 'c', 'd', 'e', 'f', 'g', 3<<2 | 1, 7, 3<<2 | 1, 0}))}, "!does not decode"},
		{"too few bytes", [][]byte{id, chunk(snappyCompressed, checked(hello, append([]byte{27}, snappy.Encode(nil, hello)[1:]...)))}, "!does not decode"},
		{"nothing", nil, "!no snappy stream identifier"},
		{"only an identifier", [][]byte{id}, ""},
	} {
		got, err := decode(d, shufflefile.Snappy, slices.Concat(c.frame...))
		if len(c.want) > 0 && c.want[0] == '!' {
			wantError(t, err, shufflefile.ErrCorrupt, c.want[1:])
		} else if err != nil || string(got) != c.want {
			t.Errorf("%s: %q, %v; want %q", c.what, got, err, c.want)
		}
	}
}

// TestSnappyDamage: no changed byte of a content goes unnoticed.
func TestSnappyDamage(t *testing.T) {
	d, w := newDecoder(t)
	content := samples()["mixed"]
	whole := snappyFrame1(t, content)
	for i := range whole {
		bad := bytes.Clone(whole)
		bad[i] ^= 0x10
		if got, err := decode(d, shufflefile.Snappy, bad); err == nil && !bytes.Equal(got, content) {
			t.Errorf("changed at byte %d: %d bytes", i, len(got))
		}
	}
	w.most = 0
	big := samples()["random"]
	if _, err := decode(d, shufflefile.Snappy, snappyFrame1(t, big)); err != nil || w.most != len(big) {
		t.Errorf("%v; %d bytes were taken for %d", err, w.most, len(big))
	}
}
