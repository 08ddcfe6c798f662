package reader

import (
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/shufflebench/shufflebench/internal/shufflefile"
	"github.com/shufflebench/shufflebench/pkg/reader/internal/frame"
)

const (
	// smallPayload is the largest payload that is decoded into memory of the
	// Reader and copied from there, body by body, into buffers of exactly
	// their size. Larger ones are decoded where they stay.
	smallPayload = 64 << 10
	// ownBlock is the size from which an uncompressed block is read into
	// memory of its own, where its arrays then lie.
	ownBlock = 64 << 10
)

// payload is a decoded payload and who owns its memory.
type payload struct {
	bytes []byte
	// owned is the allocation in which bytes lie if it is the block's to keep.
	owned []byte
	// lent: bytes lie in memory of the Reader that the next block overwrites.
	lent bool
}

// newDecoder sets up the frame decoder of a Reader.
func newDecoder(o *Options) frame.Decoder {
	d := frame.Decoder{Limit: o.MaxPayload, Small: smallPayload, Alloc: o.Alloc}
	if o.Reuse {
		d.Small = frame.MaxScratch
	}
	return d
}

// decode turns a block's frame into a batch. Of an uncompressed block, frame
// is the payload itself, with the ownership that in tells.
func (r *Reader) decode(h shufflefile.Header, in payload) (*shell, int, error) {
	codec, lengths, _ := h.Tag.Codec()
	p := in
	if codec != shufflefile.None {
		out, err := r.frames.Decode(codec, in.bytes)
		if err != nil {
			return nil, 0, err
		}
		p = payload{bytes: out.Bytes, owned: out.Owned, lent: out.Owned == nil}
	} else if n := int64(len(p.bytes)); n > r.opts.MaxPayload {
		r.drop(p)
		return nil, 0, shufflefile.Limit("payload of %d bytes is above the limit of %d", n, r.opts.MaxPayload)
	}
	sh, err := r.payload(h, p, lengths)
	if !r.build.heap {
		r.stream.start(r.stream.schema) // what the batch does not hold is free now
	}
	return sh, len(p.bytes), err
}

// payload turns a payload into a batch.
func (r *Reader) payload(h shufflefile.Header, p payload, lengths bool) (*shell, error) {
	s := &r.stream
	if err := s.read(p.bytes, &r.cache); err != nil {
		r.drop(p)
		return nil, err
	}
	if n := len(s.schema.batch.roots); h.Columns != uint64(n) {
		r.drop(p)
		return nil, shufflefile.Corrupt("the block's header says %d columns, its schema %d", h.Columns, n)
	}
	if lengths {
		if len(s.parts) > 1 {
			r.drop(p)
			return nil, shufflefile.Corrupt("dictionaries in a block whose offsets are stored as lengths")
		}
		s.record().planes = true
	}
	return r.batch(p)
}

// batch builds the batch of the stream that was read.
func (r *Reader) batch(p payload) (*shell, error) {
	r.keep(p)
	return r.arrays()
}

// arrays loads, checks and builds what the stream holds.
func (r *Reader) arrays() (*shell, error) {
	defer r.load.abandon()
	if err := r.loadParts(0); err != nil {
		return nil, err
	}
	return r.build.build(&r.stream, 0, nil, r.opts.Reuse)
}

// loadParts loads and checks the parts of the stream from the given one on.
func (r *Reader) loadParts(first int) error {
	r.load.reset(r.opts.MaxPayload)
	for i := first; i < len(r.stream.parts); i++ {
		if r.stream.dead(i) {
			continue
		}
		if err := r.load.load(&r.stream.parts[i]); err != nil {
			return err
		}
	}
	r.learnShape()
	if r.opts.Validated {
		return r.load.check(&r.stream, first)
	}
	return nil
}

// learnShape remembers the stream's only part, if it may come again and its
// buffers lie in the body as they are.
func (r *Reader) learnShape() {
	if r.cache.most == 0 || len(r.stream.parts) != 1 {
		return
	}
	if p := r.stream.record(); p.metadata != nil && p.shape == nil && !p.meta.Compressed && !p.planes {
		r.stream.schema.shapes.learn(p, &r.load)
	}
}

// keep moves the bodies of the stream to memory that stays as long as the
// batch, and has it counted, unless the garbage collector does that.
func (r *Reader) keep(p payload) {
	if p.owned == nil && (r.opts.Reuse || !p.lent && r.build.heap) {
		return
	}
	owned := p.owned
	if owned == nil {
		owned = r.copyBodies()
	}
	if r.build.heap {
		return
	}
	owner := memory.NewBufferWithAllocator(owned, r.opts.Alloc)
	for i := range r.stream.parts {
		owner.Retain()
		r.stream.parts[i].owner = owner
	}
	owner.Release()
}

// copyBodies copies all bodies into one allocation of their size.
func (r *Reader) copyBodies() []byte {
	total := 0
	for i := range r.stream.parts {
		total += len(r.stream.parts[i].body)
	}
	all := r.opts.Alloc.Allocate(total)
	at := 0
	for i := range r.stream.parts {
		p := &r.stream.parts[i]
		n := copy(all[at:], p.body)
		p.from, p.body = p.body, all[at:at+n:at+n]
		at += n
	}
	return all
}

// drop gives back a payload that no batch took.
func (r *Reader) drop(p payload) {
	if p.owned != nil {
		r.opts.Alloc.Free(p.owned)
	}
}
