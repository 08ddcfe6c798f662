package stats

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"math"
	"math/rand/v2"
	"reflect"
	"testing"
)

// mirror swaps base and head.
func mirror(pairs []Pair) []Pair {
	out := make([]Pair, len(pairs))
	for i, p := range pairs {
		out[i] = Pair{Round: p.Round, BaseFirst: !p.BaseFirst, Base: p.Head, Head: p.Base}
	}
	return out
}

var mirrored = map[Verdict]Verdict{
	Better: Worse, Worse: Better,
	NoDifference: NoDifference, Inconclusive: Inconclusive, TooFewPairs: TooFewPairs,
}

var mirroredLean = map[Lean]Lean{
	LeanNone: LeanNone, LeanWorse: LeanBetter, LeanBetter: LeanWorse, NotWorse: NotBetter, NotBetter: NotWorse,
}

// manyComparisons yields samples of all lengths, effects and noises.
func manyComparisons(t *testing.T, check func(pairs []Pair, c *Comparison)) {
	t.Helper()
	r := rand.New(rand.NewPCG(7, 7))
	for trial := range 300 {
		w := world{
			noise: 0.05 * r.Float64(), effect: 0.2*r.Float64() - 0.1, slot: 0.1*r.Float64() - 0.05,
			drift: 0.2 * r.Float64(), spikes: 0.05,
		}
		pairs := w.sampler(uint64(trial)).rounds(r.IntN(24))
		for i := range pairs {
			if r.IntN(20) == 0 {
				pairs[i].Head = Run{Missing: "wrong output"}
			}
		}
		check(pairs, compare(t, pairs, Options{}))
	}
}

func compare(t *testing.T, pairs []Pair, o Options) *Comparison {
	t.Helper()
	c, err := ComparePaired(pairs, o)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// Swapping the sides inverts ratio and interval and turns the verdict round.
func TestSwappingSidesInverts(t *testing.T) {
	manyComparisons(t, func(pairs []Pair, c *Comparison) { checkMirror(t, pairs, c) })
}

func checkMirror(t *testing.T, pairs []Pair, c *Comparison) {
	t.Helper()
	m := compare(t, mirror(pairs), c.Options)
	if m.Verdict != mirrored[c.Verdict] || m.Lean != mirroredLean[c.Lean] {
		t.Fatalf("%s (%q) became %s (%q)", c.Verdict, c.Lean, m.Verdict, m.Lean)
	}
	if m.P != c.P || !reflect.DeepEqual(m.Further, c.Further) || !near(m.Ratio*c.Ratio, 1) && c.N > 0 {
		t.Fatalf("p %v and %v, ratio %v and %v, further %v and %v", c.P, m.P, c.Ratio, m.Ratio, c.Further, m.Further)
	}
	if c.Interval != nil && (!near(m.Interval.Lo*c.Interval.Hi, 1) || !near(m.Interval.Hi*c.Interval.Lo, 1)) {
		t.Fatalf("interval %v became %v", c.Interval, m.Interval)
	}
}

func near(a, b float64) bool { return math.Abs(a-b) <= 1e-9*max(math.Abs(a), math.Abs(b)) }

// A unit is not a result: seconds or microseconds, the ratio stays.
func TestScalingChangesNothing(t *testing.T) {
	manyComparisons(t, func(pairs []Pair, c *Comparison) {
		scaled := make([]Pair, len(pairs))
		for i, p := range pairs {
			p.Base.Value *= 1024
			p.Head.Value *= 1024
			scaled[i] = p
		}
		s := compare(t, scaled, Options{})
		if s.Verdict != c.Verdict || s.P != c.P || c.N > 0 && !near(s.Ratio, c.Ratio) {
			t.Fatalf("%s, %v, %v became %s, %v, %v", c.Verdict, c.P, c.Ratio, s.Verdict, s.P, s.Ratio)
		}
	})
}

// Rounds may be handed over in any sequence; their numbers carry the order.
func TestSequenceChangesNothing(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 8))
	manyComparisons(t, func(pairs []Pair, c *Comparison) {
		r.Shuffle(len(pairs), func(i, j int) { pairs[i], pairs[j] = pairs[j], pairs[i] })
		if s := compare(t, pairs, Options{}); !reflect.DeepEqual(s, c) {
			t.Fatalf("%+v became %+v", c, s)
		}
	})
}

// Higher-is-better is the same comparison with the verdict turned round.
func TestHigherIsBetter(t *testing.T) {
	manyComparisons(t, func(pairs []Pair, c *Comparison) {
		h := compare(t, pairs, Options{HigherIsBetter: true})
		if h.Verdict != mirrored[c.Verdict] || h.Lean != mirroredLean[c.Lean] || h.Ratio != c.Ratio {
			t.Fatalf("%s (%q) became %s (%q)", c.Verdict, c.Lean, h.Verdict, h.Lean)
		}
	})
}

