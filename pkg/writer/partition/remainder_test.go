package partition

import (
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/shufflebench/shufflebench/internal/oracle/random"
)

// pmod is the positive remainder by definition.
func pmod(hash int32, d uint32) uint32 {
	m := new(big.Int).Mod(big.NewInt(int64(hash)), big.NewInt(int64(d))) // Euclidean: never negative
	return uint32(m.Uint64())
}

func TestRemainder(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	divisors := []uint32{1, 2, 3, 4, 5, 7, 8, 10, 16, 200, 255, 256, 257, 16000, 65535, 65536, 65537, 1<<24 - 1, 1 << 24}
	for range 200 {
		divisors = append(divisors, 1+r.Uint32N(1<<24))
	}
	for _, d := range divisors {
		hashes := []int32{0, 1, -1, 2, -2, 42, math.MaxInt32, math.MinInt32, math.MinInt32 + 1, math.MaxInt32 - 1}
		for k := int64(-3); k <= 3; k++ { // around multiples of d
			for _, near := range []int64{-1, 0, 1} {
				hashes = append(hashes, int32(k*int64(d)+near), int32((math.MinInt32/int64(d)+k)*int64(d)+near), int32((math.MaxInt32/int64(d)+k)*int64(d)+near))
			}
		}
		for range 100 {
			hashes = append(hashes, int32(r.Uint32()))
		}
		got := make([]uint32, len(hashes))
		for i, h := range hashes {
			got[i] = uint32(h)
		}
		newRemainder(d).apply(got)
		for i, h := range hashes {
			if want := pmod(h, d); got[i] != want {
				t.Fatalf("%d mod %d is %d, want %d", h, d, got[i], want)
			}
		}
	}
}

func FuzzRemainder(f *testing.F) {
	f.Add(int32(-1), uint32(1<<24))
	f.Add(int32(math.MinInt32), uint32(3))
	f.Fuzz(func(t *testing.T, hash int32, d uint32) {
		d = d%(1<<24) + 1
		got := []uint32{uint32(hash)}
		newRemainder(d).apply(got)
		if want := pmod(hash, d); got[0] != want {
			t.Errorf("%d mod %d is %d, want %d", hash, d, got[0], want)
		}
	})
}

func noBuffers(t arrow.DataType) []*memory.Buffer {
	switch t.ID() {
	case arrow.NULL:
		return []*memory.Buffer{nil}
	case arrow.STRING, arrow.BINARY, arrow.LARGE_STRING, arrow.LARGE_BINARY:
		return []*memory.Buffer{nil, nil, nil}
	}
	return []*memory.Buffer{nil, nil}
}

func TestResolve(t *testing.T) {
	var fields []arrow.Field
	for _, name := range []string{"id", "value", "1", "twice", "twice", "-1", ""} {
		fields = append(fields, arrow.Field{Name: name, Type: arrow.PrimitiveTypes.Int64})
	}
	s := arrow.NewSchema(fields, nil)
	for _, c := range []struct {
		refs []string
		want []int
		err  string
	}{
		{[]string{"0"}, []int{0}, ""},
		{[]string{"value", "id", "6"}, []int{1, 0, 6}, ""},
		{[]string{"1"}, []int{2}, ""}, // the column of that name
		{[]string{"-1"}, []int{5}, ""},
		{[]string{""}, []int{6}, ""},
		{[]string{"id", "id"}, []int{0, 0}, ""},
		{[]string{"3", "4"}, []int{3, 4}, ""},
		{nil, []int{}, ""},
		{[]string{"id", "twice"}, nil, `"twice": 2 columns have this name`},
		{[]string{"ID"}, nil, `"ID": no such column`},
		{[]string{"0x1"}, nil, `"0x1": no such column`},
		{[]string{"7"}, nil, "hash column 7: the input has 7 columns"},
		{[]string{"-2"}, nil, "hash column -2: the input has 7 columns"},
	} {
		got, err := Resolve(s, c.refs)
		if c.err == "" && (err != nil || !slices.Equal(got, c.want)) {
			t.Errorf("%q: %v, %v", c.refs, got, err)
		}
		if c.err != "" && (err == nil || !strings.Contains(err.Error(), c.err)) {
			t.Errorf("%q: error %v, want %s", c.refs, err, c.err)
		}
	}
}

func TestRefusalNamesColumn(t *testing.T) {
	m := arrow.MapOf(arrow.BinaryTypes.String, arrow.PrimitiveTypes.Int32)
	for _, typ := range []arrow.DataType{m, arrow.ListOf(m), arrow.FixedWidthTypes.Float16} {
		s := arrow.NewSchema([]arrow.Field{{Name: "a", Type: arrow.PrimitiveTypes.Int8}, {Name: "odd", Type: typ}}, nil)
		if _, err := NewHash(s, []int{0, 1}, 5); err == nil || !strings.Contains(err.Error(), `"odd"`) {
			t.Errorf("%s: %v", typ, err)
		}
		if _, err := NewHash(s, []int{0}, 5); err != nil {
			t.Errorf("%s is no key: %v", typ, err)
		}
		if _, err := Spark.NewRoundRobin(s, 5); err == nil || !strings.Contains(err.Error(), `"odd"`) {
			t.Errorf("%s in round-robin: %v", typ, err)
		}
	}
}

// TestOthers partitions by all columns and by none.
func TestOthers(t *testing.T) {
	g := random.New(3)
	b := g.Batch(random.SchemaOf(arrow.PrimitiveTypes.Int64, arrow.BinaryTypes.String, arrow.PrimitiveTypes.Float64), 500)
	rr, err := Spark.NewRoundRobin(b.Schema(), 13)
	if err != nil {
		t.Fatal(err)
	}
	got, err := rr.Partition(b)
	if err != nil || !slices.Equal(got, twin(t, b, []int{0, 1, 2}, 13)) {
		t.Error("round-robin is not the hash of all columns", err)
	}
	single := NewSingle()
	for _, n := range []int64{500, 3, 0, 500} {
		got, err := single.Partition(b.NewSlice(0, n))
		if err != nil || len(got) != int(n) || slices.ContainsFunc(got, func(p uint32) bool { return p != 0 }) {
			t.Errorf("single: %v %v", got, err)
		}
	}
}

// TestNoAllocations partitions with memory that is used again.
func TestNoAllocations(t *testing.T) {
	types := []arrow.DataType{
		arrow.FixedWidthTypes.Boolean, arrow.PrimitiveTypes.Int32, arrow.PrimitiveTypes.Int64, arrow.PrimitiveTypes.Float64,
		arrow.FixedWidthTypes.Timestamp_us, arrow.FixedWidthTypes.Date32, arrow.BinaryTypes.String,
		&arrow.Decimal128Type{Precision: 18}, &arrow.Decimal128Type{Precision: 30},
	}
	for _, typ := range types {
		b := random.New(9).Batch(random.SchemaOf(typ), 1000)
		p, err := NewHash(b.Schema(), []int{0}, 200)
		if err != nil {
			t.Fatal(err)
		}
		n := testing.AllocsPerRun(10, func() {
			if _, err := p.Partition(b); err != nil {
				t.Fatal(err)
			}
		})
		if n > 2 { // closures over a column, none a row
			t.Errorf("%s: %v allocations a batch", typ, n)
		}
	}
}
