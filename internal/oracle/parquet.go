package oracle

import (
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/apache/arrow-go/v18/parquet/file"
	"github.com/apache/arrow-go/v18/parquet/pqarrow"
)

// Parquet reads a whole Parquet file by the library. The batches live as long as
// the test.
func Parquet(t testing.TB, path string) (all []arrow.RecordBatch) {
	t.Helper()
	f, err := file.OpenParquetFile(path, false)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	r, err := pqarrow.NewFileReader(f, pqarrow.ArrowReadProperties{}, memory.DefaultAllocator)
	if err != nil {
		t.Fatal(err)
	}
	table, err := r.ReadTable(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer table.Release()
	batches := array.NewTableReader(table, 0)
	defer batches.Release()
	for batches.Next() {
		b := batches.RecordBatch()
		b.Retain()
		t.Cleanup(b.Release)
		all = append(all, b)
	}
	if batches.Err() != nil {
		t.Fatal(batches.Err())
	}
	return all
}

// ParquetRows are the rows of a Parquet file.
func ParquetRows(t testing.TB, path string) (rows []string) {
	t.Helper()
	for _, b := range Parquet(t, path) {
		rows = append(rows, Rows(b)...)
	}
	return rows
}
