package ipcwire

import (
	"bytes"
	"encoding/binary"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/ipc"
)

// TestDictionaryTemplate puts a payload of two dictionary columns together by
// hand and reads it with this package and with arrow-go.
func TestDictionaryTemplate(t *testing.T) {
	d := &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int32, ValueType: arrow.BinaryTypes.String}
	schema := arrow.NewSchema([]arrow.Field{{Name: "a", Type: d, Nullable: true}, {Name: "b", Type: d}}, nil)
	tmpl, err := NewDictionaryTemplate(schema, 2, 4)
	if err != nil {
		t.Fatal(err)
	}
	stream := bytes.Clone(tmpl.Schema)
	pad := func(b []byte) []byte { return append(b, make([]byte, alignUp(len(b), Alignment)-len(b))...) }
	put := func(b []byte, at int, v ...int) {
		for i, x := range v {
			binary.LittleEndian.PutUint64(b[at+8*i:], uint64(x))
		}
	}
	for id, word := range []string{"left", "right"} {
		m := tmpl.Dictionary
		msg := bytes.Clone(m.Bytes)
		put(msg, m.ID, id)
		put(msg, m.Length, 2)
		put(msg, m.Node, 2, 0)
		put(msg, m.Buffers, 0, 0, 0, 12, 64, 2*len(word))
		put(msg, m.BodyLength, 128)
		off := binary.LittleEndian.AppendUint32(make([]byte, 4), uint32(len(word)))
		off = binary.LittleEndian.AppendUint32(off, uint32(2*len(word)))
		stream = append(append(stream, msg...), pad(off)...)
		stream = append(stream, pad([]byte(word+word))...)
	}
	msg := bytes.Clone(tmpl.Batch.Bytes)
	put(msg, tmpl.Batch.Length, 3)
	put(msg, tmpl.Batch.Nodes, 3, 0, 3, 0)
	put(msg, tmpl.Batch.Buffers, 0, 0, 0, 12, 64, 0, 64, 12)
	put(msg, tmpl.Batch.BodyLength, 128)
	stream = append(stream, msg...)
	for range 2 {
		stream = append(stream, pad([]byte{1, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0})...)
	}
	stream = append(stream, EOS[:]...)

	var kinds []uint8
	for rest := stream; ; {
		n, err := Prefix(rest)
		if err != nil {
			t.Fatal(err)
		}
		if n == 0 {
			break
		}
		m, err := ParseMessage(rest[PrefixSize : PrefixSize+n])
		if err != nil {
			t.Fatal(err)
		}
		if at := len(stream) - len(rest) + PrefixSize + n; at%Alignment != 0 {
			t.Errorf("body of message %d begins at %d", len(kinds), at)
		}
		if m.Kind == HeaderDictionaryBatch {
			var b Batch
			d, err := m.Dictionary(&b)
			if err != nil || d.ID != int64(len(kinds)-1) || d.Delta || b.Rows != 2 || b.Nodes() != 1 || b.Buffers() != 3 {
				t.Errorf("dictionary %+v, %+v, %v", d, b, err)
			}
		}
		kinds = append(kinds, m.Kind)
		rest = rest[PrefixSize+n+int(m.BodyLength):]
	}
	if !bytes.Equal(kinds, []byte{HeaderSchema, HeaderDictionaryBatch, HeaderDictionaryBatch, HeaderRecordBatch}) {
		t.Errorf("messages %v", kinds)
	}
	r, err := ipc.NewReader(bytes.NewReader(stream))
	if err != nil {
		t.Fatal(err)
	}
	defer r.Release()
	if !r.Next() {
		t.Fatal(r.Err())
	}
	batch := r.RecordBatch()
	if got := batch.Column(1).(*array.Dictionary).ValueStr(0); batch.NumRows() != 3 || got != "right" {
		t.Errorf("%d rows, %s", batch.NumRows(), got)
	}
	if got := batch.Column(0).(*array.Dictionary).ValueStr(2); got != "left" {
		t.Errorf("%s", got)
	}
}
