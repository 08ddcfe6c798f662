package partition

import (
	"slices"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"

	"github.com/shufflebench/shufflebench/internal/oracle/random"
	"github.com/shufflebench/shufflebench/pkg/validate/sparkhash"
)

// twin computes the partitions by the validator's implementation, row by row.
func twin(t *testing.T, b arrow.RecordBatch, cols []int, partitions int) []uint32 {
	t.Helper()
	h, err := sparkhash.New(b.Schema(), cols, sparkhash.Spark)
	if err != nil {
		t.Fatal(err)
	}
	want := make([]uint32, b.NumRows())
	for i := range want {
		want[i] = uint32(sparkhash.Partition(h.Row(b, i), partitions))
	}
	return want
}

func checkTwin(t *testing.T, b arrow.RecordBatch, cols []int, partitions int, seed uint64) {
	t.Helper()
	p, err := NewHash(b.Schema(), cols, partitions)
	if err != nil {
		t.Fatalf("seed %d, %v: %v", seed, b.Schema(), err)
	}
	want := twin(t, b, cols, partitions)
	for range 2 { // the second time in memory that is used again
		got, err := p.Partition(b)
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(got, want) {
			t.Fatalf("seed %d, columns %v of %v, %d partitions:\n got %v\nwant %v", seed, cols, b.Schema(), partitions, got, want)
		}
	}
}

// TestTypes compares column by column hashing with the twin for every type.
func TestTypes(t *testing.T) {
	for i, typ := range random.Flat() {
		if err := sparkhash.Refusal(typ); err != nil {
			_, refused := NewHash(random.SchemaOf(typ), []int{0}, 7)
			if refused == nil {
				t.Errorf("%s has a hash; the validator says %v", typ, err)
			}
			continue
		}
		for round := range 30 {
			seed := uint64(100*i + round)
			g := random.New(seed)
			b := g.Batch(random.SchemaOf(typ), round)
			checkTwin(t, b, []int{0}, 1+g.R.IntN(1<<24), seed)
		}
	}
}

// TestRandom compares whole rows: several key columns, nested ones among them.
func TestRandom(t *testing.T) {
	done := 0
	for seed := uint64(0); done < 400; seed++ {
		g := random.New(seed)
		b := g.Batch(g.Schema(1+int(seed%5), int(seed%4)), int(seed%67))
		cols := g.R.Perm(int(b.NumCols()))[:1+g.R.IntN(int(b.NumCols()))]
		if _, err := sparkhash.New(b.Schema(), cols, sparkhash.Spark); err != nil {
			if _, refused := NewHash(b.Schema(), cols, 5); refused == nil {
				t.Errorf("%v has a hash; the validator says %v", b.Schema(), err)
			}
			continue
		}
		done++
		checkTwin(t, b, cols, 1+g.R.IntN(40_000), seed)
	}
}

// TestEmpty hashes batches without rows, also of arrays without buffers.
func TestEmpty(t *testing.T) {
	for _, typ := range random.Flat() {
		s := random.SchemaOf(typ)
		p, err := NewHash(s, []int{0}, 7)
		if err != nil {
			continue
		}
		empty := array.MakeFromData(array.NewData(typ, 0, noBuffers(typ), nil, 0, 0))
		got, err := p.Partition(array.NewRecordBatch(s, []arrow.Array{empty}, 0))
		if err != nil || len(got) != 0 {
			t.Errorf("%s: %v %v", typ, got, err)
		}
	}
}

// TestValueByValue compares the two ways that a type can be hashed.
func TestValueByValue(t *testing.T) {
	for i, typ := range random.Flat() {
		fold, err := columnFolder(Spark, typ)
		if err != nil {
			continue
		}
		bind, err := binderOf(Spark, typ)
		if err != nil {
			t.Errorf("%s goes by column but not by value: %v", typ, err)
			continue
		}
		col := random.New(uint64(i)).Array(typ, 300, true)
		byColumn, byValue := make([]uint32, 300), make([]uint32, 300)
		fold(col, byColumn)
		foldValues(bind)(col, byValue)
		if !slices.Equal(byColumn, byValue) {
			t.Errorf("%s: %v by column, %v by value", typ, byColumn, byValue)
		}
	}
}
