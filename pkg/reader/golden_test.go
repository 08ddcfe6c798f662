package reader

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/shufflebench/shufflebench/internal/oracle"
	"github.com/shufflebench/shufflebench/internal/shufflefile"
)

// golden is one folder of files that a real engine wrote.
type golden struct {
	dir   string
	pairs [][2]string // data and index files
}

// goldens are the folders in testdata, and those in the directories that
// SHUFFLEBENCH_GOLDENS names (separated like PATH), which hold more of the kind.
func goldens(t *testing.T) []golden {
	t.Helper()
	var out []golden
	for _, root := range append([]string{"testdata"}, filepath.SplitList(os.Getenv("SHUFFLEBENCH_GOLDENS"))...) {
		err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
			if err == nil && d.Name() == "input.parquet" {
				out = append(out, goldenIn(t, filepath.Dir(path)))
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return out
}

func goldenIn(t *testing.T, dir string) golden {
	t.Helper()
	g := golden{dir: dir}
	for _, pattern := range []string{"*.index", "index.out"} {
		found, err := filepath.Glob(filepath.Join(dir, pattern))
		if err != nil {
			t.Fatal(err)
		}
		for _, x := range found {
			data := strings.TrimSuffix(x, ".index")
			switch filepath.Ext(data) {
			case ".out":
				data = filepath.Join(dir, "data.out")
			case "":
				data += ".data"
			}
			g.pairs = append(g.pairs, [2]string{data, x})
		}
	}
	return g
}

// TestGoldens: what real engines wrote decodes, in every mode, to the rows
// that went in.
func TestGoldens(t *testing.T) {
	all := goldens(t)
	if len(all) < 13 {
		t.Fatalf("%d goldens", len(all))
	}
	for _, g := range all {
		want := parquetRows(t, filepath.Join(g.dir, "input.parquet"))
		for name, o := range modes() {
			t.Run(filepath.Base(g.dir)+"/"+name, func(t *testing.T) {
				var got []string
				for _, p := range g.pairs {
					got = append(got, pairRows(t, p, o)...)
				}
				slices.Sort(got)
				if diff := cmp.Diff(want, got); diff != "" {
					t.Errorf("rows (-want +got):\n%s", diff)
				}
			})
		}
	}
}

// pairRows reads all partitions, once one after another and once from the last
// to the first, and checks what is counted.
func pairRows(t *testing.T, pair [2]string, o Options) []string {
	t.Helper()
	f, r := openPair(t, pair[0], pair[1], o)
	var rows []string
	for p := range f.Partitions() {
		for b, err := range r.Partition(p) {
			if err != nil {
				t.Fatal(err)
			}
			rows = append(rows, rowsOf(b)...)
		}
	}
	s := r.Stats()
	var header int64
	if f.Layout() == BallistaLayout {
		header = f.Index()[0]
	}
	if s.BytesIn+header != f.Size() || s.Rows != int64(len(rows)) {
		t.Errorf("%+v, but the file has %d bytes and %d rows", s, f.Size(), len(rows))
	}
	back := f.NewReader()
	defer back.Close()
	n := 0
	for p := f.Partitions() - 1; p >= 0; p-- {
		for b, err := range back.Blocks(p) {
			if err != nil {
				t.Fatal(err)
			}
			n += int(b.Batch.NumRows())
		}
	}
	if n != len(rows) {
		t.Errorf("%d rows from the last to the first, %d from the first to the last", n, len(rows))
	}
	return rows
}

// parquetRows are the sorted rows of a Parquet file.
func parquetRows(t *testing.T, name string) (rows []string) {
	t.Helper()
	for _, b := range oracle.Parquet(t, name) {
		rows = append(rows, rowsOf(b)...)
	}
	slices.Sort(rows)
	return rows
}

// TestGoldenEndian: the byte order of an index is found, and the wrong one
// refused.
func TestGoldenEndian(t *testing.T) {
	for dir, want := range map[string]shufflefile.Endian{
		"testdata/spark/native_none_ids":      shufflefile.BigEndian,
		"testdata/comet/ids_zstd_16p_spilled": shufflefile.LittleEndian,
	} {
		p := goldenIn(t, dir).pairs[0]
		f, _ := openPair(t, p[0], p[1], Options{})
		if f.Endian() != want {
			t.Errorf("%s: index is %v-endian, want %v", dir, f.Endian(), want)
		}
		other := shufflefile.LittleEndian + shufflefile.BigEndian - want
		if _, err := OpenPair(p[0], p[1], Options{Endian: other}); !errors.Is(err, shufflefile.ErrCorrupt) {
			t.Errorf("%s: read as %v-endian: %v", dir, other, err)
		}
	}
}
