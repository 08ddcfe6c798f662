package unsaferow

import (
	"bytes"
	"encoding/hex"
	"errors"
	"fmt"
	"math"
	"math/big"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/decimal128"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/shufflebench/shufflebench/internal/oracle"
	"github.com/shufflebench/shufflebench/internal/oracle/random"
	"github.com/shufflebench/shufflebench/internal/shufflefile"
	"github.com/shufflebench/shufflebench/pkg/writer/segment"
)

func layoutOf(t testing.TB, schema *arrow.Schema) *Layout {
	t.Helper()
	nodes, err := segment.NewLayout(schema)
	if err != nil {
		t.Fatal(err)
	}
	l, err := NewLayout(nodes)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// rowsOf writes a batch, chunk rows at a time, into rooms full of garbage.
func rowsOf(t testing.TB, l *Layout, batch arrow.RecordBatch, chunk int) [][]byte {
	t.Helper()
	w := NewWriter(l)
	w.Use(batch)
	defer w.Release()
	var rows [][]byte
	for lo := 0; lo < int(batch.NumRows()); lo += chunk {
		sizes, err := w.Sizes(lo, min(lo+chunk, int(batch.NumRows())))
		if err != nil {
			t.Fatal(err)
		}
		rooms := make([][]byte, len(sizes))
		for i, n := range sizes {
			if n%8 != 0 {
				t.Fatalf("row of %d bytes", n)
			}
			rooms[i] = bytes.Repeat([]byte{0xa5}, n)
		}
		w.Write(lo, rooms)
		rows = append(rows, rooms...)
	}
	return rows
}

// golden makes one-row batches from JSON and holds the row to bytes worked out
// by hand, word by word.
func TestGolden(t *testing.T) {
	p, f := arrow.PrimitiveTypes, arrow.FixedWidthTypes
	str, bin := arrow.BinaryTypes.String, arrow.BinaryTypes.Binary
	dec := func(precision int32) arrow.DataType {
		return &arrow.Decimal128Type{Precision: precision, Scale: 2}
	}
	many := make([]arrow.DataType, 65)
	for i := range many {
		many[i] = p.Int8
	}
	for _, c := range []struct {
		name  string
		types []arrow.DataType
		json  string
		want  string
	}{
		{"numbers", []arrow.DataType{p.Int64, p.Int32, p.Float64, f.Date32}, `{"c0":-2,"c1":-3,"c2":1.5,"c3":"1970-01-03"}`, `
			0000000000000000
			feffffffffffffff
			fdffffff00000000
			000000000000f83f
			0200000000000000`},
		{"small", []arrow.DataType{f.Boolean, p.Int8, p.Int16, p.Float32, &arrow.TimestampType{Unit: arrow.Microsecond}},
			`{"c0":true,"c1":-1,"c2":258,"c3":-1,"c4":"1970-01-01 00:00:00.000007"}`, `
			0000000000000000
			0100000000000000
			ff00000000000000
			0201000000000000
			000080bf00000000
			0700000000000000`},
		{"nulls", []arrow.DataType{p.Int64, str, p.Int32, arrow.Null}, `{"c0":null,"c1":null,"c2":1,"c3":null}`, `
			0b00000000000000
			0000000000000000
			0000000000000000
			0100000000000000
			0000000000000000`},
		// two strings: the second begins after the first one's padding
		{"strings", []arrow.DataType{str, bin, str}, `{"c0":"hello, row","c1":"AQI=","c2":""}`, `
			0000000000000000
			0a00000020000000
			0200000030000000
			0000000038000000
			68656c6c6f2c2072
			6f77000000000000
			0102000000000000`},
		// -1.00 has one byte, 10^20 nine; both keep 16, as does the null
		{"decimals", []arrow.DataType{dec(18), dec(19), dec(38), dec(38)},
			`{"c0":"-1.00","c1":"-1.00","c2":"1000000000000000000.00","c3":null}`, `
			0800000000000000
			9cffffffffffffff
			0100000028000000
			0900000038000000
			0000000048000000
			9c00000000000000
			0000000000000000
			056bc75e2d631000
			0000000000000000
			0000000000000000
			0000000000000000`},
		{"65 fields", many, `{"c0":1,"c63":null,"c64":2}`, "feffffffffffffff0000000000000000" + "0100000000000000" + strings.Repeat("0000000000000000", 63) + "0200000000000000"},
		{"struct", []arrow.DataType{arrow.StructOf(arrow.Field{Name: "a", Type: p.Int32, Nullable: true}, arrow.Field{Name: "b", Type: str, Nullable: true})},
			`{"c0":{"a":null,"b":"xy"}}`, `
			0000000000000000
			2000000010000000
			0100000000000000
			0000000000000000
			0200000018000000
			7879000000000000`},
		{"list of int16", []arrow.DataType{arrow.ListOf(p.Int16)}, `{"c0":[1,null,3,4,5]}`, `
			0000000000000000
			2000000010000000
			0500000000000000
			0200000000000000
			0100000003000400
			0500000000000000`},
		{"list of strings", []arrow.DataType{arrow.ListOf(str)}, `{"c0":["a",null,"bcdefghij"]}`, `
			0000000000000000
			4000000010000000
			0300000000000000
			0200000000000000
			0100000028000000
			0000000000000000
			0900000030000000
			6100000000000000
			6263646566676869
			6a00000000000000`},
		// in an array a large decimal takes no more than its words
		{"list of decimals", []arrow.DataType{arrow.ListOf(dec(22))}, `{"c0":["0.01","1000000000000000000.00",null]}`, `
			0000000000000000
			4000000010000000
			0300000000000000
			0400000000000000
			0100000028000000
			0900000030000000
			0000000000000000
			0100000000000000
			056bc75e2d631000
			0000000000000000`},
		{"map", []arrow.DataType{arrow.MapOf(p.Int32, p.Int64)}, `{"c0":[{"key":7,"value":-1},{"key":8,"value":null}]}`, `
			0000000000000000
			4000000010000000
			1800000000000000
			0200000000000000
			0000000000000000
			0700000008000000
			0200000000000000
			0200000000000000
			ffffffffffffffff
			0000000000000000`},
		{"empty list, empty map", []arrow.DataType{arrow.ListOf(p.Int64), arrow.MapOf(p.Int32, p.Int64)}, `{"c0":[],"c1":[]}`, `
			0000000000000000
			0800000018000000
			1800000020000000
			0000000000000000
			0800000000000000
			0000000000000000
			0000000000000000`},
		{"wider than Spark's", []arrow.DataType{&arrow.FixedSizeBinaryType{ByteWidth: 3}, p.Uint64}, `{"c0":"AQID","c1":18446744073709551615}`, `
			0000000000000000
			0300000018000000
			ffffffffffffffff
			0102030000000000`},
	} {
		t.Run(c.name, func(t *testing.T) {
			schema := random.SchemaOf(c.types...)
			batch, _, err := array.RecordFromJSON(memory.DefaultAllocator, schema, strings.NewReader("["+c.json+"]"))
			if err != nil {
				t.Fatal(err)
			}
			rows := rowsOf(t, layoutOf(t, schema), batch, 1)
			want, err := hex.DecodeString(strings.Join(strings.Fields(c.want), ""))
			if err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(rows[0], want) {
				t.Errorf("got\n%s\nwant\n%s", words(rows[0]), words(want))
			}
		})
	}
}

func words(b []byte) string {
	var s strings.Builder
	for i := 0; i+8 <= len(b); i += 8 {
		fmt.Fprintf(&s, "%4d  %x\n", i, b[i:i+8])
	}
	return s.String()
}

// TestRoundTrip: rows read value by value are the batch they came from, and
// what is written column by column is what is written value by value.
func TestRoundTrip(t *testing.T) {
	for seed := range uint64(oracle.Rounds(150)) {
		g := random.New(seed)
		schema := random.SchemaOf(random.Flat()...)
		switch {
		case seed%3 == 1:
			schema = g.Schema(1+g.R.IntN(5), 3)
		case seed%3 == 2:
			schema = g.Schema(60+g.R.IntN(10), 0)
		}
		batch := g.Spark(schema, g.R.IntN(70))
		if n := batch.NumRows(); n > 3 && seed%2 == 0 {
			batch = batch.NewSlice(1, n-1)
		}
		l := layoutOf(t, schema)
		rows := rowsOf(t, l, batch, 1+g.R.IntN(30))
		back, err := readRows(l, schema, rows)
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		got, want := oracle.Rows(back), oracle.Rows(batch)
		for i := range want {
			if got[i] != want[i] {
				t.Fatalf("seed %d, row %d of %s:\n%s\nwant\n%s", seed, i, schema, got[i], want[i])
			}
		}
		w := NewWriter(l)
		w.Use(batch)
		for i, r := range rows {
			plain := bytes.Repeat([]byte{0x5a}, len(r))
			if n := putStruct(plain, w.columns, i); n != len(r) || !bytes.Equal(plain, r) {
				t.Fatalf("seed %d, row %d of %s:\n%s\nvalue by value\n%s", seed, i, schema, words(r), words(plain))
			}
		}
	}
}

// TestBig holds the shortest form to that of big.Int.
func TestBig(t *testing.T) {
	values := []*big.Int{big.NewInt(0), big.NewInt(1), big.NewInt(-1), big.NewInt(math.MaxInt64), big.NewInt(math.MinInt64)}
	for bit := uint(6); bit < 127; bit++ {
		v := new(big.Int).Lsh(big.NewInt(1), bit)
		values = append(values, v, new(big.Int).Neg(v), new(big.Int).Sub(v, big.NewInt(1)), new(big.Int).Sub(new(big.Int).Neg(v), big.NewInt(1)))
	}
	for _, v := range values {
		d := decimal128.FromBigInt(v)
		lo, hi := d.LowBits(), uint64(d.HighBits())
		n := bigSize(lo, hi)
		if want := shortest(v); n != want {
			t.Errorf("%v has %d bytes, want %d", v, n, want)
		}
		b := make([]byte, n)
		putBig(b, n, lo, hi)
		gotLo, gotHi, ok := Decimal(b)
		if !ok || gotLo != lo || gotHi != hi {
			t.Errorf("%v became % x, then %x %x", v, b, gotHi, gotLo)
		}
	}
	if _, _, ok := Decimal(make([]byte, 17)); ok {
		t.Error("17 bytes were taken")
	}
	if lo, hi, ok := Decimal(nil); lo != 0 || hi != 0 || !ok {
		t.Error("no bytes are not zero")
	}
}

// shortest is the length of Java's BigInteger.toByteArray: bitLength / 8 + 1.
func shortest(v *big.Int) int {
	if v.Sign() < 0 {
		v = new(big.Int).Not(v)
	}
	return v.BitLen()/8 + 1
}

func TestDecimalTooLarge(t *testing.T) {
	small := &arrow.Decimal128Type{Precision: 10, Scale: 0}
	for _, typ := range []arrow.DataType{small, arrow.ListOf(small), arrow.StructOf(arrow.Field{Name: "x", Type: small, Nullable: true}), arrow.MapOf(small, small)} {
		schema := random.SchemaOf(typ)
		g := random.New(5)
		g.Plain = true
		for {
			batch := g.Batch(schema, 40)
			if batch.Column(0).NullN() == 40 {
				continue
			}
			w := NewWriter(layoutOf(t, schema))
			w.Use(batch)
			_, err := w.Sizes(0, 40)
			if err == nil {
				continue // small by chance
			}
			if !errors.Is(err, shufflefile.ErrLimit) || !strings.Contains(err.Error(), `column "c0`) {
				t.Errorf("%s: %v", typ, err)
			}
			break
		}
	}
}

func TestRefusedTypes(t *testing.T) {
	schema := arrow.NewSchema([]arrow.Field{{Name: "d", Type: &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int32, ValueType: arrow.BinaryTypes.String}}}, nil)
	if _, err := segment.NewLayout(schema); err == nil || !strings.Contains(err.Error(), `column "d"`) {
		t.Errorf("%v", err)
	}
}

