package reader

import (
	"encoding/binary"

	"github.com/shufflebench/shufflebench/internal/shufflefile"
)

// runEnds checks, of every run-end encoded field, that there are as many
// values as run ends and that the last run reaches the last row.
func (l *loader) runEnds(p *part) error {
	for i := range p.plan.nodes {
		if n := &p.plan.nodes[i]; n.kind == kindRunEnd {
			if err := l.lastRun(p, n, i); err != nil {
				return p.inColumn(i, err)
			}
		}
	}
	return nil
}

func (l *loader) lastRun(p *part, n *node, i int) error {
	f := l.fields[p.fields.fields+i]
	ends, values := l.fields[p.fields.fields+n.children[0]], l.fields[p.fields.fields+n.children[1]]
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
