// Package randrows makes random rows of every Arrow type, for tests.
package randrows

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
)

// Field is a nullable field.
func Field(name string, t arrow.DataType) arrow.Field {
	return arrow.Field{Name: name, Type: t, Nullable: true}
}

// FromJSON makes an array of JSON values.
func FromJSON(t arrow.DataType, values string) (arrow.Array, error) {
	a, _, err := array.FromJSON(memory.DefaultAllocator, t, strings.NewReader(values))
	if err != nil {
		return nil, fmt.Errorf("%.100s as %s: %w", values, t, err)
	}
	return a, nil
}

// randomValue writes a JSON value of type t from a small domain, so that equal
// values occur, and nulls often.
func randomValue(r *rand.Rand, t arrow.DataType) string {
	if r.IntN(6) == 0 {
		return "null"
	}
	switch t := t.(type) {
	case *arrow.NullType:
		return "null"
	case *arrow.BooleanType:
		return strconv.FormatBool(r.IntN(2) == 0)
	case *arrow.StringType, *arrow.LargeStringType, *arrow.StringViewType:
		return strconv.Quote(strings.Repeat("ab", r.IntN(20)) + strconv.Itoa(r.IntN(3)))
	case *arrow.BinaryType, *arrow.BinaryViewType:
		return []string{`""`, `"AA=="`, `"AAE="`, `"/////w=="`}[r.IntN(4)]
	case arrow.DecimalType:
		return fmt.Sprintf(`"%d.%02d"`, r.IntN(7)-3, r.IntN(2)*25)
	case *arrow.Date32Type, *arrow.Date64Type:
		return fmt.Sprintf(`"200%d-01-0%d"`, r.IntN(3), 1+r.IntN(3))
	case *arrow.TimestampType:
		return fmt.Sprintf(`"1969-12-31 23:59:5%dZ"`, r.IntN(10))
	case *arrow.Time32Type, *arrow.Time64Type:
		return fmt.Sprintf(`"00:00:0%d"`, r.IntN(4))
	case *arrow.MonthDayNanoIntervalType:
		return fmt.Sprintf(`{"months": %d, "days": %d, "nanoseconds": %d}`, r.IntN(2), r.IntN(2), r.IntN(2))
	case *arrow.DayTimeIntervalType:
		return fmt.Sprintf(`{"days": %d, "milliseconds": %d}`, r.IntN(3)-1, r.IntN(2))
	case *arrow.MonthIntervalType:
		return fmt.Sprintf(`{"months": %d}`, r.IntN(3))
	case *arrow.FixedSizeListType:
		return randomList(r, t.Elem(), int(t.Len()))
	case *arrow.MapType:
		return randomMap(r, t)
	case arrow.ListLikeType:
		return randomList(r, t.Elem(), r.IntN(4))
	case *arrow.StructType:
		return randomStruct(r, t)
	case *arrow.DictionaryType:
		return randomValue(r, t.ValueType)
	case *arrow.RunEndEncodedType:
		return randomValue(r, t.Encoded())
	case *arrow.FixedSizeBinaryType:
		return []string{`"AAAA"`, `"AAAB"`, `"////"`}[r.IntN(3)]
	}
	return strconv.Itoa(r.IntN(4))
}

func randomList(r *rand.Rand, elem arrow.DataType, n int) string {
	items := make([]string, n)
	for i := range items {
		items[i] = randomValue(r, elem)
	}
	return "[" + strings.Join(items, ",") + "]"
}

func randomMap(r *rand.Rand, t *arrow.MapType) string {
	var items []string
	for i := range r.IntN(3) {
		items = append(items, fmt.Sprintf(`{"key": "k%d", "value": %s}`, i, randomValue(r, t.ItemType())))
	}
	return "[" + strings.Join(items, ",") + "]"
}

func randomStruct(r *rand.Rand, t *arrow.StructType) string {
	var items []string
	for _, f := range t.Fields() {
		items = append(items, fmt.Sprintf("%q: %s", f.Name, randomValue(r, f.Type)))
	}
	return "{" + strings.Join(items, ",") + "}"
}

// Values writes a JSON list of n random values.
func Values(r *rand.Rand, t arrow.DataType, n int) string {
	items := make([]string, n)
	for i := range items {
		items[i] = randomValue(r, t)
	}
	return "[" + strings.Join(items, ",") + "]"
}

// Types is one type of every kind, and nestings of them.
func Types() []arrow.DataType {
	p, f, b := arrow.PrimitiveTypes, arrow.FixedWidthTypes, arrow.BinaryTypes
	st := arrow.StructOf(Field("i", p.Int32), Field("s", b.String))
	return []arrow.DataType{
		p.Int8, p.Int16, p.Int32, p.Int64, p.Uint8, p.Uint16, p.Uint32, p.Uint64,
		f.Float16, p.Float32, p.Float64, f.Boolean, f.Date32, f.Date64,
		f.Time32s, f.Time32ms, f.Time64us, f.Time64ns,
		f.Timestamp_s, f.Timestamp_ms, f.Timestamp_us, f.Timestamp_ns,
		f.Duration_s, f.Duration_ns, f.MonthInterval, f.DayTimeInterval, f.MonthDayNanoInterval,
		&arrow.Decimal32Type{Precision: 7, Scale: 2}, &arrow.Decimal64Type{Precision: 15, Scale: 2},
		&arrow.Decimal128Type{Precision: 30, Scale: 2}, &arrow.Decimal256Type{Precision: 60, Scale: 2},
		b.String, b.LargeString, b.StringView, b.Binary, b.BinaryView, &arrow.FixedSizeBinaryType{ByteWidth: 3},
		arrow.ListOf(p.Int64), arrow.LargeListOf(b.String), arrow.FixedSizeListOf(2, p.Int32),
		arrow.ListOf(arrow.ListOf(b.String)), st, arrow.ListOf(st), arrow.MapOf(b.String, arrow.ListOf(p.Int32)),
		arrow.StructOf(Field("n", st), Field("l", arrow.ListOf(f.Boolean))),
		&arrow.DictionaryType{IndexType: p.Int16, ValueType: b.String},
		&arrow.DictionaryType{IndexType: p.Uint8, ValueType: p.Int64},
		arrow.RunEndEncodedOf(p.Int32, b.String),
		arrow.Null,
	}
}
