package sparkhash

import (
	"math"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/decimal128"
	"github.com/apache/arrow-go/v18/arrow/memory"
)

// batchOf makes a batch of columns in JSON, one a field.
func batchOf(t testing.TB, fields []arrow.Field, columns ...string) arrow.RecordBatch {
	t.Helper()
	arrs := make([]arrow.Array, len(fields))
	for i, f := range fields {
		a, _, err := array.FromJSON(memory.DefaultAllocator, f.Type, strings.NewReader(columns[i]))
		if err != nil {
			t.Fatal(err)
		}
		arrs[i] = a
	}
	return array.NewRecordBatch(arrow.NewSchema(fields, nil), arrs, int64(arrs[0].Len()))
}

func field(name string, t arrow.DataType) arrow.Field {
	return arrow.Field{Name: name, Type: t, Nullable: true}
}

func hashes(t testing.TB, b arrow.RecordBatch, rule Rule) []int32 {
	t.Helper()
	h, err := New(b.Schema(), upTo(int(b.NumCols())), rule)
	if err != nil {
		t.Fatal(err)
	}
	dst := make([]int32, b.NumRows())
	h.Hash(dst, b, 0)
	for i, v := range dst {
		if r := h.Row(b, i); r != v {
			t.Fatalf("row %d: %d by row, %d by column", i, r, v)
		}
	}
	return dst
}

func partitions(h []int32, n int) []int32 {
	p := make([]int32, len(h))
	for i, v := range h {
		p[i] = Partition(v, n)
	}
	return p
}

func equal[T comparable](t *testing.T, what string, got, want []T) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%s: %v, want %v", what, got, want)
	}
	for i := range got {
		if got[i] != want[i] {
			t.Fatalf("%s: %v, want %v", what, got, want)
		}
	}
}

// TestDecimals holds the published vectors of decimals on both sides of 18
// digits (apache/datafusion-comet#1294, #5994) to both rules, in every width.
func TestDecimals(t *testing.T) {
	small := `["1.23", "-1.23", "0.00", null]`
	for _, typ := range []arrow.DataType{
		&arrow.Decimal64Type{Precision: 18, Scale: 2},
		&arrow.Decimal128Type{Precision: 18, Scale: 2},
		&arrow.Decimal256Type{Precision: 18, Scale: 2},
	} {
		for _, rule := range []Rule{Spark, Comet} {
			h := hashes(t, batchOf(t, []arrow.Field{field("d", typ)}, small), rule)
			equal(t, typ.String(), h, []int32{-46242105, 1993430267, -1670924195, 42})
			equal(t, typ.String(), partitions(h, 200)[:3], []int32{95, 67, 5})
		}
	}
	wide := `["1.23", "-1.23", "0.00", null, "1.28", "-1.28", "-1.29"]`
	for _, typ := range []arrow.DataType{
		&arrow.Decimal128Type{Precision: 20, Scale: 2},
		&arrow.Decimal256Type{Precision: 20, Scale: 2},
	} {
		b := batchOf(t, []arrow.Field{field("d", typ)}, wide)
		equal(t, "spark", partitions(hashes(t, b, Spark), 200), []int32{85, 85, 103, 42, 118, 99, 29})
		equal(t, "comet", partitions(hashes(t, b, Comet), 200), []int32{39, 94, 101, 42, 118, 159, 144})
	}
	d32 := batchOf(t, []arrow.Field{field("d", &arrow.Decimal32Type{Precision: 9, Scale: 2})}, small)
	equal(t, "decimal32", hashes(t, d32, Spark), []int32{-46242105, 1993430267, -1670924195, 42})
}

// TestNulls holds the published vectors of null keys and null structs
// (apache/auron#995, apache/datafusion-comet#5753).
func TestNulls(t *testing.T) {
	b := batchOf(t, []arrow.Field{field("a", arrow.PrimitiveTypes.Int64), field("n", arrow.PrimitiveTypes.Int32), field("b", arrow.BinaryTypes.String)},
		`[null, 1, null]`, `[null, null, null]`, `[null, "hello", "hello"]`)
	h := hashes(t, b, Spark)
	equal(t, "hash", h[:2], []int32{42, -389038858})
	equal(t, "of 200", partitions(h, 200)[:2], []int32{42, 142})
	if Partition(42, 16) != 10 || Partition(42, 7) != 0 {
		t.Fatal("42 is in another partition of 16 or 7")
	}
	st := arrow.StructOf(field("a", arrow.PrimitiveTypes.Int32))
	s := batchOf(t, []arrow.Field{field("s", st)}, `[null, {"a": null}, {"a": 0}]`)
	equal(t, "struct", hashes(t, s, Spark), []int32{42, 42, 933211791})
	if Partition(933211791, 200) != 191 {
		t.Fatal("{0} is in another partition")
	}
}

