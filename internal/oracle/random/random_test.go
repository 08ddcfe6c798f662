package random

import (
	"bytes"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/ipc"

	"github.com/shufflebench/shufflebench/internal/oracle"
)

// TestBatches holds what is made to arrow-go: its writer and reader give every
// row back, and the same seed gives the same rows.
func TestBatches(t *testing.T) {
	for seed := range uint64(300) {
		g, twin := New(seed), New(seed)
		s := g.Schema(1+int(seed%5), int(seed%4))
		rows := int(seed) % 70
		b := g.Batch(s, rows)
		again := twin.Batch(twin.Schema(1+int(seed%5), int(seed%4)), rows)
		want := oracle.Rows(b)
		if d := oracle.Diff(oracle.Table{0: oracle.Rows(again)}, oracle.Table{0: want}); d != "" {
			t.Fatalf("seed %d does not repeat: %s", seed, d)
		}
		if d := oracle.Diff(oracle.Table{0: roundTrip(t, b, seed)}, oracle.Table{0: want}); d != "" {
			t.Errorf("seed %d, %v: %s", seed, s, d)
		}
	}
}

func roundTrip(t *testing.T, b arrow.RecordBatch, seed uint64) []string {
	t.Helper()
	var stream bytes.Buffer
	w := ipc.NewWriter(&stream, ipc.WithSchema(b.Schema()))
	if err := w.Write(b); err != nil {
		t.Fatalf("seed %d: %v", seed, err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	r, err := ipc.NewReader(&stream)
	if err != nil {
		t.Fatalf("seed %d: %v", seed, err)
	}
	defer r.Release()
	if !r.Next() {
		t.Fatalf("seed %d: %v", seed, r.Err())
	}
	return oracle.Rows(r.RecordBatch())
}

func TestTypes(t *testing.T) {
	for i, typ := range Flat() {
		g := New(uint64(i))
		b := g.Batch(SchemaOf(typ), 100)
		rows := oracle.Rows(b)
		if d := oracle.Diff(oracle.Table{0: roundTrip(t, b, uint64(i))}, oracle.Table{0: rows}); d != "" {
			t.Errorf("%s: %s", typ, d)
		}
	}
}
