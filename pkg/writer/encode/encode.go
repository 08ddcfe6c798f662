package encode

import (
	"fmt"
	"slices"

	"github.com/shufflebench/shufflebench/internal/shufflefile"
	"github.com/shufflebench/shufflebench/pkg/metrics"
	"github.com/shufflebench/shufflebench/pkg/writer/lz4"
	"github.com/shufflebench/shufflebench/pkg/writer/segment"
)

// Run is the blocks of one partition, consecutive in Encoder.Out.
type Run struct {
	Partition uint32
	Blocks    uint32
	End       int // in Out; the run begins where the one before ends
}

// Encoder makes the blocks of windows. It belongs to one goroutine.
type Encoder struct {
	Out  []byte // blocks
	Runs []Run  // whose blocks they are, in order

	blockRows int
	tag       shufflefile.Tag
	lengths   bool // offsets are stored as lengths
	columns   uint64
	body      body
	payloads  []payload
	comp      compressor
	clock     *metrics.Clock
}

// New makes an encoder of blocks of up to blockRows rows. Its work is counted
// on clock as encode and compress.
func New(t *Template, c Codec, blockRows int, clock *metrics.Clock) (*Encoder, error) {
	comp, err := newCompressor(c, t)
	if err != nil {
		return nil, err
	}
	lengths := c.OffsetsAsLengths && hasOffsets(t.layout)
	return &Encoder{
		blockRows: blockRows,
		tag:       shufflefile.MakeTag(c.Codec, lengths),
		lengths:   lengths,
		columns:   uint64(len(t.layout.Columns)),
		body:      body{t: t},
		comp:      comp,
		clock:     clock,
	}, nil
}

// Close gives back what the codec holds.
func (e *Encoder) Close() error { return e.comp.close() }

// Reset forgets the blocks.
func (e *Encoder) Reset() { e.Out, e.Runs = e.Out[:0], e.Runs[:0] }

// stage is how many bytes of payloads are laid out before they are compressed:
// few enough to stay in a core's cache, many enough to time the two apart.
const stage = 128 << 10

// part lays out one partition's rows in blocks of up to blockRows.
func (e *Encoder) part(p *segment.Part) error {
	if p.Rows <= e.blockRows {
		return e.lay(p.Partition, p.Rows, p.Pieces)
	}
	pieces := slices.Clone(p.Pieces)
	for rest := p.Rows; rest > 0; {
		rows := min(rest, e.blockRows)
		var head []segment.Piece
		head, pieces = cutPieces(pieces, uint32(rows))
		if err := e.lay(p.Partition, rows, head); err != nil {
			return err
		}
		rest -= rows
	}
	return nil
}

// cutPieces splits pieces after rows rows.
func cutPieces(pieces []segment.Piece, rows uint32) (head, tail []segment.Piece) {
	for i := range pieces {
		p := &pieces[i]
		if p.Rows < rows {
			rows -= p.Rows
			continue
		}
		head = slices.Clone(pieces[:i+1])
		head[i].Rows = rows
		p.Lo += rows
		p.Rows -= rows
		if p.Rows == 0 {
			i++
		}
		return head, pieces[i:]
	}
	return pieces, nil
}

func (e *Encoder) lay(partition uint32, rows int, pieces []segment.Piece) error {
	p, err := e.body.add(partition, rows, pieces)
	if err != nil {
		return err
	}
	if e.lengths {
		e.body.cutPlanes(p)
	}
	e.payloads = append(e.payloads, p)
	return nil
}

// compress turns the payloads laid out so far into blocks.
func (e *Encoder) compress() error {
	prev := e.clock.Enter(metrics.PhaseCompress)
	for i := range e.payloads {
		if err := e.block(&e.payloads[i]); err != nil {
			e.clock.Enter(prev)
			return err
		}
	}
	e.clock.Enter(prev)
	e.clock.CountBlocks(len(e.payloads))
	e.payloads = e.payloads[:0]
	e.body.reset()
	return nil
}

func (e *Encoder) block(p *payload) (err error) {
	at := len(e.Out)
	e.Out = growBy(e.Out, shufflefile.HeaderSize)
	e.Out, err = e.comp.appendFrame(e.Out, e.body.buf[p.start:p.end], *p, e.body.regions[p.regions[0]:p.regions[1]])
	if err != nil {
		return fmt.Errorf("partition %d: compress a block: %w", p.partition, err)
	}
	size := len(e.Out) - at
	if size > shufflefile.MaxBlock {
		return shufflefile.Limit("partition %d: a block of %d rows has %d bytes; use a smaller batch size", p.partition, p.rows, size)
	}
	shufflefile.Header{Length: uint64(size - shufflefile.LengthSize), Columns: e.columns, Tag: e.tag}.Put(e.Out[at:])
	if n := len(e.Runs); n > 0 && e.Runs[n-1].Partition == p.partition {
		e.Runs[n-1].Blocks++
		e.Runs[n-1].End = len(e.Out)
	} else {
		e.Runs = append(e.Runs, Run{p.partition, 1, len(e.Out)})
	}
	return nil
}

// growBy lengthens b by n bytes of any content.
func growBy(b []byte, n int) []byte { return slices.Grow(b, n)[:len(b)+n] }

func sortSpans(s []lz4.Span) []lz4.Span {
	slices.SortFunc(s, func(a, b lz4.Span) int { return a.Off - b.Off })
	return s
}
