package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/shufflebench/shufflebench/pkg/metrics"
)

// Summary is the runs of one case: rows whose asked-for columns are equal,
// warm-ups left out.
type Summary struct {
	Case    string            `json:"case"`
	Variant string            `json:"variant"`
	Runs    int               `json:"runs"`
	Warmups int               `json:"warmups"`
	Proved  int               `json:"proved"`
	Figures map[string]Figure `json:"figures"` // by column name; exact and noisy numbers that were measured

	rows []*metrics.Row // the runs that count
}

// Figure is one column over the runs of a case.
type Figure struct {
	Median float64 `json:"median"`
	Min    float64 `json:"min"`
	Max    float64 `json:"max"`
}

// Summarize groups rows into cases, in the order of their first rows. A case
// with warm-ups only has no figures.
func Summarize(rows []*metrics.Row) []Summary {
	var out []Summary
	at := map[string]int{}
	for _, r := range rows {
		key := identity(r)
		i, ok := at[key]
		if !ok {
			i = len(out)
			at[key] = i
			out = append(out, Summary{Case: r.Case, Variant: r.Variant})
		}
		out[i].add(r)
	}
	for i := range out {
		out[i].Figures = figures(out[i].rows)
	}
	return out
}

func (s *Summary) add(r *metrics.Row) {
	if r.Warmup {
		s.Warmups++
		return
	}
	s.Runs++
	s.rows = append(s.rows, r)
	if r.Verified == metrics.Proved {
		s.Proved++
	}
}

// identity joins what was asked for.
func identity(r *metrics.Row) string {
	var b strings.Builder
	for _, c := range metrics.Columns() {
		if c.Kind == metrics.Asked {
			fmt.Fprintf(&b, "%q ", c.Text(r))
		}
	}
	return b.String()
}

func figures(rows []*metrics.Row) map[string]Figure {
	out := map[string]Figure{}
	for _, c := range metrics.Columns() {
		if c.Kind != metrics.Exact && c.Kind != metrics.Noisy {
			continue
		}
		var vs []float64
		for _, r := range rows {
			if v, ok := c.Number(r); ok {
				vs = append(vs, v)
			}
		}
		if len(vs) > 0 {
			out[c.Name] = Figure{Median: Median(vs), Min: slices.Min(vs), Max: slices.Max(vs)}
		}
	}
	return out
}

// Median is the middle value, or the mean of the two in the middle. vs must
// not be empty; it is left as it is.
func Median(vs []float64) float64 {
	s := slices.Sorted(slices.Values(vs))
	n := len(s)
	if n%2 == 1 {
		return s[n/2]
	}
	return (s[n/2-1] + s[n/2]) / 2
}

// Differing names the exact columns in which runs of a case disagree, each
// with its values.
func (s *Summary) Differing() []string {
	var out []string
	for _, c := range metrics.Columns() {
		if c.Kind != metrics.Exact {
			continue
		}
		var texts []string
		for _, r := range s.rows {
			if t := c.Text(r); !slices.Contains(texts, t) {
				texts = append(texts, t)
			}
		}
		if len(texts) > 1 {
			out = append(out, fmt.Sprintf("%s should be equal in all runs, but is %s", c.Name, strings.Join(texts, ", ")))
		}
	}
	return out
}
