package compare

import (
	"slices"

	"github.com/shufflebench/shufflebench/internal/report"
	"github.com/shufflebench/shufflebench/internal/stats"
	"github.com/shufflebench/shufflebench/pkg/metrics"
)

// Judge fills in everything that follows from plan and rows, for a comparison
// whose sides were measured together.
func Judge(c *report.Comparison) error { return judge(c, nil) }

// judge fills in everything that follows from plan and rows: verdicts, exact
// columns, medians, tallies, the overall ratio, the outcome. With saved, base's
// rows are those.
func judge(c *report.Comparison, saved *savedFile) error {
	j := judging{c: c, saved: saved}
	for i := range c.Cases {
		if err := j.oneCase(&c.Cases[i]); err != nil {
			return err
		}
	}
	if err := j.overall(); err != nil {
		return err
	}
	if c.Plan.SelfTest {
		t := stats.CheckSelf(j.comparisons)
		c.SelfTest = &t
	}
	c.Outcome = outcomeOf(c)
	return nil
}

type judging struct {
	c           *report.Comparison
	saved       *savedFile
	comparisons []*stats.Comparison
}

// rows are the case's, base's from the file of saved ones if there is one.
func (j *judging) rows(rc *report.Case) caseRows {
	set := rowsOf(j.c.Rows, rc.Name)
	if j.saved != nil {
		set.base = j.saved.rows(rc.Options)
	}
	return set
}

func (j *judging) oneCase(rc *report.Case) error {
	rc.Judged, rc.Exact, rc.Figures = []report.Judged{}, []report.Exact{}, []report.Paired{}
	if rc.Lone != "" {
		return nil
	}
	set := j.rows(rc)
	rc.Runs = report.Tallies{Base: tally(set.base), Head: tally(set.head)}
	for _, t := range j.c.Plan.Thresholds {
		col := set.column(t.Column)
		if col.Kind == metrics.Exact {
			continue
		}
		cmp, err := j.compare(&set, col, t.Least)
		if err != nil {
			return err
		}
		rc.Judged = append(rc.Judged, report.Judged{Metric: t.Metric, Column: col.Name, Comparison: cmp})
		j.comparisons = append(j.comparisons, cmp)
	}
	rc.Exact = j.exact(&set)
	rc.Figures = figures(&set, rc.Judged)
	return nil
}

func (j *judging) compare(set *caseRows, col metrics.Column, least float64) (*stats.Comparison, error) {
	opts := statsOptions(col, least)
	if j.saved != nil {
		return stats.CompareUnpaired(values(set.base, col), values(set.head, col), opts)
	}
	return stats.ComparePaired(set.pairs(col), opts)
}

func statsOptions(col metrics.Column, least float64) stats.Options {
	return stats.Options{Threshold: least, HigherIsBetter: col.Unit == metrics.PerS}
}

func tally(rows []*metrics.Row) report.Tally {
	var t report.Tally
	for _, r := range rows {
		t.Runs++
		switch {
		case r.Verified == metrics.Faulty:
			t.Faulty++
		case r.Failure != "":
			t.Failed++
		case r.Verified == metrics.Proved:
			t.Proved++
		default:
			t.Unverified++
		}
		if t.First == "" {
			t.First = r.Failure
		}
	}
	return t
}

// exact compares the exact columns of the runs that count.
func (j *judging) exact(set *caseRows) []report.Exact {
	out := []report.Exact{}
	base, head := counting(set.base), counting(set.head)
	for _, col := range metrics.Columns() {
		if col.Kind != metrics.Exact {
			continue
		}
		e := report.Exact{Column: col.Name, Exact: stats.CompareExact(texts(base, col), texts(head, col))}
		if len(e.Exact.Base)+len(e.Exact.Head) == 0 {
			continue
		}
		e.Required = slices.Contains(j.c.Plan.Equal, col.Name)
		e.Broken = e.Required && (e.Result == stats.Differs || e.Result == stats.Varies)
		j.hold(&e, col, base, head)
		out = append(out, e)
	}
	return out
}

