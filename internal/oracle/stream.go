package oracle

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	flatbuffers "github.com/google/flatbuffers/go"
)

var endOfStream = []byte{0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0}

// batchOf reads the one record batch of a stream.
func batchOf(payload []byte) (arrow.RecordBatch, error) {
	if !bytes.HasSuffix(payload, endOfStream) {
		return nil, errors.New("the stream has no end mark")
	}
	in := bytes.NewReader(payload)
	r, err := ipc.NewReader(in)
	if err != nil {
		return nil, err
	}
	defer r.Release()
	if !r.Next() {
		return nil, fmt.Errorf("the stream has no batch: %w", r.Err())
	}
	batch := r.RecordBatch()
	batch.Retain()
	if r.Next() {
		return nil, errors.New("the stream has a second batch")
	}
	if r.Err() != nil {
		return nil, r.Err()
	}
	if in.Len() != 0 {
		return nil, fmt.Errorf("%d bytes follow the stream", in.Len())
	}
	return batch, nil
}

// Message is what a record-batch message says about its body.
type Message struct {
	Rows    int64
	Body    []byte
	Nodes   [][2]int64 // length and null count
	Buffers [][2]int64 // offset in the body and length
	BodyAt  int        // position of the body in the stream
}

// BatchMessage takes the second message of a stream apart by hand, to look at
// what a reader hides: alignment, null counts, empty buffers.
func BatchMessage(payload []byte) (*Message, error) {
	schema, err := nextMessage(payload, 0)
	if err != nil {
		return nil, err
	}
	m, err := nextMessage(payload, schema.end)
	if err != nil {
		return nil, err
	}
	const headerRecordBatch = 3
	if m.kind != headerRecordBatch {
		return nil, fmt.Errorf("the second message is of kind %d", m.kind)
	}
	if rest := payload[m.end:]; !bytes.Equal(rest, endOfStream) {
		return nil, fmt.Errorf("behind the batch stands % x", rest)
	}
	return &Message{
		Rows:    m.header.GetInt64Slot(4, 0),
		Body:    payload[m.bodyAt:m.end],
		Nodes:   pairs(m.header, 6),
		Buffers: pairs(m.header, 8),
		BodyAt:  m.bodyAt,
	}, nil
}

type message struct {
	kind        byte
	header      flatbuffers.Table
	bodyAt, end int
}

// nextMessage reads the message at position at: a continuation marker, the
// metadata's length, metadata, body.
func nextMessage(payload []byte, at int) (m message, err error) {
	if len(payload) < at+8 || binary.LittleEndian.Uint32(payload[at:]) != 0xffffffff {
		return m, fmt.Errorf("no message at %d", at)
	}
	size := int(binary.LittleEndian.Uint32(payload[at+4:]))
	m.bodyAt = at + 8 + size
	meta := payload[at+8 : m.bodyAt]
	root := flatbuffers.Table{Bytes: meta, Pos: flatbuffers.GetUOffsetT(meta)}
	if v := root.GetInt16Slot(4, 0); v != 4 {
		return m, fmt.Errorf("the message at %d has metadata version code %d, not V5", at, v)
	}
	m.kind = root.GetByteSlot(6, 0)
	m.end = m.bodyAt + int(root.GetInt64Slot(10, 0))
	root.Union(&m.header, flatbuffers.UOffsetT(root.Offset(8)))
	return m, nil
}

// pairs reads a vector of structs of two i64.
func pairs(t flatbuffers.Table, slot flatbuffers.VOffsetT) [][2]int64 {
	o := flatbuffers.UOffsetT(t.Offset(slot))
	if o == 0 {
		return nil
	}
	start := t.Vector(o)
	list := make([][2]int64, t.VectorLen(o))
	for i := range list {
		at := start + flatbuffers.UOffsetT(16*i)
		list[i] = [2]int64{t.GetInt64(at), t.GetInt64(at + 8)}
	}
	return list
}
