package reader

import (
	"fmt"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/shufflebench/shufflebench/internal/shufflefile"
)

// TestCacheCounts counts hits and misses exactly: cold, warm, alternating,
// evicted by a fifth schema, and without a cache.
func TestCacheCounts(t *testing.T) {
	var blocks [5][]byte
	for i := range blocks {
		schema := arrow.NewSchema([]arrow.Field{nullable(fmt.Sprintf("column %d", i), arrow.PrimitiveTypes.Int64)}, nil)
		blocks[i] = encode(t, codecs[i%len(codecs)], randomBatch(t, schema, 3, uint64(i)))
	}
	for _, c := range []struct {
		name         string
		size         int
		blocks       []int
		hits, misses int64
	}{
		{"cold", 0, []int{0}, 0, 1},
		{"warm", 0, []int{0, 0, 0, 0}, 3, 1},
		{"alternating", 0, []int{0, 1, 0, 1, 0, 1}, 4, 2},
		{"four stay", 0, []int{0, 1, 2, 3, 0, 1, 2, 3}, 4, 4},
		{"a fifth evicts the least recently used", 0, []int{0, 1, 2, 3, 0, 4, 0, 2, 3, 1}, 4, 6},
		{"five in turn never hit", 0, []int{0, 1, 2, 3, 4, 0, 1, 2, 3, 4}, 0, 10},
		{"one entry", 1, []int{0, 0, 1, 1, 0}, 2, 3},
		{"no cache", NoCache, []int{0, 0, 0}, 0, 3},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := blockReader(t, Options{SchemaCache: c.size})
			for _, k := range c.blocks {
				b, err := r.DecodeBlock(blocks[k], shufflefile.In("f"))
				if err != nil {
					t.Fatal(err)
				}
				if want := fmt.Sprintf("column %d", k); b.Batch.ColumnName(0) != want {
					t.Fatalf("a block of %q decodes as %q", want, b.Batch.ColumnName(0))
				}
			}
			if s := r.Stats(); s.SchemaHits != c.hits || s.SchemaMisses != c.misses {
				t.Errorf("%d hits, %d misses; want %d, %d", s.SchemaHits, s.SchemaMisses, c.hits, c.misses)
			}
		})
	}
}

// TestCacheSharesSchema: a hit hands out the very schema of the miss.
func TestCacheSharesSchema(t *testing.T) {
	block := encode(t, shufflefile.LZ4, randomBatch(t, schemaOf(arrow.BinaryTypes.String), 3, 1))
	r := blockReader(t, Options{})
	var first *arrow.Schema
	for range 3 {
		b, err := r.DecodeBlock(block, shufflefile.In("f"))
		if err != nil {
			t.Fatal(err)
		}
		if first == nil {
			first = b.Batch.Schema()
		}
		if b.Batch.Schema() != first {
			t.Error("another schema")
		}
	}
}

// TestCacheOneByteApart: schemas whose messages differ in one byte are two.
func TestCacheOneByteApart(t *testing.T) {
	r := blockReader(t, Options{})
	for _, name := range []string{"a", "b", "a"} {
		schema := arrow.NewSchema([]arrow.Field{nullable(name, arrow.PrimitiveTypes.Int64)}, nil)
		b, err := r.DecodeBlock(encode(t, shufflefile.None, randomBatch(t, schema, 1, 1)), shufflefile.In("f"))
		if err != nil {
			t.Fatal(err)
		}
		if got := b.Batch.ColumnName(0); got != name {
			t.Errorf("column %q, want %q", got, name)
		}
	}
}
