package compatibility

import (
	"github.com/apache/arrow-go/v18/arrow"
)

// kind is a type of the table, with JSON values that the builders of arrow-go
// take.
type kind struct {
	name   string
	t      arrow.DataType
	values []string
}

func decimalType(bits int, precision, scale int32) arrow.DataType {
	switch bits {
	case 128:
		return &arrow.Decimal128Type{Precision: precision, Scale: scale}
	}
	return &arrow.Decimal256Type{Precision: precision, Scale: scale}
}

var (
	integers = []string{`0`, `1`, `100`, `7`}
	texts    = []string{`"a"`, `""`, `"grüße"`, `"a longer string than twelve bytes"`}
	binaries = []string{`"AAEC"`, `""`, `"/w=="`, `"AAAAAAAAAAAAAAAA"`}
)

// kinds are the rows of the table.
var kinds = []kind{
	{"null", arrow.Null, []string{`null`}},
	{"bool", arrow.FixedWidthTypes.Boolean, []string{`true`, `false`}},
	{"int8", arrow.PrimitiveTypes.Int8, []string{`-128`, `127`, `0`}},
	{"int16", arrow.PrimitiveTypes.Int16, []string{`-32768`, `32767`}},
	{"int32", arrow.PrimitiveTypes.Int32, []string{`-2147483648`, `2147483647`, `5`}},
	{"int64", arrow.PrimitiveTypes.Int64, []string{`-9007199254740991`, `9007199254740991`, `5`}},
	{"uint8", arrow.PrimitiveTypes.Uint8, integers},
	{"uint16", arrow.PrimitiveTypes.Uint16, integers},
	{"uint32", arrow.PrimitiveTypes.Uint32, []string{`4294967295`, `0`}},
	{"uint64", arrow.PrimitiveTypes.Uint64, []string{`9007199254740991`, `0`}},
	{"float16", arrow.FixedWidthTypes.Float16, []string{`0.5`, `-2`, `0`}},
	{"float32", arrow.PrimitiveTypes.Float32, []string{`1.5`, `-0.25`, `0`}},
	{"float64", arrow.PrimitiveTypes.Float64, []string{`1.5`, `-1e300`, `0`}},
	{"decimal of 9 digits", decimalType(128, 9, 2), []string{`"1.23"`, `"-1.23"`}},
	{"decimal of 18 digits", decimalType(128, 18, 4), []string{`"12345678901234.5678"`, `"-0.0001"`}},
	{"decimal of 38 digits", decimalType(128, 38, 10), []string{`"1234567890123456789012345678.0123456789"`, `"-1"`}},
	{"decimal256 of 30 digits", decimalType(256, 30, 2), []string{`"1.23"`, `"-1.23"`}},
	{"decimal256 of 50 digits", decimalType(256, 50, 2), []string{`"1.23"`, `"-1.23"`}},
	{"date32", arrow.FixedWidthTypes.Date32, []string{`"1970-01-01"`, `"2026-02-28"`}},
	{"date64", arrow.FixedWidthTypes.Date64, []string{`"1970-01-02"`, `"2026-02-28"`}},
	{"time32 (ms)", arrow.FixedWidthTypes.Time32ms, []string{`"00:00:00.001"`, `"23:59:59.999"`}},
	{"time64 (us)", arrow.FixedWidthTypes.Time64us, []string{`"00:00:00.000001"`, `"23:59:59.999999"`}},
	{"time64 (ns)", arrow.FixedWidthTypes.Time64ns, []string{`"00:00:00.000000001"`}},
	{"timestamp (s)", arrow.FixedWidthTypes.Timestamp_s, []string{`"2026-02-28 12:00:00Z"`}},
	{"timestamp (ms, UTC)", arrow.FixedWidthTypes.Timestamp_ms, []string{`"2026-02-28 12:00:00.123Z"`}},
	{"timestamp (us, UTC)", arrow.FixedWidthTypes.Timestamp_us, []string{`"2026-02-28 12:00:00.123456Z"`, `"1900-01-01 00:00:00Z"`}},
	{"timestamp (us)", &arrow.TimestampType{Unit: arrow.Microsecond}, []string{`"2026-02-28 12:00:00.123456"`}},
	{"timestamp (ns, UTC)", arrow.FixedWidthTypes.Timestamp_ns, []string{`"2026-02-28 12:00:00.123456789Z"`, `"1900-01-01 00:00:00.000000001Z"`}},
	{"string", arrow.BinaryTypes.String, texts},
	{"large string", arrow.BinaryTypes.LargeString, texts},
	{"binary", arrow.BinaryTypes.Binary, binaries},
	{"large binary", arrow.BinaryTypes.LargeBinary, binaries},
	{"fixed-size binary", &arrow.FixedSizeBinaryType{ByteWidth: 3}, []string{`"AAEC"`, `"////"`}},
	{"list", arrow.ListOf(arrow.PrimitiveTypes.Int32), []string{`[1, null, 3]`, `[]`, `[7]`}},
	{"large list", arrow.LargeListOf(arrow.BinaryTypes.String), []string{`["a", null]`, `[]`}},
	{"fixed-size list", arrow.FixedSizeListOf(2, arrow.PrimitiveTypes.Int64), []string{`[1, 2]`, `[null, 4]`}},
	{"struct", arrow.StructOf(arrow.Field{Name: "a", Type: arrow.PrimitiveTypes.Int32, Nullable: true}, arrow.Field{Name: "b", Type: arrow.BinaryTypes.String, Nullable: true}),
		[]string{`{"a": 1, "b": "x"}`, `{"a": null, "b": null}`}},
	{"map", arrow.MapOf(arrow.BinaryTypes.String, arrow.PrimitiveTypes.Int32), []string{`[{"key": "k", "value": 1}, {"key": "l", "value": null}]`, `[]`}},
	{"list of struct of list", arrow.ListOf(arrow.StructOf(arrow.Field{Name: "l", Type: arrow.ListOf(arrow.PrimitiveTypes.Int16), Nullable: true})),
		[]string{`[{"l": [1, 2]}, null, {"l": null}]`, `[]`}},
	{"dictionary of strings", &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int32, ValueType: arrow.BinaryTypes.String}, texts},
}
