package validate

import (
	"bytes"
	"cmp"
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/shufflebench/shufflebench/internal/shufflefile"
)

// FuzzOrdered holds the order of key bytes to that of the values.
func FuzzOrdered(f *testing.F) {
	f.Add("a", "ab", int64(1), int64(-1), 0.0, math.Copysign(0, -1))
	f.Add("a\x00", "a", int64(0), int64(0), math.NaN(), math.Inf(1))
	f.Add("", "\xff", int64(math.MinInt64), int64(math.MaxInt64), -1.5, 2e300)
	f.Fuzz(func(t *testing.T, s1, s2 string, i1, i2 int64, f1, f2 float64) {
		s, i, d := array.NewBinaryBuilder(memory.DefaultAllocator, arrow.BinaryTypes.Binary), array.NewInt64Builder(memory.DefaultAllocator), array.NewFloat64Builder(memory.DefaultAllocator)
		s.AppendValues([][]byte{[]byte(s1), []byte(s2)}, nil)
		i.AppendValues([]int64{i1, i2}, nil)
		d.AppendValues([]float64{f1, f2}, nil)
		var keys [2][]byte
		for _, a := range []arrow.Array{s.NewArray(), d.NewArray(), i.NewArray()} {
			for row := range keys {
				keys[row] = appendOrdered(keys[row], a, row)
			}
		}
		want := cmp.Or(cmp.Compare(s1, s2), compareFloats(f1, f2), cmp.Compare(i1, i2))
		if got := bytes.Compare(keys[0], keys[1]); got != want {
			t.Fatalf("(%q, %v, %d) against (%q, %v, %d): %d, want %d", s1, f1, i1, s2, f2, i2, got, want)
		}
	})
}

// compareFloats has NaN above all, and one zero.
func compareFloats(a, b float64) int {
	if a != a || b != b {
		return cmp.Compare(b2i(a != a), b2i(b != b))
	}
	return cmp.Compare(a, b)
}

func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}

// FuzzRun proves damaged files: whatever the bytes, there is a report, and it
// is valid only for the rows of the input.
func FuzzRun(f *testing.F) {
	src := seedRows(60)
	for _, codec := range []shufflefile.Codec{shufflefile.None, shufflefile.LZ4, shufflefile.Snappy} {
		good := shuffle(f, src, 2, 20, codec, 0).files()
		index := readFile(f, good.write(f).Index)
		f.Add(good.data, index)
		f.Add(good.data[:len(good.data)-9], index)
		f.Add(append(good.data[:8:8], good.data[9:]...), index)
	}
	f.Fuzz(func(t *testing.T, data, index []byte) {
		dir := t.TempDir()
		p := Pair{filepath.Join(dir, "data.out"), filepath.Join(dir, "index.out")}
		for name, content := range map[string][]byte{p.Data: data, p.Index: index} {
			if err := os.WriteFile(name, content, 0o666); err != nil {
				t.Fatal(err)
			}
		}
		r, err := Run(t.Context(), Options{Input: src, Pairs: []Pair{p}, Readers: 1, Seed: 1})
		if err != nil {
			t.Fatal(err)
		}
		checkReport(t, r)
		if r.Valid && r.Rows != 60 {
			t.Fatalf("valid with %d rows", r.Rows)
		}
	})
}

func readFile(t testing.TB, name string) []byte {
	t.Helper()
	b, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return b
}
