package ipcwire

import (
	"encoding/binary"

	"github.com/apache/arrow-go/v18/arrow"
	flatbuffers "github.com/google/flatbuffers/go"
)

// DictionaryTemplate is what the payloads of a schema with dictionary columns
// are put together from: the schema message, one dictionary message before each
// of the dictionaries' bodies, and the record-batch message. Each is a multiple
// of Alignment long, so all bodies are aligned when dictionaries are padded.
//
//	| Schema | Dictionary | body | ... | Batch.Bytes | body | end of stream |
type DictionaryTemplate struct {
	Schema     []byte
	Dictionary DictionaryMessage
	Batch      BatchTemplate // positions count from the message's start
}

// DictionaryMessage is the message of a dictionary of strings or binaries with
// 32-bit offsets: one node, and the buffers validity, offsets and data. Its
// numbers are patched in place.
type DictionaryMessage struct {
	Bytes      []byte
	ID         int // position of the i64 dictionary id
	Length     int // position of the i64 number of values
	BodyLength int // position of the i64 body length
	Node       int // position of the field node {i64 length, i64 null count}
	Buffers    int // position of the first buffer {i64 offset, i64 length}
}

// dictionaryBuffers is the number of buffers of a dictionary's values.
const dictionaryBuffers = 3

// NewDictionaryTemplate prepares the payloads of schema, whose record batches
// have the given numbers of field nodes and buffers. The ids of its
// dictionaries are 0, 1, ... in the order of the columns.
func NewDictionaryTemplate(schema *arrow.Schema, nodes, buffers int) (*DictionaryTemplate, error) {
	head, err := schemaMessage(schema)
	if err != nil {
		return nil, err
	}
	t := &DictionaryTemplate{
		Schema:     encapsulate(head[PrefixSize:]),
		Dictionary: newDictionaryMessage(),
	}
	meta := batchMetadata(nodes, buffers)
	t.Batch = BatchTemplate{Bytes: encapsulate(meta), NumNodes: nodes, NumBuffers: buffers}
	t.Batch.locate(meta, PrefixSize)
	return t, nil
}

// encapsulate puts the prefix before metadata and pads both to Alignment.
func encapsulate(meta []byte) []byte {
	b := make([]byte, alignUp(PrefixSize+len(meta), Alignment))
	binary.LittleEndian.PutUint32(b, Continuation)
	binary.LittleEndian.PutUint32(b[4:], uint32(len(b)-PrefixSize))
	copy(b[PrefixSize:], meta)
	return b
}

func newDictionaryMessage() DictionaryMessage {
	meta := dictionaryMetadata()
	m := DictionaryMessage{Bytes: encapsulate(meta)}
	field := func(t flatbuffers.Table, slot flatbuffers.VOffsetT) flatbuffers.UOffsetT {
		return t.Pos + flatbuffers.UOffsetT(t.Offset(slot))
	}
	below := func(t flatbuffers.Table, slot flatbuffers.VOffsetT) flatbuffers.Table {
		at := field(t, slot)
		return flatbuffers.Table{Bytes: meta, Pos: at + flatbuffers.GetUOffsetT(meta[at:])}
	}
	msg := flatbuffers.Table{Bytes: meta, Pos: flatbuffers.GetUOffsetT(meta)}
	dictionary := below(msg, SlotMessageHeader)
	batch := below(dictionary, SlotDictionaryData)
	vector := func(slot flatbuffers.VOffsetT) int {
		return PrefixSize + int(batch.Vector(flatbuffers.UOffsetT(batch.Offset(slot))))
	}
	m.BodyLength = PrefixSize + int(field(msg, SlotMessageBodyLength))
	m.ID = PrefixSize + int(field(dictionary, SlotDictionaryID))
	m.Length = PrefixSize + int(field(batch, SlotBatchLength))
	m.Node = vector(SlotBatchNodes)
	m.Buffers = vector(SlotBatchBuffers)
	return m
}

// dictionaryMetadata is the flatbuffer of a dictionary message with every
// number set to filler.
func dictionaryMetadata() []byte {
	b := flatbuffers.NewBuilder(256)
	batch := batchTable(b, 1, dictionaryBuffers, 0)
	b.StartObject(3)
	b.PrependInt64Slot(0, filler, 0)
	b.PrependUOffsetTSlot(1, batch, 0)
	dictionary := b.EndObject()
	return finishMessage(b, HeaderDictionaryBatch, dictionary)
}