// TestHiddenChild puts a value behind a null struct: it must not be hashed.
func TestHiddenChild(t *testing.T) {
	child, _, err := array.FromJSON(memory.DefaultAllocator, arrow.PrimitiveTypes.Int32, strings.NewReader(`[7, 7]`))
	if err != nil {
		t.Fatal(err)
	}
	st := arrow.StructOf(field("a", arrow.PrimitiveTypes.Int32))
	validity := memory.NewBufferBytes([]byte{0b10})
	data := array.NewData(st, 2, []*memory.Buffer{validity}, []arrow.ArrayData{child.Data()}, 1, 0)
	b := array.NewRecordBatch(arrow.NewSchema([]arrow.Field{field("s", st)}, nil), []arrow.Array{array.NewStructData(data)}, 2)
	h := hashes(t, b, Spark)
	if h[0] != 42 || h[1] == 42 {
		t.Fatalf("hashes %v: a null struct is 42, and its neighbor is not", h)
	}
}

// TestNaNs folds every NaN under rule Spark and none under rule Comet.
func TestNaNs(t *testing.T) {
	b64 := array.NewFloat64Builder(memory.DefaultAllocator)
	for _, bits := range []uint64{0x7ff8000000000000, 0x7ff8000000000001, 0xfff8000000000000, 0, 1 << 63} {
		b64.Append(math.Float64frombits(bits))
	}
	a := b64.NewArray()
	b := array.NewRecordBatch(arrow.NewSchema([]arrow.Field{field("f", a.DataType())}, nil), []arrow.Array{a}, 5)
	spark, comet := hashes(t, b, Spark), hashes(t, b, Comet)
	if spark[0] != spark[1] || spark[0] != spark[2] || spark[3] != spark[4] {
		t.Fatalf("Spark makes one NaN and one zero: %v", spark)
	}
	if comet[0] != spark[0] || comet[0] == comet[1] || comet[0] == comet[2] || comet[3] != comet[4] {
		t.Fatalf("Comet keeps NaNs and makes one zero: %v", comet)
	}
}

// TestLayouts hashes the same values in every layout that Arrow has for them.
func TestLayouts(t *testing.T) {
	text := `["", "a", "hello", null, "äöü€", "hello"]`
	want := hashes(t, batchOf(t, []arrow.Field{field("s", arrow.BinaryTypes.String)}, text), Spark)
	for _, typ := range []arrow.DataType{
		arrow.BinaryTypes.LargeString, arrow.BinaryTypes.StringView,
		&arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int8, ValueType: arrow.BinaryTypes.String},
		&arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Uint32, ValueType: arrow.BinaryTypes.String},
	} {
		equal(t, typ.String(), hashes(t, batchOf(t, []arrow.Field{field("s", typ)}, text), Spark), want)
	}
	lists := `[[1, 2, null], [], null, [3]]`
	wantList := hashes(t, batchOf(t, []arrow.Field{field("l", arrow.ListOf(arrow.PrimitiveTypes.Int64))}, lists), Spark)
	large := hashes(t, batchOf(t, []arrow.Field{field("l", arrow.LargeListOf(arrow.PrimitiveTypes.Int64))}, lists), Spark)
	equal(t, "large list", large, wantList)
	if wantList[1] != 42 || wantList[2] != 42 {
		t.Fatal("an empty list leaves the hash as it is")
	}
}

// TestUnits hashes one moment in four units, and a duration likewise.
func TestUnits(t *testing.T) {
	micro := hashes(t, batchOf(t, []arrow.Field{field("l", arrow.PrimitiveTypes.Int64)}, `[-1000000, 86400000000]`), Spark)
	for i, unit := range []arrow.TimeUnit{arrow.Second, arrow.Millisecond, arrow.Microsecond, arrow.Nanosecond} {
		values := []string{`[-1, 86400]`, `[-1000, 86400000]`, `[-1000000, 86400000000]`, `[-999999001, 86400000000999]`}[i]
		raw := batchOf(t, []arrow.Field{field("l", arrow.PrimitiveTypes.Int64)}, values)
		for _, typ := range []arrow.DataType{&arrow.TimestampType{Unit: unit}, &arrow.DurationType{Unit: unit}} {
			a := array.MakeFromData(array.NewData(typ, 2, raw.Column(0).Data().Buffers(), nil, 0, 0))
			b := array.NewRecordBatch(arrow.NewSchema([]arrow.Field{field("t", typ)}, nil), []arrow.Array{a}, 2)
			equal(t, typ.String(), hashes(t, b, Spark), micro)
		}
	}
}

