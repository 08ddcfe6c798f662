package validate

import (
	"bytes"
	"os"
	"strconv"
	"testing"

	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/ipc"

	"github.com/shufflebench/shufflebench/internal/shufflefile"
)

// decodeIDs is the first column of a block with codec none.
func decodeIDs(t testing.TB, b []byte) []int64 {
	t.Helper()
	r, err := ipc.NewReader(bytes.NewReader(b[shufflefile.HeaderSize:]))
	if err != nil {
		t.Fatal(err)
	}
	defer r.Release()
	if !r.Next() {
		t.Fatal(r.Err())
	}
	return bytes2ids(r.RecordBatch().Column(0).(*array.Int64).Values())
}

func bytes2ids(v []int64) []int64 { return append([]int64(nil), v...) }

func itoa(v int64) string { return strconv.FormatInt(v, 10) }

func truncate(t testing.TB, name string, size int64) {
	t.Helper()
	if err := os.Truncate(name, size); err != nil {
		t.Fatal(err)
	}
}

func remove(t testing.TB, name string) {
	t.Helper()
	if err := os.Remove(name); err != nil {
		t.Fatal(err)
	}
}
