package stats

import (
	"math"
	"testing"
)

func TestGeoMean(t *testing.T) {
	o := GeoMean([]CaseRatio{{Name: "a", Ratio: 2}, {Name: "b", Ratio: 0.5}, {Name: "c", Only: Head}, {Name: "d", Ratio: 8}})
	if math.Abs(o.Ratio-2) > 1e-12 || len(o.Cases) != 3 {
		t.Errorf("%+v", o)
	}
	if len(o.Lone) != 1 || o.Lone[0] != (LoneCase{Name: "c", Only: Head}) || len(o.Warnings) != 1 {
		t.Errorf("lone %+v, warnings %v", o.Lone, o.Warnings)
	}
	if none := GeoMean(nil); none.Ratio != 0 || none.Warnings != nil {
		t.Errorf("%+v", none)
	}
}

// Averaging cases narrows the interval; its ends still bracket the mean.
func TestOverallInterval(t *testing.T) {
	s := world{noise: 0.02, slot: 0.03, effect: 0.05}.sampler(11)
	var cases []Case
	widest := 0.0
	for _, name := range []string{"a", "b", "c", "d"} {
		pairs := s.rounds(12)
		cases = append(cases, Case{Name: name, Pairs: pairs})
		widest = max(widest, compare(t, pairs, Options{}).Resolution)
	}
	o, err := CompareOverall(cases, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if o.Interval == nil || !o.Interval.Contains(o.Ratio) || !o.Interval.Contains(1.05) {
		t.Fatalf("%+v", o)
	}
	if half := math.Sqrt(o.Interval.Hi/o.Interval.Lo) - 1; half > 0.7*widest {
		t.Errorf("interval of the mean is ±%v, of the widest case ±%v", half, widest)
	}
}

func TestOverallRefusesBadCases(t *testing.T) {
	if _, err := CompareOverall([]Case{{Name: "x", Pairs: []Pair{{Round: 1}}}}, Options{}); err == nil {
		t.Error("a value of 0 went into the mean")
	}
	if _, err := CompareOverall(nil, Options{Threshold: -1}); err == nil {
		t.Error("a negative threshold was taken")
	}
}

func TestSelfTest(t *testing.T) {
	calm := world{noise: 0.01, slot: 0.03}
	comparisons := func(w world, n, rounds int) []*Comparison {
		s := w.sampler(12)
		var out []*Comparison
		for range n {
			out = append(out, compare(t, s.rounds(rounds), Options{}))
		}
		return out
	}
	aa := CheckSelf(comparisons(calm, 6, 10))
	if !aa.Pass || aa.Suspect || aa.Comparisons != 6 || aa.Differences != 0 || aa.Settled == 0 || aa.Floor <= 0 {
		t.Errorf("A against A: %+v", aa)
	}
	slow := calm
	slow.effect = 0.2
	if r := CheckSelf(comparisons(slow, 2, 10)); r.Pass || r.Differences != 2 || !r.Suspect {
		t.Errorf("20 %% slower: %+v", r)
	}
	biased := calm
	biased.effect = 0.015
	if r := CheckSelf(comparisons(biased, 8, 20)); !r.Pass || !r.Suspect {
		t.Errorf("a bias below the threshold: %+v", r)
	}
	if r := CheckSelf(comparisons(calm, 2, 4)); r.Pass || r.TooFew != 2 {
		t.Errorf("four rounds: %+v", r)
	}
	if r := CheckSelf(nil); r.Pass {
		t.Errorf("nothing tested: %+v", r)
	}
	want := "self-test failed: 0 of 0 comparisons called a difference, 0 no difference, 0 intervals exclude 1 (chance 1), noise floor ±0%"
	if got := CheckSelf(nil).String(); got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// Sharing the confidence over many comparisons asks more of each.
func TestComparisonsShareConfidence(t *testing.T) {
	pairs := world{noise: 0.02}.sampler(13).rounds(6)
	c := compare(t, pairs, Options{Comparisons: 4})
	if c.Verdict != TooFewPairs || c.Needed != 8 {
		t.Errorf("six pairs for four comparisons: %s, needs %d", c.Verdict, c.Needed)
	}
	pairs = world{noise: 0.02}.sampler(13).rounds(16)
	one, four := compare(t, pairs, Options{}), compare(t, pairs, Options{Comparisons: 4})
	if four.Resolution <= one.Resolution || four.Interval.Confidence < 1-0.05/4 {
		t.Errorf("alone ±%v, of four ±%v at %v", one.Resolution, four.Resolution, four.Interval.Confidence)
	}
}
