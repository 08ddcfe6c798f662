package stats

import (
	"fmt"
	"math"
	"strings"
)

// Case is the rounds of one case, for the overall ratio.
type Case struct {
	Name  string
	Pairs []Pair
}

// Overall is one ratio over several cases.
type Overall struct {
	// Ratio is the geometric mean of the cases' ratios; 0 without any case.
	Ratio float64 `json:"ratio,omitempty"`
	// Interval tests the mean log-ratio over cases round by round; nil unless
	// enough rounds are complete, and ordered alike, in every case.
	Interval *Interval `json:"interval,omitempty"`
	Cases    []string  `json:"cases"` // the cases that Ratio covers
	// Lone cases have no complete pair and are in no mean.
	Lone     []LoneCase `json:"lone,omitempty"`
	Warnings []Warning  `json:"warnings,omitempty"`
}

// LoneCase is a case that cannot be compared.
type LoneCase struct {
	Name string `json:"name"`
	// Only is the side that has it; "" when no side or no round has both.
	Only Side `json:"only,omitempty"`
}

// CaseRatio is a case's ratio, for the mean over cases that were not measured
// in rounds. Without a Ratio (0), the case is a lone one.
type CaseRatio struct {
	Name  string
	Ratio float64
	Only  Side // for a lone case: the side that has it
}

// GeoMean is the geometric mean of ratios without an interval.
func GeoMean(cases []CaseRatio) Overall {
	var o Overall
	sum := 0.0
	for _, c := range cases {
		if c.Ratio <= 0 {
			o.Lone = append(o.Lone, LoneCase{Name: c.Name, Only: c.Only})
			continue
		}
		o.Cases = append(o.Cases, c.Name)
		sum += math.Log(c.Ratio)
	}
	if n := len(o.Cases); n > 0 {
		o.Ratio = math.Exp(sum / float64(n))
	}
	o.warnLone()
	return o
}

func (o *Overall) warnLone() {
	if len(o.Lone) == 0 {
		return
	}
	var names []string
	for _, l := range o.Lone {
		if l.Only != "" {
			names = append(names, fmt.Sprintf("%s (only %s)", l.Name, l.Only))
		} else {
			names = append(names, l.Name)
		}
	}
	o.Warnings = append(o.Warnings, warn(WarnLoneCases, "%s without a pair, in no overall ratio: %s",
		plural(len(o.Lone), "case"), strings.Join(names, ", ")))
}

// CompareOverall is the geometric mean over the cases that both sides have,
// with an interval where rounds allow. Rounds of the same number are combined
// across cases; cases are independent, so any such match is as good.
func CompareOverall(cases []Case, opts Options) (Overall, error) {
	opts, err := opts.ready()
	if err != nil {
		return Overall{}, err
	}
	var ratios []CaseRatio
	var complete []rounds
	for _, c := range cases {
		rs, err := collect(c.Pairs)
		if err != nil {
			return Overall{}, fmt.Errorf("case %s: %w", c.Name, err)
		}
		r := CaseRatio{Name: c.Name, Only: onlySide(c.Pairs)}
		if len(rs.pairs) > 0 {
			a, b := rs.split()
			r.Ratio = math.Exp(estimate(a, b, slotRemovable(len(a), len(b), opts.alpha())))
			complete = append(complete, rs)
		}
		ratios = append(ratios, r)
	}
	o := GeoMean(ratios)
	o.Interval = combinedInterval(complete, opts)
	return o, nil
}

// onlySide is the side that has values when the other has none.
func onlySide(pairs []Pair) Side {
	has := map[Side]bool{}
	for i := range pairs {
		for side, run := range pairs[i].sides() {
			has[side] = has[side] || run.Missing == ""
		}
	}
	switch {
	case has[Base] && !has[Head]:
		return Base
	case has[Head] && !has[Base]:
		return Head
	}
	return ""
}

// combinedInterval averages the log-ratios of every round that is complete and
// ordered alike in all cases.
func combinedInterval(cases []rounds, opts Options) *Interval {
	a, b := combine(cases)
	if len(a)+len(b) < pairsNeeded(opts.MinPairs, opts.alpha()) {
		return nil
	}
	lo, hi, confidence, ok := typicalOf(a, b, opts.alpha()).bounds(opts.alpha())
	if !ok {
		return nil
	}
	return &Interval{Lo: math.Exp(lo), Hi: math.Exp(hi), Confidence: confidence}
}

func combine(cases []rounds) (a, b []float64) {
	if len(cases) == 0 {
		return nil, nil
	}
	for i := range cases[0].pairs {
		first := &cases[0].pairs[i]
		sum, all := first.logRatio(), true
		for _, rs := range cases[1:] {
			p := rs.find(first.Round)
			if all = p != nil && p.BaseFirst == first.BaseFirst; !all {
				break
			}
			sum += p.logRatio()
		}
		switch y := sum / float64(len(cases)); {
		case all && first.BaseFirst:
			a = append(a, y)
		case all:
			b = append(b, y)
		}
	}
	return a, b
}

func (rs *rounds) find(round int) *Pair {
	for i := range rs.pairs {
		if rs.pairs[i].Round == round {
			return &rs.pairs[i]
		}
	}
	return nil
}
