package compare

import (
	"fmt"
	"strings"

	"github.com/shufflebench/shufflebench/internal/report"
	"github.com/shufflebench/shufflebench/internal/stats"
	"github.com/shufflebench/shufflebench/pkg/metrics"
)

// outcomeOf is the gravest thing that there is to say.
//
//	interrupted > wrong output > regression > failed > inconclusive > fine
//
// A proven regression is said even when another run failed. Wrong output comes
// first: times of a program that writes wrong files mean nothing.
func outcomeOf(c *report.Comparison) report.Outcome {
	f := gather(c)
	switch {
	case c.State == report.Interrupted:
		return f.outcome(report.Stopped, slicesOf(f.wrong, f.worse, f.failed))
	case len(f.wrong) > 0:
		return f.outcome(report.WrongOutput, slicesOf(f.wrong, f.worse, f.failed))
	case len(f.worse) > 0 && !c.Plan.SelfTest:
		return f.outcome(report.Regression, slicesOf(f.worse, f.failed))
	case len(f.failed) > 0 || f.compared == 0:
		return f.outcome(report.Failed, f.failed)
	case c.SelfTest != nil && (!c.SelfTest.Pass || len(f.worse) > 0):
		return report.Outcome{Kind: report.SelfTestFailed, Text: c.SelfTest.String(), Reasons: slicesOf(f.worse, f.better)}
	case c.SelfTest != nil:
		return report.Outcome{Kind: report.SelfTestPassed, Text: c.SelfTest.String()}
	case len(f.open) > 0 && c.Plan.Strict:
		return f.outcome(report.NotConclusive, f.open)
	}
	return f.outcome(report.NoRegression, nil)
}

func slicesOf(lists ...[]string) (out []string) {
	for _, l := range lists {
		out = append(out, l...)
	}
	return out
}

// facts are what a comparison found, a line each.
type facts struct {
	wrong, worse, failed, open, better []string
	same, compared                     int
}

func gather(c *report.Comparison) *facts {
	f := new(facts)
	f.runs(c.Rows)
	for i := range c.Cases {
		f.verdicts(&c.Cases[i])
		f.exact(c, &c.Cases[i])
	}
	return f
}

// runs lists the first run of a side and case that went wrong, and counts.
func (f *facts) runs(rows []*metrics.Row) {
	type key struct{ name, side, kind string }
	count := map[key]int{}
	var order []key
	first := map[key]string{}
	for _, r := range rows {
		if r.Failure == "" {
			continue
		}
		k := key{r.Case, r.Variant, "failed"}
		if r.Verified == metrics.Faulty {
			k.kind = "wrong"
		}
		if count[k]++; count[k] == 1 {
			order, first[k] = append(order, k), r.Failure
		}
	}
	for _, k := range order {
		text := fmt.Sprintf("%s, %s: %s", k.name, k.side, first[k])
		if count[k] > 1 {
			text += fmt.Sprintf(" (%d runs)", count[k])
		}
		if k.kind == "wrong" {
			f.wrong = append(f.wrong, text)
		} else {
			f.failed = append(f.failed, text)
		}
	}
}

func (f *facts) verdicts(rc *report.Case) {
	for _, j := range rc.Judged {
		if j.N > 0 {
			f.compared++
		}
		text := fmt.Sprintf("%s, %s: %s", rc.Name, j.Metric, j.Explain())
		switch {
		case j.Verdict == stats.Worse:
			f.worse = append(f.worse, text)
		case j.Verdict == stats.Better:
			f.better = append(f.better, text)
		case j.Verdict == stats.NoDifference:
			f.same++
		default:
			f.open = append(f.open, text)
		}
	}
}

// exact finds broken columns, and output that varies where write promises that
// it does not.
func (f *facts) exact(c *report.Comparison, rc *report.Case) {
	for i := range rc.Exact {
		e := &rc.Exact[i]
		if e.Broken {
			f.worse = append(f.worse, fmt.Sprintf("%s, %s: %s", rc.Name, e.Column, brokenText(e)))
		}
		if e.Column != "output_sha256" && e.Column != "index_sha256" {
			continue
		}
		for _, side := range e.VariesWithin() {
			if v := variantOf(c, side); v.Template == "" {
				f.wrong = append(f.wrong, fmt.Sprintf("%s, %s: equal runs wrote different files (%s)", rc.Name, side, e.Column))
			}
		}
	}
}

func brokenText(e *report.Exact) string {
	if e.Threshold == nil {
		return e.String() + ", and must be equal"
	}
	return fmt.Sprintf("%s, and may grow by %.3g%% at most", e.String(), 100**e.Threshold)
}

func variantOf(c *report.Comparison, side stats.Side) *report.Variant {
	if side == stats.Base {
		return &c.Base
	}
	return &c.Head
}

// outcome puts the counts into a sentence.
func (f *facts) outcome(kind report.OutcomeKind, reasons []string) report.Outcome {
	var parts []string
	add := func(n int, what string) {
		if n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, what))
		}
	}
	add(len(f.worse), "worse")
	add(len(f.better), "better")
	add(f.same, "no difference")
	add(len(f.open), "open")
	add(len(f.failed), "failed")
	add(len(f.wrong), "with wrong output")
	text := string(kind)
	if len(parts) > 0 {
		text += ": " + strings.Join(parts, ", ")
	}
	return report.Outcome{Kind: kind, Text: text, Reasons: reasons}
}
