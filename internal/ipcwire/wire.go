// Package ipcwire owns the bytes of Arrow IPC messages as a shuffle uses them:
// one stream of schema, dictionary batches, record batches and an end mark.
// The encode side patches prepared messages, the decode side reads them in
// place; neither builds an object a field. What both must agree on is here.
//
//	 0          4          8                     8+m           8+m+bodyLength
//	+----------+----------+---------------------+-------------+
//	| ff ff ff ff | m     | Message (flatbuffer) | body        |  one message
//	+----------+----------+---------------------+-------------+
//	  marker     i32        padded, so that the   buffers, each at a
//	                        body is aligned       multiple of 8 or 64
//
//	| ff ff ff ff | 0 0 0 0 |                                  end of stream
//
// A flatbuffer table starts with an i32 that, subtracted from the table's own
// position, gives its vtable: u16 size of the vtable, u16 size of the table,
// then one u16 a field, the field's place in the table or 0 if it is absent.
// The Slot constants are the places of those u16 in the vtable.
package ipcwire

// Framing of a message.
const (
	// Continuation is the marker that opens every message (V5).
	Continuation = 0xFFFFFFFF
	// PrefixSize is the marker and the i32 metadata length after it.
	PrefixSize = 8
	// EOSSize is the size of the end-of-stream mark: a prefix of metadata length 0.
	EOSSize = PrefixSize
	// Alignment is what our writer aligns message bodies and their buffers to.
	Alignment = 64
	// MinAlignment is what every Arrow writer must align them to.
	MinAlignment = 8
)

// EOS is the end-of-stream mark.
var EOS = [EOSSize]byte{0xFF, 0xFF, 0xFF, 0xFF, 0, 0, 0, 0}

// MetadataV5 is the metadata version that a shuffle holds (flatbuffer enum
// MetadataVersion); in V4 unions had a validity buffer.
const MetadataV5 int16 = 4

// Codes of the MessageHeader union.
const (
	HeaderNone            uint8 = 0
	HeaderSchema          uint8 = 1
	HeaderDictionaryBatch uint8 = 2
	HeaderRecordBatch     uint8 = 3
	HeaderTensor          uint8 = 4
	HeaderSparseTensor    uint8 = 5
)

// Slots of table Message.
const (
	SlotMessageVersion    = 4  // i16
	SlotMessageHeaderType = 6  // u8
	SlotMessageHeader     = 8  // table
	SlotMessageBodyLength = 10 // i64
	SlotMessageMetadata   = 12 // vector of KeyValue
)

// Slots of table RecordBatch.
const (
	SlotBatchLength      = 4  // i64
	SlotBatchNodes       = 6  // vector of FieldNode structs
	SlotBatchBuffers     = 8  // vector of Buffer structs
	SlotBatchCompression = 10 // table BodyCompression
	SlotBatchVariadic    = 12 // vector of i64
)

// Sizes of the structs in a RecordBatch's vectors.
const (
	FieldNodeSize = 16 // i64 length, i64 null count
	BufferSize    = 16 // i64 offset in the body, i64 length
)

// Slots of table DictionaryBatch.
const (
	SlotDictionaryID      = 4 // i64
	SlotDictionaryData    = 6 // table RecordBatch
	SlotDictionaryIsDelta = 8 // bool
)

// Slots of table BodyCompression.
const (
	SlotCompressionCodec  = 4 // i8
	SlotCompressionMethod = 6 // i8, 0 = buffer by buffer
)

// Body compression codecs (flatbuffer enum CompressionType). A compressed
// buffer starts with the i64 length of what it decodes to; StoredBuffer there
// says that the rest is not compressed.
const (
	BodyLZ4Frame int8  = 0
	BodyZstd     int8  = 1
	StoredBuffer int64 = -1
)

// Slots of table Schema.
const (
	SlotSchemaEndianness = 4  // i16, 0 = little
	SlotSchemaFields     = 6  // vector of Field
	SlotSchemaMetadata   = 8  // vector of KeyValue
	SlotSchemaFeatures   = 10 // vector of i64
)

// LittleEndian is the value of a schema's endianness that a shuffle holds.
const LittleEndian int16 = 0

// Slots of table Field.
const (
	SlotFieldName       = 4  // string
	SlotFieldNullable   = 6  // bool
	SlotFieldTypeType   = 8  // u8, union Type
	SlotFieldType       = 10 // table
	SlotFieldDictionary = 12 // table DictionaryEncoding
	SlotFieldChildren   = 14 // vector of Field
	SlotFieldMetadata   = 16 // vector of KeyValue
)

// Slots of table DictionaryEncoding.
const (
	SlotEncodingID        = 4 // i64
	SlotEncodingIndexType = 6 // table Int
	SlotEncodingOrdered   = 8 // bool
)

// Slots of table KeyValue.
const (
	SlotKeyValueKey   = 4 // string
	SlotKeyValueValue = 6 // string
)
