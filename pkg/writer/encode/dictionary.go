package encode

import (
	"encoding/binary"
	"slices"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/shufflebench/shufflebench/internal/ipcwire"
	"github.com/shufflebench/shufflebench/pkg/writer/segment"
)

// Dictionary is the values of a dictionary column in one block: value i is
// Data[Off[i]:Off[i+1]], and Off begins with 0.
type Dictionary struct {
	Off  []int32
	Data []byte
}

// DictionaryTemplate is what all blocks with the same dictionary columns have in
// common. Its schema differs from the plain blocks', and its dictionaries from
// block to block, so the payload's start is put together for each.
type DictionaryTemplate struct {
	layout *segment.Layout
	ipc    *ipcwire.DictionaryTemplate
	dicts  int
}

// NewDictionaryTemplate prepares blocks of l's schema in which the given
// top-level columns, strings or binaries with 32-bit offsets, rising, are
// dictionaries with keys of 32 bits.
func NewDictionaryTemplate(l *segment.Layout, columns []int) (*DictionaryTemplate, error) {
	fields := slices.Clone(l.Schema.Fields())
	d := &segment.Layout{Columns: slices.Clone(l.Columns), Nodes: slices.Clone(l.Nodes), RowSize: l.RowSize}
	for _, c := range columns {
		keys := *l.Columns[c]
		keys.Kind, keys.Width, keys.Signed = segment.Fixed, keySize, true
		d.Columns[c], d.Nodes[keys.Index] = &keys, &keys
		fields[c].Type = &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int32, ValueType: fields[c].Type}
	}
	d.Schema = arrow.NewSchema(fields, nil)
	buffers := 0
	for _, n := range d.Nodes {
		buffers += n.Buffers()
	}
	t, err := ipcwire.NewDictionaryTemplate(d.Schema, len(d.Nodes), buffers)
	if err != nil {
		return nil, err
	}
	return &DictionaryTemplate{layout: d, ipc: t, dicts: len(columns)}, nil
}

const keySize = 4

// DictionaryBlock appends one block of the rows of part, at most as many as a
// block may have. w is a window in which the views of t's dictionary columns
// hold 32-bit keys as their data; dicts are the columns' values, in order.
func (e *Encoder) DictionaryBlock(t *DictionaryTemplate, w *segment.Window, part *segment.Part, dicts []Dictionary) error {
	plain := e.body.t
	defer func() { e.body.t = plain }()
	e.body.use(w)
	e.body.t = t.open(dicts)
	if err := e.lay(part.Partition, part.Rows, part.Pieces); err != nil {
		return err
	}
	return e.compress()
}

// open makes the template of one block: its dictionaries stand between schema
// and record batch.
func (t *DictionaryTemplate) open(dicts []Dictionary) *Template {
	b := slices.Clone(t.ipc.Schema)
	for id, d := range dicts[:t.dicts] {
		b = t.appendDictionary(b, id, d)
	}
	ipc := t.ipc.Batch
	at := len(b)
	ipc.Length += at
	ipc.BodyLength += at
	ipc.Nodes += at
	ipc.Buffers += at
	ipc.Bytes = append(b, ipc.Bytes...)
	return &Template{layout: t.layout, ipc: &ipc}
}

// appendDictionary appends a dictionary message and its body.
func (t *DictionaryTemplate) appendDictionary(b []byte, id int, d Dictionary) []byte {
	m := &t.ipc.Dictionary
	at := len(b)
	b = append(b, m.Bytes...)
	body := len(b)
	for _, o := range d.Off {
		b = binary.LittleEndian.AppendUint32(b, uint32(o))
	}
	b = pad(b)
	data := len(b)
	b = pad(append(b, d.Data...))
	put := func(pos int, values ...int) {
		for i, v := range values {
			binary.LittleEndian.PutUint64(b[at+pos+8*i:], uint64(v))
		}
	}
	put(m.ID, id)
	put(m.Length, len(d.Off)-1)
	put(m.BodyLength, len(b)-body)
	put(m.Node, len(d.Off)-1, 0)
	put(m.Buffers, 0, 0, 0, 4*len(d.Off), data-body, len(d.Data))
	return b
}

// pad appends zeros up to the next multiple of the alignment.
func pad(b []byte) []byte {
	for len(b)%ipcwire.Alignment != 0 {
		b = append(b, 0)
	}
	return b
}
