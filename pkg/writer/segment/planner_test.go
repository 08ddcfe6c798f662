package segment

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/shufflebench/shufflebench/internal/oracle"
)

// fake is a source of counts alone.
type fake struct {
	entries []Entry
	rows    int // what Len says
	perRow  int64
}

func newFake(entries []Entry, perRow int64) *fake {
	f := &fake{entries: entries, perRow: perRow}
	for _, e := range entries {
		f.rows += int(e.Rows)
	}
	return f
}

func (f *fake) Counts() (*Counts, error) {
	return newCounts(appendCounts(nil, f.entries), len(f.entries), nil)
}
func (f *fake) Load(views []View, _, _ int, _ *Arena) error { return nil }
func (f *fake) Bytes() int64                                { return f.perRow * int64(f.rows) }
func (f *fake) Len() int                                    { return f.rows }
func (f *fake) Stored() bool                                { return false }

// plan is one random planning problem.
type plan struct {
	partitions, blockRows int
	budget                int64
	sources               []Source
}

func randomPlan(r *rand.Rand) plan {
	p := plan{
		partitions: []int{1, 2, 7, 200, 5000, 100_000}[r.IntN(6)],
		blockRows:  []int{1, 7, 100, 8192}[r.IntN(4)],
		budget:     []int64{1, 500, 5000, 1 << 20}[r.IntN(4)],
	}
	most := []int{1, 3, 50, 2000}[r.IntN(4)]
	skew := r.IntN(2) == 0
	for range r.IntN(6) {
		counts := map[uint32]uint32{}
		for range r.IntN(100) {
			counts[uint32(r.IntN(p.partitions))] = uint32(1 + r.IntN(most))
		}
		if skew {
			counts[uint32(p.partitions/2)] = uint32(1 + r.IntN(10_000))
		}
		var entries []Entry
		for partition, rows := range counts {
			entries = append(entries, Entry{partition, rows})
		}
		slices.SortFunc(entries, func(a, b Entry) int { return int(a.Partition) - int(b.Partition) })
		p.sources = append(p.sources, newFake(entries, int64(1+r.IntN(20))))
	}
	return p
}

// checker holds windows to what the sources have.
type checker struct {
	*testing.T
	plan
	want [][]run // by source
	row  []int   // by source, the next one
	end  uint32
	part map[uint32]int // rows seen of partitions that are not complete
}

type run struct {
	partition uint32
	lo, rows  int
}

func newChecker(t *testing.T, p plan) *checker {
	c := &checker{T: t, plan: p, row: make([]int, len(p.sources)), part: map[uint32]int{}}
	for _, s := range p.sources {
		var runs []run
		lo := 0
		for _, e := range s.(*fake).entries {
			runs = append(runs, run{e.Partition, lo, int(e.Rows)})
			lo += int(e.Rows)
		}
		c.want = append(c.want, runs)
	}
	return c
}

// window takes the window's pieces off what is wanted.
func (c *checker) window(w *Window, number, target int) error {
	if w.Number != number || w.End < c.end {
		return fmt.Errorf("window %d ends at %d, after window %d at %d", w.Number, w.End, number-1, c.end)
	}
	rows := 0
	for i := range w.Parts {
		p := &w.Parts[i]
		if i > 0 && p.Partition <= w.Parts[i-1].Partition || p.Partition < c.end || p.Partition >= uint32(c.partitions) {
			return fmt.Errorf("part %d is of partition %d, windows before reach %d", i, p.Partition, c.end)
		}
		if err := c.pieces(w, p); err != nil {
			return err
		}
		rows += p.Rows
	}
	if most := max(target, c.blockRows); rows > most {
		return fmt.Errorf("%d rows, at most %d fit", rows, most)
	}
	for s, sp := range w.spans {
		if sp.hi-sp.lo != 0 && sp.hi != c.row[s] {
			return fmt.Errorf("source %d loads up to row %d, its pieces end at %d", s, sp.hi, c.row[s])
		}
	}
	c.end = w.End
	return nil
}

// pieces checks one part: pieces by source, each next in its source, complete
// unless the window ends inside the partition.
func (c *checker) pieces(w *Window, p *Part) error {
	sum, last := 0, -1
	for _, piece := range p.Pieces {
		s := int(piece.Source)
		if s <= last {
			return fmt.Errorf("partition %d: source %d after %d", p.Partition, s, last)
		}
		for before := last + 1; before < s; before++ {
			if len(c.want[before]) > 0 && c.want[before][0].partition <= p.Partition {
				return fmt.Errorf("partition %d: rows of source %d come before those of %d", p.Partition, s, before)
			}
		}
		last = s
		if len(c.want[s]) == 0 || c.want[s][0].partition != p.Partition {
			return fmt.Errorf("partition %d: source %d has nothing there", p.Partition, s)
		}
		next := &c.want[s][0]
		n := int(piece.Rows)
		if lo := w.spans[s].lo + int(piece.Lo); n == 0 || n > next.rows || lo != next.lo {
			return fmt.Errorf("partition %d, source %d: rows %d to %d, want from %d", p.Partition, s, lo, lo+n, next.lo)
		}
		next.lo, next.rows = next.lo+n, next.rows-n
		c.row[s] += n
		if next.rows == 0 {
			c.want[s] = c.want[s][1:]
		}
		sum += n
	}
	if sum != p.Rows {
		return fmt.Errorf("partition %d: pieces of %d rows in a part of %d", p.Partition, sum, p.Rows)
	}
	return c.complete(w, p)
}

