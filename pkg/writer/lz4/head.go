package lz4

import (
	"bytes"
	"encoding/binary"
	"math/bits"
	"slices"
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
// one with the fewest literals that fits it.
type Head struct {
	example  []byte
	variable []Span
	integers []integer // variable spans of up to 8 bytes
	zeros    []integer // those among them that are zero in the example
	variants [2 * len(widths)]variant
}

// widths are the numbers of low bytes that vary in the variants: two variants
// each, one with zeros constant, one with all integers variable.
var widths = [...]int{1, 2, 4, 8}

// integer is a variable span: the bytes of mask in the word at off.
type integer struct {
	off  int
	mask uint64
}

// CompileHead prepares to compress payload[:headLen], in which the variable
// spans differ from block to block. Spans of up to 8 bytes are taken for
// little-endian integers; those that are zero in this payload are expected to
// be zero often. Spans that reach out of the head are cut. Compressing itself
// is put off until a variant is used for the first time.
func CompileHead(payload []byte, headLen int, variable []Span) *Head {
	headLen = min(max(headLen, 0), len(payload))
	h := &Head{example: bytes.Clone(payload[:headLen]), variable: slices.Clone(variable)}
	for _, s := range variable {
		if s.Off < 0 || s.Len < 1 || s.Len > 8 || s.Off+s.Len > headLen {
			continue
		}
		i := integer{s.Off, 1<<(8*s.Len) - 1}
		h.integers = append(h.integers, i)
		if allZero(payload[s.Off : s.Off+s.Len]) {
			h.zeros = append(h.zeros, i)
		}
	}
	return h
}

func allZero(b []byte) bool { return !slices.ContainsFunc(b, func(c byte) bool { return c != 0 }) }

// apply stores the sequences that stand for the head of src, and returns its
// length, or 0 if src does not begin with this head.
func (h *Head) apply(b *block, src []byte) int {
	n := len(h.example)
	if len(src) < n+8+lastMatchGap {
		return 0
	}
	i := h.variantFor(b.sp)
	v := &h.variants[i]
	v.once.Do(func() { v.compile(h, i) })
	if !v.fits(b.sp) {
		return 0
	}
	v.emit(b)
	return n
}

// variantFor returns the number of the variant for the integers in a payload.
func (h *Head) variantFor(sp unsafe.Pointer) int {
	var all, zeros uint64
	for i := range h.integers {
		all |= load64(sp, h.integers[i].off) & h.integers[i].mask
	}
	for i := range h.zeros {
		zeros |= load64(sp, h.zeros[i].off) & h.zeros[i].mask
	}
	i := 0
	for bits.Len64(all) > 8*widths[i/2] {
		i += 2
	}
	if zeros != 0 {
		i++
	}
	return i
}

// variant is a head with one choice of variable bytes, compressed.
type variant struct {
	once    sync.Once
	words   []uint64 // the head, zero where it varies, zero-padded to whole words
	mask    []uint64 // ones where words is constant
	encoded []byte   // the sequences, payload bytes [0, covered)
	covered int
	patches []patch
}

// patch says where variable bytes of the payload are in the encoded head.
type patch struct{ to, from, n int }

// compile makes the variant with number i of the head.
func (v *variant) compile(h *Head, i int) {
	template, mask := h.choose(widths[i/2], i%2 == 0)
	v.words, v.mask = toWords(template), toWords(mask)
	v.build(template, mask)
}

// choose takes the lowest width bytes of every integer for variable and the
// others for zero. If zeros stay, integers that are zero in the example are
// constant. It returns the head with all that varies set to zero, and a mask
// that is 0xff where it is constant.
func (h *Head) choose(width int, zerosStay bool) (template, mask []byte) {
	template, mask = bytes.Clone(h.example), bytes.Repeat([]byte{0xff}, len(h.example))
	for _, s := range h.variable {
		start, end := max(s.Off, 0), min(s.Off+s.Len, len(template))
		if start >= end || zerosStay && s.Len <= 8 && allZero(h.example[start:end]) {
			continue
		}
		clear(template[start:end])
		if s.Len <= 8 {
			end = min(end, start+width)
		}
		clear(mask[start:end])
	}
	return template, mask
}

func toWords(b []byte) []uint64 {
	padded := append(bytes.Clone(b), make([]byte, 7)...)
	words := make([]uint64, (len(b)+7)/8)
	for i := range words {
		words[i] = binary.LittleEndian.Uint64(padded[8*i:])
	}
	return words
}

// build compresses the template.
func (v *variant) build(template, mask []byte) {
	var b block
	out := make([]byte, maxEncoded(len(template)))
	b.begin(out, template)
	for _, s := range parse(template, mask) {
		from := b.anchor
		v.patch(mask, from, s.start, b.d+1+lengthBytes(s.start-from))
		b.match(s.start, s.end, s.off)
	}
	v.encoded, v.covered = bytes.Clone(out[:b.d]), b.anchor
}

// patch notes the variable bytes among the literals [from, to), which are
// stored at at.
func (v *variant) patch(mask []byte, from, to, at int) {
	for i := from; i < to; {
		n := 0
		for i+n < to && mask[i+n] == 0 {
			n++
		}
		if n > 0 {
			v.patches = append(v.patches, patch{to: at + i - from, from: i, n: n})
		}
		i += max(n, 1)
	}
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
