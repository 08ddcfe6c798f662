package report_test

import (
	"cmp"
	"encoding/csv"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/shufflebench/shufflebench/internal/report"
	"github.com/shufflebench/shufflebench/pkg/metrics"
)

const repartitionResults = "../../results/repartition"

// measured is a case of results/repartition, its runs by take.
type measured struct {
	input                       string
	batch, partitions, lag, out int
}

func (m measured) compare(o measured) int {
	return cmp.Or(cmp.Compare(m.lag, o.lag), cmp.Compare(m.input, o.input), cmp.Compare(m.batch, o.batch),
		cmp.Compare(m.partitions, o.partitions), cmp.Compare(m.out, o.out))
}

type measuredRuns map[measured]map[string][]map[string]string

func readMeasured(t *testing.T) (runs measuredRuns, order []measured) {
	t.Helper()
	f, err := os.Open(filepath.Join(repartitionResults, "rows.csv"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	all, err := csv.NewReader(f).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(all[0], report.RepartitionColumnNames()) {
		t.Fatalf("rows.csv has the columns %q", all[0])
	}
	runs = measuredRuns{}
	for _, fields := range all[1:] {
		row := map[string]string{}
		for i, v := range fields {
			row[all[0][i]] = v
		}
		number := func(column string) int { return int(value(t, row, column)) }
		m := measured{strings.TrimSuffix(row["input"], ".parquet"), number("batch_size"), number("partitions"), number("lag"), number("copy_out")}
		if runs[m] == nil {
			runs[m] = map[string][]map[string]string{}
			order = append(order, m)
		}
		if row["verified"] != metrics.Proved {
			t.Errorf("%+v: a run is not proved", m)
		}
		runs[m][row["take"]] = append(runs[m][row["take"]], row)
	}
	slices.SortFunc(order, measured.compare)
	return runs, order
}

func value(t *testing.T, row map[string]string, column string) float64 {
	t.Helper()
	v, err := strconv.ParseFloat(row[column], 64)
	if err != nil {
		t.Fatalf("%s: %v", column, err)
	}
	return v
}

// TestRepartitionSummary makes results/repartition/summary.md of rows.csv;
// -update writes it. It also holds the stored rows to what docs/design says of
// memory: that the third way of counting is the heap, within 10 %.
func TestRepartitionSummary(t *testing.T) {
	runs, order := readMeasured(t)
	var b strings.Builder
	b.WriteString("Medians of the runs in rows.csv, whose takes alternate. Times in milliseconds; a factor is per-partition / grouped, that of the best runs is of the quickest of each.\n\n" +
		"| fixture | batch | partitions | wall, per partition | wall, grouped | factor | of the best runs | processor, per partition | processor, grouped | factor |\n|---|---|---|---|---|---|---|---|---|---|\n")
	values := func(m measured, take, column string) (vs []float64) {
		for _, r := range runs[m][take] {
			vs = append(vs, value(t, r, column))
		}
		return vs
	}
	median := func(m measured, take, column string) float64 { return report.Median(values(m, take, column)) }
	best := func(m measured, take, column string) float64 { return slices.Min(values(m, take, column)) }
	for _, m := range order {
		if m.lag > 0 {
			continue
		}
		fmt.Fprintf(&b, "| %s | %d | %d ", m.input, m.batch, m.partitions)
		for _, c := range []string{"repartition_secs", "cpu_secs"} {
			per, grouped := 1e3*median(m, "per-partition", c), 1e3*median(m, "grouped", c)
			fmt.Fprintf(&b, "| %.1f | %.1f | %.2f ", per, grouped, per/grouped)
			if c == "repartition_secs" {
				fmt.Fprintf(&b, "| %.2f ", best(m, "per-partition", c)/best(m, "grouped", c))
			}
		}
		b.WriteString("|\n")
	}
	b.WriteString("\nMemory when most is held, as a part of what the heap really has.\n\n" +
		"| fixture | batch | partitions | slow consumer | take | heap, KiB | array sizes | live bytes | distinct buffers | with objects | copied out | processor, ms |\n|---|---|---|---|---|---|---|---|---|---|---|---|\n")
	for _, m := range order {
		for _, take := range []string{"per-partition", "grouped"} {
			if len(runs[m][take]) == 0 {
				continue
			}
			get := func(column string) float64 { return median(m, take, column) }
			heap, held := get("heap_bytes"), get("held_ratio")
			if held < 0.9 || held > 1.1 {
				t.Errorf("%+v, %s: held bytes are %.3f of the heap", m, take, held)
			}
			name := take
			if m.out > 0 {
				name += fmt.Sprintf(", copy out %d", m.out)
			}
			fmt.Fprintf(&b, "| %s | %d | %d | %d | %s | %.0f | %.3g | %.3g | %.3g | %.3g | %.0f | %.1f |\n", m.input, m.batch, m.partitions, m.lag, name,
				heap/1024, get("array_ratio"), get("live_ratio"), get("distinct_bytes")/heap, held, get("copied_out"), 1e3*get("cpu_secs"))
		}
	}
	name := filepath.Join(repartitionResults, "summary.md")
	if report.UpdateGolden() {
		if err := os.WriteFile(name, []byte(b.String()), 0o666); err != nil {
			t.Fatal(err)
		}
		return
	}
	if have, err := os.ReadFile(name); err != nil || string(have) != b.String() {
		t.Errorf("summary.md is behind rows.csv (-update): %v", err)
	}
}

func repartitionRow(take string, secs float64) *report.RepartitionRow {
	return &report.RepartitionRow{
		Take: take, RepartitionSecs: secs, CPUSecs: 2 * secs, Rows: 100, Slices: 7, HeapBytes: 1000, HeldBytes: 990, HeldRatio: 0.99,
		Partitions: 300, BatchSize: 1024, SlowPartition: -1, Verified: metrics.Proved,
	}
}

func TestRepartitionTable(t *testing.T) {
	rows := []*report.RepartitionRow{
		{Warmup: true, Take: "grouped", RepartitionSecs: 99},
		repartitionRow("per-partition", 2), repartitionRow("grouped", 1), repartitionRow("grouped", 0.5), repartitionRow("per-partition", 4),
	}
	var b strings.Builder
	if err := report.RepartitionTable(&b, rows); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"300 partitions, batches of 1024\n2 runs a take\n", "per-partition          grouped    ratio\n",
		"  wall time                             3.000 s         0.7500 s    0.250\n", "proved: ",
	} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("no %q in\n%s", want, b.String())
		}
	}
	rows[1].Verified = metrics.Unverified
	rows[1].SlowPartition, rows[1].Lag, rows[1].CopyOut = 3, 1, 2.5
	b.Reset()
	if err := report.RepartitionTable(&b, rows); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{", partition 3 holds back 1 slice, slices that pin over 2.5 times", "\nunverified: "} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("no %q in\n%s", want, b.String())
		}
	}
	b.Reset()
	if err := report.RepartitionTable(&b, rows[:1]); err != nil || b.String() != "warm-ups only: no figures\n" {
		t.Errorf("%q, %v", b.String(), err)
	}
}
