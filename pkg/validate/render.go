package validate

import (
	"encoding/hex"
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/decimal256"

	"github.com/shufflebench/shufflebench/pkg/validate/internal/cells"
)

// What is shown of a value at most: bytes of a text, and characters in all.
const (
	maxText = 64
	maxCell = 160
)

// renderCells renders columns of a row, named as in the input.
func renderCells(b arrow.RecordBatch, names *arrow.Schema, cols []int, row int) []Cell {
	cells := make([]Cell, len(cols))
	for i, c := range cols {
		cells[i] = Cell{names.Field(c).Name, renderValue(b.Column(c), row)}
	}
	return cells
}

// cellText joins the values of a key.
func cellText(cells []Cell) string {
	values := make([]string, len(cells))
	for i, c := range cells {
		values[i] = c.Value
	}
	if len(values) == 1 {
		return values[0]
	}
	return "(" + strings.Join(values, ", ") + ")"
}

// renderValue shows one value, cut to maxCell characters.
func renderValue(arr arrow.Array, i int) string {
	s := string(appendValue(nil, arr, i))
	if utf8.RuneCountInString(s) <= maxCell {
		return s
	}
	return string([]rune(s)[:maxCell]) + "…"
}

// appendValue renders a value so that different ones look different: text in
// quotes, binary in hex, NaNs and -0.0 by their bits.
func appendValue(dst []byte, arr arrow.Array, i int) []byte {
	if len(dst) > 8*maxCell { // nobody will see it
		return dst
	}
	if arr.IsNull(i) || arr.DataType().ID() == arrow.NULL {
		return append(dst, "null"...)
	}
	switch a := arr.(type) {
	case *array.Dictionary:
		return appendValue(dst, a.Dictionary(), a.GetValueIndex(i))
	case *array.RunEndEncoded:
		return appendValue(dst, a.Values(), a.GetPhysicalIndex(i))
	case array.ExtensionArray:
		return appendValue(dst, a.Storage(), i)
	case *array.Struct:
		return appendStruct(dst, a, i)
	case array.ListLike:
		return appendList(dst, a, i)
	case *array.Timestamp:
		return appendTimestamp(dst, a, i)
	case *array.Float32:
		return appendFloat(dst, float64(a.Value(i)), 32, uint64(math.Float32bits(a.Value(i))))
	case *array.Float64:
		return appendFloat(dst, a.Value(i), 64, math.Float64bits(a.Value(i)))
	}
	if p, ok := cells.Bytes(arr, i); ok {
		return appendText(dst, arr.DataType(), p)
	}
	return append(dst, arr.ValueStr(i)...)
}

func appendStruct(dst []byte, a *array.Struct, i int) []byte {
	dst = append(dst, '{')
	for f, field := range a.DataType().(*arrow.StructType).Fields() {
		if f > 0 {
			dst = append(dst, ", "...)
		}
		dst = append(append(dst, field.Name...), ": "...)
		dst = appendValue(dst, a.Field(f), i)
	}
	return append(dst, '}')
}

func appendList(dst []byte, a array.ListLike, i int) []byte {
	dst = append(dst, '[')
	p, end := a.ValueOffsets(i)
	for e := p; e < end && e < p+maxCell; e++ {
		if e > p {
			dst = append(dst, ", "...)
		}
		dst = appendValue(dst, a.ListValues(), int(e))
	}
	return append(dst, ']')
}

// appendTimestamp shows the moment in UTC, whatever the zone: a file may name
// one that does not exist.
func appendTimestamp(dst []byte, a *array.Timestamp, i int) []byte {
	typ := a.DataType().(*arrow.TimestampType)
	at := a.Value(i).ToTime(typ.Unit).UTC()
	if at.Year() < 0 || at.Year() > 9999 {
		return fmt.Appendf(dst, "%d%s", int64(a.Value(i)), typ.Unit)
	}
	dst = at.AppendFormat(dst, "2006-01-02T15:04:05.999999999")
	if typ.TimeZone != "" {
		dst = append(dst, 'Z')
	}
	return dst
}

func appendFloat(dst []byte, v float64, width int, bits uint64) []byte {
	if v != v {
		return fmt.Appendf(dst, "NaN(%#x)", bits)
	}
	return strconv.AppendFloat(dst, v, 'g', -1, width) // -0 keeps its sign
}

func appendText(dst []byte, t arrow.DataType, p []byte) []byte {
	shown := p[:min(len(p), maxText)]
	switch t.ID() {
	case arrow.STRING, arrow.LARGE_STRING, arrow.STRING_VIEW:
		for len(shown) < len(p) && len(shown) > 0 && !utf8.RuneStart(p[len(shown)]) {
			shown = shown[:len(shown)-1] // not in the middle of a character
		}
		dst = strconv.AppendQuote(dst, string(shown))
	default:
		dst = hex.AppendEncode(append(dst, "0x"...), shown)
	}
	if len(shown) < len(p) {
		dst = fmt.Appendf(dst, "… (%d bytes)", len(p))
	}
	return dst
}

// decimalOf is a decimal of any width.
func decimalOf(arr arrow.Array, i int) (v decimal256.Num, ok bool) {
	switch a := arr.(type) {
	case *array.Decimal32:
		return decimal256.FromI64(int64(a.Value(i))), true
	case *array.Decimal64:
		return decimal256.FromI64(int64(a.Value(i))), true
	case *array.Decimal128:
		return decimal256.FromDecimal128(a.Value(i)), true
	case *array.Decimal256:
		return a.Value(i), true
	}
	return v, false
}
