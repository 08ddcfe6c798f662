package reader

import (
	"errors"
	"fmt"
	"math"

	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/shufflebench/shufflebench/internal/ipcwire"
	"github.com/shufflebench/shufflebench/internal/shufflefile"
	"github.com/shufflebench/shufflebench/pkg/reader/internal/frame"
)

// maxRows is the largest length of an array.
const maxRows = math.MaxInt32

// field is one field of a message: its length and its buffers, checked, but
// not yet an array.
type field struct {
	length, nulls int
	first, count  int // its buffers among the views
}

// view is one buffer of an array-to-be. bytes is nil for a buffer that is not
// there; owned says that it has an allocation of its own.
type view struct {
	bytes []byte
	owned bool
}

// fieldSpan is where a message's fields and views are in the loader.
type fieldSpan struct{ fields, views, endViews int }

// loader turns the messages of one block into fields and views. It checks, in
// constant time a buffer, all that keeps an array inside its buffers: counts,
// places, sizes, first and last offsets, lengths of children.
type loader struct {
	frames *frame.Decoder
	alloc  memory.Allocator
	full   bool // buffers that arrays do not need are decoded too, for the full check

	fields  []field
	views   []view
	present int   // views that are there
	left    int64 // bytes that compressed buffers may still decode to

	// of the message at hand
	part             *part
	buffer, variadic int
	end              int64 // where its last buffer ends in the body
}

// reset forgets the last block; limit is what its buffers may decode to.
func (l *loader) reset(limit int64) {
	l.fields, l.views, l.present, l.left = l.fields[:0], l.views[:0], 0, limit
}

// abandon gives back the memory of views that no array took.
func (l *loader) abandon() {
	for _, v := range l.views {
		if v.owned {
			l.alloc.Free(v.bytes)
		}
	}
	l.views = l.views[:0]
}

// load checks one message and appends its fields and views.
func (l *loader) load(p *part) error {
	l.part, l.buffer, l.variadic, l.end = p, 0, 0, 0
	p.fields = fieldSpan{fields: len(l.fields), views: len(l.views)}
	if p.shape != nil && !p.planes {
		l.loadShape(p)
	} else if err := l.loadMessage(p); err != nil {
		return err
	}
	p.fields.endViews = len(l.views)
	return l.ends(p)
}

// loadMessage is load for what the metadata says; the ends of offsets are yet
// to be checked.
func (l *loader) loadMessage(p *part) error {
	if err := l.counts(p); err != nil {
		return err
	}
	for i := range p.plan.nodes {
		if err := l.node(&p.plan.nodes[i], i); err != nil {
			return p.inColumn(i, err)
		}
	}
	return l.rows(p)
}

// counts compares the numbers of nodes and buffers with the schema's.
func (l *loader) counts(p *part) error {
	if n := p.meta.Nodes(); n != len(p.plan.nodes) {
		return shufflefile.Corrupt("%d field nodes, but the schema has %d", n, len(p.plan.nodes))
	}
	if n := p.meta.Variadics(); n != p.plan.views {
		return shufflefile.Corrupt("%d variadic buffer counts, but the schema has %d view columns", n, p.plan.views)
	}
	want := int64(p.plan.buffers)
	for i := range p.plan.views {
		n := p.meta.Variadic(i)
		if n < 0 || n > int64(p.meta.Buffers()) {
			return shufflefile.Corrupt("variadic buffer count %d in a message of %d buffers", n, p.meta.Buffers())
		}
		want += n
	}
	if n := p.meta.Buffers(); int64(n) != want {
		return shufflefile.Corrupt("%d buffers, but the schema needs %d", n, want)
	}
	if p.meta.Rows > maxRows {
		return shufflefile.Limit("record batch of %d rows is above the limit of %d", p.meta.Rows, maxRows)
	}
	return nil
}

// rows checks that the top-level fields are as long as the batch.
func (l *loader) rows(p *part) error {
	for _, i := range p.plan.roots {
		if n := l.field(p, i).length; int64(n) != p.meta.Rows {
			return p.inColumn(i, shufflefile.Corrupt("%d values in a batch of %d rows", n, p.meta.Rows))
		}
	}
	return nil
}