// The parts of a result agree with one another.
func TestResultsHoldTogether(t *testing.T) {
	manyComparisons(t, func(_ []Pair, c *Comparison) {
		if (c.Interval == nil) != c.Verdict.TooFew() {
			t.Fatalf("%s with interval %v", c.Verdict, c.Interval)
		}
		if c.Interval == nil {
			return
		}
		if !c.Interval.Contains(c.Ratio) || c.Interval.Confidence < 0.95 {
			t.Fatalf("ratio %v, interval %+v", c.Ratio, c.Interval)
		}
		if excludes := !c.Interval.Contains(1); excludes != (c.P <= 0.05) {
			t.Fatalf("p %v but interval %+v", c.P, c.Interval)
		}
		if (c.Further != nil) != (c.Verdict == Inconclusive) {
			t.Fatalf("%s with further %v", c.Verdict, c.Further)
		}
	})
}

func TestResultsSurviveJSON(t *testing.T) {
	manyComparisons(t, func(_ []Pair, c *Comparison) {
		text, err := json.Marshal(c)
		if err != nil {
			t.Fatal(err)
		}
		var back Comparison
		if err := json.Unmarshal(text, &back); err != nil {
			t.Fatal(err)
		}
		if again, _ := json.Marshal(back); string(again) != string(text) {
			t.Fatalf("%s became %s", text, again)
		}
	})
}

func TestInputIsLeftAlone(t *testing.T) {
	base, head := []float64{5, 3, 4, 1, 2}, []float64{9, 7, 8, 6, 5}
	if _, err := CompareUnpaired(base, head, Options{}); err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(base, []float64{5, 3, 4, 1, 2}) || !reflect.DeepEqual(head, []float64{9, 7, 8, 6, 5}) {
		t.Errorf("samples were reordered: %v %v", base, head)
	}
}

func TestBadSamplesAreRefused(t *testing.T) {
	good := Run{Value: 1}
	for name, pairs := range map[string][]Pair{
		"NaN":          {{Round: 1, Base: Run{Value: math.NaN()}, Head: good}},
		"infinite":     {{Round: 1, Base: good, Head: Run{Value: math.Inf(1)}}},
		"zero":         {{Round: 1, Base: good, Head: Run{}}},
		"negative":     {{Round: 1, Base: good, Head: Run{Value: -1}}},
		"tiny":         {{Round: 1, Base: good, Head: Run{Value: 1e-300}}},
		"gauge":        {{Round: 1, Base: good, Head: Run{Value: 1, Gauge: -1}}},
		"beside a gap": {{Round: 1, Base: Run{Missing: "killed"}, Head: Run{Value: -1}}},
	} {
		var where *SampleError
		if c, err := ComparePaired(pairs, Options{}); !errors.As(err, &where) || where.Round != 1 {
			t.Errorf("%s: %+v, %v", name, c, err)
		}
	}
	for name, pairs := range map[string][]Pair{
		"twice":   {{Round: 1, Base: good, Head: good}, {Round: 1, Base: good, Head: good}},
		"round 0": {{Round: 0, Base: good, Head: good}},
	} {
		if c, err := ComparePaired(pairs, Options{}); err == nil {
			t.Errorf("%s: %+v", name, c)
		}
	}
}

// FuzzComparePaired feeds arbitrary bits as values, orders and gaps.
func FuzzComparePaired(f *testing.F) {
	for _, n := range []int{0, 5, 6, 8, 14} {
		var b []byte
		for _, p := range (world{noise: 0.02, slot: 0.03}).sampler(1).rounds(n) {
			b = append(b, byte(p.Round%2))
			b = binary.LittleEndian.AppendUint64(b, math.Float64bits(p.Base.Value))
			b = binary.LittleEndian.AppendUint64(b, math.Float64bits(p.Head.Value))
		}
		f.Add(b)
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		pairs := pairsFromBytes(b)
		c, err := ComparePaired(pairs, Options{})
		if err != nil {
			return
		}
		if _, err := json.Marshal(c); err != nil {
			t.Fatal(err)
		}
		checkMirror(t, pairs, c)
		if c.Interval != nil && !c.Interval.Contains(c.Ratio) {
			t.Fatalf("ratio %v outside %v", c.Ratio, c.Interval)
		}
	})
}

func pairsFromBytes(b []byte) []Pair {
	var pairs []Pair
	for ; len(b) >= 17 && len(pairs) < 40; b = b[17:] {
		p := Pair{Round: len(pairs) + 1, BaseFirst: b[0]&1 == 1}
		p.Base.Value = math.Float64frombits(binary.LittleEndian.Uint64(b[1:]))
		p.Head.Value = math.Float64frombits(binary.LittleEndian.Uint64(b[9:]))
		if b[0]&2 != 0 {
			p.Head = Run{Missing: "gap"}
		}
		if b[0]&4 != 0 {
			p.Base.Gauge, p.Head.Gauge = p.Base.Value, 1
		}
		pairs = append(pairs, p)
	}
	return pairs
}
