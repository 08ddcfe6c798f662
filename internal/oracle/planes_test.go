package oracle

import (
	"encoding/binary"
	"os"
	"slices"
	"testing"

	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/apache/arrow-go/v18/parquet/file"
	"github.com/apache/arrow-go/v18/parquet/pqarrow"
)

// TestCometPlanes reads blocks in which Comet stored offsets as lengths.
func TestCometPlanes(t *testing.T) {
	const dir = "testdata/comet_nested_zstd_16p/"
	data, err := os.ReadFile(dir + "data")
	if err != nil {
		t.Fatal(err)
	}
	big, err := os.ReadFile(dir + "index")
	if err != nil {
		t.Fatal(err)
	}
	var index []byte
	for o := range slices.Chunk(big, 8) {
		index = binary.LittleEndian.AppendUint64(index, binary.BigEndian.Uint64(o))
	}
	var got []string
	for b, err := range Blocks(data, index) {
		if err != nil {
			t.Fatal(err)
		}
		if b.Tag != "\xdaSTD" {
			t.Fatalf("tag %q", b.Tag)
		}
		got = append(got, b.Rows()...)
	}
	want := parquetRows(t, dir+"input.parquet")
	slices.Sort(got)
	slices.Sort(want)
	if d := Diff(Table{0: got}, Table{0: want}); d != "" || len(want) != 1000 {
		t.Error(len(want), d)
	}
}

func parquetRows(t *testing.T, path string) []string {
	t.Helper()
	f, err := file.OpenParquetFile(path, false)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	r, err := pqarrow.NewFileReader(f, pqarrow.ArrowReadProperties{}, memory.DefaultAllocator)
	if err != nil {
		t.Fatal(err)
	}
	table, err := r.ReadTable(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer table.Release()
	var rows []string
	batches := array.NewTableReader(table, 0)
	defer batches.Release()
	for batches.Next() {
		rows = append(rows, Rows(batches.RecordBatch())...)
	}
	if batches.Err() != nil {
		t.Fatal(batches.Err())
	}
	return rows
}
