package reader

import (
	"fmt"
	"iter"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/shufflebench/shufflebench/internal/shufflefile"
)

// Stats counts what a Reader did.
type Stats struct {
	Blocks       int64 // blocks decoded
	Rows         int64 // rows in them
	BytesIn      int64 // bytes of the blocks as stored, headers included
	PayloadBytes int64 // bytes of their payloads, decompressed
	SchemaHits   int64 // blocks whose schema was in the cache
	SchemaMisses int64 // blocks whose schema was parsed
}

// Add accumulates o into s.
func (s *Stats) Add(o Stats) {
	s.Blocks += o.Blocks
	s.Rows += o.Rows
	s.BytesIn += o.BytesIn
	s.PayloadBytes += o.PayloadBytes
	s.SchemaHits += o.SchemaHits
	s.SchemaMisses += o.SchemaMisses
}

// Block is one decoded block.
type Block struct {
	Place        shufflefile.Place  // file, partition, block number in it, byte offset of the header
	Header       shufflefile.Header // as stored
	PayloadBytes int64              // the payload's size, decompressed
	Batch        arrow.RecordBatch  // valid until the next iteration unless retained
}

// Reader decodes partitions of a File, one after another, on one goroutine.
// Make one for each goroutine and Close it, which releases its codecs.
type Reader struct {
	file  *File
	stats Stats
	last  arrow.RecordBatch
}

// NewReader makes a Reader with a schema cache and codecs of its own.
func (f *File) NewReader() *Reader { return &Reader{file: f} }

// Stats is what the Reader did so far.
func (r *Reader) Stats() Stats { return r.stats }

// Close releases the last batch and the codecs.
func (r *Reader) Close() error {
	r.release()
	return nil
}

func (r *Reader) release() {
	if r.last != nil {
		r.last.Release()
		r.last = nil
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
			yield(Block{}, fmt.Errorf("read shuffle: partition %d is not among the %d of %s", p, r.file.Partitions(), r.file.data))
			return
		}
		off, length := r.file.offsets.Range(p)
		end := off + length
		for n := 0; off < end; n++ {
			place := shufflefile.Place{File: r.file.data, Partition: p, Block: n, Offset: off}
			b, err := r.block(place, end)
			if err != nil {
				yield(Block{Place: place}, shufflefile.At(place, err))
				return
			}
			if !yield(b, nil) {
				return
			}
			off += b.Header.Size()
		}
	}
}

func (r *Reader) block(place shufflefile.Place, end int64) (Block, error) {
	r.release()
	var head [shufflefile.HeaderSize]byte
	n := min(end-place.Offset, shufflefile.HeaderSize)
	if _, err := r.file.handle.ReadAt(head[:n], place.Offset); err != nil {
		return Block{}, err
	}
	h, err := shufflefile.ParseHeader(head[:n], end-place.Offset)
	if err != nil {
		return Block{}, err
	}
	frame := make([]byte, h.Payload())
	if _, err := r.file.handle.ReadAt(frame, place.Offset+shufflefile.HeaderSize); err != nil {
		return Block{}, err
	}
	payload, rec, err := plainDecode(h, frame)
	if err != nil {
		return Block{}, err
	}
	r.last = rec
	r.stats.Add(Stats{Blocks: 1, Rows: rec.NumRows(), BytesIn: h.Size(), PayloadBytes: payload, SchemaMisses: 1})
	return Block{Place: place, Header: h, PayloadBytes: payload, Batch: rec}, nil
}
