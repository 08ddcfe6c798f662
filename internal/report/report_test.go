package report

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/shufflebench/shufflebench/pkg/metrics"
)

var update = flag.Bool("update", false, "rewrite testdata")

func row(repeat int64, secs float64) *metrics.Row {
	r := metrics.NewRow()
	r.Case, r.Repeat, r.WriteSecs, r.TaskMeanSecs = "16000p_8tasks", repeat, secs, secs*0.75
	r.Engine, r.Partitioning, r.HashColumns, r.Partitions, r.Tasks = "ranges", "hash", "0", 16000, 8
	r.Codec, r.LZ4Encoder, r.BatchSize, r.MaxBufferBytes = "lz4", "column", 32768, 1
	r.MaxRSSMiB, r.RowsPerSec, r.FloorRatio = 51.84375, 8*2883584/secs, 1.2345
	r.InnerBeforeMiBSum, r.InnerAfterMiBSum, r.OuterMiBSum = 249.96875, 0, 2.9296875
	r.SpillsPerTask, r.RowsPerTask, r.OutputBytesPerTask, r.BlocksPerTask = 88, 2883584, 412046047, 1225926
	r.OutputSHA256, r.Verified = strings.Repeat("ab", 32), metrics.Proved
	r.PhaseSecs[metrics.PhaseRead], r.PhaseSecs[metrics.PhaseCompress] = secs*0.5, secs*0.25
	return r
}

func result() *Result {
	warm := row(1, 9)
	warm.Warmup = true
	return &Result{
		Command: []string{"write", "--partitions", "16000"}, Input: "/data/seed.parquet",
		Rows: []*metrics.Row{warm, row(2, 2), row(3, 3), row(4, 2.5)},
	}
}

// TestFacesAgree: whatever the face, the numbers are the same.
func TestFacesAgree(t *testing.T) {
	res := result()
	var js, cs bytes.Buffer
	if err := res.JSON(&js); err != nil {
		t.Fatal(err)
	}
	c, err := NewCSV(&cs, "buffer")
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range res.Rows {
		if err := c.Append(r); err != nil {
			t.Fatal(err)
		}
	}
	var fromJSON struct {
		Rows      []*metrics.Row
		Summaries []Summary
	}
	if err := json.Unmarshal(js.Bytes(), &fromJSON); err != nil {
		t.Fatal(err)
	}
	fromCSV := parse(t, cs.Bytes())
	opt := cmpopts.EquateNaNs()
	if d := cmp.Diff(res.Rows, fromJSON.Rows, opt); d != "" {
		t.Error("JSON:", d)
	}
	if d := cmp.Diff(res.Rows, fromCSV, opt); d != "" {
		t.Error("CSV:", d)
	}
	if d := cmp.Diff(fromJSON.Summaries, Summarize(fromCSV), opt, cmpopts.IgnoreUnexported(Summary{})); d != "" {
		t.Error("summaries:", d)
	}
	tableShows(t, res, fromJSON.Summaries[0])
}

// tableShows finds each figure of the sections in the table, as Human writes it.
func tableShows(t *testing.T, res *Result, s Summary) {
	t.Helper()
	var b bytes.Buffer
	if err := res.Table(&b, Style{}); err != nil {
		t.Fatal(err)
	}
	shown := 0
	for _, sec := range sections {
		for _, name := range sec.columns {
			c, _ := metrics.LookupColumn(name)
			f, ok := s.Figures[name]
			if !ok || f.Max == 0 {
				continue
			}
			shown++
			if want := Human(c, f.Median); !strings.Contains(b.String(), want) {
				t.Errorf("the table lacks %s of %s", want, name)
			}
		}
	}
	if shown < 12 {
		t.Errorf("only %d figures were looked for", shown)
	}
}

