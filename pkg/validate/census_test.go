package validate

import (
	"math/rand/v2"
	"testing"
)

// TestCensus holds the table to a map, for subsets that are cut as it fills:
// together the passes see every row once, and each counts its own exactly.
func TestCensus(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 9))
	type id struct {
		a, b uint64
		part int32
	}
	var rows []entry
	want := map[id]int64{}
	for range 5000 {
		e := entry{a: r.Uint64(), b: r.Uint64(), key: uint64(r.IntN(300)) * 0x9e3779b97f4a7c15, part: int32(r.IntN(3)), net: 1, seen: true}
		for range 1 + r.IntN(3) {
			rows = append(rows, e)
			want[id{e.a, e.b, e.part}]++
		}
		if r.IntN(2) == 0 {
			e.net, e.seen = -1, false
			rows = append(rows, e)
			want[id{e.a, e.b, e.part}]--
		}
	}
	for _, keyed := range []bool{true, false} {
		c := newCensus(256*40, 1<<20, keyed) // 256 entries
		got := map[id]int64{}
		passes := 0
		for pending := []subset{{}}; len(pending) > 0; passes++ {
			c.start(pending[len(pending)-1])
			pending = pending[:len(pending)-1]
			for i := 0; i < len(rows); i += 100 {
				c.add(rows[i:min(i+100, len(rows))])
			}
			pending, c.left = append(pending, c.left...), nil
			for _, e := range c.differing() {
				if _, twice := got[id{e.a, e.b, e.part}]; twice || !e.seen {
					t.Fatalf("entry %+v again, or not of the input", e)
				}
				got[id{e.a, e.b, e.part}] = e.net
			}
		}
		if passes < 5000/256 {
			t.Errorf("%d passes over 5,000 rows in a table of 256", passes)
		}
		for k, n := range want {
			if got[k] != n {
				t.Fatalf("keyed %v: net %d, want %d", keyed, got[k], n)
			}
		}
	}
}

// TestOneKey fills a table with rows of a single key: it is cut by rows then.
func TestOneKey(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 9))
	c := newCensus(256*40, 1<<20, true)
	c.start(subset{})
	for range 5000 {
		c.add([]entry{{a: r.Uint64(), b: r.Uint64(), key: 1 << keyBits, net: 1}})
	}
	if c.used > 192 || c.sub.bits <= keyBits {
		t.Errorf("%d of 256 entries used, subset %+v", c.used, c.sub)
	}
}

// TestClassify sorts out one fault of each kind among a few rows.
func TestClassify(t *testing.T) {
	faults := classify([]entry{
		{a: 1, part: 0, net: 2, key: 10, seen: true}, {a: 1, part: 3, net: -1, key: 10}, {a: 1, part: 4, net: -1, key: 10},
		{a: 2, part: 0, net: -3, key: 20, seen: true},
		{a: 3, part: 1, net: 1, key: 30, seen: true},
		{a: 4, part: 1, net: -2, key: 30},
		{a: 5, part: 2, net: 1, key: 50, seen: true},
		{a: 6, part: 0, net: 0, key: 60, seen: true}, {a: 6, part: 1, net: -1, key: 60},
	}, true)
	got := map[Kind]int64{}
	for _, f := range faults {
		got[f.kind] += f.count
		if f.kind == ChangedRow && (f.input.a != 3 || f.output.a != 4) {
			t.Errorf("row %d became row %d", f.input.a, f.output.a)
		}
	}
	want := map[Kind]int64{MisplacedRow: 2, DuplicateRow: 4, ChangedRow: 1, MissingRow: 1, ExtraRow: 1}
	for _, k := range kinds {
		if got[k] != want[k] {
			t.Errorf("%s: %d, want %d", k, got[k], want[k])
		}
	}
}

// TestBuckets: every partition has its own where there are enough, and spans
// tell which.
func TestBuckets(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 9))
	for _, partitions := range []int{1, 3, 200, 16000, 1 << 16, 1 << 20} {
		b := newBuckets(1<<30, partitions)
		if b.n != maxBuckets || b.own(partitions) != (partitions <= maxBuckets) {
			t.Errorf("%d partitions: %+v", partitions, b)
		}
		for range 1000 {
			p := r.IntN(partitions)
			i := b.of(int32(p), r.Uint64())
			if lo, hi := b.span(p); i < lo || i >= hi || hi > b.n {
				t.Fatalf("%d partitions: bucket %d of partition %d is not in [%d, %d)", partitions, i, p, lo, hi)
			}
		}
	}
	if b := newBuckets(0, 1); b.n != minBuckets {
		t.Errorf("%+v", b)
	}
}
