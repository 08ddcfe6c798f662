package stats

import (
	"flag"
	"fmt"
	"math"
	"os"
	"strconv"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the simulation tables of docs/benchmarking.md anew")

const manual = "../../docs/benchmarking.md"

// table is a Markdown table whose cells are simulated one by one, each with a
// seed of its own, so that a part of it can be checked alone.
type table struct {
	name    string
	corner  string
	columns []string
	rows    []string
	cell    func(row, column int) (string, error)
	checked func(row int) bool // rows that an ordinary test run computes
}

const tableTrials = 1000

var (
	tableEffects = []float64{0, 0.01, 0.02, 0.03, 0.05, 0.08, 0.20}
	tableRounds  = []int{6, 10, 20}
	tableNoises  = []float64{0.01, 0.02, 0.05}
	worldRounds  = []int{6, 7, 8, 10, 13, 14, 20}
)

// verdictTable: how often each verdict, at a first-slot effect of 3 % and a
// drift of 10 %.
func verdictTable() table {
	t := table{name: "verdicts", corner: "noise, rounds", checked: func(row int) bool { return row == 4 }}
	for _, e := range tableEffects {
		t.columns = append(t.columns, share(e))
	}
	for _, noise := range tableNoises {
		for _, n := range tableRounds {
			t.rows = append(t.rows, fmt.Sprintf("%s, %d", share(noise), n))
		}
	}
	t.cell = func(row, column int) (string, error) {
		w := world{noise: tableNoises[row/len(tableRounds)], effect: tableEffects[column], slot: 0.03, drift: 0.10}
		o, err := w.sampler(uint64(1000+10*row+column)).simulate(tableTrials, tableRounds[row%len(tableRounds)], Options{})
		return fmt.Sprintf("%.0f · %.0f · %.0f", o.rate(Worse), o.rate(NoDifference), o.rate(Inconclusive)), err
	}
	return t
}

// worldTable: A against A on all kinds of machines, 2 % noise.
func worldTable() table {
	t := table{name: "worlds", corner: "machine", checked: func(row int) bool { return row == 5 }}
	for _, n := range worldRounds {
		t.columns = append(t.columns, plural(n, "round"))
	}
	for _, w := range worlds {
		t.rows = append(t.rows, w.name)
	}
	t.cell = func(row, column int) (string, error) {
		w := worlds[row]
		w.noise = 0.02
		o, err := w.sampler(uint64(2000+10*row+column)).simulate(tableTrials, worldRounds[column], Options{})
		return fmt.Sprintf("%.1f · %.1f · %.0f", o.differences(), o.missed(), o.rate(NoDifference)), err
	}
	return t
}

// widthTable: the mean half width of the interval in percent.
func widthTable() table {
	rounds := []int{6, 7, 8, 9, 10, 12, 13, 14, 16, 20, 30}
	machines := []world{{name: "2 % noise", noise: 0.02}, {name: "and first slot 3 %", noise: 0.02, slot: 0.03}, {name: "and spikes in 5 % of runs", noise: 0.02, spikes: 0.05}}
	t := table{name: "widths", corner: "machine", checked: func(row int) bool { return row == 1 }}
	for _, n := range rounds {
		t.columns = append(t.columns, strconv.Itoa(n))
	}
	for _, w := range machines {
		t.rows = append(t.rows, w.name)
	}
	t.cell = func(row, column int) (string, error) {
		o, err := machines[row].sampler(3000).simulate(tableTrials, rounds[column], Options{})
		return fmt.Sprintf("%.2f", 100*o.resolution), err
	}
	return t
}

func (tb *table) render() (string, error) {
	var b strings.Builder
	fmt.Fprintf(&b, "| %s | %s |\n|---|%s\n", tb.corner, strings.Join(tb.columns, " | "), strings.Repeat("---|", len(tb.columns)))
	for r, name := range tb.rows {
		cells, err := tb.simulateRow(r)
		if err != nil {
			return "", err
		}
		fmt.Fprintf(&b, "| %s | %s |\n", name, strings.Join(cells, " | "))
	}
	return b.String(), nil
}

func (tb *table) simulateRow(row int) ([]string, error) {
	cells := make([]string, len(tb.columns))
	for c := range tb.columns {
		var err error
		if cells[c], err = tb.cell(row, c); err != nil {
			return nil, err
		}
	}
	return cells, nil
}

func (tb *table) markers() (begin, end string) {
	return "<!-- simulation " + tb.name + " -->\n", "<!-- end -->\n"
}

// TestSimulationTables holds the manual's tables to the code: a row of each in
// an ordinary run, all of them written anew with -update.
func TestSimulationTables(t *testing.T) {
	if trialsShare > 1 {
		t.Skip("the race detector makes the full number of trials slow; the code is exercised by other simulations")
	}
	text, err := os.ReadFile(manual)
	if err != nil {
		t.Fatal(err)
	}
	for _, tb := range []table{verdictTable(), worldTable(), widthTable()} {
		begin, end := tb.markers()
		before, rest, ok1 := strings.Cut(string(text), begin)
		old, after, ok2 := strings.Cut(rest, end)
		if !ok1 || !ok2 {
			t.Fatalf("%s has no markers for table %s", manual, tb.name)
		}
		if !*update {
			tb.check(t, old)
			continue
		}
		fresh, err := tb.render()
		if err != nil {
			t.Fatal(err)
		}
		text = []byte(before + begin + fresh + end + after)
	}
	if *update {
		if err := os.WriteFile(manual, text, 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

func (tb *table) check(t *testing.T, text string) {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	if len(lines) != len(tb.rows)+2 {
		t.Fatalf("table %s has %d lines, want %d", tb.name, len(lines), len(tb.rows)+2)
	}
	for r, name := range tb.rows {
		got := strings.Split(strings.Trim(lines[r+2], "| "), " | ")
		if len(got) != len(tb.columns)+1 || got[0] != name {
			t.Fatalf("table %s, line %q: want row %q of %d cells", tb.name, lines[r+2], name, len(tb.columns))
		}
		if !tb.checked(r) {
			continue
		}
		want, err := tb.simulateRow(r)
		if err != nil {
			t.Fatal(err)
		}
		for c, cell := range want {
			if !alike(got[c+1], cell) {
				t.Errorf("table %s, %s, %s: %q, simulation gives %q", tb.name, name, tb.columns[c], got[c+1], cell)
			}
		}
	}
}

// alike allows 1 point, which rounding on another processor may cost.
func alike(a, b string) bool {
	x, y := strings.Split(a, " · "), strings.Split(b, " · ")
	if len(x) != len(y) {
		return false
	}
	for i := range x {
		v, err1 := strconv.ParseFloat(x[i], 64)
		w, err2 := strconv.ParseFloat(y[i], 64)
		if err1 != nil || err2 != nil || math.Abs(v-w) > 1 {
			return false
		}
	}
	return true
}
