package reader

import (
	"bytes"
	"encoding/binary"

	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/shufflebench/shufflebench/internal/ipcwire"
	"github.com/shufflebench/shufflebench/internal/shufflefile"
)

// The consolidated layout: an IPC stream of only a schema, then for every
// partition the streams that each input wrote for it, one after another.
//
//	| schema, end || schema, batch, batch, end | schema, batch, end || ...
//	   header        partition 0                                        1
//	                 input 2                     input 0

// findLayout says how the data file is arranged: as the options say, or by its
// first bytes.
func (f *File) findLayout() (Layout, error) {
	if f.opts.Layout != AutoLayout {
		return f.opts.Layout, nil
	}
	var marker [4]byte
	if f.size < int64(len(marker)) {
		return CometLayout, nil
	}
	if _, err := f.handle.ReadAt(marker[:], 0); err != nil {
		return 0, err
	}
	if binary.LittleEndian.Uint32(marker[:]) == ipcwire.Continuation {
		return BallistaLayout, nil
	}
	return CometLayout, nil
}

// openHeader reads the stream that a consolidated file starts with and returns
// its length, where the first partition starts.
func (f *File) openHeader() (int64, error) {
	if f.handle == nil {
		return 0, shufflefile.Corrupt("a consolidated file cannot be missing")
	}
	w := window{file: f.handle, size: f.size, ahead: windowLeast}
	m := messages{end: f.size}
	metadata, err := m.next(&w)
	if err != nil {
		return 0, err
	}
	if metadata == nil {
		return 0, shufflefile.Corrupt("the header stream has no schema")
	}
	var c cache
	if f.schema, err = c.get(metadata); err != nil {
		return 0, err
	}
	if metadata, err = m.next(&w); err != nil {
		return 0, err
	}
	if metadata != nil {
		return 0, shufflefile.Corrupt("the header stream holds more than a schema")
	}
	return m.at, nil
}

// messages walks over the messages of a stretch of a file.
type messages struct {
	start, at, end int64
	message        []byte // the last one's prefix and metadata
	batches        int    // in the stream so far
}

// next reads a message's metadata, valid until the next call; nil is the end
// of a stream. A body is next in the file, and the caller's to skip.
func (m *messages) next(w *window) ([]byte, error) {
	head, err := w.view(m.at, int(min(m.end-m.at, ipcwire.PrefixSize)))
	if err != nil {
		return nil, err
	}
	n, err := ipcwire.PrefixIn(head, m.end-m.at)
	if err != nil {
		return nil, err
	}
	if n == 0 {
		m.at += ipcwire.EOSSize
		return nil, nil
	}
	if n += ipcwire.PrefixSize; n > cap(m.message) {
		m.message = make([]byte, n)
	}
	m.message = m.message[:n]
	if err := w.read(m.message, m.at); err != nil {
		return nil, err
	}
	m.at += int64(n)
	return m.message[ipcwire.PrefixSize:], nil
}

// streams yields the record batches of the streams from b.Place to end.
func (r *Reader) streams(b Block, end int64, yield func(Block, error) bool) {
	m := &r.messages
	m.start, m.at, m.end = b.Place.Offset, b.Place.Offset, end
	r.startNothing()
	defer r.startNothing()
	for ; ; b.Place.Block++ {
		more, err := r.nextBatch(&b, m)
		if err != nil {
			r.release()
			yield(Block{Place: b.Place}, shufflefile.At(b.Place, err))
			return
		}
		if !more || !yield(b, nil) {
			return
		}
	}
}

// nextBatch reads on to the next record batch; false at the end of the partition.
func (r *Reader) nextBatch(b *Block, m *messages) (bool, error) {
	r.release()
	b.Batch = nil
	r.stream.dropRecord()
	for {
		b.Place.Offset = m.at
		if r.stream.schema == nil && m.at == m.end {
			return false, nil
		}
		metadata, err := m.next(&r.window)
		if err != nil {
			return false, err
		}
		r.stats.BytesIn += m.at - b.Place.Offset
		switch {
		case r.stream.schema == nil:
			err = r.startStream(metadata, m)
		case metadata == nil:
			err = r.endStream(m)
		default:
			var done bool
			if done, err = r.message(b, metadata, m); done || err != nil {
				return done, err
			}
		}
		if err != nil {
			return false, err
		}
	}
}

func (r *Reader) startStream(metadata []byte, m *messages) error {
	if metadata == nil {
		return shufflefile.Corrupt("the stream ends before a schema")
	}
	s, err := r.cache.get(metadata)
	if err != nil {
		return err
	}
	if !s.like(r.file.schema) {
		return shufflefile.Mismatch("the stream's schema is not the file's")
	}
	r.stream.start(s)
	m.batches = 0
	return nil
}

