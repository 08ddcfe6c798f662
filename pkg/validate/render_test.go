package validate

import (
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
)

// TestRenderValue shows values of every kind, so that different ones look different.
func TestRenderValue(t *testing.T) {
	p, f, b := arrow.PrimitiveTypes, arrow.FixedWidthTypes, arrow.BinaryTypes
	long := strings.Repeat("x", 500)
	for _, c := range []struct {
		typ          arrow.DataType
		value, shown string
	}{
		{p.Int64, `-5`, `-5`}, {p.Int64, `null`, `null`}, {f.Boolean, `true`, `true`},
		{b.String, `"a\"\u0000"`, `"a\"\x00"`}, {b.StringView, `""`, `""`}, {b.Binary, `"AP8="`, `0x00ff`},
		{b.String, `"` + long + `"`, `"` + long[:maxText] + `"… (500 bytes)`},
		{b.LargeString, `"` + long[:maxText-1] + `ä"`, `"` + long[:maxText-1] + `"… (65 bytes)`},
		{arrow.ListOf(p.Int64), `[` + strings.Repeat("7, ", 400) + `7]`, `[` + strings.Repeat("7, ", 53) + `…`},
		{p.Float64, `-0.0`, `-0`}, {p.Float32, `0.1`, `0.1`},
		{&arrow.Decimal128Type{Precision: 9, Scale: 2}, `"1.50"`, `1.5`},
		{f.Date32, `"2020-02-29"`, `2020-02-29`}, {f.Timestamp_us, `"2020-02-29 01:02:03.5Z"`, `2020-02-29T01:02:03.5Z`},
		{arrow.ListOf(b.String), `["a", null]`, `["a", null]`},
		{arrow.StructOf(field("i", p.Int32), field("s", b.String)), `{"i": 1, "s": null}`, `{i: 1, s: null}`},
		{arrow.MapOf(b.String, p.Int32), `[{"key": "k", "value": 2}]`, `[{key: "k", value: 2}]`},
		{&arrow.DictionaryType{IndexType: p.Int8, ValueType: b.String}, `"d"`, `"d"`},
		{arrow.Null, `null`, `null`},
	} {
		a := tableOf(t, []arrow.Field{field("v", c.typ)}, "["+c.value+"]").batches[0].Column(0)
		if got := renderValue(a, 0); got != c.shown {
			t.Errorf("%s %.40s: %s, want %s", c.typ, c.value, got, c.shown)
		}
	}
}

// TestRenderTimestamps in zones that exist and in one that does not.
func TestRenderTimestamps(t *testing.T) {
	for zone, want := range map[string]string{"": "1970-01-01T00:00:01.234567", "UTC": "1970-01-01T00:00:01.234567Z", "UTA": "1970-01-01T00:00:01.234567Z"} {
		b := array.NewTimestampBuilder(memory.DefaultAllocator, &arrow.TimestampType{Unit: arrow.Microsecond, TimeZone: zone})
		b.Append(1234567)
		b.Append(1<<63 - 1)
		a := b.NewArray()
		if got := renderValue(a, 0); got != want {
			t.Errorf("zone %q: %s", zone, got)
		}
		if got := renderValue(a, 1); got != "9223372036854775807us" {
			t.Errorf("far future: %s", got)
		}
	}
}