// complete checks that a part below the window's end leaves nothing, and that
// a part of a partition that goes on is a whole number of blocks.
func (c *checker) complete(w *Window, p *Part) error {
	left := slices.ContainsFunc(c.want, func(runs []run) bool { return len(runs) > 0 && runs[0].partition <= p.Partition })
	switch {
	case p.Partition < w.End && left:
		return fmt.Errorf("partition %d is said to be complete, but is not", p.Partition)
	case p.Partition >= w.End && !left:
		return fmt.Errorf("partition %d is complete, but the window ends at %d", p.Partition, w.End)
	case left && p.Rows%c.blockRows != 0:
		return fmt.Errorf("partition %d goes on after %d rows, blocks have %d", p.Partition, p.Rows, c.blockRows)
	}
	return nil
}

func TestPlanner(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 12))
	cut := 0
	for i := range oracle.Rounds(600) {
		p := randomPlan(r)
		c := newChecker(t, p)
		planner, err := NewPlanner(layoutOf(t, noColumns), p.sources, p.partitions, p.blockRows, p.budget)
		if err != nil {
			t.Fatal(err)
		}
		var w Window
		for number := 0; ; number++ {
			more, err := planner.Next(&w)
			if err != nil {
				t.Fatal(err)
			}
			if !more {
				break
			}
			if err := c.window(&w, number, planner.target); err != nil {
				t.Fatalf("plan %d of %d partitions, %d rows a block, %d bytes, window %d: %v", i, p.partitions, p.blockRows, p.budget, number, err)
			}
			if len(w.Parts) > 0 && w.End == w.Parts[len(w.Parts)-1].Partition {
				cut++
			}
		}
		if c.end != uint32(p.partitions) || slices.ContainsFunc(c.want, func(runs []run) bool { return len(runs) > 0 }) {
			t.Fatalf("plan %d: the windows end at %d of %d partitions; left: %v", i, c.end, p.partitions, c.want)
		}
	}
	if cut < oracle.Rounds(100) {
		t.Errorf("only %d windows ended inside a partition", cut)
	}
}

// TestPlannerRepeats: windows depend on nothing but the arguments.
func TestPlannerRepeats(t *testing.T) {
	r := rand.New(rand.NewPCG(13, 14))
	for range oracle.Rounds(50) {
		p := randomPlan(r)
		var plans [2][]string
		for i := range plans {
			planner, err := NewPlanner(layoutOf(t, noColumns), p.sources, p.partitions, p.blockRows, p.budget)
			if err != nil {
				t.Fatal(err)
			}
			var w Window
			for more := true; more; {
				if more, err = planner.Next(&w); err != nil {
					t.Fatal(err)
				}
				plans[i] = append(plans[i], fmt.Sprint(w.End, w.Parts, w.spans))
			}
		}
		if !slices.Equal(plans[0], plans[1]) {
			t.Fatal("two plannings of the same differ")
		}
	}
}

// TestPlannerFewWindows: with room enough, thousands of partitions are one
// window's work, not one each.
func TestPlannerFewWindows(t *testing.T) {
	for _, partitions := range []int{200, 16000, 1 << 24} {
		var entries []Entry
		for p := 0; p < partitions; p += max(1, partitions/10_000) {
			entries = append(entries, Entry{uint32(p), 10})
		}
		sources := []Source{newFake(entries, 16), newFake(entries, 16)}
		planner, err := NewPlanner(layoutOf(t, noColumns), sources, partitions, 8192, 1<<20)
		if err != nil {
			t.Fatal(err)
		}
		var w Window
		windows := 0
		for {
			more, err := planner.Next(&w)
			if err != nil {
				t.Fatal(err)
			}
			if !more {
				break
			}
			windows++
		}
		bytes := int(sources[0].Bytes() + sources[1].Bytes())
		if most := 3*bytes>>20 + partitions/maxWidth + 3; windows > most {
			t.Errorf("%d partitions of %d bytes in all: %d windows, want at most %d", partitions, bytes, windows, most)
		}
	}
}

// TestPlannerDamage: counts that do not fit the rows of their segment, or the
// partitions, are an error and never fewer rows.
func TestPlannerDamage(t *testing.T) {
	entries := []Entry{{0, 4}, {3, 4}, {9, 2}}
	for name, damaged := range map[string]*fake{
		"fewer rows":          {entries: entries, rows: 9, perRow: 1},
		"more rows":           {entries: entries, rows: 11, perRow: 1},
		"no rows":             {entries: entries, rows: 0, perRow: 1},
		"all in the first":    {entries: []Entry{{0, 4}, {3, 6}, {9, 2}}, rows: 10, perRow: 1},
		"partition too large": {entries: []Entry{{0, 4}, {3, 4}, {10, 2}}, rows: 10, perRow: 1},
		"huge partition":      {entries: []Entry{{0, 4}, {3, 4}, {1 << 31, 2}}, rows: 10, perRow: 1},
		"nothing":             {rows: 10, perRow: 1},
		"huge counts":         {entries: []Entry{{0, 1<<32 - 1}, {3, 1<<32 - 1}}, rows: 10, perRow: 1},
	} {
		for _, budget := range []int64{1, 6, 1 << 20} {
			for _, sources := range [][]Source{{damaged}, {newFake(entries, 1), damaged, newFake(entries, 1)}} {
				if err := runPlanner(t, sources, 10, 2, budget); !errors.Is(err, errCounts) {
					t.Errorf("%s, %d sources, budget %d: %v", name, len(sources), budget, err)
				}
			}
		}
	}
}

func runPlanner(t *testing.T, sources []Source, partitions, blockRows int, budget int64) error {
	planner, err := NewPlanner(layoutOf(t, noColumns), sources, partitions, blockRows, budget)
	if err != nil {
		return err
	}
	var w Window
	for range 1000 {
		if more, err := planner.Next(&w); err != nil || !more {
			return err
		}
	}
	return errors.New("it does not end")
}
