package main

import (
	"bytes"
	"encoding/csv"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/shufflebench/shufflebench/pkg/metrics"
)

var (
	seedBinary = flag.String("seed", "", "run the seed workload in full with this program")
	seedCSV    = flag.String("seed-csv", "", "append its rows to this file")
)

// seedCase has the figures of engine ranges that follow from the fixture
// alone: 88 batches, a spill after each, ranges of 16 bytes in lists that
// double.
type seedCase struct {
	partitions, tasks  int
	ranges             float64 // non-empty, a task
	innerBefore, outer float64 // MiB, sums over tasks
}

var seedCases = []seedCase{
	{partitions: 200, tasks: 1, ranges: 17_600, innerBefore: 0.390625, outer: 0.00457763671875},
	{partitions: 16_000, tasks: 1, ranges: 1_225_926, innerBefore: 31.24609375, outer: 0.3662109375},
	{partitions: 16_000, tasks: 8, ranges: 1_225_926, innerBefore: 249.96875, outer: 2.9296875},
}

// TestSeedWorkload runs the seed workload in full (make seed) and holds its
// counted figures to the table that they must give, exactly. Both ways with
// range lists write the same bytes.
func TestSeedWorkload(t *testing.T) {
	if *seedBinary == "" {
		t.Skip("make seed runs it; it takes a while")
	}
	for _, c := range seedCases {
		var sha string
		for _, mode := range []string{"retain", "release"} {
			row := runSeed(t, c, mode)
			wantInner := map[string]float64{"retain": c.innerBefore, "release": 0}[mode]
			for _, f := range []struct {
				name      string
				got, want float64
			}{
				{"spills_per_task", row.SpillsPerTask, 88},
				{"rows_per_task", row.RowsPerTask, 2_883_584},
				{"ranges_per_task", row.RangesPerTask, c.ranges},
				{"inner_before_mib_sum", row.InnerBeforeMiBSum, c.innerBefore},
				{"inner_after_mib_sum", row.InnerAfterMiBSum, wantInner},
				{"outer_mib_sum", row.OuterMiBSum, c.outer},
			} {
				if f.got != f.want {
					t.Errorf("%s %s: %s is %v, want %v", row.Case, mode, f.name, f.got, f.want)
				}
			}
			if row.Verified != metrics.Proved {
				t.Errorf("%s %s: %s", row.Case, mode, row.Verified)
			}
			if sha != "" && row.OutputSHA256 != sha {
				t.Errorf("%s: retain and release write different bytes", row.Case)
			}
			sha = row.OutputSHA256
			t.Logf("%-14s %-7s %8.3f s  %7.1f MiB  merge %.3f s  output %.0f B", row.Case, mode, row.WriteSecs, row.MaxRSSMiB, row.MergeTaskMedianSecs, row.OutputBytesPerTask)
		}
	}
}

// runSeed runs one case and gives its row.
func runSeed(t *testing.T, c seedCase, mode string) *metrics.Row {
	t.Helper()
	rows := filepath.Join(t.TempDir(), "rows.csv")
	cmd := exec.Command(*seedBinary, "write", "--engine", "ranges", "--partitions", fmt.Sprint(c.partitions), "--concurrent-tasks", fmt.Sprint(c.tasks),
		"--batch-size", "32768", "--max-buffer-bytes", "1", "--spill-metadata", mode, "--variant", mode, "--csv", rows)
	cmd.Stderr = os.Stderr
	if err := cmd.Run(); err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(rows)
	if err != nil {
		t.Fatal(err)
	}
	keepRows(t, b)
	records, err := csv.NewReader(bytes.NewReader(b)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	row, err := metrics.ParseRecord(records[0], records[len(records)-1])
	if err != nil {
		t.Fatal(err)
	}
	return row
}

// keepRows appends rows to the file that was asked for, with one header.
func keepRows(t *testing.T, b []byte) {
	t.Helper()
	if *seedCSV == "" {
		return
	}
	f, err := os.OpenFile(*seedCSV, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o666)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if st, err := f.Stat(); err == nil && st.Size() > 0 {
		_, b, _ = bytes.Cut(b, []byte("\n"))
	}
	if _, err := f.Write(b); err != nil {
		t.Fatal(err)
	}
}
