package reader

import (
	"fmt"
	"iter"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"

	"github.com/shufflebench/shufflebench/internal/shufflefile"
	"github.com/shufflebench/shufflebench/pkg/reader/internal/frame"
)

// Stats counts what a Reader did.
type Stats struct {
	Blocks       int64 // blocks decoded
	Rows         int64 // rows in them
	BytesIn      int64 // bytes of the blocks as stored, headers included
	PayloadBytes int64 // bytes of their payloads, decompressed
	SchemaHits   int64 // blocks whose schema was in the cache
	SchemaMisses int64 // blocks whose schema was parsed
	Reads        int64 // reads of the data file
}

// Add accumulates o into s.
func (s *Stats) Add(o Stats) {
	s.Blocks += o.Blocks
	s.Rows += o.Rows
	s.BytesIn += o.BytesIn
	s.PayloadBytes += o.PayloadBytes
	s.SchemaHits += o.SchemaHits
	s.SchemaMisses += o.SchemaMisses
	s.Reads += o.Reads
}

// Block is one decoded block. In BallistaLayout it is one record batch of a
// stream: Place tells the offset of its message, and PayloadBytes counts that
// message with its buffers decompressed.
type Block struct {
	Place        shufflefile.Place  // file, partition, block number in it, byte offset of the header
	Header       shufflefile.Header // as stored; zero in BallistaLayout
	PayloadBytes int64              // the payload's size, decompressed
	Batch        arrow.RecordBatch  // valid until the next iteration unless retained
}

// Reader decodes partitions of a File, one after another, on one goroutine.
// Make one for each goroutine and Close it, which releases its codecs. Its
// schema cache stays warm from one partition to the next.
type Reader struct {
	file     *File
	opts     *Options
	window   window
	cache    cache
	frames   frame.Decoder
	payloads *frame.Decoder // for Payload
	stream   stream
	messages messages
	known    []*array.Data // the stream's dictionaries by slot, in BallistaLayout
	rebuilt  int64         // bytes of dictionaries that were built for the stream
	load     loader
	build    builder
	stats    Stats
	last     *shell // that of the last batch
}

// NewReader makes a Reader with a window, schema cache and codecs of its own.
func (f *File) NewReader() *Reader {
	r := &Reader{file: f, opts: &f.opts}
	r.window = window{file: f.handle, size: f.size}
	r.cache.most = max(f.opts.SchemaCache, 0)
	r.frames = newDecoder(r.opts)
	r.load = loader{frames: &r.frames, alloc: f.opts.Alloc, full: f.opts.Validated}
	r.build = builder{alloc: f.opts.Alloc, heap: f.opts.isHeap(), load: &r.load}
	return r
}

// Stats is what the Reader did so far.
func (r *Reader) Stats() Stats {
	s := r.stats
	s.SchemaHits, s.SchemaMisses, s.Reads = r.cache.hits, r.cache.misses, r.window.reads
	return s
}

// Close releases the last batch and the codecs.
func (r *Reader) Close() error {
	r.release()
	r.frames.Close()
	if r.payloads != nil {
		r.payloads.Close()
	}
	return nil
}

// release lets go of the last batch, to build the next in its place if it may.
func (r *Reader) release() {
	sh := r.last
	if sh == nil {
		return
	}
	r.last = nil
	if !r.opts.Reuse {
		sh.batch.Release()
	} else if sh.batch.recycle() {
		sh.origin.spare = sh
	} else {
		r.frames.Forget()
		r.window.forget()
	}
}

// Partition iterates over the batches of partition p, in the order in which
// they are stored. A batch is valid until the next iteration unless retained.
// An error ends the iteration; it is a *shufflefile.Error that names file,
// partition, block and byte offset.
func (r *Reader) Partition(p int) iter.Seq2[arrow.RecordBatch, error] {
	return func(yield func(arrow.RecordBatch, error) bool) {
		for b, err := range r.Blocks(p) {
			if !yield(b.Batch, err) {
				return
			}
		}
	}
}