// inColumn says which column an error is about.
func (p *part) inColumn(i int, err error) error {
	var e *shufflefile.Error
	if !errors.As(err, &e) {
		return err
	}
	where := fmt.Sprintf("column %d", p.plan.nodes[i].column)
	if p.slot >= 0 {
		where = fmt.Sprintf("dictionary in slot %d", p.slot)
	}
	c := *e
	c.Msg = where + ": " + c.Msg
	return &c
}

// node loads the i-th field.
func (l *loader) node(n *node, i int) error {
	length, nulls := l.part.meta.Node(i)
	if length < 0 || length > maxRows || nulls < 0 || nulls > length {
		return shufflefile.Corrupt("field of length %d with %d nulls", length, nulls)
	}
	f := field{length: int(length), nulls: int(nulls), first: len(l.views)}
	var err error
	switch n.kind {
	case kindFixed:
		err = l.fixed(n, &f)
	case kindBinary:
		err = l.binary(&f)
	default:
		err = l.otherNode(n, &f)
	}
	if err != nil {
		return err
	}
	f.count = len(l.views) - f.first
	l.fields = append(l.fields, f)
	return nil
}

// fixed loads values of a fixed width.
func (l *loader) fixed(n *node, f *field) error {
	need := int64(f.length) * int64(n.width)
	if f.nulls != 0 || l.full || l.part.meta.Compressed {
		if err := l.validity(f); err != nil {
			return err
		}
		return l.sized(need)
	}
	if _, err := l.raw(); err != nil { // a bitmap without nulls
		return err
	}
	values, err := l.raw()
	if err != nil {
		return err
	}
	l.views = append(l.views, view{}, view{bytes: values})
	l.present++
	if int64(len(values)) < need {
		return tooShort(len(values), need)
	}
	return nil
}

// validity loads a validity bitmap; without nulls it is left out.
func (l *loader) validity(f *field) error {
	if f.nulls == 0 && !l.full {
		_, err := l.raw()
		l.put(view{})
		return err
	}
	v, err := l.next()
	if err != nil {
		return err
	}
	if need := (f.length + 7) / 8; len(v.bytes) < need && (f.nulls > 0 || len(v.bytes) > 0) {
		return shufflefile.Corrupt("validity buffer of %d bytes for %d rows", len(v.bytes), f.length)
	}
	if len(v.bytes) == 0 {
		v.bytes = nil
	}
	l.put(v)
	return nil
}

// put appends a view.
func (l *loader) put(v view) {
	l.views = append(l.views, v)
	if v.bytes != nil {
		l.present++
	}
}

// sized loads a buffer that must hold need bytes.
func (l *loader) sized(need int64) error {
	v, err := l.next()
	if err != nil {
		return err
	}
	l.put(v)
	if int64(len(v.bytes)) < need {
		return tooShort(len(v.bytes), need)
	}
	return nil
}

func tooShort(have int, need int64) error {
	return shufflefile.Corrupt("buffer of %d bytes, too short for the %d that its rows need", have, need)
}

// raw is the bytes of the next buffer as they lie in the body. Buffers lie one
// after another, at multiples of 8.
func (l *loader) raw() ([]byte, error) {
	off, n := l.part.meta.Buffer(l.buffer)
	l.buffer++
	if n == 0 {
		return l.part.body[:0:0], nil
	}
	if off < l.end || off%ipcwire.MinAlignment != 0 || n < 0 || n > int64(len(l.part.body))-off {
		return nil, l.misplaced(off, n)
	}
	l.end = off + n
	return l.part.body[off:l.end:l.end], nil
}

func (l *loader) misplaced(off, n int64) error {
	return shufflefile.Corrupt("buffer %d of %d bytes at %d in a body of %d bytes whose last buffer ended at %d",
		l.buffer-1, n, off, len(l.part.body), l.end)
}

// next is the next buffer, decompressed.
func (l *loader) next() (view, error) {
	b, err := l.raw()
	if err != nil || !l.part.meta.Compressed || len(b) == 0 {
		return view{bytes: b}, err
	}
	return l.decompress(b)
}
