package reader

import (
	"bytes"
	"encoding/binary"
	"unicode/utf8"

	"github.com/shufflebench/shufflebench/internal/shufflefile"
)

// A view is 16 bytes: an i32 length; then the value itself, filled up with
// zeros, or its first 4 bytes, an i32 data buffer and an i32 offset in it.
const (
	viewSize   = 16
	viewInline = 12 // longest value inside its view
)

// views checks every view of a row that is not null.
func (c *checker) views(n *node, f *field) error {
	bitmap, all := c.bytes(f, 0), c.bytes(f, 1)
	for i := range f.length {
		if !valid(bitmap, i) {
			continue
		}
		value, ok := c.viewed(f, all[viewSize*i:viewSize*(i+1)])
		if !ok {
			return shufflefile.Corrupt("row %d has a view of bytes that are not there", i)
		}
		if n.utf8 && !utf8.Valid(value) {
			return shufflefile.Corrupt("row %d is not UTF-8", i)
		}
	}
	return nil
}

// viewed is the value of one view; false if it does not lie in a data buffer
// or begins otherwise than the view says.
func (c *checker) viewed(f *field, v []byte) ([]byte, bool) {
	size := int32At(v, 0)
	if size < 0 {
		return nil, false
	}
	if size <= viewInline {
		return v[4 : 4+size], true
	}
	buffer, at := int32At(v, 2), int64(int32(binary.LittleEndian.Uint32(v[12:])))
	if buffer < 0 || buffer >= int64(f.count-2) {
		return nil, false
	}
	data := c.bytes(f, 2+int(buffer))
	if at < 0 || at > int64(len(data)) || size > int64(len(data))-at {
		return nil, false
	}
	value := data[at : at+size]
	return value, bytes.Equal(value[:4], v[4:8])
}
