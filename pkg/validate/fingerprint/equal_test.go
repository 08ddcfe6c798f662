package fingerprint

import (
	"encoding/binary"
	"math"
	"regexp"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
)

// prints fingerprints a column of source as target's values.
func prints(t *testing.T, target arrow.DataType, a arrow.Array) []print128 {
	t.Helper()
	batch := one(a)
	ts := arrow.NewSchema([]arrow.Field{field("v", target)}, nil)
	rows, err := NewRows(KeysFrom(3), ts, batch.Schema(), nil)
	if err != nil {
		t.Fatal(err)
	}
	checkRelation(t, rows, batch)
	x, y := rows.Fold(batch, 0, a.Len())
	out := make([]print128, a.Len())
	for i := range out {
		out[i] = print128{x[i], y[i]}
	}
	return out
}

// TestCasts compares the same values under different types.
func TestCasts(t *testing.T) {
	p, f, b := arrow.PrimitiveTypes, arrow.FixedWidthTypes, arrow.BinaryTypes
	dict := func(v arrow.DataType) arrow.DataType {
		return &arrow.DictionaryType{IndexType: p.Int32, ValueType: v}
	}
	dec := func(width, scale int32) arrow.DataType {
		d, err := arrow.NewDecimalType([...]arrow.Type{arrow.DECIMAL32, arrow.DECIMAL64, arrow.DECIMAL128, arrow.DECIMAL256}[width], 9, scale)
		if err != nil {
			t.Fatal(err)
		}
		return d
	}
	text := `["", "a", null, "0123456789abcdef", "0123456789abcdefg"]`
	nested := `[[{"i": 1, "s": "x"}], [], null, [null, {"i": null, "s": ""}]]`
	st := func(i, s arrow.DataType) arrow.DataType { return arrow.StructOf(field("i", i), field("s", s)) }
	for _, c := range []struct {
		target, source arrow.DataType
		values         string
	}{
		{b.String, b.LargeString, text}, {b.String, b.StringView, text}, {b.LargeString, b.String, text},
		{b.String, dict(b.String), text}, {dict(b.String), b.StringView, text}, {b.LargeString, dict(b.String), text},
		{b.String, arrow.RunEndEncodedOf(p.Int32, b.String), text},
		{p.Int32, p.Int64, `[-1, 0, null, 2147483647]`}, {p.Uint8, p.Int16, `[0, 255, null]`}, {p.Int64, p.Uint64, `[0, 9223372036854775807]`},
		{p.Uint64, p.Int8, `[0, 127]`}, {p.Int64, dict(p.Int32), `[5, null, -5]`},
		{p.Uint64, &arrow.Decimal128Type{Precision: 20}, `["0", "18446744073709551615", null]`},
		{p.Int32, &arrow.Decimal128Type{Precision: 20, Scale: 2}, `["-7", "12"]`},
		{&arrow.Decimal256Type{Precision: 40, Scale: 3}, p.Int64, `[-7, 9007199254740991]`},
		{&arrow.Decimal128Type{Precision: 20}, p.Uint64, `[18446744073709551615]`},
		{f.Duration_us, p.Int64, `[5, null, -5]`}, {p.Int64, f.Duration_s, `[5, null, -5]`},
		{f.Timestamp_us, f.Date32, `["1969-12-31", null]`}, {f.Date32, f.Timestamp_ms, `["2020-02-29"]`},
		{p.Float64, p.Float32, `[0.5, -0.25, null, 1099511627776]`}, {p.Float32, p.Float64, `[0.5, -0.25, null]`}, {p.Float64, f.Float16, `[0.5, -2, 1024]`},
		{dec(0, 2), dec(3, 2), `["1.25", "-1.25", null]`}, {dec(3, 2), dec(1, 2), `["1.25", "-1.25", null]`},
		{dec(2, 2), dec(2, 4), `["1.25", "-1.25", "0"]`}, {dec(2, 4), dec(1, 2), `["1.25", "-1.25", "0"]`},
		{f.Date32, f.Date64, `["1969-12-31", "2020-02-29", null]`}, {f.Date64, f.Date32, `["1969-12-31", "2020-02-29", null]`},
		{f.Time32s, f.Time64ns, `["00:00:01", "23:59:59"]`}, {f.Time64us, f.Time32ms, `["00:00:01", "23:59:59"]`},
		{f.Timestamp_us, f.Timestamp_ns, `["1969-12-31 23:59:59.999999Z", null]`}, {f.Timestamp_ns, f.Timestamp_s, `["1969-12-31 23:59:59Z"]`},
		{&arrow.TimestampType{Unit: arrow.Microsecond, TimeZone: "Europe/Berlin"}, f.Timestamp_us, `["2020-01-01 00:00:00Z"]`},
		{arrow.ListOf(st(p.Int32, b.String)), arrow.LargeListOf(st(p.Int64, b.StringView)), nested},
		{arrow.ListOf(p.Int32), arrow.FixedSizeListOf(2, p.Int16), `[[1, 2], null, [3, null]]`},
		{arrow.MapOf(b.String, p.Int32), arrow.ListOf(arrow.StructOf(arrow.Field{Name: "key", Type: b.String}, field("value", p.Int64))), `[[{"key": "a", "value": 1}], [], null]`},
	} {
		want := prints(t, c.target, arrayOf(t, c.target, spelled(c.target, c.values)))
		got := prints(t, c.target, arrayOf(t, c.source, spelled(c.source, c.values)))
		for i := range want {
			if got[i] != want[i] {
				t.Errorf("%s as %s: value %d of %s differs", c.source, c.target, i, c.values)
			}
		}
	}
}