// FuzzRead feeds any bytes to the readers of rows of all types: they may
// refuse, never panic or read outside.
func FuzzRead(f *testing.F) {
	str := arrow.BinaryTypes.String
	schema := random.SchemaOf(arrow.PrimitiveTypes.Int32, str, &arrow.Decimal128Type{Precision: 30}, arrow.FixedWidthTypes.Boolean,
		arrow.ListOf(str), arrow.MapOf(str, arrow.ListOf(arrow.PrimitiveTypes.Int8)), arrow.StructOf(arrow.Field{Name: "a", Type: str, Nullable: true}))
	l := layoutOf(f, schema)
	for seed := range uint64(5) {
		for _, r := range rowsOf(f, l, random.New(seed).Spark(schema, 4), 4) {
			f.Add(r, uint16(seed), uint8(seed*37))
		}
	}
	f.Fuzz(func(t *testing.T, row []byte, at uint16, v uint8) {
		row = bytes.Clone(row)
		if len(row) > 0 {
			row[int(at)%len(row)] ^= v
		}
		batch, err := readRows(l, schema, [][]byte{row})
		if err != nil && !errors.Is(err, shufflefile.ErrCorrupt) {
			t.Fatal(err)
		}
		if err == nil && batch.NumRows() != 1 {
			t.Fatal(batch.NumRows())
		}
	})
}

