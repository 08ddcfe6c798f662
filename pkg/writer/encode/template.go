// Package encode turns rows into blocks.
//
// A block's payload is one Arrow IPC stream. All but its numbers and its body
// is the same for every block of a schema, so the schema message and the
// record-batch message are made once (Template), copied in front of each body
// and patched; the rows are gathered straight into the body, and the payload
// is compressed into the output. Nothing is allocated a block.
package encode

import (
	"encoding/binary"
	"sync"

	"github.com/shufflebench/shufflebench/internal/ipcwire"
	"github.com/shufflebench/shufflebench/pkg/writer/lz4"
	"github.com/shufflebench/shufflebench/pkg/writer/segment"
)

// Template is what all blocks of a schema have in common.
type Template struct {
	layout *segment.Layout
	ipc    *ipcwire.BatchTemplate
	heads  *heads
}

// NewTemplate prepares blocks of the layout's schema.
func NewTemplate(l *segment.Layout) (*Template, error) {
	buffers := 0
	for _, n := range l.Nodes {
		buffers += n.Buffers()
	}
	t, err := ipcwire.NewBatchTemplate(l.Schema, len(l.Nodes), buffers)
	if err != nil {
		return nil, err
	}
	return &Template{layout: l, ipc: t, heads: new(heads)}, nil
}

// A head is a template compressed for LZ4, with the bytes that vary left open.
// The numbers are all below 256^width in a given block, so for small blocks
// fewer bytes vary; and a block without nulls has zeros for the null counts
// and for the lengths of validity buffers.
const (
	maxWidth = 4 // the numbers of a block below 2^31 fit
	numHeads = 2 * maxWidth
)

// heads are made when they are first wanted, by whichever encoder that is.
type heads [numHeads]struct {
	once sync.Once
	head *lz4.Head
}

// head gives the compressed head for blocks whose numbers have width bytes.
func (t *Template) head(width int, nulls bool) *lz4.Head {
	slot := width - 1
	if nulls {
		slot += maxWidth
	}
	h := &t.heads[slot]
	h.once.Do(func() { h.head = t.compileHead(width, nulls) })
	return h.head
}

func (t *Template) compileHead(width int, nulls bool) *lz4.Head {
	sample := append([]byte(nil), t.ipc.Bytes...)
	var open []lz4.Span
	number := func(at int, varies bool) {
		binary.LittleEndian.PutUint64(sample[at:], 0)
		if varies {
			open = append(open, lz4.Span{Off: at, Len: width})
		}
	}
	number(t.ipc.Length, true)
	number(t.ipc.BodyLength, true)
	for i := range t.ipc.NumNodes {
		number(t.ipc.Nodes+16*i, true)
		number(t.ipc.Nodes+16*i+8, nulls || t.layout.Nodes[i].Kind == segment.Null)
	}
	i := 0
	for _, n := range t.layout.Nodes {
		for b := range n.Buffers() {
			number(t.ipc.Buffers+16*i, true)
			number(t.ipc.Buffers+16*i+8, nulls || b > 0)
			i++
		}
	}
	return lz4.CompileHead(sample, len(sample), sortSpans(open))
}
