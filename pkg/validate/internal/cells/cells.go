// Package cells reads single values of arrays, whatever the layout.
package cells

import (
	"unsafe"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
)

// Bytes is row i of a string or binary type, in place and only to be read; ok is
// false for others.
func Bytes(arr arrow.Array, i int) (p []byte, ok bool) {
	switch a := arr.(type) {
	case *array.String:
		return InPlace(a.Value(i)), true
	case *array.LargeString:
		return InPlace(a.Value(i)), true
	case *array.StringView:
		return InPlace(a.Value(i)), true
	case *array.Binary:
		return a.Value(i), true
	case *array.LargeBinary:
		return a.Value(i), true
	case *array.BinaryView:
		return a.Value(i), true
	case *array.FixedSizeBinary:
		return a.Value(i), true
	}
	return nil, false
}

// InPlace is the string's bytes, only to be read.
func InPlace(s string) []byte { return unsafe.Slice(unsafe.StringData(s), len(s)) }
