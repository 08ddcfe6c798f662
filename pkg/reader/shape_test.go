package reader

import (
	"fmt"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/google/go-cmp/cmp"

	"github.com/shufflebench/shufflebench/internal/shufflefile"
)

// TestShapes: batches of few sizes are known by their metadata, and decode to
// their own rows; where every batch is another, shapes are given up.
func TestShapes(t *testing.T) {
	schema := schemaOf(arrow.PrimitiveTypes.Int64, arrow.BinaryTypes.String, arrow.ListOf(arrow.BinaryTypes.String))
	for name, o := range modes() {
		if o.SchemaCache == NoCache {
			continue
		}
		r := blockReader(t, o)
		decode := func(rows int, seed uint64) {
			t.Helper()
			rec := randomBatch(t, schema, rows, seed)
			b, err := r.DecodeBlock(encode(t, shufflefile.LZ4, rec), shufflefile.In("f"))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(rowsOf(rec), rowsOf(b.Batch)); diff != "" {
				t.Fatalf("%s, %d rows: %s", name, rows, diff)
			}
		}
		for k := range 30 {
			decode(2+k%3, 7) // the same metadata every third time
		}
		shapes := &r.cache.entries[0].shapes
		if shapes.hits != 27 || len(shapes.known) != 3 {
			t.Errorf("%s: %d hits among %d tries, %d shapes", name, shapes.hits, shapes.tries, len(shapes.known))
		}
		for k := range 100 {
			decode(10+k, uint64(k))
		}
		if !shapes.off() || len(shapes.known) != mostShapes || shapes.tries > 2*shapeTrial {
			t.Errorf("%s: %d hits among %d tries, %d shapes", name, shapes.hits, shapes.tries, len(shapes.known))
		}
		decode(2, 7)
	}
}

// TestShapesPerSchema: equal metadata under another schema is another shape.
func TestShapesPerSchema(t *testing.T) {
	r := blockReader(t, Options{})
	for k := range 6 {
		dt := []arrow.DataType{arrow.PrimitiveTypes.Int64, arrow.PrimitiveTypes.Float64}[k%2]
		rec := randomBatch(t, schemaOf(dt), 5, uint64(k/2))
		b, err := r.DecodeBlock(encode(t, shufflefile.None, rec), shufflefile.In("f"))
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(fmt.Sprint(rec.Column(0)), fmt.Sprint(b.Batch.Column(0))); diff != "" {
			t.Error(diff)
		}
	}
}
