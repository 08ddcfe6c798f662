package validate

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"

	"github.com/shufflebench/shufflebench/pkg/fixture"
	"github.com/shufflebench/shufflebench/pkg/reader"
)

// goldenCase is one folder's case.json.
type goldenCase struct {
	dir          string
	Partitioning string `json:"partitioning"`
	HashColumns  []int  `json:"hash_columns"`
	Partitions   int    `json:"partitions"`
	Rows         int64  `json:"rows"`
	Files        []struct {
		Data, Index string
	} `json:"files"`
}

// goldens reads every case below testdata.
func goldens(t testing.TB) (list []goldenCase) {
	t.Helper()
	names, err := filepath.Glob("testdata/golden/*/*/case.json")
	if err != nil || len(names) == 0 {
		t.Fatalf("no goldens (%v)", err)
	}
	for _, name := range names {
		g := goldenCase{dir: filepath.Dir(name)}
		raw, err := os.ReadFile(name)
		if err == nil {
			err = json.Unmarshal(raw, &g)
		}
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, g)
	}
	return list
}

func (g goldenCase) name() string {
	return filepath.Base(filepath.Dir(g.dir)) + "/" + filepath.Base(g.dir)
}

func (g goldenCase) options(t testing.TB) Options {
	t.Helper()
	in, err := fixture.Open(filepath.Join(g.dir, "input.parquet"))
	if err != nil {
		t.Fatal(err)
	}
	o := Options{Input: in, Partitions: g.Partitions, HashColumns: g.HashColumns, Partitioning: Partitioning(g.Partitioning)}
	at := func(data, index string) {
		o.Pairs = append(o.Pairs, Pair{filepath.Join(g.dir, data), filepath.Join(g.dir, index)})
	}
	switch {
	case strings.Contains(g.dir, "ballista"):
		o.Partitioning = ByKey
		at("data.arrow", "data.arrow.index")
	case len(g.Files) == 0:
		at("data.out", "index.out")
	}
	for _, f := range g.Files {
		at(f.Data, f.Index)
	}
	return o
}

// TestGoldens proves files of real Spark, Comet and Ballista.
func TestGoldens(t *testing.T) {
	for _, g := range goldens(t) {
		t.Run(g.name(), func(t *testing.T) {
			r := prove(t, g.options(t))
			counts(t, r, nil)
			if r.Rows != g.Rows || r.InputRows != g.Rows || r.Partitions != g.Partitions {
				t.Errorf("%d rows of %d, %d partitions", r.Rows, r.InputRows, r.Partitions)
			}
			if strings.Contains(g.name(), "range") {
				o := g.options(t)
				o.Partitioning, o.HashColumns = Range, []int{1}
				counts(t, prove(t, o), nil)
				o.HashColumns = []int{0}
				if r := prove(t, o); r.Counts[OrderFault] == 0 {
					t.Error("partitions by value are in the order of id too")
				}
			}
		})
	}
}

// TestGoldensUnderOtherRules: a wrong key column is found out in real files.
func TestGoldensUnderOtherRules(t *testing.T) {
	for _, g := range goldens(t) {
		if g.Partitioning != "hash" || g.Rows < 100 || len(g.HashColumns) > 1 {
			continue
		}
		o := g.options(t)
		o.HashColumns = []int{1 - min(g.HashColumns[0], 1)}
		if r := prove(t, o); r.Counts[MisplacedRow] == 0 || len(r.Counts) != 1 {
			t.Errorf("%s: placed by column %d, proved by column %d: %v", g.name(), g.HashColumns[0], o.HashColumns[0], r.Counts)
		}
	}
}

// TestConsolidatedDamage damages a file of Ballista: its index and its streams.
func TestConsolidatedDamage(t *testing.T) {
	dir := "testdata/golden/ballista/ids_7p_3inputs/"
	data, index := readFile(t, dir+"data.arrow"), readFile(t, dir+"data.arrow.index")
	var offsets []int64
	for i := 0; i < len(index); i += 8 {
		offsets = append(offsets, int64(binary.LittleEndian.Uint64(index[i:])))
	}
	o := goldenCase{dir: filepath.Clean(dir), HashColumns: []int{0}}.options(t)
	run := func(damage func(f *files)) *Report {
		f := &files{data: slices.Clone(data), offsets: slices.Clone(offsets)}
		damage(f)
		o.Pairs = []Pair{f.write(t)}
		return prove(t, o)
	}
	counts(t, run(func(*files) {}), nil)
	counts(t, run(func(f *files) { f.offsets[0] = 0 }), map[Kind]int64{IndexFault: 1})
	counts(t, run(func(f *files) { f.data = f.data[:len(f.data)-1] }), map[Kind]int64{IndexFault: 1})
	for _, cut := range []int64{9, 100, 1000} { // in the last stream: its mark, its body, its metadata
		r := run(func(f *files) {
			f.offsets[7] -= cut
			f.data = f.data[:f.offsets[7]]
		})
		if r.Counts[BlockFault] != 1 || finding(t, r, BlockFault).Place().Partition != 6 {
			t.Errorf("cut by %d: counts %v", cut, r.Counts)
		}
	}
	r := run(func(f *files) { f.offsets[3] = f.offsets[2] }) // partition 2 goes to 3
	counts(t, r, nil)                                        // equal keys still share a partition, and all rows are there
	o.Partitioning = Hash
	if r := run(func(*files) {}); r.Counts[MisplacedRow] < 1000 {
		t.Errorf("placed by another hash: counts %v", r.Counts)
	}
}