func parse(t *testing.T, b []byte) []*metrics.Row {
	t.Helper()
	records, err := csv.NewReader(bytes.NewReader(b)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	var rows []*metrics.Row
	for _, rec := range records[1:] {
		r, err := metrics.ParseRecord(records[0], rec)
		if err != nil {
			t.Fatal(err)
		}
		rows = append(rows, r)
	}
	return rows
}

func TestTableGolden(t *testing.T) {
	res := result()
	other := row(1, 0.0125)
	other.Case, other.Variant, other.Verified, other.Partitioning = "200p_1task", "head", metrics.Unverified, "round-robin"
	other.Codec, other.ZstdLevel, other.MaxBufferBytes = "zstd", 3, 0
	bad := row(2, 0.5)
	bad.Variant, bad.Verified = "bad", metrics.Faulty
	res.Rows = append(res.Rows, other, bad)
	res.Notes = []string{"the machine was busy: load 1.9 on 2 cores"}
	var b bytes.Buffer
	if err := res.Table(&b, Style{}); err != nil {
		t.Fatal(err)
	}
	if !res.Failed() {
		t.Error("a faulty row does not make the result a failed one")
	}
	golden := filepath.Join("testdata", "table.txt")
	if *update {
		if err := os.WriteFile(golden, b.Bytes(), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(string(want), b.String()); d != "" {
		t.Error(d)
	}
}

func TestColorOnlyWhereWelcome(t *testing.T) {
	for _, color := range []bool{false, true} {
		var b bytes.Buffer
		if err := result().Table(&b, Style{Color: color}); err != nil {
			t.Fatal(err)
		}
		if got := strings.Contains(b.String(), "\x1b["); got != color {
			t.Errorf("color %v: escape sequences: %v", color, got)
		}
	}
}

func TestMedian(t *testing.T) {
	for _, c := range []struct {
		vs   []float64
		want float64
	}{{[]float64{3}, 3}, {[]float64{3, 1}, 2}, {[]float64{9, 1, 2}, 2}, {[]float64{4, 1, 3, 2}, 2.5}} {
		before := fmt.Sprint(c.vs)
		if got := Median(c.vs); got != c.want || fmt.Sprint(c.vs) != before {
			t.Errorf("median of %v is %v, want %v", before, got, c.want)
		}
	}
}

func TestExactColumnsMustAgree(t *testing.T) {
	a, b := row(1, 1), row(2, 2)
	if d := Summarize([]*metrics.Row{a, b})[0].Differing(); d != nil {
		t.Errorf("equal runs differ: %v", d)
	}
	b.OutputSHA256, b.SpillsPerTask = "cd", 89
	d := Summarize([]*metrics.Row{a, b})[0].Differing()
	if len(d) != 2 || !strings.Contains(d[0], "spills_per_task") || !strings.Contains(d[0], "88, 89") {
		t.Errorf("got %q", d)
	}
}

func TestHuman(t *testing.T) {
	for _, c := range []struct {
		column string
		v      float64
		want   string
	}{
		{"outer_mib_sum", 0.00457763671875, "0.00457763671875 MiB"},
		{"inner_after_mib_sum", 0, "0 MiB"},
		{"max_rss_mib", 51.84375, "51.84 MiB"},
		{"write_secs", 79.123, "79.12 s"},
		{"write_secs", 0.0000004, "0.000000 s"},
		{"write_secs", 12345.6, "12346 s"},
		{"overlap_secs", -0.0000001, "0.000000 s"},
		{"output_bytes_per_task", 412046047, "412,046,047 B"},
		{"rows_per_task", 2883584, "2,883,584"},
		{"spills_per_task", 87.5, "87.50"},
		{"blocks_per_task", 1225926.4, "1,225,926"},
		{"rows_per_sec", 14417920.4, "14,417,920 rows/s"},
		{"floor_ratio", 1.2345, "1.234 x"},
		{"overlap_secs", -0.0123, "-0.01230 s"},
	} {
		column, ok := metrics.LookupColumn(c.column)
		if got := Human(column, c.v); !ok || got != c.want {
			t.Errorf("%v of %s: %q, want %q", c.v, c.column, got, c.want)
		}
	}
}