func (r *Reader) endStream(m *messages) error {
	if m.batches == 0 {
		return shufflefile.Corrupt("the stream ends before a record batch")
	}
	r.startNothing()
	return nil
}

// startNothing forgets the last stream.
func (r *Reader) startNothing() {
	r.stream.start(nil)
	r.forgetKnown()
	r.rebuilt = 0
}

// message takes one message after the schema; true if it brought a batch.
func (r *Reader) message(b *Block, metadata []byte, m *messages) (bool, error) {
	msg, err := ipcwire.ParseMessage(metadata)
	if err != nil {
		return false, err
	}
	if msg.Kind == ipcwire.HeaderDictionaryBatch {
		// it is needed for all batches of the stream
		if msg, err = ipcwire.ParseMessage(bytes.Clone(metadata)); err != nil {
			return false, err
		}
	}
	if err := r.stream.take(&msg, nil); err != nil {
		return false, err
	}
	p := r.stream.record()
	if err := r.body(p, msg.BodyLength, m); err != nil {
		return false, err
	}
	if p.slot != recordSlot {
		r.stream.sweep()
		return false, nil
	}
	m.batches++
	return true, r.finishBatch(b, len(metadata), p)
}

// finishBatch builds the batch whose message was the last one.
func (r *Reader) finishBatch(b *Block, metadata int, p *part) error {
	if err := r.dictionaries(); err != nil {
		return err
	}
	defer r.load.abandon()
	first := len(r.stream.parts) - 1
	if err := r.loadParts(first); err != nil {
		return err
	}
	sh, err := r.build.build(&r.stream, first, r.known, r.opts.Reuse)
	if err != nil {
		return err
	}
	r.last = sh
	b.Batch = &sh.batch
	b.PayloadBytes = int64(ipcwire.PrefixSize+metadata) + r.opts.MaxPayload - r.load.left
	if !p.meta.Compressed {
		b.PayloadBytes += int64(len(p.body))
	}
	r.stats.Blocks++
	r.stats.Rows += sh.batch.rows
	r.stats.PayloadBytes += b.PayloadBytes
	return nil
}

// dictionaries builds the stream's dictionaries, if any message for one came
// since they were last built.
func (r *Reader) dictionaries() error {
	if !r.stream.changed || len(r.stream.slots) == 0 {
		return nil
	}
	if err := r.stream.dictionariesWhole(); err != nil {
		return err
	}
	rec := *r.stream.record()
	r.stream.parts = r.stream.parts[:len(r.stream.parts)-1]
	defer func() { r.stream.parts = append(r.stream.parts, rec) }()
	if err := r.mayRebuild(); err != nil {
		return err
	}
	r.forgetKnown()
	defer r.load.abandon()
	if err := r.loadParts(0); err != nil {
		return err
	}
	known, err := r.build.buildDictionaries(&r.stream)
	r.known, r.stream.changed = known, err != nil
	return err
}

// A stream may have its dictionaries built anew for every batch, which goes on
// from all values so far. The work for that is bounded: rebuildMost bytes, or
// rebuildRatio times those of the partition so far.
const (
	rebuildMost  = 1 << 30
	rebuildRatio = 16
)

func (r *Reader) mayRebuild() error {
	for i := range r.stream.parts {
		r.rebuilt += int64(len(r.stream.parts[i].body))
	}
	if r.rebuilt > rebuildMost && r.rebuilt > rebuildRatio*(r.messages.at-r.messages.start) {
		return shufflefile.Limit("dictionaries that change over and over, of %d bytes in all", r.rebuilt)
	}
	return nil
}

// forgetKnown lets go of the stream's dictionaries.
func (r *Reader) forgetKnown() {
	for _, d := range r.known {
		d.Release()
	}
	r.known = nil
}

// body reads a message's body: to where it can stay, unless its buffers are
// yet to be decompressed.
func (r *Reader) body(p *part, n int64, m *messages) (err error) {
	if n > m.end-m.at {
		return shufflefile.Corrupt("body of %d bytes in a stream with %d bytes left", n, m.end-m.at)
	}
	if n > r.opts.MaxPayload {
		return shufflefile.Limit("body of %d bytes is above the limit of %d", n, r.opts.MaxPayload)
	}
	at := m.at
	m.at += n
	r.stats.BytesIn += n
	if n <= windowSize && p.slot == recordSlot && (p.meta.Compressed || r.opts.Reuse) {
		p.lent = !r.opts.Reuse
		p.body, err = r.window.view(at, int(n))
		return err
	}
	buf := r.opts.Alloc.Allocate(int(n))
	if !r.build.heap {
		p.owner = memory.NewBufferWithAllocator(buf, r.opts.Alloc)
	}
	p.body = buf
	return r.window.read(buf, at)
}
