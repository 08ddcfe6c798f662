package lz4

import (
	"bytes"
	"encoding/binary"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/arrow/memory"
	flatbuffers "github.com/google/flatbuffers/go"
)

// stream is one Arrow IPC stream with what a block writer knows about it.
type stream struct {
	payload  []byte
	headLen  int
	variable []Span
	regions  []Region
}

// newStream writes the columns as a stream by the Arrow library and finds the
// head's variable fields and the buffers in it.
func newStream(t testing.TB, names []string, columns []arrow.Array) stream {
	t.Helper()
	var fields []arrow.Field
	for i, c := range columns {
		fields = append(fields, arrow.Field{Name: names[i], Type: c.DataType(), Nullable: true})
	}
	schema := arrow.NewSchema(fields, nil)
	batch := array.NewRecordBatch(schema, columns, int64(columns[0].Len()))
	defer batch.Release()
	var out bytes.Buffer
	w := ipc.NewWriter(&out, ipc.WithSchema(schema), ipc.WithAllocator(memory.DefaultAllocator))
	if err := w.Write(batch); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	s := stream{payload: out.Bytes()}
	s.locate(columns)
	return s
}

// locate walks the record batch message by its flatbuffer.
func (s *stream) locate(columns []arrow.Array) {
	word := func(at int) int { return int(binary.LittleEndian.Uint32(s.payload[at:])) }
	message := 8 + word(4) // behind the schema message
	s.headLen = message + 8 + word(message+4)
	meta := s.payload[message+8 : s.headLen]
	at := func(pos flatbuffers.UOffsetT, n int) Span { return Span{Off: message + 8 + int(pos), Len: n} }

	m := flatbuffers.Table{Bytes: meta, Pos: flatbuffers.GetUOffsetT(meta)}
	s.variable = append(s.variable, at(m.Pos+flatbuffers.UOffsetT(m.Offset(10)), 8)) // body length
	header := flatbuffers.Table{Bytes: meta}
	m.Union(&header, flatbuffers.UOffsetT(m.Offset(8)))
	if o := header.Offset(4); o != 0 {
		s.variable = append(s.variable, at(header.Pos+flatbuffers.UOffsetT(o), 8)) // rows
	}
	for _, field := range []flatbuffers.VOffsetT{6, 8} { // nodes, buffers
		o := flatbuffers.UOffsetT(header.Offset(field))
		start, n := header.Vector(o), header.VectorLen(o)
		for i := range 2 * n {
			s.variable = append(s.variable, at(start+flatbuffers.UOffsetT(8*i), 8))
		}
		if field == 8 {
			s.buffers(columns, meta, int(start))
		}
	}
}

// buffers turns the buffer list at meta[at:] into regions.
func (s *stream) buffers(columns []arrow.Array, meta []byte, at int) {
	for _, c := range columns {
		for i, spec := range c.DataType().Layout().Buffers {
			off := int(binary.LittleEndian.Uint64(meta[at:]))
			n := int(binary.LittleEndian.Uint64(meta[at+8:]))
			at += 16
			r := Region{Start: s.headLen + off, End: s.headLen + off + n}
			switch {
			case i == 0 || spec.Kind == arrow.KindBitmap:
				r.Kind = Bits
			case spec.Kind == arrow.KindFixedWidth && i == 1 && len(c.DataType().Layout().Buffers) == 3:
				r.Kind, r.Stride = Offsets, spec.ByteWidth
			case spec.Kind == arrow.KindFixedWidth:
				r.Kind, r.Stride = Fixed, spec.ByteWidth
			}
			if n > 0 {
				s.regions = append(s.regions, r)
			}
		}
	}
}
