package lz4

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"
)

// plain is the twin of the kernels: the same rules, byte by byte, with maps
// for tables and a list of sequences for output.
type plain struct {
	src    []byte
	anchor int
	bad    int
	out    []sequence
}

// cover is careful.
func (p *plain) cover(start, end, off int) {
	start = max(start, p.anchor)
	if end-start < 4 {
		p.bad++
		return
	}
	p.out = append(p.out, sequence{start, end, off})
	p.anchor = end
}

// before counts the equal bytes before a and b, at most n; after those behind.
func (p *plain) before(a, b, n int) (k int) {
	for k < n && a-k > 0 && p.src[a-k-1] == p.src[b-k-1] {
		k++
	}
	return k
}

func (p *plain) after(a, b, n int) (k int) {
	for k < n && p.src[a+k] == p.src[b+k] {
		k++
	}
	return k
}

func (p *plain) word(pos int) uint64 { return binary.LittleEndian.Uint64(p.src[pos:]) }

// run covers high bytes and the equal values behind them; it returns the last
// boundary.
func (p *plain) run(pos, stride, last int) int {
	n := p.after(pos-stride, pos, last-pos)
	p.cover(pos-p.before(pos-stride, pos, stride), pos+n, stride)
	return pos + n/stride*stride
}

func (p *plain) gaveUp(pos, first, stride int) bool {
	return p.bad > 8-first/(4*stride)+pos/(4*stride)
}

// longer covers by the candidate that gives more; far wins by strictly more.
func (p *plain) longer(pos, nearOff, near, farOff, far, low int) {
	if far+low > near {
		p.cover(pos-far, pos+low, farOff)
	} else {
		p.cover(pos-near, pos, nearOff)
	}
}

func (p *plain) ordered8(pos, last int) int {
	first, low := pos, map[byte]int{}
	for ; pos <= last; pos += 8 {
		c, known := low[p.src[pos]]
		if !known {
			c = first - 8
		}
		low[p.src[pos]] = pos
		if p.word(pos) == p.word(pos-8) {
			pos = p.run(pos, 8, last)
		} else if pos-c > 65535 {
			p.longer(pos, 8, p.before(pos-8, pos, 8), 0, 0, 0)
		} else {
			p.longer(pos, 8, p.before(pos-8, pos, 8), pos-c, p.before(c, pos, 8), p.after(c, pos, 7))
		}
		if p.gaveUp(pos+8, first, 8) {
			return pos + 8
		}
	}
	return last + 8
}

func (p *plain) mixed8(pos, last, shared int) int {
	first, classes, pairs := pos, map[uint64]int{}, map[uint64]int{}
	for ; pos <= last; pos += 8 {
		v, next := p.word(pos-8), p.word(pos)
		if v == next {
			pos = p.run(pos, 8, last)
		} else {
			high := v >> (8 * shared)
			a, known := classes[hash8(high)]
			if !known || pos-8-a > 65535 {
				a = pos - 16
			}
			classes[hash8(high)] = pos - 8
			key := hash8(high<<8 | next&0xff)
			c, known := pairs[key]
			if !known || pos-c > 65535 {
				c = pos - 8
			}
			pairs[key] = pos
			p.longer(pos, pos-8-a, p.before(a+8, pos, 8), pos-c, p.before(c, pos, 8), p.after(c, pos, 7))
		}
		if p.gaveUp(pos+8, first, 8) {
			return pos + 8
		}
	}
	return last + 8
}

func (p *plain) delta16(pos, last int) int {
	type key struct{ low, sign byte }
	first, latest, table := pos, [2]int{pos - 32, pos - 32}, map[key]int{}
	for ; pos <= last; pos += 16 {
		k := key{p.src[pos], p.src[pos-1] >> 7}
		c, known := table[k]
		if !known {
			c = first - 16
		}
		table[k] = pos
		a := latest[k.sign]
		latest[k.sign] = pos - 16
		near, far, low := p.before(a+16, pos, 16), p.before(c, pos, 16), p.after(c, pos, 7)
		if far < 8 || pos-c > 65535 {
			far, low = 0, 0 // not without the whole upper word
		}
		n, start := near, pos-near
		if far+low > near {
			n, start = far+low, pos-far
		}
		lit := start - p.anchor
		if lit < 1 || lit > 7 || n > 18 || near < 8 || pos-16-a > 65535 {
			pos = p.run(pos, 16, last)
		} else {
			p.longer(pos, pos-16-a, near, pos-c, far, low)
		}
		if p.gaveUp(pos+16, first, 16) {
			return pos + 16
		}
	}
	return last + 16
}

