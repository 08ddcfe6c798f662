package oracle

import (
	"encoding/hex"
	"fmt"
	"strconv"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
)

// Rows are all rows of a batch as text.
func Rows(b arrow.RecordBatch) []string {
	rows := make([]string, b.NumRows())
	for i := range rows {
		rows[i] = Row(b, i)
	}
	return rows
}

// Row is row i as text that two rows share exactly when all their values are
// the same, bit by bit: 0.0 and -0.0 differ, and so do two NaNs of different
// bits. What lies hidden behind a null does not show.
func Row(b arrow.RecordBatch, i int) string {
	var text []byte
	for c, col := range b.Columns() {
		if c > 0 {
			text = append(text, '|')
		}
		text = appendValue(text, col, i)
	}
	return string(text)
}

// Value is value i of an array as text.
func Value(a arrow.Array, i int) string { return string(appendValue(nil, a, i)) }

func appendValue(b []byte, a arrow.Array, i int) []byte {
	if a.IsNull(i) || a.DataType().ID() == arrow.NULL {
		return append(b, "null"...)
	}
	switch a := a.(type) {
	case *array.Boolean:
		return strconv.AppendBool(b, a.Value(i))
	case *array.Int64:
		return strconv.AppendInt(b, a.Value(i), 10)
	case *array.Int32:
		return strconv.AppendInt(b, int64(a.Value(i)), 10)
	case array.StringLike:
		return strconv.AppendQuote(b, a.Value(i))
	case interface{ Value(int) []byte }: // binaries of all layouts
		return hex.AppendEncode(append(b, 'x'), a.Value(i))
	case *array.Struct:
		return appendStruct(b, a, i)
	case *array.FixedSizeList:
		return appendList(b, a, i)
	case array.ListLike:
		return appendList(b, a, i)
	case *array.Dictionary:
		return appendValue(b, a.Dictionary(), a.GetValueIndex(i))
	case array.ExtensionArray:
		return appendValue(b, a.Storage(), i)
	}
	return appendFixed(b, a, i)
}

func appendStruct(b []byte, a *array.Struct, i int) []byte {
	b = append(b, '{')
	for f := range a.NumField() {
		if f > 0 {
			b = append(b, ',')
		}
		b = appendValue(b, a.Field(f), i)
	}
	return append(b, '}')
}

func appendList(b []byte, a array.ListLike, i int) []byte {
	b = append(b, '[')
	first, end := a.ValueOffsets(i)
	for e := first; e < end; e++ {
		if e > first {
			b = append(b, ',')
		}
		b = appendValue(b, a.ListValues(), int(e))
	}
	return append(b, ']')
}

// appendFixed shows the bytes of any other fixed-width value. Types that no
// shuffle here holds are shown as arrow-go shows them.
func appendFixed(b []byte, a arrow.Array, i int) []byte {
	t, ok := a.DataType().(arrow.FixedWidthDataType)
	if !ok || t.BitWidth()%8 != 0 {
		return fmt.Appendf(b, "<%s %s>", a.DataType(), a.ValueStr(i))
	}
	width, at := t.BitWidth()/8, a.Data().Offset()+i
	raw := a.Data().Buffers()[1].Bytes()
	return hex.AppendEncode(append(b, '#'), raw[at*width:(at+1)*width])
}