// Blocks is Partition with what is known of each block. With an error comes a
// Block whose Place says where.
func (r *Reader) Blocks(p int) iter.Seq2[Block, error] {
	return func(yield func(Block, error) bool) {
		if p < 0 || p >= r.file.Partitions() {
			yield(Block{}, r.noPartition(p))
			return
		}
		at, length := r.file.offsets.Range(p)
		b := Block{Place: shufflefile.Place{File: r.file.data, Partition: p, Offset: at}}
		r.window.seek(at, length)
		if r.file.layout == BallistaLayout {
			r.streams(b, at+length, yield)
			return
		}
		r.blocks(b, at+length, yield)
	}
}

func (r *Reader) noPartition(p int) error {
	return fmt.Errorf("read shuffle: partition %d is not among the %d of %s", p, r.file.Partitions(), r.file.data)
}

// blocks yields the blocks from b.Place to end.
func (r *Reader) blocks(b Block, end int64, yield func(Block, error) bool) {
	var first *schema
	for ; b.Place.Offset < end; b.Place.Block++ {
		if err := r.next(&b, end, &first); err != nil {
			r.release()
			yield(Block{Place: b.Place, Header: b.Header}, shufflefile.At(b.Place, err))
			return
		}
		if !yield(b, nil) {
			return
		}
		b.Place.Offset += b.Header.Size()
	}
}

// next decodes the block at b.Place. first is the schema of the partition's
// first block, which the others must be like.
func (r *Reader) next(b *Block, end int64, first **schema) error {
	r.release()
	b.Batch = nil
	var err error
	if b.Header, err = r.window.header(b.Place.Offset, end); err != nil {
		return err
	}
	in, err := r.fetch(b.Header, b.Place.Offset)
	if err != nil {
		return err
	}
	if err := r.into(b, in); err != nil {
		return err
	}
	if s := r.stream.schema; *first == nil {
		*first = s
	} else if !s.like(*first) {
		return shufflefile.Mismatch("the schema changes within the partition")
	}
	return nil
}

// into decodes what was fetched and fills in b.
func (r *Reader) into(b *Block, in payload) error {
	out, n, err := r.decode(b.Header, in)
	if err != nil {
		return err
	}
	r.last = out
	b.Batch, b.PayloadBytes = &out.batch, int64(n)
	r.stats.Blocks++
	r.stats.Rows += out.batch.rows
	r.stats.BytesIn += b.Header.Size()
	r.stats.PayloadBytes += int64(n)
	return nil
}

// fetch reads a block's frame: from the window, or into memory of its own if
// it is large and so are its arrays, which will lie there.
func (r *Reader) fetch(h shufflefile.Header, off int64) (payload, error) {
	n := h.Payload()
	off += shufflefile.HeaderSize
	codec, _, _ := h.Tag.Codec()
	if codec == shufflefile.None && n >= ownBlock && !r.opts.Reuse {
		buf := r.opts.Alloc.Allocate(int(n))
		if err := r.window.into(buf, off); err != nil {
			r.opts.Alloc.Free(buf)
			return payload{}, err
		}
		return payload{bytes: buf, owned: buf}, nil
	}
	if n <= windowSize {
		b, err := r.window.view(off, int(n))
		return payload{bytes: b, lent: true}, err
	}
	buf := heap{}.Allocate(int(n))
	return payload{bytes: buf, lent: !r.build.heap}, r.window.into(buf, off)
}

// DecodeBlock decodes one whole block, header included, that lies in memory;
// at is only for the block's Place and for errors. As in an iteration, the
// batch is valid until the Reader decodes the next block unless retained. The
// arrays of an uncompressed block lie in raw, which must not change then.
func (r *Reader) DecodeBlock(raw []byte, at shufflefile.Place) (Block, error) {
	r.release()
	b := Block{Place: at}
	h, err := shufflefile.ParseHeader(raw, int64(len(raw)))
	if err == nil && h.Size() < int64(len(raw)) {
		err = shufflefile.Corrupt("%d bytes after the end of the block", int64(len(raw))-h.Size())
	}
	if err == nil {
		b.Header = h
		err = r.into(&b, payload{bytes: raw[shufflefile.HeaderSize:]})
	}
	return b, shufflefile.At(at, err)
}