func (p *plain) repeated(pos, last, stride int, s shape) int {
	pairs, values := map[uint64]int{}, map[uint64]int{}
	value := func(pos int) (low, high uint64) {
		switch low = p.word(pos); stride {
		case 4:
			return low & 0xffffffff, 0
		case 16:
			return low, p.word(pos + 8)
		}
		return low, 0
	}
	look := func(table map[uint64]int, key uint64) int {
		a, known := table[hash8(key)]
		table[hash8(key)] = pos
		if !known || pos-a > 65535 {
			return pos - 8
		}
		return a
	}
	wait := s.top < 2 || s.context == 0
	for last = min(last, len(p.src)-21); pos <= last; {
		low, high := value(pos)
		key := low ^ high*mixer
		context, _ := value(pos - stride)
		a, c := look(pairs, key^context>>(8*s.context)*mixer), look(values, key)
		if v, _ := value(a); v != low {
			a = c
		}
		n, h := p.after(a, pos, 16), p.before(a, pos, 16)
		start := max(pos-h, p.anchor)
		if pos+n-start < 4 {
			pos += stride
			continue
		}
		if start-p.anchor > 14 || n == 16 && (stride < 16 || pos-a == 16) {
			n = p.after(a, pos, last-pos)
			start = pos - p.before(a, pos, min(64, pos-p.anchor))
		}
		p.cover(start, pos+n, pos-a)
		steps := (n + stride - 1) / stride
		if wait && n >= stride && n%stride == 0 {
			steps++
		}
		pos += max(steps, 1) * stride
	}
	return pos
}

func (p *plain) general(from, to int) {
	table, misses := map[uint64]int{}, 64
	last, end := min(to-5, len(p.src)-12), min(to, len(p.src)-5)
	pos := max(from, p.anchor)
	if pos == 0 && last >= 0 {
		table[hash5(p.word(0))] = 0
		pos = 1
	}
	for pos <= last {
		key := hash5(p.word(pos))
		c, known := table[key]
		table[key] = pos
		if !known || pos-c > 65535 || p.after(c, pos, 4) < 4 {
			pos += misses / 64
			misses++
			continue
		}
		start := pos - p.before(c, pos, pos-p.anchor)
		stop := pos + p.after(c, pos, end-pos)
		p.cover(start, stop, pos-c)
		if pos, misses = stop, 64; pos <= last {
			table[hash5(p.word(pos-2))] = pos - 2
		}
	}
}

// encode writes the sequences as a block.
func (p *plain) encode() []byte {
	var out []byte
	extra := func(n int) {
		if n >= 15 {
			for n -= 15; n >= 255; n -= 255 {
				out = append(out, 255)
			}
			out = append(out, byte(n))
		}
	}
	at := 0
	for _, s := range p.out {
		lit, n := s.start-at, s.end-s.start-4
		out = append(out, byte(min(lit, 15)<<4|min(n, 15)))
		extra(lit)
		out = append(out, p.src[at:s.start]...)
		out = append(out, byte(s.off), byte(s.off>>8))
		extra(n)
		at = s.end
	}
	out = append(out, byte(min(len(p.src)-at, 15)<<4))
	extra(len(p.src) - at)
	return append(out, p.src[at:]...)
}

// twinColumns are columns of 8-byte words; 16-byte values take two each.
func twinColumns(rng *rand.Rand, words int) map[string][]byte {
	next := ascending(rng, rng.Int64N(1e6), 1+rng.Int64N(20000))
	few := 1 + rng.Int64N(60)
	limit := int64(1) << (1 + rng.IntN(40))
	values := map[string]func(i int) int64{
		"ascending":   next,
		"descending":  func(i int) int64 { return -next(i) },
		"below":       func(int) int64 { return rng.Int64N(limit) },
		"either sign": func(int) int64 { return rng.Int64N(2*limit) - limit },
		"few values":  func(int) int64 { return rng.Int64N(few) * 77777 },
		"runs":        func(i int) int64 { return int64(i) / 3 / few },
		"random":      func(int) int64 { return int64(rng.Uint64()) },
		"mixture": func(i int) int64 {
			if i/100%3 == 0 {
				return int64(rng.Uint64())
			}
			return rng.Int64N(limit)
		},
		"decimal": func(i int) int64 {
			if i%2 == 1 {
				return int64(-rng.IntN(2))
			}
			return rng.Int64N(2*limit) - limit
		},
		"low words alike": func(i int) int64 {
			if i%2 == 1 {
				return max(0, rng.Int64N(12)-10)
			}
			return rng.Int64N(few)<<56 | rng.Int64N(4)
		},
		"constant decimal": func(i int) int64 { return int64((i + 1) % 2 * 99) },
	}
	out := map[string][]byte{}
	for _, name := range slices.Sorted(maps.Keys(values)) {
		value := values[name]
		b := make([]byte, 0, 8*words+100)
		for i := range words {
			b = binary.LittleEndian.AppendUint64(b, uint64(value(i)))
		}
		out[name] = append(b, make([]byte, rng.IntN(100))...)
	}
	return out
}