// spelled writes numbers as a type's JSON has them: decimals and timestamps in quotes.
func spelled(typ arrow.DataType, values string) string {
	switch typ.(type) {
	case arrow.DecimalType:
		if !strings.Contains(values, `"`) {
			return regexp.MustCompile(`-?[0-9]+`).ReplaceAllString(values, `"$0"`)
		}
	case *arrow.TimestampType:
		return regexp.MustCompile(`-[0-9]{2}"`).ReplaceAllStringFunc(values, func(s string) string { return s[:3] + ` 00:00:00Z"` })
	case *arrow.Int32Type, *arrow.Int64Type, *arrow.Uint64Type:
		return strings.ReplaceAll(values, `"`, "")
	}
	return values
}

// TestUnequalCasts has values that the target cannot hold, beside what a
// careless conversion would make of them.
func TestUnequalCasts(t *testing.T) {
	p, f := arrow.PrimitiveTypes, arrow.FixedWidthTypes
	for _, c := range []struct {
		target, source   arrow.DataType
		targets, sources string
	}{
		{p.Int32, p.Int64, `[0]`, `[4294967296]`}, {p.Int8, p.Int16, `[1]`, `[257]`},
		{p.Int64, p.Uint64, `[-1]`, `[18446744073709551615]`}, {p.Uint64, p.Int64, `[18446744073709551615]`, `[-1]`},
		{p.Int64, &arrow.Decimal128Type{Precision: 38}, `[-1]`, `["18446744073709551615"]`},
		{p.Int64, &arrow.Decimal128Type{Precision: 38, Scale: 1}, `[1]`, `["1.5"]`},
		{p.Uint64, &arrow.Decimal128Type{Precision: 38}, `[18446744073709551615]`, `["-1"]`},
		{f.Date32, f.Timestamp_s, `["1970-01-01"]`, `["1970-01-01 00:00:01Z"]`},
		{p.Float32, p.Float64, `[0.1]`, `[0.1]`}, {f.Float16, p.Float32, `[2]`, `[2.0001]`},
		{f.Timestamp_us, f.Timestamp_ns, `["2020-01-01 00:00:00Z"]`, `["2020-01-01 00:00:00.000000001Z"]`},
		{f.Date32, f.Date64, `["1970-01-01"]`, `[1]`},
		{&arrow.Decimal128Type{Precision: 9, Scale: 1}, &arrow.Decimal128Type{Precision: 9, Scale: 2}, `["1.2"]`, `["1.25"]`},
	} {
		if prints(t, c.target, arrayOf(t, c.target, c.targets))[0] == prints(t, c.target, arrayOf(t, c.source, c.sources))[0] {
			t.Errorf("%s %s equals %s %s", c.target, c.targets, c.source, c.sources)
		}
	}
}

