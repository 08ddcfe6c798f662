package fingerprint

import (
	"math/rand/v2"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"

	"github.com/shufflebench/shufflebench/pkg/validate/internal/randrows"
)

var field = randrows.Field

// arrayOf makes an array of JSON values.
func arrayOf(t testing.TB, typ arrow.DataType, values string) arrow.Array {
	t.Helper()
	a, err := randrows.FromJSON(typ, values)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// one makes a batch of one column.
func one(a arrow.Array) arrow.RecordBatch {
	s := arrow.NewSchema([]arrow.Field{field("v", a.DataType())}, nil)
	return array.NewRecordBatch(s, []arrow.Array{a}, int64(a.Len()))
}

// TestRandomRows holds fingerprints to the plain canonical bytes: two rows have
// the same fingerprint exactly when they have the same bytes, in batches and one by one, sliced or not.
func TestRandomRows(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	keys := KeysFrom(7)
	for _, typ := range randrows.Types() {
		t.Run(typ.String(), func(t *testing.T) {
			a := arrayOf(t, typ, randrows.Values(r, typ, 300))
			batch := one(a)
			rows, err := NewRows(keys, batch.Schema(), batch.Schema(), nil)
			if err != nil {
				t.Fatal(err)
			}
			seen := checkRelation(t, rows, batch)
			slice := batch.NewSlice(13, 270)
			for canon, fp := range checkRelation(t, rows, slice) {
				if seen[canon] != fp {
					t.Fatal("a slice has other fingerprints")
				}
			}
		})
	}
}

type print128 struct{ a, b uint64 }

// checkRelation returns the fingerprint of every canonical row.
func checkRelation(t *testing.T, rows *Rows, batch arrow.RecordBatch) map[string]print128 {
	t.Helper()
	n := int(batch.NumRows())
	byCanon, byPrint := map[string]print128{}, map[print128]string{}
	a, b := rows.Fold(batch, 0, n)
	prints := make([]print128, n)
	for i := range prints {
		prints[i] = print128{a[i], b[i]}
	}
	for i, fp := range prints {
		if x, y := rows.Fold(batch, i, 1); x[0] != fp.a || y[0] != fp.b {
			t.Fatalf("row %d: alone it has another fingerprint", i)
		}
		canon := string(rows.Canonical(nil, batch, i))
		if was, ok := byCanon[canon]; ok && was != fp {
			t.Fatalf("row %d: equal values, other fingerprint: %s", i, batch.Column(0).ValueStr(i))
		}
		if was, ok := byPrint[fp]; ok && was != canon {
			t.Fatalf("row %d: other values, equal fingerprint: %s", i, batch.Column(0).ValueStr(i))
		}
		byCanon[canon], byPrint[fp] = fp, canon
	}
	return byCanon
}
