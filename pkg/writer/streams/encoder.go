package streams

import (
	"encoding/binary"
	"fmt"
	"slices"

	"github.com/shufflebench/shufflebench/internal/ipcwire"
	"github.com/shufflebench/shufflebench/internal/shufflefile"
	"github.com/shufflebench/shufflebench/pkg/metrics"
	"github.com/shufflebench/shufflebench/pkg/writer/lz4"
	"github.com/shufflebench/shufflebench/pkg/writer/segment"
)

// Run is bytes of one partition's stream, consecutive in Encoder.Out.
type Run struct {
	Partition uint32
	Batches   uint32
	End       int // in Out; the run begins where the one before ends
}

// Encoder makes the streams of windows. It belongs to one goroutine at a time.
type Encoder struct {
	Out  []byte // streams, the last perhaps not at its end
	Runs []Run  // whose they are, in order

	t         *Template
	batchRows int
	body      body
	comp      compressor // nil when buffers stay as they are
	clock     *metrics.Clock
	open      bool // the last run's stream goes on in the next window
}

// New makes an encoder of record batches of up to batchRows rows. Its work is
// counted on clock as encode and compress.
func New(t *Template, batchRows int, clock *metrics.Clock) (*Encoder, error) {
	comp, err := newCompressor(t.codec)
	if err != nil {
		return nil, err
	}
	return &Encoder{t: t, batchRows: batchRows, comp: comp, clock: clock}, nil
}

// Close gives back what the codec holds.
func (e *Encoder) Close() error {
	if e.comp == nil {
		return nil
	}
	return e.comp.close()
}

// Reset forgets what was encoded. A stream that was not at its end goes on in
// the next window.
func (e *Encoder) Reset() { e.Out, e.Runs = e.Out[:0], e.Runs[:0] }

// Window appends the streams of a loaded window's rows. The windows of one
// planner come in their order; a partition whose rows fill several of them
// gets one stream.
func (e *Encoder) Window(w *segment.Window) error {
	defer e.clock.Enter(e.clock.Enter(metrics.PhaseEncode))
	e.body.w = w
	for i := range w.Parts {
		p := &w.Parts[i]
		if err := e.part(p, p.Partition < w.End); err != nil {
			return fmt.Errorf("partition %d: %w", p.Partition, err)
		}
	}
	return nil
}

// part appends one partition's rows, and the end of its stream if these were
// the last.
func (e *Encoder) part(p *segment.Part, last bool) error {
	e.Runs = append(e.Runs, Run{Partition: p.Partition})
	if !e.open {
		e.Out = append(e.Out, e.t.ipc.Schema...)
	}
	pieces := p.Pieces
	for rest := p.Rows; rest > 0; {
		rows := min(rest, e.batchRows)
		head := pieces
		if rows < rest {
			head, pieces = cut(pieces, uint32(rows))
		}
		if err := e.batch(rows, head); err != nil {
			return err
		}
		rest -= rows
	}
	if last {
		e.Out = append(e.Out, ipcwire.EOS[:]...)
	}
	e.open = !last
	e.Runs[len(e.Runs)-1].End = len(e.Out)
	return nil
}

// cut splits pieces after rows rows, fewer than there are. The pieces
// themselves stay as they are.
func cut(pieces []segment.Piece, rows uint32) (head, tail []segment.Piece) {
	i := 0
	for ; pieces[i].Rows <= rows; i++ {
		rows -= pieces[i].Rows
	}
	if rows == 0 {
		return pieces[:i], pieces[i:]
	}
	head, tail = slices.Clone(pieces[:i+1]), slices.Clone(pieces[i:])
	head[i].Rows = rows
	tail[0].Lo += rows
	tail[0].Rows -= rows
	return head, tail
}

// batch appends a record batch.
func (e *Encoder) batch(rows int, pieces []segment.Piece) error {
	if err := e.body.gather(e.t.layout, rows, pieces); err != nil {
		return err
	}
	t := &e.t.ipc.Batch
	at := len(e.Out)
	e.Out = append(e.Out, t.Bytes...)
	put := func(pos, v int) { binary.LittleEndian.PutUint64(e.Out[at+pos:], uint64(v)) }
	put(t.Length, rows)
	for i, n := range e.body.nodes {
		put(t.Nodes+ipcwire.FieldNodeSize*i, n.rows)
		put(t.Nodes+ipcwire.FieldNodeSize*i+8, n.nulls)
	}
	start := len(e.Out)
	defer e.clock.Enter(e.clock.Enter(metrics.PhaseCompress))
	for i := range e.body.buffers {
		from := len(e.Out)
		if err := e.buffer(&e.body.buffers[i]); err != nil {
			return fmt.Errorf("compress a buffer: %w", err)
		}
		put(t.Buffers+ipcwire.BufferSize*i, from-start)
		put(t.Buffers+ipcwire.BufferSize*i+8, len(e.Out)-from)
		e.pad(start)
	}
	size := len(e.Out) - start
	if size > shufflefile.MaxBlock {
		return shufflefile.Limit("a batch of %d rows has %d bytes; use a smaller batch size", rows, size)
	}
	put(t.BodyLength, size)
	e.Runs[len(e.Runs)-1].Batches++
	return nil
}

// lengthSize is the bytes of the length before a compressed buffer.
const lengthSize = 8

// buffer appends a buffer's bytes: stored when compressing them is no gain.
func (e *Encoder) buffer(b *buffer) (err error) {
	raw := e.body.raw[b.start : b.start+b.size]
	if e.comp == nil || b.size == 0 {
		e.Out = append(e.Out, raw...)
		return nil
	}
	at := len(e.Out)
	e.Out = binary.LittleEndian.AppendUint64(e.Out, uint64(b.size))
	if e.Out, err = e.comp.appendFrame(e.Out, raw, lz4.Region{End: b.size, Kind: b.kind, Stride: b.stride}); err != nil {
		return err
	}
	if len(e.Out)-at-lengthSize >= b.size {
		stored := ipcwire.StoredBuffer
		binary.LittleEndian.PutUint64(e.Out[at:], uint64(stored))
		e.Out = append(e.Out[:at+lengthSize], raw...)
	}
	return nil
}

// pad ends a buffer: what is read where it lies is aligned as all our bodies
// are, what is decompressed only as Arrow demands.
func (e *Encoder) pad(start int) {
	to := ipcwire.MinAlignment
	if e.comp == nil {
		to = ipcwire.Alignment
	}
	if n := (len(e.Out) - start) % to; n != 0 {
		e.Out = append(e.Out, zeros[:to-n]...)
	}
}

var zeros [ipcwire.Alignment]byte
