package segment

import (
	"slices"
	"testing"

	"github.com/shufflebench/shufflebench/internal/oracle"
	"github.com/shufflebench/shufflebench/internal/oracle/random"
	"github.com/shufflebench/shufflebench/internal/vfs"
)

// spillFile makes a file that is closed with the test.
func spillFile(t testing.TB, fs vfs.FS, packed bool) *File {
	t.Helper()
	f, err := NewFile(fs, ".", packed)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	return f
}

// eachForm runs a test with segments stored as they are, and packed.
func eachForm(t *testing.T, test func(t *testing.T, packed bool)) {
	t.Run("plain", func(t *testing.T) { test(t, false) })
	t.Run("packed", func(t *testing.T) { test(t, true) })
}

// TestStored compares a segment on disk with the same in memory: counts, and
// the rows of any interval.
func TestStored(t *testing.T) {
	eachForm(t, func(t *testing.T, packed bool) {
		for seed := range uint64(oracle.Rounds(250)) {
			g := random.New(seed)
			l := layoutOf(t, g.Schema(1+int(seed%4), int(seed%4)))
			file := spillFile(t, vfs.NewMem(), packed)
			var held []*Segment
			var extents []Extent
			for range 1 + seed%3 { // each lies behind others
				rows := g.R.IntN(200)
				s := segmentOf(t, l, g.Batch(l.Schema, rows), place(g.R, rows, 50), 50)
				e, err := file.Append(s)
				if err != nil {
					t.Fatal(err)
				}
				held, extents = append(held, s), append(extents, e)
			}
			for i, s := range held {
				compareStored(t, g, l, file, s, extents[i])
			}
			if last := extents[len(extents)-1]; file.Size() != last.Pos+last.Len {
				t.Fatalf("%d bytes, the last segment is %v", file.Size(), last)
			}
		}
	})
}

func compareStored(t *testing.T, g *random.Gen, l *Layout, file *File, s *Segment, e Extent) {
	t.Helper()
	stored, err := file.Open(l, e)
	if err != nil {
		t.Fatal(err)
	}
	if stored.Len() != s.Len() || !stored.Stored() || s.Stored() {
		t.Fatalf("%d rows, %d on disk", s.Len(), stored.Len())
	}
	if a, b := entriesOf(t, s), entriesOf(t, stored); !slices.Equal(a, b) {
		t.Fatalf("counts %v, on disk %v", a, b)
	}
	for range 10 {
		lo := g.R.IntN(s.Len() + 1)
		hi := lo + g.R.IntN(s.Len()-lo+1)
		if lo == hi {
			continue
		}
		inMemory, onDisk := loadRows(t, l, s, lo, hi), loadRows(t, l, stored, lo, hi)
		if !slices.Equal(inMemory, onDisk) {
			t.Fatalf("%v, rows %d to %d:\n%v\non disk:\n%v", l.Schema, lo, hi, inMemory, onDisk)
		}
	}
}

// TestLargeChunks stores columns of many chunks, so that a packed range begins
// and ends anywhere in them.
func TestLargeChunks(t *testing.T) {
	eachForm(t, func(t *testing.T, packed bool) {
		g := random.New(5)
		l := layoutOf(t, random.SchemaOf(random.Flat()...))
		s := segmentOf(t, l, g.Batch(l.Schema, 20_000), place(g.R, 20_000, 3000), 3000)
		file := spillFile(t, vfs.NewMem(), packed)
		e, err := file.Append(s)
		if err != nil {
			t.Fatal(err)
		}
		stored, err := file.Open(l, e)
		if err != nil {
			t.Fatal(err)
		}
		for _, span := range [][2]int{{0, 20_000}, {0, 1}, {19_999, 20_000}, {2047, 2049}, {4095, 12_345}, {16_383, 16_385}} {
			if !slices.Equal(loadRows(t, l, s, span[0], span[1]), loadRows(t, l, stored, span[0], span[1])) {
				t.Errorf("rows %v differ", span)
			}
		}
		if packed && e.Len > int64(len(s.Mem)) {
			t.Errorf("%d bytes packed, %d before", e.Len, len(s.Mem))
		}
	})
}

// sources makes segments of random batches, some in memory, some stored, and
// what they hold together: by partition, source, row.
func sourcesOf(t *testing.T, g *random.Gen, l *Layout, n, partitions int, packed bool) ([]Source, oracle.Table) {
	t.Helper()
	file := spillFile(t, vfs.NewMem(), packed)
	var sources []Source
	want := oracle.Table{}
	for range n {
		rows := g.R.IntN(120)
		b := g.Batch(l.Schema, rows)
		parts := place(g.R, rows, partitions)
		want.Add(oracle.Rows(b), parts)
		s := segmentOf(t, l, b, parts, partitions)
		if g.R.IntN(3) == 0 {
			sources = append(sources, s)
			continue
		}
		e, err := file.Append(s)
		if err != nil {
			t.Fatal(err)
		}
		stored, err := file.Open(l, e)
		if err != nil {
			t.Fatal(err)
		}
		sources = append(sources, stored)
	}
	return sources, want
}

