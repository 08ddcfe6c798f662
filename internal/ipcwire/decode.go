package ipcwire

import (
	"encoding/binary"

	"github.com/shufflebench/shufflebench/internal/shufflefile"
)

// Prefix reads the eight bytes before a message's metadata, at the start of a
// stream's rest, and returns the metadata's length; 0 is the end-of-stream
// mark. Errors are of class ErrCorrupt, as all in this package, and have no
// place.
func Prefix(b []byte) (metadata int, err error) { return PrefixIn(b, int64(len(b))) }

// PrefixIn is Prefix where only the start of the rest is at hand; room is the
// length of all of it.
func PrefixIn(b []byte, room int64) (metadata int, err error) {
	if len(b) < PrefixSize {
		return 0, shufflefile.Corrupt("the stream is cut %d bytes into a message prefix of %d", len(b), PrefixSize)
	}
	if c := binary.LittleEndian.Uint32(b); c != Continuation {
		return 0, shufflefile.Corrupt("no continuation marker where a message should start (found %08x)", c)
	}
	n := int32(binary.LittleEndian.Uint32(b[4:]))
	switch {
	case n < 0:
		return 0, shufflefile.Corrupt("metadata length %d is negative", n)
	case n%MinAlignment != 0:
		return 0, shufflefile.Corrupt("metadata length %d is no multiple of %d", n, MinAlignment)
	case int64(n) > room-PrefixSize:
		return 0, shufflefile.Corrupt("metadata of %d bytes in a stream with %d bytes left", n, room-PrefixSize)
	}
	return int(n), nil
}

// Message is the metadata of one message, read where it lies.
type Message struct {
	Kind       uint8 // a Header constant
	Version    int16
	BodyLength int64 // not negative
	root       table
	header     table
}

// ParseMessage reads a message's metadata (without its prefix).
func ParseMessage(metadata []byte) (m Message, err error) {
	if err := m.parse(metadata); err != nil {
		return Message{}, shufflefile.Corrupt("message metadata: %v", err)
	}
	if m.Version != MetadataV5 {
		return Message{}, shufflefile.Corrupt("message metadata: version code %d is not V5 (%d)", m.Version, MetadataV5)
	}
	if m.BodyLength < 0 {
		return Message{}, shufflefile.Corrupt("message body length %d is negative", m.BodyLength)
	}
	return m, nil
}

func (m *Message) parse(metadata []byte) (err error) {
	if m.root, err = root(metadata); err != nil {
		return err
	}
	if m.Version, err = m.root.int16(SlotMessageVersion); err != nil {
		return err
	}
	if m.Kind, err = m.root.uint8(SlotMessageHeaderType); err != nil {
		return err
	}
	if m.BodyLength, err = m.root.int64(SlotMessageBodyLength); err != nil {
		return err
	}
	var ok bool
	if m.header, ok, err = m.root.table(SlotMessageHeader); err == nil && !ok {
		err = errBounds
	}
	return err
}

// Batch is the header of a record batch, read where it lies. It is valid as
// long as the metadata it was made from.
type Batch struct {
	Rows        int64 // not negative
	Compressed  bool  // whether buffers are compressed one by one
	Compression int8  // with which codec: BodyLZ4Frame or BodyZstd
	nodes       []byte
	buffers     []byte
	variadic    []byte
}

// RecordBatch reads the header of a message of kind HeaderRecordBatch into b.
func (m *Message) RecordBatch(b *Batch) error {
	if err := b.parse(&m.header); err != nil {
		return shufflefile.Corrupt("record batch metadata: %v", err)
	}
	return b.check()
}

// DictionaryBatch is what a dictionary message says about its record batch.
type DictionaryBatch struct {
	ID    int64
	Delta bool // appends to the dictionary in place of replacing it
}

// Dictionary reads the header of a message of kind HeaderDictionaryBatch, and
// into b that of the one-column record batch in it.
func (m *Message) Dictionary(b *Batch) (d DictionaryBatch, err error) {
	data, err := m.dictionary(&d)
	if err == nil {
		err = b.parse(&data)
	}
	if err != nil {
		return d, shufflefile.Corrupt("dictionary batch metadata: %v", err)
	}
	return d, b.check()
}

func (m *Message) dictionary(d *DictionaryBatch) (data table, err error) {
	if d.ID, err = m.header.int64(SlotDictionaryID); err != nil {
		return data, err
	}
	delta, err := m.header.uint8(SlotDictionaryIsDelta)
	if err != nil {
		return data, err
	}
	d.Delta = delta != 0
	data, ok, err := m.header.table(SlotDictionaryData)
	if err == nil && !ok {
		err = errBounds
	}
	return data, err
}

func (b *Batch) parse(t *table) (err error) {
	if b.Rows, err = t.int64(SlotBatchLength); err != nil {
		return err
	}
	if b.nodes, err = t.vector(SlotBatchNodes, FieldNodeSize); err != nil {
		return err
	}
	if b.buffers, err = t.vector(SlotBatchBuffers, BufferSize); err != nil {
		return err
	}
	b.Compressed, b.Compression, b.variadic = false, 0, nil
	if t.slots <= SlotBatchCompression {
		return nil
	}
	if b.variadic, err = t.vector(SlotBatchVariadic, 8); err != nil {
		return err
	}
	return b.parseCompression(t)
}

func (b *Batch) parseCompression(t *table) error {
	c, present, err := t.table(SlotBatchCompression)
	if err != nil || !present {
		return err
	}
	codec, err := c.uint8(SlotCompressionCodec)
	if err != nil {
		return err
	}
	method, err := c.uint8(SlotCompressionMethod)
	if err != nil {
		return err
	}
	b.Compressed, b.Compression = true, int8(codec)
	if method != 0 {
		return shufflefile.Corrupt("unknown body compression method %d", method)
	}
	return nil
}

func (b *Batch) check() error {
	if b.Rows < 0 {
		return shufflefile.Corrupt("record batch of %d rows", b.Rows)
	}
	if b.Compressed && b.Compression != BodyLZ4Frame && b.Compression != BodyZstd {
		return shufflefile.Corrupt("unknown body compression codec %d", b.Compression)
	}
	return nil
}

// Nodes is the number of field nodes, one for each field in pre-order.
func (b *Batch) Nodes() int { return len(b.nodes) / FieldNodeSize }

// Node is the i-th field's length and null count, unchecked.
func (b *Batch) Node(i int) (length, nulls int64) {
	n := b.nodes[i*FieldNodeSize:]
	_ = n[FieldNodeSize-1]
	return int64(binary.LittleEndian.Uint64(n)), int64(binary.LittleEndian.Uint64(n[8:]))
}

// Buffers is the number of buffers.
func (b *Batch) Buffers() int { return len(b.buffers) / BufferSize }

// Buffer is the i-th buffer's offset in the body and length, unchecked.
func (b *Batch) Buffer(i int) (offset, length int64) {
	n := b.buffers[i*BufferSize:]
	_ = n[BufferSize-1]
	return int64(binary.LittleEndian.Uint64(n)), int64(binary.LittleEndian.Uint64(n[8:]))
}

// Variadics is the number of fields with a variable number of buffers.
func (b *Batch) Variadics() int { return len(b.variadic) / 8 }

// Variadic is the number of data buffers of the i-th such field, unchecked.
func (b *Batch) Variadic(i int) int64 {
	return int64(binary.LittleEndian.Uint64(b.variadic[i*8:]))
}