type kernel struct {
	name   string
	stride int
	fast   func(e *Encoder, pos, last int) int
	slow   func(p *plain, pos, last int) int
}

// TestKernelsMatchPlainTwins holds the encoded bytes of every kernel to its
// twin's.
func TestKernelsMatchPlainTwins(t *testing.T) {
	seeds := 8
	if raceEnabled {
		seeds = 2
	}
	for seed := range seeds {
		testKernels(t, seed)
	}
}

func testKernels(t *testing.T, seed int) {
	rng := rand.New(rand.NewPCG(11, uint64(seed)))
	kernels := []kernel{
		{"ordered8", 8, (*Encoder).ordered8, (*plain).ordered8},
		{"mixed8/1", 8, func(e *Encoder, pos, last int) int { return e.mixed8(pos, last, 1) }, func(p *plain, pos, last int) int { return p.mixed8(pos, last, 1) }},
		{"mixed8/2", 8, func(e *Encoder, pos, last int) int { return e.mixed8(pos, last, 2) }, func(p *plain, pos, last int) int { return p.mixed8(pos, last, 2) }},
		{"mixed8/4", 8, func(e *Encoder, pos, last int) int { return e.mixed8(pos, last, 4) }, func(p *plain, pos, last int) int { return p.mixed8(pos, last, 4) }},
		{"repeated/4", 4, fastRepeated(4, shape{context: 1, top: 1}), slowRepeated(4, shape{context: 1, top: 1})},
		{"repeated/4 rough", 4, fastRepeated(4, shape{context: 1, top: 3}), slowRepeated(4, shape{context: 1, top: 3})},
		{"repeated/8", 8, fastRepeated(8, shape{top: 7}), slowRepeated(8, shape{top: 7})},
		{"repeated/8 rough", 8, fastRepeated(8, shape{context: 1, top: 7}), slowRepeated(8, shape{context: 1, top: 7})},
		{"repeated/16", 16, fastRepeated(16, shape{context: 1, top: 1}), slowRepeated(16, shape{context: 1, top: 1})},
		{"delta16", 16, (*Encoder).delta16, (*plain).delta16},
	}
	kernels = append(kernels, kernel{"general", 8,
		func(e *Encoder, pos, last int) int { e.general(pos, last); return 0 },
		func(p *plain, pos, last int) int { p.general(pos, last); return 0 }})
	var e Encoder
	for _, words := range []int{12 + seed, 40 + seed, 362, 3000, 20000*(seed%5/4) + 200} {
		columns := twinColumns(rng, words)
		for _, name := range slices.Sorted(maps.Keys(columns)) {
			src := columns[name]
			for _, k := range kernels {
				dst := make([]byte, maxEncoded(len(src)))
				e.begin(dst, src)
				e.nextGeneration(len(src))
				first, last := e.boundaries(0, len(src), k.stride)
				p := plain{src: src}
				got, want := k.fast(&e, first, last), k.slow(&p, first, last)
				if got != want {
					t.Fatalf("%s on %d words %s: stopped at %d, twin at %d", k.name, words, name, got, want)
				}
				if out, err := plainBlock(dst[:e.finish()]); err != nil || !bytes.Equal(out, src) {
					t.Fatalf("%s on %d words %s: decodes differently: %v", k.name, words, name, err)
				}
				if block := p.encode(); !bytes.Equal(dst[:e.d], block) {
					t.Fatalf("%s on %d words %s: %s", k.name, words, name, describe(dst[:e.d], block))
				}
			}
		}
	}
}

func fastRepeated(stride int, s shape) func(*Encoder, int, int) int {
	return func(e *Encoder, pos, last int) int { return e.repeated(pos, last, stride, s) }
}

func slowRepeated(stride int, s shape) func(*plain, int, int) int {
	return func(p *plain, pos, last int) int { return p.repeated(pos, last, stride, s) }
}

func describe(got, want []byte) string {
	return fmt.Sprintf("%d bytes, twin %d, first difference at %d", len(got), len(want), firstDifference(got, want))
}
