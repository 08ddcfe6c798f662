package lz4

import (
	"bytes"
	"encoding/binary"
	"sync"
	"unsafe"
)

// Span is the part [Off, Off+Len) of a head.
type Span struct{ Off, Len int }

// Head is the constant start of all payloads of a schema (its schema message
// and the header of its record batch), compressed once. Bytes in its variable
// spans (row count, buffer offsets and lengths) differ between payloads; they
// are literals of the compressed head and patched in for each block. A Head
// may be used by several goroutines.
//
// The fields in variable spans are integers whose high bytes are nearly always
// zero, and some are zero altogether (null counts). So a head has variants, in
// which more or fewer of those bytes are taken for zero, and a block gets the
// first one that fits it.
type Head struct {
	n        int // bytes
	variants []*variant
}

// variant is a head with one choice of variable bytes.
type variant struct {
	template []byte
	fixed    []bool   // which bytes of template are constant
	words    []uint64 // template, zero-padded to whole words
	mask     []uint64 // fixed as bits of words
	compile  sync.Once
	encoded  []byte // the sequences, payload bytes [0, covered)
	covered  int
	patches  []patch
}

// patch says where variable bytes of the payload are in the encoded head.
type patch struct{ to, from, n int }

// CompileHead compresses payload[:headLen], in which the variable spans differ
// from block to block. Spans of up to 8 bytes are taken for little-endian
// integers; those that are zero in this payload are expected to be zero often.
// Spans that reach out of the head are cut. Compressing itself is put off until
// a variant is used for the first time.
func CompileHead(payload []byte, headLen int, variable []Span) *Head {
	h := &Head{n: min(max(headLen, 0), len(payload))}
	for _, width := range []int{1, 2, 4, 8} {
		for _, zerosStay := range []bool{true, false} {
			if width < 8 || !zerosStay {
				h.variants = append(h.variants, newVariant(payload[:h.n], variable, width, zerosStay))
			}
		}
	}
	return h
}

// newVariant takes the lowest width bytes of every variable integer for
// variable and the others for zero. If zeros stay, integers that are zero in
// the example are constant.
func newVariant(example []byte, variable []Span, width int, zerosStay bool) *variant {
	v := &variant{template: bytes.Clone(example), fixed: make([]bool, len(example))}
	mask := bytes.Repeat([]byte{0xff}, len(example))
	for _, s := range variable {
		start, end := max(s.Off, 0), min(s.Off+s.Len, len(example))
		if start >= end || zerosStay && allZero(example[start:end]) {
			continue
		}
		clear(v.template[start:end])
		if s.Len <= 8 {
			end = min(end, start+width)
		}
		clear(mask[start:end])
	}
	for i, m := range mask {
		v.fixed[i] = m != 0
	}
	v.words, v.mask = toWords(v.template), toWords(mask)
	return v
}

func allZero(b []byte) bool {
	for _, c := range b {
		if c != 0 {
			return false
		}
	}
	return true
}

func toWords(b []byte) []uint64 {
	padded := append(append([]byte(nil), b...), make([]byte, 7)...)
	words := make([]uint64, (len(b)+7)/8)
	for i := range words {
		words[i] = binary.LittleEndian.Uint64(padded[8*i:])
	}
	return words
}

// apply stores the sequences of the first variant that fits src, and returns
// the length of the head, or 0 if none fits.
func (h *Head) apply(b *block, src []byte) int {
	if len(src) < h.n+8+lastMatchGap {
		return 0
	}
	for _, v := range h.variants {
		if v.fits(b.sp) {
			v.compile.Do(v.build)
			v.emit(b)
			return h.n
		}
	}
	return 0
}

// fits compares the constant bytes.
func (v *variant) fits(sp unsafe.Pointer) bool {
	mask := v.mask[:len(v.words)]
	for i, w := range v.words {
		if (load64(sp, 8*i)^w)&mask[i] != 0 {
			return false
		}
	}
	return true
}

// emit copies the compiled sequences and patches in the literals that vary.
func (v *variant) emit(b *block) {
	copy(unsafe.Slice((*byte)(b.dp), len(v.encoded)), v.encoded)
	for i := range v.patches {
		p := &v.patches[i]
		switch p.n {
		case 1:
			*(*byte)(unsafe.Add(b.dp, p.to)) = b.at(p.from)
		case 2:
			store16(b.dp, p.to, uint16(load32(b.sp, p.from)))
		case 8:
			store64(b.dp, p.to, load64(b.sp, p.from))
		default:
			copy(unsafe.Slice((*byte)(unsafe.Add(b.dp, p.to)), p.n), unsafe.Slice((*byte)(unsafe.Add(b.sp, p.from)), p.n))
		}
	}
	b.d, b.anchor = len(v.encoded), v.covered
}

// build compresses the template for this choice of variable bytes.
func (v *variant) build() {
	var b block
	out := make([]byte, maxEncoded(len(v.template)))
	b.begin(out, v.template)
	for _, s := range parse(v.template, v.fixed) {
		from := b.anchor
		lit := s.start - from
		at := b.d + 1 + lengthBytes(lit)
		v.patch(from, s.start, at)
		b.match(s.start, s.end, s.off)
	}
	v.encoded, v.covered = out[:b.d:b.d], b.anchor
}

// patch notes the variable bytes among the literals [from, to), which are
// stored at at.
func (v *variant) patch(from, to, at int) {
	for i := from; i < to; {
		n := 0
		for i+n < to && !v.fixed[i+n] {
			n++
		}
		if n > 0 {
			v.patches = append(v.patches, patch{to: at + i - from, from: i, n: n})
		}
		i += max(n, 1)
	}
}
