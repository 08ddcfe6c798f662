package ipcwire

import (
	"fmt"

	"github.com/apache/arrow-go/v18/arrow"
	flatbuffers "github.com/google/flatbuffers/go"
)

// NoBodyCompression stands for bodies whose buffers lie there as they are.
const NoBodyCompression int8 = -1

// StreamTemplate is what the IPC streams of a schema are put together from: the
// schema message, and a record-batch message that says how the buffers of its
// body are compressed. Both are multiples of Alignment long.
//
//	| Schema | Batch.Bytes | body | Batch.Bytes | body | ... | end of stream |
type StreamTemplate struct {
	Schema []byte
	Batch  BatchTemplate // positions count from the message's start
}

// NewStreamTemplate prepares the streams of schema, whose record batches have
// the given numbers of field nodes and buffers. codec is BodyLZ4Frame, BodyZstd
// or NoBodyCompression.
func NewStreamTemplate(schema *arrow.Schema, nodes, buffers int, codec int8) (*StreamTemplate, error) {
	head, err := schemaMessage(schema)
	if err != nil {
		return nil, fmt.Errorf("encode the schema: %w", err)
	}
	meta := compressedMetadata(nodes, buffers, codec)
	t := &StreamTemplate{
		Schema: encapsulate(head[PrefixSize:]),
		Batch:  BatchTemplate{Bytes: encapsulate(meta), NumNodes: nodes, NumBuffers: buffers},
	}
	t.Batch.locate(meta, PrefixSize)
	return t, nil
}

// compressedMetadata is batchMetadata with the codec of the body. The method,
// buffer by buffer, is the schema's default.
func compressedMetadata(nodes, buffers int, codec int8) []byte {
	if codec == NoBodyCompression {
		return batchMetadata(nodes, buffers)
	}
	b := flatbuffers.NewBuilder(256 + 16*(nodes+buffers))
	b.StartObject(2)
	b.PrependInt8Slot(0, codec, 0)
	compression := b.EndObject()
	return finishMessage(b, HeaderRecordBatch, batchTable(b, nodes, buffers, compression))
}
