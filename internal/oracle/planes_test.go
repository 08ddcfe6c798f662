package oracle

import (
	"encoding/binary"
	"os"
	"slices"
	"testing"
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
	want := ParquetRows(t, dir+"input.parquet")
	slices.Sort(got)
	slices.Sort(want)
	if d := Diff(Table{0: got}, Table{0: want}); d != "" || len(want) != 1000 {
		t.Error(len(want), d)
	}
}