// hold holds an exact column to its threshold.
func (j *judging) hold(e *report.Exact, col metrics.Column, base, head []*metrics.Row) {
	bs, hs := numbers(base, col), numbers(head, col)
	if len(bs) == 0 || len(hs) == 0 {
		return
	}
	if least := slices.Min(bs); e.Result != stats.Varies && least > 0 {
		e.Ratio = hs[0] / bs[0]
	}
	at := slices.IndexFunc(j.c.Plan.Thresholds, func(t report.Threshold) bool { return t.Column == col.Name })
	if at < 0 {
		return
	}
	e.Threshold = &j.c.Plan.Thresholds[at].Least
	e.Broken = e.Broken || slices.Max(hs) > slices.Min(bs)*(1+*e.Threshold)
}

// texts are the values of runs that have one.
func texts(rows []*metrics.Row, col metrics.Column) []string {
	var out []string
	for _, r := range rows {
		if s := col.Text(r); s != "" {
			out = append(out, s)
		}
	}
	return out
}

func numbers(rows []*metrics.Row, col metrics.Column) []float64 {
	var out []float64
	for _, r := range rows {
		if v, ok := col.Number(r); ok {
			out = append(out, v)
		}
	}
	return out
}

// figures are the medians of what is measured and not judged.
func figures(set *caseRows, judged []report.Judged) []report.Paired {
	out := []report.Paired{}
	base, head := counting(set.base), counting(set.head)
	for _, col := range metrics.Columns() {
		if col.Kind != metrics.Noisy || slices.ContainsFunc(judged, func(j report.Judged) bool { return j.Column == col.Name }) {
			continue
		}
		p := report.Paired{Column: col.Name, Base: figure(numbers(base, col)), Head: figure(numbers(head, col))}
		if p.Base != nil || p.Head != nil {
			out = append(out, p)
		}
	}
	return out
}

func figure(vs []float64) *report.Figure {
	if len(vs) == 0 {
		return nil
	}
	return &report.Figure{Median: report.Median(vs), Min: slices.Min(vs), Max: slices.Max(vs)}
}

// overall is each metric over all cases, where there are several.
func (j *judging) overall() error {
	j.c.Overall = nil
	if len(j.c.Cases) < 2 {
		return nil
	}
	for _, t := range j.c.Plan.Thresholds {
		if col, _ := metrics.LookupColumn(t.Column); col.Kind == metrics.Exact {
			continue
		}
		o, err := j.overallOf(t)
		if err != nil {
			return err
		}
		for i := range o.Lone {
			if o.Lone[i].Only == "" {
				o.Lone[i].Only = j.onlySide(o.Lone[i].Name)
			}
		}
		j.c.Overall = append(j.c.Overall, report.Overall{Metric: t.Metric, Overall: o})
	}
	return nil
}

func (j *judging) overallOf(t report.Threshold) (stats.Overall, error) {
	var ratios []stats.CaseRatio
	var cases []stats.Case
	for i := range j.c.Cases {
		rc := &j.c.Cases[i]
		one := stats.CaseRatio{Name: rc.Name, Only: rc.Only}
		sc := stats.Case{Name: rc.Name}
		if at := slices.IndexFunc(rc.Judged, func(d report.Judged) bool { return d.Metric == t.Metric }); at >= 0 {
			one.Ratio = rc.Judged[at].Ratio
			col, _ := metrics.LookupColumn(rc.Judged[at].Column)
			set := j.rows(rc)
			if j.saved == nil {
				sc.Pairs = set.pairs(col)
			}
		}
		ratios, cases = append(ratios, one), append(cases, sc)
	}
	if j.saved != nil {
		return stats.GeoMean(ratios), nil
	}
	col, _ := metrics.LookupColumn(t.Column)
	return stats.CompareOverall(cases, statsOptions(col, t.Least))
}

func (j *judging) onlySide(name string) stats.Side {
	for i := range j.c.Cases {
		if j.c.Cases[i].Name == name {
			return j.c.Cases[i].Only
		}
	}
	return ""
}