// TestIncomparable refuses kinds that no cast joins.
func TestIncomparable(t *testing.T) {
	p, b := arrow.PrimitiveTypes, arrow.BinaryTypes
	for _, c := range [][2]arrow.DataType{
		{p.Int32, b.String}, {p.Int32, p.Float32}, {arrow.FixedWidthTypes.Date32, arrow.FixedWidthTypes.Time32s}, {arrow.FixedWidthTypes.MonthInterval, p.Int32}, {arrow.ListOf(p.Int32), p.Int32},
		{p.Int32, arrow.ListOf(p.Int32)}, {arrow.StructOf(field("a", p.Int32)), arrow.StructOf()},
		{arrow.SparseUnionOf(nil, nil), arrow.SparseUnionOf(nil, nil)},
		{arrow.ListOf(p.Int32), arrow.ListOf(b.String)},
	} {
		if err := Comparable(c[0], c[1]); err == nil {
			t.Errorf("%s is compared with %s", c[1], c[0])
		}
	}
	_, err := NewRows(KeysFrom(1), arrow.NewSchema([]arrow.Field{field("a", p.Int32), field("b", p.Int32)}, nil),
		arrow.NewSchema([]arrow.Field{field("a", p.Int32)}, nil), nil)
	if err == nil || !strings.Contains(err.Error(), "2 columns") {
		t.Errorf("a missing column: %v", err)
	}
}

// TestDistinct has rows that a careless encoding would take for one another.
func TestDistinct(t *testing.T) {
	b, p := arrow.BinaryTypes, arrow.PrimitiveTypes
	schema := arrow.NewSchema([]arrow.Field{field("x", b.String), field("y", b.String), field("l", arrow.ListOf(p.Int64)),
		field("m", arrow.ListOf(p.Int64)), field("s", arrow.StructOf(field("i", p.Int64)))}, nil)
	cols := []string{
		`["", null, "", "ab", "a", null, "", "", "", "", "", "", "", "", "", "", ""]`,
		`["", "", null, "", "b", null, "", "", "", "", "", "", "", "", "", "", ""]`,
		`[[], [], [], [], [], [], [1], [], null, [], [null], [0], [0,0], [1,2], [2,1], [], []]`,
		`[[], [], [], [], [], [], [], [1], [], null, [], [], [], [], [], [], []]`,
		`[{"i":0},{"i":0},{"i":0},{"i":0},{"i":0},{"i":0},{"i":0},{"i":0},{"i":0},{"i":0},{"i":0},{"i":0},{"i":0},{"i":0},{"i":0},null,{"i":null}]`,
	}
	arrs := make([]arrow.Array, len(cols))
	for i, c := range cols {
		arrs[i] = arrayOf(t, schema.Field(i).Type, c)
	}
	batch := array.NewRecordBatch(schema, arrs, 17)
	rows, err := NewRows(NewKeys(), schema, schema, nil)
	if err != nil {
		t.Fatal(err)
	}
	if n := len(checkRelation(t, rows, batch)); n != 17 {
		t.Fatalf("%d distinct rows, want 17", n)
	}
}

// TestHiddenBytes puts different bytes behind nulls.
func TestHiddenBytes(t *testing.T) {
	null := memory.NewBufferBytes([]byte{0b01})
	for _, typ := range []arrow.DataType{arrow.PrimitiveTypes.Int64, arrow.PrimitiveTypes.Float64, &arrow.Decimal64Type{Precision: 9}} {
		raw := make([]byte, 16)
		binary.LittleEndian.PutUint64(raw[8:], 77)
		with := array.MakeFromData(array.NewData(typ, 2, []*memory.Buffer{null, memory.NewBufferBytes(raw)}, nil, 1, 0))
		without := array.MakeFromData(array.NewData(typ, 2, []*memory.Buffer{null, memory.NewBufferBytes(make([]byte, 16))}, nil, 1, 0))
		if prints(t, typ, with)[1] != prints(t, typ, without)[1] {
			t.Errorf("%s: what is behind a null counts", typ)
		}
	}
}

// TestFloatBits keeps NaN payloads and the sign of zero apart, also across widths.
func TestFloatBits(t *testing.T) {
	f32, f64 := array.NewFloat32Builder(memory.DefaultAllocator), array.NewFloat64Builder(memory.DefaultAllocator)
	bits := []uint32{0, 1 << 31, 0x7fc00000, 0x7fc00001, 0xffc00000, 0x7f800001, 0x7f800000, 1, 0x3f800000}
	for _, b := range bits {
		f32.Append(math.Float32frombits(b))
		f64.Append(math.Float64frombits(widen32(b)))
	}
	a32, a64 := f32.NewArray(), f64.NewArray()
	want := prints(t, a32.DataType(), a32)
	seen := map[print128]bool{}
	for _, fp := range want {
		seen[fp] = true
	}
	if len(seen) != len(bits) {
		t.Fatalf("%d of %d bit patterns are told apart", len(seen), len(bits))
	}
	for i, fp := range prints(t, a32.DataType(), a64) {
		if fp != want[i] {
			t.Errorf("%#x differs as a float64", bits[i])
		}
	}
}