func TestWriterReusesMemory(t *testing.T) {
	schema := random.SchemaOf(arrow.PrimitiveTypes.Int64, arrow.BinaryTypes.String, arrow.FixedWidthTypes.Boolean, &arrow.Decimal128Type{Precision: 30})
	batch := random.New(1).Spark(schema, 64)
	l := layoutOf(t, schema)
	w := NewWriter(l)
	rooms := rowsOf(t, l, batch, 64)
	if n := testing.AllocsPerRun(10, func() {
		w.Use(batch)
		if _, err := w.Sizes(0, 64); err != nil {
			t.Fatal(err)
		}
		w.Write(0, rooms)
	}); n != 0 {
		t.Errorf("%v allocations a batch", n)
	}
}

func BenchmarkWrite(b *testing.B) {
	p := arrow.PrimitiveTypes
	g := random.New(1)
	g.Plain = true
	batch := g.Batch(random.SchemaOf(p.Int64, p.Int32, p.Float64, arrow.BinaryTypes.String, arrow.FixedWidthTypes.Date32), 512)
	l := layoutOf(b, batch.Schema())
	rooms := rowsOf(b, l, batch, 512)
	w := NewWriter(l)
	w.Use(batch)
	for b.Loop() {
		if _, err := w.Sizes(0, 512); err != nil {
			b.Fatal(err)
		}
		w.Write(0, rooms)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*512), "ns/row")
}
