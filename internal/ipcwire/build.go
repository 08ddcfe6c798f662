package ipcwire

import (
	"bytes"
	"encoding/binary"
	"fmt"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	flatbuffers "github.com/google/flatbuffers/go"
)

// BatchTemplate is the start of every payload of a schema: the schema message,
// encoded once, and a record-batch message whose numbers are patched in place
// for each block. The body begins at len(Bytes), a multiple of Alignment.
type BatchTemplate struct {
	Bytes      []byte
	Length     int // position of the i64 row count
	BodyLength int // position of the i64 body length
	Nodes      int // position of the first field node {i64 length, i64 null count}
	Buffers    int // position of the first buffer {i64 offset, i64 length}
	NumNodes   int
	NumBuffers int
}

// NewBatchTemplate prepares the payloads of schema, whose record batches have
// the given numbers of field nodes and buffers.
func NewBatchTemplate(schema *arrow.Schema, nodes, buffers int) (*BatchTemplate, error) {
	head, err := schemaMessage(schema)
	if err != nil {
		return nil, fmt.Errorf("encode the schema: %w", err)
	}
	meta := batchMetadata(nodes, buffers)
	size := alignUp(len(head)+PrefixSize+len(meta), Alignment)
	t := &BatchTemplate{Bytes: make([]byte, size), NumNodes: nodes, NumBuffers: buffers}
	copy(t.Bytes, head)
	prefix := t.Bytes[len(head):]
	binary.LittleEndian.PutUint32(prefix, Continuation)
	binary.LittleEndian.PutUint32(prefix[4:], uint32(size-len(head)-PrefixSize))
	copy(prefix[PrefixSize:], meta)
	t.locate(meta, len(head)+PrefixSize)
	return t, nil
}

func alignUp(n, to int) int { return (n + to - 1) / to * to }

// schemaMessage is the encapsulated schema message without the end of stream.
func schemaMessage(schema *arrow.Schema) ([]byte, error) {
	var b bytes.Buffer
	w := ipc.NewWriter(&b, ipc.WithSchema(schema))
	if err := w.Close(); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(b.Bytes(), EOS[:]), nil
}

// filler is what the numbers of a fresh template hold: not zero, or the
// builder would leave the fields out.
const filler = 1

// batchMetadata is the flatbuffer of a record-batch message with every number
// set to filler.
func batchMetadata(nodes, buffers int) []byte {
	b := flatbuffers.NewBuilder(256 + 16*(nodes+buffers))
	return finishMessage(b, HeaderRecordBatch, batchTable(b, nodes, buffers, 0))
}

// batchTable adds a RecordBatch, with a BodyCompression if that is not 0.
func batchTable(b *flatbuffers.Builder, nodes, buffers int, compression flatbuffers.UOffsetT) flatbuffers.UOffsetT {
	pairs := func(n int) flatbuffers.UOffsetT {
		b.StartVector(16, n, 8)
		for range 2 * n {
			b.PrependInt64(filler)
		}
		return b.EndVector(n)
	}
	bufferVector := pairs(buffers)
	nodeVector := pairs(nodes)
	b.StartObject(4)
	b.PrependInt64Slot(0, filler, 0)
	b.PrependUOffsetTSlot(1, nodeVector, 0)
	b.PrependUOffsetTSlot(2, bufferVector, 0)
	b.PrependUOffsetTSlot(3, compression, 0)
	return b.EndObject()
}

// finishMessage adds the Message around a header.
func finishMessage(b *flatbuffers.Builder, kind byte, header flatbuffers.UOffsetT) []byte {
	b.StartObject(4)
	b.PrependInt64Slot(3, filler, 0)
	b.PrependUOffsetTSlot(2, header, 0)
	b.PrependInt16Slot(0, MetadataV5, 0)
	b.PrependByteSlot(1, kind, 0)
	b.Finish(b.EndObject())
	return b.FinishedBytes()
}

// locate finds the numbers of the metadata, which lies at base.
func (t *BatchTemplate) locate(meta []byte, base int) {
	msg := flatbuffers.Table{Bytes: meta, Pos: flatbuffers.GetUOffsetT(meta)}
	field := func(t flatbuffers.Table, slot flatbuffers.VOffsetT) flatbuffers.UOffsetT {
		return t.Pos + flatbuffers.UOffsetT(t.Offset(slot))
	}
	header := field(msg, SlotMessageHeader)
	batch := flatbuffers.Table{Bytes: meta, Pos: header + flatbuffers.GetUOffsetT(meta[header:])}
	vector := func(slot flatbuffers.VOffsetT) int {
		return base + int(batch.Vector(flatbuffers.UOffsetT(batch.Offset(slot))))
	}
	t.BodyLength = base + int(field(msg, SlotMessageBodyLength))
	t.Length = base + int(field(batch, SlotBatchLength))
	t.Nodes = vector(SlotBatchNodes)
	t.Buffers = vector(SlotBatchBuffers)
}