// TestFloatWidths walks all 65,536 half floats up and down again.
func TestFloatWidths(t *testing.T) {
	for h := range 1 << 16 {
		f := widen16(uint16(h))
		if back, ok := narrow32(f); !ok || back != uint16(h) {
			t.Fatalf("%#x becomes %#x and then %#x", h, f, back)
		}
		if back, ok := narrow64(widen32(f)); !ok || back != f {
			t.Fatalf("%#x does not survive a float64", f)
		}
	}
	for _, d := range []float64{0.1, 1e300, math.MaxFloat64, 1e-320} {
		if _, ok := narrow64(math.Float64bits(d)); ok {
			t.Errorf("%g fits a float32", d)
		}
	}
}

// TestLongLists crosses the window of elements, and digests big dictionaries by use.
func TestLongLists(t *testing.T) {
	lb := array.NewListBuilder(memory.DefaultAllocator, arrow.PrimitiveTypes.Int64)
	vb := lb.ValueBuilder().(*array.Int64Builder)
	for _, n := range []int{1, 3000, 0, 1023, 1024, 1025, 3000} {
		lb.Append(true)
		for i := range n {
			vb.Append(int64(i))
		}
	}
	a := lb.NewArray()
	fp := prints(t, a.DataType(), a)
	if fp[1] != fp[6] || fp[1] == fp[5] {
		t.Fatal("equal lists differ, or different ones are equal")
	}
	x := prints(t, a.DataType(), array.NewSlice(a, 6, 7))
	if x[0] != fp[6] {
		t.Fatal("a list alone has another fingerprint")
	}
	words := arrayOf(t, arrow.BinaryTypes.String, `["a", "b", "c", "d", null]`)
	index := arrayOf(t, arrow.PrimitiveTypes.Int8, `[3, 4, null]`)
	d := array.NewDictionaryArray(&arrow.DictionaryType{IndexType: index.DataType(), ValueType: words.DataType()}, index, words)
	got, want := prints(t, words.DataType(), d), prints(t, words.DataType(), arrayOf(t, words.DataType(), `["d", null, null]`))
	for i := range want {
		if got[i] != want[i] {
			t.Fatalf("value %d of a big dictionary differs", i)
		}
	}
}

// TestKeys: other keys, other fingerprints; equal seeds, equal ones; a column
// subset sees only its columns.
func TestKeys(t *testing.T) {
	batch := one(arrayOf(t, arrow.PrimitiveTypes.Int64, `[1]`))
	get := func(k *Keys, cols []int) print128 {
		r, err := NewRows(k, batch.Schema(), batch.Schema(), cols)
		if err != nil {
			t.Fatal(err)
		}
		a, b := r.Fold(batch, 0, 1)
		return print128{a[0], b[0]}
	}
	one, again, drawn, redrawn := get(KeysFrom(1), nil), get(KeysFrom(1), nil), get(NewKeys(), nil), get(NewKeys(), nil)
	if one != again || one == get(KeysFrom(2), nil) || drawn == redrawn {
		t.Fatal("keys do not decide the fingerprint")
	}
	if get(KeysFrom(1), []int{}) == get(KeysFrom(1), nil) {
		t.Fatal("no columns count as one")
	}
	k := KeysFrom(1)
	h0, l0 := k.Mix(1, 2, 0)
	h1, l1 := k.Mix(1, 2, 1)
	if h0 == h1 || l0 == l1 {
		t.Fatal("the partition is not in the mix")
	}
}

// TestBytes holds the digest of every length up to 100 apart, and of one
// changed byte at every place.
func TestBytes(t *testing.T) {
	k := KeysFrom(5)
	seen := map[print128]string{}
	add := func(p []byte) {
		a, b := k.bytes(p)
		if was, ok := seen[print128{a, b}]; ok && was != string(p) {
			t.Fatalf("%q and %q have one digest", was, p)
		}
		seen[print128{a, b}] = string(p)
	}
	for n := range 100 {
		p := make([]byte, n)
		add(p)
		for i := range p {
			p[i] = 1
			add(p)
			p[i] = 0
		}
	}
	if len(seen) != 100+99*100/2 {
		t.Fatalf("%d digests", len(seen))
	}
}
