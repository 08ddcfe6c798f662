package reader

import (
	"slices"
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

// build makes the batch of a stream whose parts from the given one on have
// been loaded. known are the dictionaries by slot if the parts before have been
// built already.
func (b *builder) build(s *stream, first int, known []*array.Data, reuse bool) (out *shell, err error) {
	b.begin(b.takeShell(s, first, reuse))
	defer func() {
		if err = b.finish(err, recover()); err != nil {
			out = nil
		}
	}()
	b.parts(s, first)
	if known != nil {
		b.dicts = append(b.dicts, known...)
	} else if err := b.dictionaries(s); err != nil {
		return nil, err
	}
	return b.batch(s), nil
}

// buildDictionaries makes the dictionaries of a stream that has no record
// batch yet. They are retained for the caller.
func (b *builder) buildDictionaries(s *stream) (known []*array.Data, err error) {
	b.begin(newShell(b.size(s, 0)))
	defer func() {
		if err = b.finish(err, recover()); err != nil {
			known = nil
		}
	}()
	b.parts(s, 0)
	if err := b.dictionaries(s); err != nil {
		return nil, err
	}
	for _, d := range b.dicts {
		d.Retain()
	}
	return slices.Clone(b.dicts), nil
}

func (b *builder) begin(sh *shell) {
	b.shell = sh
	b.buffers, b.children, b.dicts, b.joined = 0, 0, b.dicts[:0], b.joined[:0]
}

// parts sets up the data of all parts from the given one on.
func (b *builder) parts(s *stream, first int) {
	for i := first; i < len(s.parts); i++ {
		if !s.dead(i) {
			b.part(&s.parts[i])
		}
	}
}

func (b *builder) dictionaries(s *stream) error {
	for slot := range s.slots {
		if err := b.dictionary(s, slot); err != nil {
			return err
		}
	}
	return nil
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

// finish lets go of what the batch does not hold: all, if it failed. A panic
// of arrow's constructors, which the checks before should leave no cause for,
// is an error too.
func (b *builder) finish(err error, panicked any) error {
	if panicked != nil {
		err = shufflefile.Corrupt("no arrays can be made of the batch: %v", panicked)
	}
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
	return err
}

// size is the number of objects for the parts from the given one on.
func (b *builder) size(s *stream, first int) shellSize {
	n := shellSize{fields: len(b.load.fields), views: len(b.load.views)}
	if b.heap {
		n.buffers = b.load.present
	}
	for i := first; i < len(s.parts); i++ {
		n.children += s.parts[i].plan.children
	}
	return n
}

// takeShell is a shell of the right size, that of the last batch if possible.
func (b *builder) takeShell(s *stream, first int, reuse bool) *shell {
	n := b.size(s, first)
	n.columns = len(s.schema.batch.roots)
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
	last := s.slots[slot].last
	b.connect(&s.parts[last])
	if s.parts[last].prev == none {
		b.dicts = append(b.dicts, b.root(&s.parts[last]))
		return nil
	}
	pieces := []arrow.Array{array.MakeFromData(b.root(&s.parts[last]))}
	for i := s.parts[last].prev; i != none; i = s.parts[i].prev {
		b.connect(&s.parts[i])
		pieces = append(pieces, array.MakeFromData(b.root(&s.parts[i])))
	}
	slices.Reverse(pieces)
	return b.join(pieces)
}

// root is the data of a dictionary message's values.
func (b *builder) root(p *part) *array.Data { return &b.shell.datas[p.fields.fields] }

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
