package reader

import (
	"fmt"
	"iter"

	"github.com/shufflebench/shufflebench/internal/ipcwire"
	"github.com/shufflebench/shufflebench/internal/shufflefile"
	"github.com/shufflebench/shufflebench/pkg/reader/internal/frame"
)

// RawBlock is a block as stored.
type RawBlock struct {
	Place  shufflefile.Place
	Header shufflefile.Header
	Bytes  []byte // the whole block, header included; valid until the next iteration
}

// Frame is the block's payload as stored: a frame of its codec.
func (b RawBlock) Frame() []byte { return b.Bytes[shufflefile.HeaderSize:] }

// Raw iterates over the blocks of partition p without decoding them: for
// inspection, and for getting past a block that does not decode, which
// DecodeBlock then tells. Only CometLayout has blocks.
func (r *Reader) Raw(p int) iter.Seq2[RawBlock, error] {
	return func(yield func(RawBlock, error) bool) {
		switch {
		case r.file.layout != CometLayout:
			yield(RawBlock{}, fmt.Errorf("read shuffle: %s is in the layout %v, which has no blocks", r.file.data, r.file.layout))
			return
		case p < 0 || p >= r.file.Partitions():
			yield(RawBlock{}, r.noPartition(p))
			return
		}
		at, length := r.file.offsets.Range(p)
		r.release()
		r.window.seek(at, length)
		b := RawBlock{Place: shufflefile.Place{File: r.file.data, Partition: p, Offset: at}}
		for end := at + length; b.Place.Offset < end; b.Place.Block++ {
			err := shufflefile.At(b.Place, r.raw(&b, end))
			if !yield(b, err) || err != nil {
				return
			}
			b.Place.Offset += b.Header.Size()
		}
	}
}

// raw reads the block at b.Place.
func (r *Reader) raw(b *RawBlock, end int64) (err error) {
	b.Bytes = nil
	if b.Header, err = r.window.header(b.Place.Offset, end); err != nil {
		return err
	}
	n := b.Header.Size()
	if n <= windowSize {
		b.Bytes, err = r.window.view(b.Place.Offset, int(n))
		return err
	}
	b.Bytes = heap{}.Allocate(int(n))
	return r.window.into(b.Bytes, b.Place.Offset)
}

// Payload decompresses a block: one IPC stream, valid until the Reader's next
// call. It ends the life of the last batch.
func (r *Reader) Payload(b RawBlock) ([]byte, error) {
	r.release()
	codec, _, ok := b.Header.Tag.Codec()
	if !ok {
		return nil, shufflefile.At(b.Place, shufflefile.Corrupt("unknown codec tag %q", b.Header.Tag.String()))
	}
	if codec == shufflefile.None {
		return b.Frame(), nil
	}
	if r.payloads == nil {
		// a decoder beside that for batches, whose memory may be counted
		r.payloads = &frame.Decoder{Limit: r.opts.MaxPayload, Small: frame.MaxScratch, Alloc: heap{}}
	}
	p, err := r.payloads.Decode(codec, b.Frame())
	return p.Bytes, shufflefile.At(b.Place, err)
}

// Message describes one message of an IPC stream.
type Message struct {
	Offset   int64  // of its prefix in the stream
	Kind     string // schema, dictionary batch, record batch; end of stream
	Metadata int    // bytes, without the prefix of 8
	Body     int64  // bytes
	// Of record and dictionary batches:
	Rows        int64
	Buffers     int
	Compression string // of the body: lz4, zstd or none
	// Of dictionary batches:
	Dictionary int64 // the id
	Delta      bool
}

// EndOfStream is the Kind of the end mark.
const EndOfStream = "end of stream"

// Messages iterates over the messages of a payload, the end mark included. It
// reads only metadata, whatever their order. An error, of class ErrCorrupt,
// ends it, with the Offset where it lies; bytes after the end mark are one.
func Messages(payload []byte) iter.Seq2[Message, error] {
	return func(yield func(Message, error) bool) {
		for at := 0; ; {
			m, size, err := message(payload[at:])
			m.Offset = int64(at)
			if err == nil {
				if at += size; m.Kind == EndOfStream && at < len(payload) {
					m.Offset = int64(at)
					err = shufflefile.Corrupt("%d bytes after the end of the stream", len(payload)-at)
				}
			}
			if !yield(m, err) || err != nil || m.Kind == EndOfStream {
				return
			}
		}
	}
}

// message describes the message at the start of b and gives its size.
func message(b []byte) (m Message, size int, err error) {
	n, err := ipcwire.Prefix(b)
	if err != nil {
		return m, 0, err
	}
	if n == 0 {
		return Message{Kind: EndOfStream}, ipcwire.EOSSize, nil
	}
	size = ipcwire.PrefixSize + n
	msg, err := ipcwire.ParseMessage(b[ipcwire.PrefixSize:size])
	if err != nil {
		return m, 0, err
	}
	m = Message{Kind: ipcwire.HeaderName(msg.Kind), Metadata: n, Body: msg.BodyLength}
	if m.Body > int64(len(b)-size) {
		return m, 0, shufflefile.Corrupt("body of %d bytes in a stream with %d bytes left", m.Body, len(b)-size)
	}
	return m, size + int(m.Body), m.batch(&msg)
}

// batch fills in what there is only of record and dictionary batches.
func (m *Message) batch(msg *ipcwire.Message) (err error) {
	var b ipcwire.Batch
	switch msg.Kind {
	case ipcwire.HeaderRecordBatch:
		err = msg.RecordBatch(&b)
	case ipcwire.HeaderDictionaryBatch:
		var d ipcwire.DictionaryBatch
		d, err = msg.Dictionary(&b)
		m.Dictionary, m.Delta = d.ID, d.Delta
	default:
		return nil
	}
	m.Rows, m.Buffers, m.Compression = b.Rows, b.Buffers(), "none"
	if b.Compressed {
		m.Compression = map[int8]string{ipcwire.BodyLZ4Frame: "lz4", ipcwire.BodyZstd: "zstd"}[b.Compression]
	}
	return err
}