// TestUnsigned hashes unsigned integers as the types that Spark reads them as.
func TestUnsigned(t *testing.T) {
	one := func(typ arrow.DataType, v string) []int32 {
		return hashes(t, batchOf(t, []arrow.Field{field("u", typ)}, v), Spark)
	}
	p := arrow.PrimitiveTypes
	equal(t, "uint8", one(p.Uint8, `[200]`), one(p.Int32, `[200]`))
	equal(t, "uint16", one(p.Uint16, `[60000]`), one(p.Int32, `[60000]`))
	equal(t, "uint32", one(p.Uint32, `[4000000000]`), one(p.Int64, `[4000000000]`))
	dec := &arrow.Decimal128Type{Precision: 20, Scale: 0}
	equal(t, "uint64", one(p.Uint64, `[18446744073709551615]`), one(dec, `["18446744073709551615"]`))
	equal(t, "date64", one(p.Date64, `[86400000]`), one(p.Date32, `[1]`))
}

// TestRefusals names what has no hash, also deep inside a type.
func TestRefusals(t *testing.T) {
	m := arrow.MapOf(arrow.BinaryTypes.String, arrow.PrimitiveTypes.Int32)
	for _, typ := range []arrow.DataType{
		m, arrow.ListOf(m), arrow.StructOf(field("m", m)), arrow.FixedWidthTypes.Float16,
		arrow.FixedWidthTypes.DayTimeInterval, &arrow.Decimal256Type{Precision: 39},
	} {
		_, err := New(arrow.NewSchema([]arrow.Field{field("key", typ)}, nil), []int{0}, Spark)
		if err == nil || !strings.Contains(err.Error(), `"key"`) || !strings.Contains(err.Error(), "Spark") {
			t.Errorf("%s: %v", typ, err)
		}
	}
	if _, err := New(arrow.NewSchema(nil, nil), []int{0}, Spark); err == nil {
		t.Error("a column that is not there is accepted")
	}
}

// TestSeedWorkload counts the rows a partition of i*17+11's neighbor, the
// identity column, for the partition counts that are published.
func TestSeedWorkload(t *testing.T) {
	b := array.NewInt64Builder(memory.DefaultAllocator)
	for i := range int64(10_000) {
		b.Append(i)
	}
	a := b.NewArray()
	batch := array.NewRecordBatch(arrow.NewSchema([]arrow.Field{field("id", a.DataType())}, nil), []arrow.Array{a}, 10_000)
	h := hashes(t, batch, Spark)
	count := func(n int) []int {
		c := make([]int, n)
		for _, p := range partitions(h, n) {
			c[p]++
		}
		return c
	}
	equal(t, "4 partitions", count(4), []int{2483, 2497, 2458, 2562})
	equal(t, "7 partitions", count(7), []int{1461, 1343, 1417, 1431, 1412, 1476, 1460})
	c := count(200)
	lo, hi := c[0], c[0]
	for _, v := range c {
		lo, hi = min(lo, v), max(hi, v)
	}
	if c[0] != 37 || lo != 32 || hi != 74 {
		t.Fatalf("200 partitions: first %d, smallest %d, largest %d", c[0], lo, hi)
	}
}

func BenchmarkHash(b *testing.B) {
	ids := array.NewInt64Builder(memory.DefaultAllocator)
	words := array.NewStringBuilder(memory.DefaultAllocator)
	dec := array.NewDecimal128Builder(memory.DefaultAllocator, &arrow.Decimal128Type{Precision: 30, Scale: 2})
	for i := range 8192 {
		ids.Append(int64(i))
		words.Append(strings.Repeat("x", i%32))
		dec.Append(decimal128.FromI64(int64(i * i)))
	}
	for _, a := range []arrow.Array{ids.NewArray(), words.NewArray(), dec.NewArray()} {
		batch := array.NewRecordBatch(arrow.NewSchema([]arrow.Field{field("k", a.DataType())}, nil), []arrow.Array{a}, 8192)
		h, err := New(batch.Schema(), []int{0}, Spark)
		if err != nil {
			b.Fatal(err)
		}
		dst := make([]int32, 8192)
		b.Run("columns/"+a.DataType().Name(), func(b *testing.B) {
			for b.Loop() {
				h.Hash(dst, batch, 0)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/8192, "ns/row")
		})
		b.Run("rows/"+a.DataType().Name(), func(b *testing.B) {
			for b.Loop() {
				for i := range dst {
					dst[i] = h.Row(batch, i)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/8192, "ns/row")
		})
	}
}
