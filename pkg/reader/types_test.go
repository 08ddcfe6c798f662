package reader

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/decimal"
	"github.com/apache/arrow-go/v18/arrow/decimal128"
	"github.com/apache/arrow-go/v18/arrow/decimal256"
	"github.com/apache/arrow-go/v18/arrow/extensions"
	"github.com/apache/arrow-go/v18/arrow/float16"
	"github.com/apache/arrow-go/v18/arrow/memory"
)

// field is a nullable field.
func nullable(name string, dt arrow.DataType) arrow.Field {
	return arrow.Field{Name: name, Type: dt, Nullable: true}
}

// allTypes has every type that arrow-go reads, and nestings of them.
func allTypes() []arrow.DataType {
	ts := func(u arrow.TimeUnit) arrow.DataType { return &arrow.TimestampType{Unit: u, TimeZone: "UTC"} }
	dict := func(index, value arrow.DataType) arrow.DataType {
		return &arrow.DictionaryType{IndexType: index, ValueType: value}
	}
	str, i32, i64 := arrow.BinaryTypes.String, arrow.PrimitiveTypes.Int32, arrow.PrimitiveTypes.Int64
	fields := []arrow.Field{nullable("a", i64), nullable("b", str)}
	types := []arrow.DataType{
		arrow.Null, arrow.FixedWidthTypes.Boolean,
		arrow.PrimitiveTypes.Int8, arrow.PrimitiveTypes.Int16, i32, i64,
		arrow.PrimitiveTypes.Uint8, arrow.PrimitiveTypes.Uint16, arrow.PrimitiveTypes.Uint32, arrow.PrimitiveTypes.Uint64,
		arrow.FixedWidthTypes.Float16, arrow.PrimitiveTypes.Float32, arrow.PrimitiveTypes.Float64,
		str, arrow.BinaryTypes.Binary, arrow.BinaryTypes.LargeString, arrow.BinaryTypes.LargeBinary,
		arrow.BinaryTypes.StringView, arrow.BinaryTypes.BinaryView,
		&arrow.FixedSizeBinaryType{ByteWidth: 3}, arrow.PrimitiveTypes.Date32, arrow.PrimitiveTypes.Date64,
		arrow.FixedWidthTypes.Time32s, arrow.FixedWidthTypes.Time64us, ts(arrow.Microsecond), ts(arrow.Second),
		&arrow.TimestampType{Unit: arrow.Nanosecond}, arrow.FixedWidthTypes.Duration_ms,
		arrow.FixedWidthTypes.MonthInterval, arrow.FixedWidthTypes.DayTimeInterval, arrow.FixedWidthTypes.MonthDayNanoInterval,
		&arrow.Decimal32Type{Precision: 7, Scale: 2}, &arrow.Decimal64Type{Precision: 15, Scale: 2},
		&arrow.Decimal128Type{Precision: 38, Scale: 10}, &arrow.Decimal256Type{Precision: 60, Scale: 4},
		arrow.ListOf(i64), arrow.ListOf(str), arrow.LargeListOf(str), arrow.FixedSizeListOf(3, i32),
		arrow.ListViewOf(i64), arrow.LargeListViewOf(str),
		arrow.StructOf(fields...), arrow.StructOf(), arrow.MapOf(str, i64),
		arrow.ListOf(arrow.StructOf(nullable("m", arrow.MapOf(i32, arrow.ListOf(str))), nullable("v", arrow.BinaryTypes.StringView))),
		arrow.SparseUnionOf(fields, []arrow.UnionTypeCode{3, 7}), arrow.DenseUnionOf(fields, []arrow.UnionTypeCode{0, 5}),
		arrow.RunEndEncodedOf(i32, str), arrow.RunEndEncodedOf(arrow.PrimitiveTypes.Int16, i64),
		dict(i32, str), dict(arrow.PrimitiveTypes.Int8, arrow.BinaryTypes.Binary), dict(arrow.PrimitiveTypes.Uint16, i64),
		arrow.ListOf(dict(i32, str)), arrow.StructOf(nullable("d", dict(arrow.PrimitiveTypes.Int64, str))),
		extensions.NewUUIDType(), extensions.NewBool8Type(),
	}
	return types
}

// schemaOf gives every type a column.
func schemaOf(types ...arrow.DataType) *arrow.Schema {
	fields := make([]arrow.Field, len(types))
	for i, dt := range types {
		fields[i] = nullable(fmt.Sprintf("c%d_%s", i, dt.Name()), dt)
	}
	return arrow.NewSchema(fields, nil)
}

// randomBatch has n rows of random values, a seventh of them null.
func randomBatch(tb testing.TB, schema *arrow.Schema, n int, seed uint64) arrow.RecordBatch {
	tb.Helper()
	rng := rand.New(rand.NewPCG(seed, 17))
	cols := make([]arrow.Array, schema.NumFields())
	for i, f := range schema.Fields() {
		b := array.NewBuilder(memory.DefaultAllocator, f.Type)
		for range n {
			appendRandom(tb, b, rng, true)
		}
		cols[i] = b.NewArray()
	}
	return array.NewRecordBatch(schema, cols, int64(n))
}

var words = []string{"", "a", "row", "straße", "ein längerer Text, der in keine Ansicht paßt", "漢字かな交じり文", "twelve bytes"}

