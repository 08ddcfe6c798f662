package reader

import (
	"bytes"

	"github.com/shufflebench/shufflebench/internal/ipcwire"
)

// shape is what the metadata of a record batch came to: where its fields and
// buffers are. Blocks of equal numbers of rows and nulls, among them most tiny
// ones and most full ones, have equal metadata, as no values are in it. So a
// schema remembers a few shapes, and a block whose metadata is equal, byte for
// byte, is spared parsing and checking it; only what is in buffers is looked at.
type shape struct {
	metadata []byte
	meta     ipcwire.Batch // over metadata
	body     int           // bytes
	fields   []field
	spans    []span // one a view
	present  int    // views that are there
}

// span is the place of a view in the body.
type span struct {
	off, size int
	there     bool
}

// shapes are those of one schema, the last used first.
type shapes struct {
	known       []*shape
	tries, hits int
}

const (
	mostShapes = 8
	// After so many tries, half of them must have been hits for it to go on.
	shapeTrial = 64
)

// find is the shape of a batch with the given metadata, nil if it is not known.
func (s *shapes) find(metadata []byte) *shape {
	if s.off() {
		return nil
	}
	s.tries++
	for i, sh := range s.known {
		if bytes.Equal(sh.metadata, metadata) {
			s.hits++
			copy(s.known[1:], s.known[:i])
			s.known[0] = sh
			return sh
		}
	}
	return nil
}

// off reports that shapes were found to be of no use.
func (s *shapes) off() bool { return s.tries >= shapeTrial && 2*s.hits < s.tries }

// learn remembers what the loader made of a batch that was no hit, in place of
// the shape that was used least recently.
func (s *shapes) learn(p *part, l *loader) {
	if s.off() {
		return
	}
	var sh *shape
	if len(s.known) < mostShapes {
		sh = new(shape)
		s.known = append(s.known, sh)
	} else {
		sh = s.known[mostShapes-1]
	}
	sh.metadata = append(sh.metadata[:0], p.metadata...)
	if !sh.read() {
		sh.metadata = sh.metadata[:0] // equal to no batch's
		return
	}
	sh.body, sh.present = len(p.body), l.present
	sh.fields = append(sh.fields[:0], l.fields...)
	sh.spans = sh.spans[:0]
	for _, v := range l.views {
		sp := span{there: v.bytes != nil}
		if len(v.bytes) > 0 {
			sp = span{off: offsetIn(p.body, v.bytes), size: len(v.bytes), there: true}
		}
		sh.spans = append(sh.spans, sp)
	}
}

// read sets meta from the shape's own copy of the metadata.
func (sh *shape) read() bool {
	m, err := ipcwire.ParseMessage(sh.metadata)
	return err == nil && m.RecordBatch(&sh.meta) == nil
}

// loadShape is loadMessage for a batch of a known shape.
func (l *loader) loadShape(p *part) {
	sh := p.shape
	l.fields = append(l.fields, sh.fields...)
	l.present = sh.present
	for _, sp := range sh.spans {
		v := view{}
		if sp.there {
			v.bytes = p.body[sp.off : sp.off+sp.size : sp.off+sp.size]
		}
		l.views = append(l.views, v)
	}
}