// TestFlippedBytes flips bytes at random in every golden. Each flip is either
// found, or decodes to the same rows in the same partitions.
func TestFlippedBytes(t *testing.T) {
	flips := 8
	if testing.Short() {
		flips = 2
	}
	r := rand.New(rand.NewPCG(20, 26))
	found, harmless := 0, 0
	for _, g := range goldens(t) {
		o := g.options(t)
		for range flips {
			pair := r.IntN(len(o.Pairs))
			damaged, what := flip(t, r, o.Pairs[pair])
			p := o
			p.Pairs = append([]Pair(nil), o.Pairs...)
			p.Pairs[pair] = damaged
			rep := prove(t, p)
			if !rep.Valid {
				found++
				continue
			}
			harmless++
			if err := sameRows(o.Pairs[pair], damaged); err != nil {
				t.Errorf("%s: %s is taken for valid: %v", g.name(), what, err)
			}
		}
	}
	t.Logf("%d flips were found, %d are harmless", found, harmless)
	if found < 5*harmless {
		t.Error("too many flips are taken for harmless")
	}
}

// flip copies a pair with one byte changed, mostly in the data file.
func flip(t testing.TB, r *rand.Rand, p Pair) (Pair, string) {
	t.Helper()
	dir := t.TempDir()
	out := Pair{filepath.Join(dir, "data"), filepath.Join(dir, "index")}
	data, err := os.ReadFile(p.Data)
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	index, err := os.ReadFile(p.Index)
	if err != nil {
		t.Fatal(err)
	}
	in, name := data, "data"
	if len(data) == 0 || r.IntN(10) == 0 {
		in, name = index, "index"
	}
	at, bit := r.IntN(len(in)), r.IntN(8)
	in[at] ^= 1 << bit
	for name, content := range map[string][]byte{out.Data: data, out.Index: index} {
		if err := os.WriteFile(name, content, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return out, fmt.Sprintf("bit %d of byte %d of the %s of %s", bit, at, name, p.Data)
}

// sameRows decodes two pairs and compares their batches, block by block.
func sameRows(a, b Pair) error {
	fa, err := reader.OpenPair(a.Data, a.Index, reader.Options{})
	if err != nil {
		return err
	}
	defer fa.Close()
	fb, err := reader.OpenPair(b.Data, b.Index, reader.Options{})
	if err != nil {
		return err
	}
	defer fb.Close()
	ra, rb := fa.NewReader(), fb.NewReader()
	defer ra.Close()
	defer rb.Close()
	for p := range fa.Partitions() {
		x, err := batches(ra, p)
		if err != nil {
			return err
		}
		y, err := batches(rb, p)
		if err != nil {
			return err
		}
		if len(x) != len(y) {
			return fmt.Errorf("partition %d: %d blocks, and %d", p, len(x), len(y))
		}
		for i := range x {
			for c := range x[i].Columns() {
				if !sameColumn(x[i].Column(c), y[i].Column(c)) {
					return fmt.Errorf("partition %d, block %d, column %d differs", p, i, c)
				}
			}
		}
	}
	return nil
}

// sameColumn compares values, by position in nested ones: a flip may make
// another type of equal values (int64 as uint64, another name of a field, another zone).
func sameColumn(a, b arrow.Array) bool {
	id := a.DataType().ID()
	if id != arrow.STRING_VIEW && id != arrow.BINARY_VIEW && arrow.TypeEqual(a.DataType(), b.DataType()) {
		return array.ApproxEqual(a, b, array.WithNaNsEqual(true), array.WithAbsTolerance(0))
	}
	if a.Len() != b.Len() {
		return false
	}
	for i := range a.Len() {
		if a.IsNull(i) != b.IsNull(i) {
			return false
		}
	}
	switch x := a.(type) {
	case *array.Struct:
		y, ok := b.(*array.Struct)
		for f := 0; ok && f < x.NumField(); f++ {
			ok = sameColumn(x.Field(f), y.Field(f))
		}
		return ok
	case array.ListLike:
		y, ok := b.(array.ListLike)
		for i := 0; ok && i < a.Len(); i++ {
			p, q := x.ValueOffsets(i)
			r, s := y.ValueOffsets(i)
			ok = p == r && q == s
		}
		return ok && sameColumn(x.ListValues(), y.ListValues())
	}
	return sameFlat(a, b)
}

// sameFlat compares values without children one by one.
func sameFlat(a, b arrow.Array) bool {
	for i := range a.Len() {
		x, isDecimal := decimalOf(a, i)
		y, bothDecimal := decimalOf(b, i)
		if isDecimal != bothDecimal || x != y || !isDecimal && renderValue(a, i) != renderValue(b, i) {
			return false
		}
	}
	return true
}

func batches(r *reader.Reader, p int) (list []arrow.RecordBatch, err error) {
	for b, err := range r.Partition(p) {
		if err != nil {
			return nil, err
		}
		b.Retain()
		list = append(list, b)
	}
	return list, nil
}
