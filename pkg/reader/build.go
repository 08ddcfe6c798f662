package reader

import (
	"unsafe"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/shufflebench/shufflebench/internal/shufflefile"
)

// builder makes the arrays of one block from what the loader found.
type builder struct {
	alloc memory.Allocator
	heap  bool // buffers are not counted
	load  *loader
	shell *shell

	buffers  int           // of shell.buffers that are taken
	children int           // of shell.children that are taken
	dicts    []*array.Data // by slot; owned by what refers to them
	joined   []arrow.Array // dictionaries made of several messages
}

// build makes the batch of a stream whose parts have been loaded.
func (b *builder) build(s *stream, reuse bool) (out *shell, err error) {
	b.shell = b.takeShell(s, reuse)
	b.buffers, b.children, b.dicts, b.joined = 0, 0, b.dicts[:0], b.joined[:0]
	defer func() {
		if p := recover(); p != nil {
			out, err = nil, shufflefile.Corrupt("no arrays can be made of the batch: %v", p)
		}
		b.finish(err)
	}()
	for i := range s.parts {
		if p := &s.parts[i]; !p.dead {
			b.part(p)
		}
	}
	for slot := range s.schema.dicts {
		if err := b.dictionary(s, slot); err != nil {
			return nil, err
		}
	}
	return b.batch(s), nil
}

func (b *builder) batch(s *stream) *shell {
	rec := s.record()
	b.connect(rec)
	out := &b.shell.batch
	out.schema, out.rows, out.meta = s.schema.arrow, rec.meta.Rows, nil
	if s.keys != nil {
		m := arrow.NewMetadata(s.keys, s.vals)
		out.meta = &m
	}
	for i := range s.schema.slabs {
		s.schema.slabs[i].fill(b.shell, s.schema.slabs[i].columns)
	}
	out.counted = !b.heap
	out.refs.Store(1)
	return b.shell
}

// finish lets go of what the batch does not hold: all, if it failed.
func (b *builder) finish(err error) {
	if err != nil {
		for i := range b.shell.datas {
			b.shell.datas[i].Retain()
			b.shell.datas[i].Release()
		}
	}
	for _, a := range b.joined {
		a.Release()
	}
	clear(b.joined)
	clear(b.dicts)
	b.shell = nil
}

// takeShell is a shell of the right size, that of the last batch if possible.
func (b *builder) takeShell(s *stream, reuse bool) *shell {
	n := shellSize{fields: len(b.load.fields), views: len(b.load.views), columns: len(s.schema.batch.roots)}
	if b.heap {
		n.buffers = b.load.present
	}
	for i := range s.parts {
		n.children += s.parts[i].plan.children
	}
	sh := s.schema.spare
	s.schema.spare = nil
	if !reuse || sh == nil || sh.size() != n {
		sh = newShell(n)
		sh.origin = s.schema
	}
	sh.record = s.record().fields.fields
	return sh
}

// part sets up the data of one message's fields: buffers and children, but not
// yet dictionaries.
func (b *builder) part(p *part) {
	for v := p.fields.views; v < p.fields.endViews; v++ {
		b.shell.pointers[v] = b.buffer(v, p.owner)
	}
	for i := range p.plan.nodes {
		n, f := &p.plan.nodes[i], &b.load.fields[p.fields.fields+i]
		at := b.children
		for _, c := range n.children {
			b.shell.children[b.children] = &b.shell.datas[p.fields.fields+c]
			b.children++
		}
		buffers := b.shell.pointers[f.first : f.first+f.count : f.first+f.count]
		b.shell.datas[p.fields.fields+i].Reset(n.dt, f.length, buffers, b.shell.children[at:b.children:b.children], f.nulls, 0)
		if !b.heap {
			memory.ReleaseBuffers(buffers)
		}
	}
}

// buffer is the v-th view as a buffer, nil for one that is not there. owner
// counts the memory it lies in, unless it has its own.
func (b *builder) buffer(v int, owner *memory.Buffer) *memory.Buffer {
	view := &b.load.views[v]
	switch {
	case view.bytes == nil:
		return nil
	case b.heap:
		buf := &b.shell.buffers[b.buffers]
		b.buffers++
		buf.Reset(view.bytes)
		return buf
	case view.owned:
		view.owned = false
		return memory.NewBufferWithAllocator(view.bytes, b.alloc)
	}
	if len(view.bytes) == 0 || owner == nil {
		return memory.NewBufferBytes(view.bytes)
	}
	return memory.SliceBuffer(owner, offsetIn(owner.Bytes(), view.bytes), len(view.bytes))
}

// offsetIn is where part begins in whole, of which it is a piece.
func offsetIn(whole, part []byte) int {
	return int(uintptr(unsafe.Pointer(unsafe.SliceData(part))) - uintptr(unsafe.Pointer(unsafe.SliceData(whole))))
}

// connect gives the fields of a message their dictionaries.
func (b *builder) connect(p *part) {
	if len(b.dicts) == 0 {
		return
	}
	for i := range p.plan.nodes {
		if slot := p.plan.nodes[i].dict; slot >= 0 {
			b.shell.datas[p.fields.fields+i].SetDictionary(b.dicts[slot])
		}
	}
}

// dictionary builds that of a slot from its messages: the one that started it
// and those that went on from there.
func (b *builder) dictionary(s *stream, slot int) error {
	var pieces []arrow.Array
	base := -1
	for i := range s.parts {
		p := &s.parts[i]
		if p.slot != slot || p.dead {
			continue
		}
		b.connect(p)
		if base < 0 {
			base = p.fields.fields
			continue
		}
		if pieces == nil {
			pieces = append(pieces, array.MakeFromData(&b.shell.datas[base]))
		}
		pieces = append(pieces, array.MakeFromData(&b.shell.datas[p.fields.fields]))
	}
	if pieces == nil {
		b.dicts = append(b.dicts, &b.shell.datas[base])
		return nil
	}
	return b.join(pieces)
}

// join makes one dictionary of several arrays.
func (b *builder) join(pieces []arrow.Array) error {
	whole, err := array.Concatenate(pieces, b.mem())
	for _, a := range pieces {
		a.Release()
	}
	if err != nil {
		return &shufflefile.Error{Class: shufflefile.ErrCorrupt, Place: shufflefile.In(""),
			Msg: "dictionary goes on with other values", Err: err}
	}
	b.joined = append(b.joined, whole)
	b.dicts = append(b.dicts, whole.Data().(*array.Data))
	return nil
}

// mem is an allocator for arrow's own functions.
func (b *builder) mem() memory.Allocator {
	if b.heap {
		return memory.DefaultAllocator
	}
	return b.alloc
}
