package inspect

import (
	"bytes"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/ipc"

	"github.com/shufflebench/shufflebench/internal/ipcwire"
)

// readSchema parses a schema message, nil if it cannot be.
func readSchema(message []byte) *arrow.Schema {
	r, err := ipc.NewReader(bytes.NewReader(append(bytes.Clone(message), ipcwire.EOS[:]...)))
	if err != nil {
		return nil
	}
	defer r.Release()
	return r.Schema()
}

// bufferNames names a record batch's buffers in order, as far as the types let
// them be told: up to the first one with a number of buffers that varies.
func bufferNames(s *arrow.Schema) []string {
	if s == nil {
		return nil
	}
	var names []string
	for _, f := range s.Fields() {
		more, known := fieldBuffers(f.Name, f.Type)
		names = append(names, more...)
		if !known {
			return names
		}
	}
	return names
}

func fieldBuffers(name string, t arrow.DataType) (names []string, known bool) {
	of := func(kinds ...string) []string {
		for i, k := range kinds {
			kinds[i] = k + " of " + name
		}
		return kinds
	}
	switch t := t.(type) {
	case *arrow.NullType:
		return nil, true
	case *arrow.DictionaryType:
		return of("validity", "indices"), true
	case arrow.ExtensionType:
		return fieldBuffers(name, t.StorageType())
	case *arrow.StringType, *arrow.BinaryType, *arrow.LargeStringType, *arrow.LargeBinaryType:
		return of("validity", "offsets", "data"), true
	case *arrow.ListType, *arrow.LargeListType, *arrow.MapType:
		names = of("validity", "offsets")
	case *arrow.FixedSizeListType, *arrow.StructType:
		names = of("validity")
	case arrow.FixedWidthDataType:
		return of("validity", "data"), true
	default:
		return nil, false
	}
	for _, c := range t.(arrow.NestedType).Fields() {
		more, ok := fieldBuffers(name+"."+c.Name, c.Type)
		names = append(names, more...)
		if !ok {
			return names, false
		}
	}
	return names, true
}
