package reader

import (
	flatbuffers "github.com/google/flatbuffers/go"

	"github.com/shufflebench/shufflebench/internal/ipcwire"
)

// Messages made by hand, for what no writer writes.

// message frames metadata and a body.
func framed(metadata, body []byte) []byte {
	for len(metadata)%8 != 0 {
		metadata = append(metadata, 0)
	}
	out := le.AppendUint32(le.AppendUint32(nil, ipcwire.Continuation), uint32(len(metadata)))
	return append(append(out, metadata...), body...)
}

// metadataOf is the metadata of a message whose header build makes.
func metadataOf(kind byte, bodyLength int64, build func(*flatbuffers.Builder) flatbuffers.UOffsetT) []byte {
	b := flatbuffers.NewBuilder(256)
	header := build(b)
	b.StartObject(5)
	b.PrependInt16Slot(0, ipcwire.MetadataV5, 0)
	b.PrependByteSlot(1, kind, 0)
	b.PrependUOffsetTSlot(2, header, 0)
	b.PrependInt64Slot(3, bodyLength, 0)
	b.Finish(b.EndObject())
	return b.FinishedBytes()
}

// pairsVector writes structs of two i64.
func pairsVector(b *flatbuffers.Builder, pairs [][2]int64) flatbuffers.UOffsetT {
	b.StartVector(16, len(pairs), 8)
	for i := len(pairs) - 1; i >= 0; i-- {
		b.PrependInt64(pairs[i][1])
		b.PrependInt64(pairs[i][0])
	}
	return b.EndVector(len(pairs))
}

// batchTable writes a RecordBatch table.
func batchTable(b *flatbuffers.Builder, rows int64, nodes, buffers [][2]int64) flatbuffers.UOffsetT {
	n, v := pairsVector(b, nodes), pairsVector(b, buffers)
	b.StartObject(5)
	b.PrependInt64Slot(0, rows, 0)
	b.PrependUOffsetTSlot(1, n, 0)
	b.PrependUOffsetTSlot(2, v, 0)
	return b.EndObject()
}

// batchMessage is a record batch message with any numbers in it.
func batchMessage(rows int64, nodes, buffers [][2]int64, body []byte) []byte {
	return framed(metadataOf(ipcwire.HeaderRecordBatch, int64(len(body)), func(b *flatbuffers.Builder) flatbuffers.UOffsetT {
		return batchTable(b, rows, nodes, buffers)
	}), body)
}

// dictionaryMessage is a dictionary message for id with the strings "ab" and "c".
func dictionaryMessage(id int64) []byte {
	body := make([]byte, 24)
	le.PutUint32(body[4:], 2)
	le.PutUint32(body[8:], 3)
	copy(body[16:], "abc")
	return framed(metadataOf(ipcwire.HeaderDictionaryBatch, int64(len(body)), func(b *flatbuffers.Builder) flatbuffers.UOffsetT {
		data := batchTable(b, 2, [][2]int64{{2, 0}}, [][2]int64{{0, 0}, {0, 12}, {16, 3}})
		b.StartObject(3)
		b.PrependInt64Slot(0, id, 0)
		b.PrependUOffsetTSlot(1, data, 0)
		return b.EndObject()
	}), body)
}

// batchOfZeros is the header of a batch of one i64 column without nulls that
// takes size bytes.
func batchOfZeros(size int64) func(*flatbuffers.Builder) flatbuffers.UOffsetT {
	return func(b *flatbuffers.Builder) flatbuffers.UOffsetT {
		return batchTable(b, size/8, [][2]int64{{size / 8, 0}}, [][2]int64{{0, 0}, {0, size}})
	}
}

// zerosFrame is an LZ4 frame of head, n blocks of 64 KiB of zeros, and tail.
func zerosFrame(head []byte, n int, tail []byte) []byte {
	stored := func(b []byte) []byte { return append(le.AppendUint32(nil, uint32(len(b))|1<<31), b...) }
	zeros := []byte{0x1f, 0, 1, 0} // one zero, then a match that repeats it
	rest := 64<<10 - 1 - 19 - 5
	for ; rest >= 255; rest -= 255 {
		zeros = append(zeros, 255)
	}
	zeros = append(zeros, byte(rest), 0x50, 0, 0, 0, 0, 0) // and five more
	frame := append([]byte{0x04, 0x22, 0x4d, 0x18, 0x60, 0x40, 0x82}, stored(head)...)
	for range n {
		frame = append(le.AppendUint32(frame, uint32(len(zeros))), zeros...)
	}
	return append(append(frame, stored(tail)...), 0, 0, 0, 0)
}