// eachWindow plans, loads and hands out all windows.
func eachWindow(t *testing.T, l *Layout, sources []Source, partitions, blockRows int, budget int64, use func(*Window)) {
	t.Helper()
	planner, err := NewPlanner(l, sources, partitions, blockRows, budget)
	if err != nil {
		t.Fatal(err)
	}
	var w Window
	for {
		more, err := planner.Next(&w)
		if err != nil {
			t.Fatal(err)
		}
		if !more {
			return
		}
		if err := w.Load(sources); err != nil {
			t.Fatal(err)
		}
		use(&w)
	}
}

// rowsOf is a window's rows, piece by piece.
func rowsOf(l *Layout, w *Window, into oracle.Table) {
	for _, part := range w.Parts {
		p := int(part.Partition)
		for _, piece := range part.Pieces {
			views := w.Views[int(piece.Source)*w.Nodes:][:w.Nodes]
			into[p] = append(into[p], oracle.Rows(batchFrom(l, views, int(piece.Lo), int(piece.Lo+piece.Rows)))...)
		}
	}
}

// TestWindows loads sources window by window and finds all rows, in order.
func TestWindows(t *testing.T) {
	eachForm(t, func(t *testing.T, packed bool) {
		for seed := range uint64(oracle.Rounds(150)) {
			g := random.New(seed)
			l := layoutOf(t, g.Schema(1+int(seed%3), int(seed%4)))
			partitions := []int{1, 3, 40, 5000}[seed%4]
			sources, want := sourcesOf(t, g, l, int(seed%5), partitions, packed)
			got := oracle.Table{}
			eachWindow(t, l, sources, partitions, 1+g.R.IntN(20), int64(1+g.R.IntN(5000)), func(w *Window) { rowsOf(l, w, got) })
			if d := oracle.Diff(got, want); d != "" {
				t.Fatalf("seed %d: %s", seed, d)
			}
		}
	})
}

// TestRegroup makes segments of windows and finds in them what windows hold.
func TestRegroup(t *testing.T) {
	eachForm(t, func(t *testing.T, packed bool) {
		for seed := range uint64(oracle.Rounds(150)) {
			g := random.New(1000 + seed)
			l := layoutOf(t, g.Schema(1+int(seed%3), int(seed%4)))
			partitions := []int{1, 3, 40, 5000}[seed%4]
			sources, want := sourcesOf(t, g, l, 1+int(seed%5), partitions, packed)
			got := oracle.Table{}
			var mem []byte
			eachWindow(t, l, sources, partitions, 1+g.R.IntN(20), int64(1+g.R.IntN(20_000)), func(w *Window) {
				if len(w.Parts) == 0 {
					return
				}
				for i := range mem[:cap(mem)] {
					mem[:cap(mem)][i] = 0x5a
				}
				s, err := w.Regroup(l, mem)
				if err != nil {
					t.Fatal(err)
				}
				mem = s.Mem
				for p, rows := range tableOf(t, l, s) {
					got[p] = append(got[p], rows...)
				}
			})
			if d := oracle.Diff(got, want); d != "" {
				t.Fatalf("seed %d, %v: %s", seed, l.Schema, d)
			}
		}
	})
}

// TestBytes: what a source says it takes is near what its rows take, so that
// budgets mean something.
func TestBytes(t *testing.T) {
	eachForm(t, func(t *testing.T, packed bool) {
		g := random.New(8)
		l := layoutOf(t, random.SchemaOf(random.Flat()...))
		s := segmentOf(t, l, g.Batch(l.Schema, 5000), place(g.R, 5000, 16), 16)
		file := spillFile(t, vfs.NewMem(), packed)
		e, err := file.Append(s)
		if err != nil {
			t.Fatal(err)
		}
		stored, err := file.Open(l, e)
		if err != nil {
			t.Fatal(err)
		}
		if a, b := stored.Bytes(), s.Bytes(); float64(a) < 0.9*float64(b) || a > b {
			t.Errorf("%d bytes on disk, %d in memory", a, b)
		}
	})
}

func TestArena(t *testing.T) {
	var a Arena
	for round := range 5 {
		var all [][]byte
		for i := range 200 {
			b := a.Alloc(i * 97 % 5000)
			for k := range b {
				b[k] = byte(i)
			}
			all = append(all, b)
		}
		for i, b := range all {
			if len(b) != i*97%5000 || cap(b) != align(len(b)) {
				t.Fatalf("round %d: piece %d has %d bytes", round, i, len(b))
			}
			if k := slices.IndexFunc(b, func(c byte) bool { return c != byte(i) }); k >= 0 {
				t.Fatalf("round %d: piece %d was overwritten at %d", round, i, k)
			}
		}
		a.Reset()
	}
	n := testing.AllocsPerRun(5, func() {
		a.Reset()
		for i := range 200 {
			a.Alloc(i * 97 % 5000)
		}
	})
	if n != 0 {
		t.Errorf("%v allocations once warm", n)
	}
}