func appendRandom(tb testing.TB, b array.Builder, rng *rand.Rand, nulls bool) {
	tb.Helper()
	if _, union := b.(array.UnionBuilder); nulls && !union && rng.IntN(7) == 0 {
		b.AppendNull()
		return
	}
	switch b := b.(type) {
	case *array.ListBuilder:
		b.Append(true)
		appendMany(tb, b.ValueBuilder(), rng, rng.IntN(4))
	case *array.LargeListBuilder:
		b.Append(true)
		appendMany(tb, b.ValueBuilder(), rng, rng.IntN(4))
	case *array.ListViewBuilder:
		n := rng.IntN(4)
		b.AppendWithSize(true, n)
		appendMany(tb, b.ValueBuilder(), rng, n)
	case *array.LargeListViewBuilder:
		n := rng.IntN(4)
		b.AppendWithSize(true, n)
		appendMany(tb, b.ValueBuilder(), rng, n)
	case *array.FixedSizeListBuilder:
		b.Append(true)
		appendMany(tb, b.ValueBuilder(), rng, int(b.Type().(*arrow.FixedSizeListType).Len()))
	case *array.StructBuilder:
		b.Append(true)
		for i := range b.NumField() {
			appendRandom(tb, b.FieldBuilder(i), rng, true)
		}
	case *array.MapBuilder:
		b.Append(true)
		for range rng.IntN(3) {
			appendRandom(tb, b.KeyBuilder(), rng, false)
			appendRandom(tb, b.ItemBuilder(), rng, true)
		}
	case *array.SparseUnionBuilder:
		k := rng.IntN(2)
		b.Append(b.Type().(arrow.UnionType).TypeCodes()[k])
		appendRandom(tb, b.Child(k), rng, true)
		b.Child(1 - k).AppendEmptyValue()
	case *array.DenseUnionBuilder:
		k := rng.IntN(2)
		b.Append(b.Type().(arrow.UnionType).TypeCodes()[k])
		appendRandom(tb, b.Child(k), rng, true)
	case *array.RunEndEncodedBuilder:
		b.Append(1)
		appendRandom(tb, b.ValueBuilder(), rng, false)
	default:
		appendScalar(tb, b, rng)
	}
}

func appendMany(tb testing.TB, b array.Builder, rng *rand.Rand, n int) {
	for range n {
		appendRandom(tb, b, rng, true)
	}
}

func appendScalar(tb testing.TB, b array.Builder, rng *rand.Rand) {
	tb.Helper()
	word := words[rng.IntN(len(words))]
	switch b := b.(type) {
	case array.StringLikeBuilder:
		b.Append(word)
	case *array.BinaryDictionaryBuilder:
		if err := b.AppendString(word); err != nil {
			tb.Fatal(err)
		}
	case array.BinaryLikeBuilder:
		b.Append([]byte(word))
	case *array.FixedSizeBinaryBuilder:
		b.Append(randomBytes(rng, b.Type().(*arrow.FixedSizeBinaryType).ByteWidth))
	case *extensions.UUIDBuilder:
		b.AppendBytes([16]byte(randomBytes(rng, 16)))
	case *array.Float16Builder:
		b.Append(float16.New(float32(rng.IntN(1000)) / 8))
	case *array.Decimal32Builder:
		b.Append(decimal.Decimal32(rng.Int32()))
	case *array.Decimal64Builder:
		b.Append(decimal.Decimal64(rng.Int64()))
	case *array.Decimal128Builder:
		b.Append(decimal128.New(rng.Int64(), rng.Uint64()))
	case *array.Decimal256Builder:
		b.Append(decimal256.New(rng.Uint64()>>1, rng.Uint64(), rng.Uint64(), rng.Uint64()))
	case *array.DayTimeIntervalBuilder:
		b.Append(arrow.DayTimeInterval{Days: rng.Int32(), Milliseconds: rng.Int32()})
	case *array.MonthDayNanoIntervalBuilder:
		b.Append(arrow.MonthDayNanoInterval{Months: rng.Int32(), Days: rng.Int32(), Nanoseconds: rng.Int64()})
	case *array.NullBuilder:
		b.AppendNull()
	default:
		appendNumber(tb, b, rng.Uint64()>>rng.IntN(60))
	}
}

func randomBytes(rng *rand.Rand, n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(rng.Uint32())
	}
	return b
}

func appendNumber(tb testing.TB, b array.Builder, v uint64) {
	tb.Helper()
	switch b := b.(type) {
	case *array.BooleanBuilder:
		b.Append(v&1 == 1)
	case *extensions.Bool8Builder:
		b.Append(v&1 == 1)
	case *array.Int64DictionaryBuilder:
		if err := b.Append(int64(v & 15)); err != nil {
			tb.Fatal(err)
		}
	case *array.Int8Builder:
		b.Append(int8(v))
	case *array.Int16Builder:
		b.Append(int16(v))
	case *array.Int32Builder:
		b.Append(int32(v))
	case *array.Int64Builder:
		b.Append(int64(v))
	case *array.Uint8Builder:
		b.Append(uint8(v))
	case *array.Uint16Builder:
		b.Append(uint16(v))
	case *array.Uint32Builder:
		b.Append(uint32(v))
	case *array.Uint64Builder:
		b.Append(v)
	case *array.Float32Builder:
		b.Append(float32(v))
	case *array.Float64Builder:
		b.Append(float64(v))
	case *array.Date32Builder:
		b.Append(arrow.Date32(v))
	case *array.Date64Builder:
		b.Append(arrow.Date64(v))
	case *array.Time32Builder:
		b.Append(arrow.Time32(v & 0xffff))
	case *array.Time64Builder:
		b.Append(arrow.Time64(v & 0xffffffff))
	case *array.TimestampBuilder:
		b.Append(arrow.Timestamp(v >> 2))
	case *array.DurationBuilder:
		b.Append(arrow.Duration(v))
	case *array.MonthIntervalBuilder:
		b.Append(arrow.MonthInterval(v))
	default:
		tb.Fatalf("no random value for %T", b)
	}
}
