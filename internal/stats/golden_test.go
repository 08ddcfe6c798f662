package stats

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"
)

// TestGolden runs the stories in testdata; each prints what faces print.
//
//	paired     AB|BA base head [gauge gauge], - for a failed run
//	unpaired   base or head, then values
//	exact      base or head, then values
//	overall    case, then AB|BA base head; ... for its rounds
func TestGolden(t *testing.T) {
	datadriven.Walk(t, "testdata", func(t *testing.T, path string) {
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
			run, ok := stories[d.Cmd]
			if !ok {
				t.Fatalf("%s: unknown command %s", d.Pos, d.Cmd)
			}
			return run(t, d)
		})
	})
}

var stories = map[string]func(*testing.T, *datadriven.TestData) string{
	"paired": func(t *testing.T, d *datadriven.TestData) string {
		c, err := ComparePaired(parsePairs(t, d.Input, "\n"), parseOptions(t, d))
		return printComparison(c, err)
	},
	"unpaired": func(t *testing.T, d *datadriven.TestData) string {
		base, head := parseSides(d.Input)
		c, err := CompareUnpaired(floats(t, base), floats(t, head), parseOptions(t, d))
		return printComparison(c, err)
	},
	"exact": func(_ *testing.T, d *datadriven.TestData) string {
		base, head := parseSides(d.Input)
		e := CompareExact(base, head)
		return fmt.Sprintf("%s\n%s", e, printWarnings(e.Warnings()))
	},
	"overall": func(t *testing.T, d *datadriven.TestData) string {
		var cases []Case
		for line := range strings.Lines(d.Input) {
			name, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
			cases = append(cases, Case{Name: name, Pairs: parsePairs(t, rest, ";")})
		}
		o, err := CompareOverall(cases, parseOptions(t, d))
		return printOverall(o, err)
	},
}

func parseOptions(t *testing.T, d *datadriven.TestData) Options {
	var o Options
	for _, arg := range d.CmdArgs {
		switch arg.Key {
		case "threshold":
			o.Threshold = floats(t, arg.Vals)[0]
		case "confidence":
			o.Confidence = floats(t, arg.Vals)[0]
		case "comparisons":
			o.Comparisons = int(floats(t, arg.Vals)[0])
		case "higher-is-better":
			o.HigherIsBetter = true
		default:
			t.Fatalf("%s: unknown argument %s", d.Pos, arg.Key)
		}
	}
	return o
}

func parsePairs(t *testing.T, text, separator string) []Pair {
	var pairs []Pair
	for line := range strings.SplitSeq(strings.TrimSpace(text), separator) {
		f := strings.Fields(line)
		if len(f) == 0 {
			continue
		}
		p := Pair{Round: len(pairs) + 1, BaseFirst: f[0] == "AB", Base: parseRun(t, f[1]), Head: parseRun(t, f[2])}
		if len(f) == 5 {
			p.Base.Gauge, p.Head.Gauge = floats(t, f[3:4])[0], floats(t, f[4:5])[0]
		}
		pairs = append(pairs, p)
	}
	return pairs
}

func parseRun(t *testing.T, s string) Run {
	if s == "-" {
		return Run{Missing: "exit status 1"}
	}
	return Run{Value: floats(t, []string{s})[0]}
}

func parseSides(text string) (base, head []string) {
	for line := range strings.Lines(text) {
		f := strings.Fields(line)
		if f[0] == "base" {
			base = append(base, f[1:]...)
		} else {
			head = append(head, f[1:]...)
		}
	}
	return base, head
}

func floats(t *testing.T, words []string) []float64 {
	t.Helper()
	out := make([]float64, len(words))
	for i, w := range words {
		v, err := strconv.ParseFloat(w, 64)
		if err != nil {
			t.Fatal(err)
		}
		out[i] = v
	}
	return out
}

func printComparison(c *Comparison, err error) string {
	if err != nil {
		return "error: " + err.Error()
	}
	var b strings.Builder
	fmt.Fprintln(&b, c.Explain())
	for _, s := range []struct {
		side Side
		sum  Summary
	}{{Base, c.Base}, {Head, c.Head}} {
		fmt.Fprintf(&b, "%s: n=%d median %.4g ± %s, %.4g to %.4g\n", s.side, s.sum.N, s.sum.Median, share(s.sum.Spread), s.sum.Min, s.sum.Max)
	}
	if c.Interval != nil {
		fmt.Fprintf(&b, "%s: p=%.4f at %.1f%%, resolution ±%s, detectable %s\n",
			c.Method, c.P, 100*c.Interval.Confidence, share(c.Resolution), share(c.Detectable))
	}
	if c.FirstSlot != 0 {
		fmt.Fprintf(&b, "first slot %.3f (removed: %v), drift %.3f\n", c.FirstSlot, c.SlotRemoved, c.Drift)
	}
	b.WriteString(printWarnings(c.Warnings))
	return b.String()
}

func printOverall(o Overall, err error) string {
	if err != nil {
		return "error: " + err.Error()
	}
	s := fmt.Sprintf("ratio %.4f of %v", o.Ratio, o.Cases)
	if o.Interval != nil {
		s += fmt.Sprintf(", %.4f to %.4f", o.Interval.Lo, o.Interval.Hi)
	}
	return s + "\n" + printWarnings(o.Warnings)
}

func printWarnings(ws []Warning) string {
	var b strings.Builder
	for _, w := range ws {
		fmt.Fprintf(&b, "warning (%s): %s\n", w.Code, w)
	}
	return b.String()
}
