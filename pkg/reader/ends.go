package reader

import (
	"encoding/binary"

	"github.com/shufflebench/shufflebench/internal/shufflefile"
)

// The part of a batch's checks that looks into buffers, at the values that say
// where the others begin and end.

// hasEnds reports whether a field of a kind has such values.
func (k kind) hasEnds() bool {
	switch k {
	case kindBinary, kindLargeBinary, kindList, kindLargeList, kindRunEnd:
		return true
	}
	return false
}

// ends checks, of every field that has offsets or runs, the first and the last.
func (l *loader) ends(p *part) error {
	for _, i := range p.plan.ends {
		n := &p.plan.nodes[i]
		f := l.field(p, i)
		var err error
		switch n.kind {
		case kindBinary:
			err = ends32(l.bytes(f, 1), f.length, len(l.bytes(f, 2)))
		case kindLargeBinary:
			err = ends64(l.bytes(f, 1), f.length, len(l.bytes(f, 2)))
		case kindList:
			err = ends32(l.bytes(f, 1), f.length, l.field(p, n.children[0]).length)
		case kindLargeList:
			err = ends64(l.bytes(f, 1), f.length, l.field(p, n.children[0]).length)
		case kindRunEnd:
			err = l.lastRun(p, n, f)
		}
		if err != nil {
			return p.inColumn(i, err)
		}
	}
	return nil
}

// field is a message's i-th field.
func (l *loader) field(p *part, i int) *field { return &l.fields[p.fields.fields+i] }

// bytes is the k-th buffer of an array-to-be, validity first.
func (l *loader) bytes(f *field, k int) []byte { return l.views[f.first+k].bytes }

// ends32 checks the first and the last of length+1 offsets into size things.
func ends32(offsets []byte, length, size int) error {
	if length == 0 {
		return nil
	}
	first := int32(binary.LittleEndian.Uint32(offsets))
	last := int32(binary.LittleEndian.Uint32(offsets[4*length:]))
	return checkEnds(int64(first), int64(last), size)
}

func ends64(offsets []byte, length, size int) error {
	if length == 0 {
		return nil
	}
	first := int64(binary.LittleEndian.Uint64(offsets))
	last := int64(binary.LittleEndian.Uint64(offsets[8*length:]))
	return checkEnds(first, last, size)
}

func checkEnds(first, last int64, size int) error {
	if first < 0 || last < first || last > int64(size) {
		return shufflefile.Corrupt("offsets from %d to %d into %d", first, last, size)
	}
	return nil
}

// lastRun checks that a run-end encoded field has as many values as run ends,
// and that the last run reaches the last row.
func (l *loader) lastRun(p *part, n *node, f *field) error {
	ends, values := l.field(p, n.children[0]), l.field(p, n.children[1])
	switch {
	case ends.nulls > 0:
		return shufflefile.Corrupt("%d run ends are null", ends.nulls)
	case values.length != ends.length:
		return shufflefile.Corrupt("%d values for %d run ends", values.length, ends.length)
	case f.length == 0:
		return nil
	case ends.length == 0:
		return shufflefile.Corrupt("no runs for %d rows", f.length)
	}
	width := p.plan.nodes[n.children[0]].width
	if last := runEnd(l.views[ends.first+1].bytes, width, ends.length-1); last < int64(f.length) {
		return shufflefile.Corrupt("the last run ends at row %d of %d", last, f.length)
	}
	return nil
}

// runEnd is the i-th of the run ends in b, each of 2, 4 or 8 bytes.
func runEnd(b []byte, width, i int) int64 {
	switch width {
	case 2:
		return int64(int16(binary.LittleEndian.Uint16(b[2*i:])))
	case 4:
		return int64(int32(binary.LittleEndian.Uint32(b[4*i:])))
	}
	return int64(binary.LittleEndian.Uint64(b[8*i:]))
}
