package reader

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/google/go-cmp/cmp"

	"github.com/shufflebench/shufflebench/internal/ipcwire"
	"github.com/shufflebench/shufflebench/internal/shufflefile"
)

// doPlanes is the inverse of undoPlanes, written as the format says it.
func doPlanes(offsets []byte) []byte {
	n := len(offsets) / 4
	out := make([]byte, len(offsets))
	last := uint32(0)
	for i := range n {
		o := le.Uint32(offsets[4*i:])
		for plane := range 4 {
			out[plane*n+i] = byte((o - last) >> (8 * plane))
		}
		last = o
	}
	return out
}

// storeLengths turns every i32 offsets buffer of a stream's record batch into
// planes, in place, and makes its length exact.
func storeLengths(t *testing.T, payload []byte) []byte {
	t.Helper()
	payload = bytes.Clone(payload)
	var s stream
	if err := s.read(payload, &cache{}); err != nil {
		t.Fatal(err)
	}
	rec, buffer, variadic := s.record(), 0, 0
	for i := range rec.plan.nodes {
		n := &rec.plan.nodes[i]
		rows, _ := rec.meta.Node(i)
		if (n.kind == kindBinary || n.kind == kindList) && rows > 0 {
			off, size := rec.meta.Buffer(buffer + 1)
			exact := 4 * (rows + 1)
			copy(rec.body[off:], doPlanes(rec.body[off:off+exact]))
			patchBuffer(t, payload, off, size, exact)
		}
		if buffer += wireBuffers[n.kind]; n.kind == kindView {
			buffer += int(rec.meta.Variadic(variadic))
			variadic++
		}
	}
	return payload
}

// patchBuffer changes the length of the buffer at off in the metadata.
func patchBuffer(t *testing.T, payload []byte, off, size, exact int64) {
	t.Helper()
	var old [ipcwire.BufferSize]byte
	le.PutUint64(old[:], uint64(off))
	le.PutUint64(old[8:], uint64(size))
	at := bytes.Index(payload, old[:])
	if at < 0 {
		t.Fatalf("no buffer of %d bytes at %d", size, off)
	}
	le.PutUint64(payload[at+8:], uint64(exact))
}

// TestLengthsInPlanes: blocks whose offsets are stored as lengths decode like
// those whose are not, with every codec that may have them, however large.
func TestLengthsInPlanes(t *testing.T) {
	str := arrow.BinaryTypes.String
	nested := arrow.ListOf(arrow.StructOf(nullable("m", arrow.MapOf(str, arrow.ListOf(str))), nullable("b", arrow.BinaryTypes.Binary)))
	schema := schemaOf(str, arrow.PrimitiveTypes.Int64, nested, arrow.BinaryTypes.StringView, arrow.LargeListOf(str), arrow.BinaryTypes.LargeString)
	for name, o := range modes() {
		r := blockReader(t, o)
		for _, c := range []shufflefile.Codec{shufflefile.LZ4, shufflefile.Zstd, shufflefile.None} {
			for _, rows := range []int{0, 1, 30, 2000} {
				t.Run(fmt.Sprint(name, c, rows), func(t *testing.T) {
					rec := randomBatch(t, schema, rows, 5)
					payload := streamOf(t, schema, []arrow.RecordBatch{rec})
					raw := blockOf(6, shufflefile.MakeTag(c, true), frameOf(t, c, storeLengths(t, payload)))
					before := bytes.Clone(raw)
					checkBlock(t, r, raw, blockOf(6, shufflefile.MakeTag(shufflefile.None, false), payload))
					if !bytes.Equal(raw, before) {
						t.Error("the block was changed")
					}
				})
			}
		}
	}
}

// TestUndoPlanes holds it against the format's own words.
func TestUndoPlanes(t *testing.T) {
	for _, offsets := range [][]uint32{{0}, {0, 0}, {0, 3, 3, 300, 70000, 20000000}, {5, 6}, {0, 1 << 31, 1<<32 - 1}} {
		var want []byte
		for _, o := range offsets {
			want = le.AppendUint32(want, o)
		}
		got := make([]byte, len(want))
		undoPlanes(got, doPlanes(want))
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%d: %s", offsets, diff)
		}
	}
}
