package lz4

import "math/bits"

// A column's values are encoded boundary by boundary: at pos, where one value
// ends and the next begins, a match may cover high bytes of the value before
// pos and low bytes of the value after it.

const (
	// few is the number of boundaries below which looking at the column and
	// setting up tables cost more than they gain.
	few = 16
	// chunkLength is the number of boundaries after which a column is looked at anew.
	chunkLength = 4096
)

// column encodes the values of stride bytes (4, 8 or 16) in [start, end).
func (e *Encoder) column(start, end, stride int) {
	first, last := e.boundaries(start, end, stride)
	if last-first < few*stride {
		e.fewValues(first, last, stride)
		return
	}
	for pos := first; pos <= last; {
		stop := pos + (chunkLength-1)*stride
		if stop+few*stride > last {
			stop = last // every chunk has at least few boundaries
		}
		pos = e.chunk(pos, stop, stride, (last-first)/stride+1)
		if pos <= stop { // a kernel gave up
			e.general(pos, stop)
			pos = stop + stride
		}
	}
}

// chunk encodes the boundaries pos, pos+stride, ... last by the kernel that
// suits them, and returns the boundary behind the last that it has encoded.
func (e *Encoder) chunk(pos, last, stride, total int) int {
	if stride == 8 && e.ordered(pos) {
		return e.ordered8(pos, last)
	}
	switch shape := e.probe(pos, last, stride, total); {
	case shape.repeats:
		return e.repeated(pos, last, stride, shape)
	case stride == 8 && shape.shared < 8:
		return e.mixed8(pos, last, shape.shared)
	case stride == 16:
		return e.delta16(pos, last)
	default:
		return pos
	}
}

// boundaries returns the first and last boundary between values of stride
// bytes in [start, end) where kernels may work: at least 32
// bytes and three values must lie before the first, and a match must be allowed
// to start at the last. If the region ends with a byte that is not
// zero, the boundary with what follows is counted too; else gap encodes the
// zeros better.
func (b *block) boundaries(start, end, stride int) (first, last int) {
	end -= (end - start) & (stride - 1)
	first = start + stride
	for least := max(32, 3*stride); first < least; {
		first += stride
	}
	if first > end {
		return first, end - stride
	}
	last = end
	limit := b.lastStart()
	if end > limit || b.at(end) == 0 && b.at(end-1) == 0 {
		last = end - stride
	}
	for last > limit {
		last -= stride
	}
	return first, last
}

// fewValues encodes boundaries without any table.
func (e *Encoder) fewValues(pos, last, stride int) {
	for ; pos <= last; pos += stride {
		if h := e.high(pos, stride); h >= minMatch {
			pos = e.run(pos, h, stride, last)
		}
	}
}

// high counts the high bytes that the value before pos shares with the value
// before that.
func (b *block) high(pos, stride int) int {
	h := bits.LeadingZeros64(load64(b.sp, pos-8)^load64(b.sp, pos-8-stride)) >> 3
	if stride == 16 && h == 8 {
		h += bits.LeadingZeros64(load64(b.sp, pos-16)^load64(b.sp, pos-32)) >> 3
	}
	return min(h, stride)
}

// run covers the h high bytes before pos, which the value before has too, and
// the equal values that follow, at most up to last. It returns the last
// boundary that is covered.
func (e *Encoder) run(pos, h, stride, last int) int {
	b := &e.block
	n := b.forward(pos-stride, pos, last)
	e.careful(pos-h, pos+n, stride)
	return pos + n/stride*stride
}

// careful covers [start, end) by what lies off bytes before, after cutting
// start to what is still uncovered. The kernels leave to it what needs more
// than one short sequence.
func (e *Encoder) careful(start, end, off int) {
	start = max(start, e.anchor)
	if end-start < minMatch {
		e.bad++
		return
	}
	e.match(start, end, off)
}
