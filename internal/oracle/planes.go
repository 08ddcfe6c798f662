package oracle

import (
	"bytes"
	"encoding/binary"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/ipc"
)

// planeBit is set in a tag's first byte when every i32 offsets buffer of the
// record batch is stored as lengths in byte planes.
const planeBit = 0x80

// undoPlanes brings the offsets back: the n numbers of a buffer are the sums of
// lengths whose lowest bytes come first, then all second bytes, and so on.
func undoPlanes(payload []byte) ([]byte, error) {
	r, err := ipc.NewReader(bytes.NewReader(payload))
	if err != nil {
		return nil, err
	}
	defer r.Release()
	m, err := BatchMessage(payload)
	if err != nil {
		return nil, err
	}
	out := bytes.Clone(payload)
	next := 0
	for _, f := range r.Schema().Fields() {
		eachBuffer(f.Type, func(offsets bool) {
			at, size := m.BodyAt+int(m.Buffers[next][0]), int(m.Buffers[next][1])
			if offsets {
				copy(out[at:], sums(payload[at:at+size]))
			}
			next++
		})
	}
	return out, nil
}

func sums(planes []byte) []byte {
	n := len(planes) / 4
	var out []byte
	sum := uint32(0)
	for i := range n {
		for byteOf := range 4 {
			sum += uint32(planes[byteOf*n+i]) << (8 * byteOf)
		}
		out = binary.LittleEndian.AppendUint32(out, sum)
	}
	return out
}

// eachBuffer calls use for every buffer of a type, in the stream's order, and
// says whether it holds i32 offsets.
func eachBuffer(t arrow.DataType, use func(offsets bool)) {
	if e, ok := t.(arrow.ExtensionType); ok {
		t = e.StorageType()
	}
	switch t.ID() {
	case arrow.NULL:
		return
	case arrow.STRUCT, arrow.FIXED_SIZE_LIST:
		use(false)
	case arrow.STRING, arrow.BINARY:
		use(false)
		use(true)
		use(false)
	case arrow.LARGE_STRING, arrow.LARGE_BINARY:
		use(false)
		use(false)
		use(false)
	case arrow.LIST, arrow.MAP:
		use(false)
		use(true)
	default:
		use(false)
		use(false)
	}
	if n, ok := t.(arrow.NestedType); ok {
		for _, f := range n.Fields() {
			eachBuffer(f.Type, use)
		}
	}
}
