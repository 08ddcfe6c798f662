package writer

import (
	"bytes"
	"encoding/hex"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/shufflebench/shufflebench/internal/shufflefile"
	"github.com/shufflebench/shufflebench/pkg/fixture"
)

var hexLine = regexp.MustCompile(`(?m)^[0-9a-f]{4}  ((?:[0-9a-f]{2} )*[0-9a-f]{2})(?:  .*)?$`)

// TestFormatDocument: the worked example of docs/format.md is what is written.
func TestFormatDocument(t *testing.T) {
	doc, err := os.ReadFile(filepath.Join("..", "..", "docs", "format.md"))
	if err != nil {
		t.Fatal(err)
	}
	var listed []byte
	for _, m := range hexLine.FindAllSubmatch(doc, -1) {
		b, err := hex.DecodeString(strings.ReplaceAll(string(m[1]), " ", ""))
		if err != nil {
			t.Fatal(err)
		}
		listed = append(listed, b...)
	}
	dir := t.TempDir()
	input := filepath.Join(dir, "three.parquet")
	if err := fixture.MakeFile(input, fixture.Options{Preset: "seed", Rows: 3}); err != nil {
		t.Fatal(err)
	}
	src, err := fixture.Open(input)
	if err != nil {
		t.Fatal(err)
	}
	res, err := Run(t.Context(), src, Options{Partitions: 2, Codec: shufflefile.None, OutputDir: dir})
	if err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(res.Tasks[0].Data)
	if err != nil {
		t.Fatal(err)
	}
	index, err := os.ReadFile(res.Tasks[0].Index)
	if err != nil {
		t.Fatal(err)
	}
	const first = 540 // bytes of partition 0
	if want := append(data[:first:first], index...); !bytes.Equal(listed, want) {
		t.Errorf("docs/format.md lists %d bytes that differ from the %d that were written", len(listed), len(want))
	}
}
