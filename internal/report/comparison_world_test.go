package report_test

import (
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/shufflebench/shufflebench/internal/compare"
	"github.com/shufflebench/shufflebench/internal/report"
	"github.com/shufflebench/shufflebench/internal/stats"
	"github.com/shufflebench/shufflebench/pkg/metrics"
)

// noise is a fixed sequence of numbers around 1.
type noise uint64

func (n *noise) times(spread float64) float64 {
	*n = *n*6364136223846793005 + 1442695040888963407
	u := float64(*n>>11) / (1 << 53)
	return math.Exp(spread * (u - 0.5) * 2)
}

// world is a comparison with something of everything: a better case, a worse
// one, an open one, a lone one, a failed run, wrong output, an outlier.
func world(t *testing.T) *report.Comparison {
	t.Helper()
	start := time.Date(2025, 3, 9, 14, 30, 0, 0, time.UTC)
	c := &report.Comparison{
		Version: 1, State: report.Complete, Command: []string{"compare", "--base", "v1.2", "--head", ".", "--case", "200p_1task"},
		Build:   metrics.Build{Version: "devel", Revision: "0123456789abcdef0123", GoVersion: "go1.26.0", OS: "linux", Arch: "amd64"},
		Machine: metrics.Machine{CPU: "Processor <9> | X", CoresLogical: 8, GOMAXPROCS: 8, Memory: 32 << 30, OS: "linux", Arch: "amd64", Kernel: "debian 12, 6.1", OutputFS: "ext4", Load1: 0.31},
		Started: start, Ended: start.Add(7*time.Minute + 3*time.Second),
		Input: report.Input{Path: "/data/seed.parquet", SHA256: "fedcba9876543210", Rows: 2_883_584, Bytes: 23_600_000},
		Plan:  report.Plan{Rounds: 10, Warmups: 1, Thresholds: compare.DefaultThresholds(), Equal: []string{"rows_per_task"}, Validate: true, Paired: true},
		Base:  report.Variant{Side: stats.Base, Name: "v1.2", Revision: "aaaaaaaaaaaabbbb", Subject: "release *1.2*", BuiltBy: "go build -o {bin} ./cmd/shufflebench", Tools: "go1.26.0", SHA256: "11112222333344445555"},
		Head:  report.Variant{Side: stats.Head, Name: ".", Revision: "cccccccccccceeee", Subject: "changes <b>& more", Dirty: true, SHA256: "66667777888899990000", Args: []string{"--workers=2"}},
		Notes: []string{"the processor's clock follows its load (governor powersave)"},
	}
	n := noise(1)
	runs := 0
	for i, sp := range []struct {
		name               string
		secs, effect, loud float64
		partitions         int64
	}{
		{"200p_1task", 0.2, 0.93, 0.01, 200}, {"16000p_1task", 3.5, 1.08, 0.01, 16000}, {"16000p_8tasks,codec=zstd", 30, 1.02, 0.06, 16000},
	} {
		rc := report.Case{Name: sp.name, Options: []report.Option{{Name: "partitions", Value: fmt.Sprint(sp.partitions)}}}
		rc.Base = []string{"/cache/program", "write", "--input=/data/seed.parquet", "--output-dir=RUN/out"}
		rc.Head = append(append([]string{}, rc.Base...), "--workers=2")
		c.Cases = append(c.Cases, rc)
		for round := 0; round <= 10; round++ {
			sides := []string{"base", "head"}
			if round%2 == 0 && round > 0 {
				sides = []string{"head", "base"}
			}
			for slot, side := range sides {
				runs++
				r := metrics.NewRow()
				r.Case, r.Variant, r.Repeat, r.Warmup, r.Round, r.Slot = sp.name, side, int64(round+1), round == 0, int64(round), int64(slot+1)
				effect, inner := 1.0, 31.24609375
				if side == "head" {
					effect, inner = sp.effect, 0
				}
				r.WriteSecs = sp.secs * effect * n.times(sp.loud)
				if i == 0 && round == 7 && side == "base" {
					r.WriteSecs *= 1.5
				}
				if round == 0 {
					r.Slot = 0
				}
				fill(r, &n, inner, start.Add(time.Duration(runs)*3*time.Second))
				c.Rows = append(c.Rows, r)
			}
		}
	}
	spoil(c.Rows[len(c.Rows)-3:])
	c.Cases = append(c.Cases, report.Case{Name: "64p_1task,codec=new", Lone: `unknown codec of base "new"`, Only: stats.Head})
	if err := compare.Judge(c); err != nil {
		t.Fatal(err)
	}
	return c
}

// fill sets the figures that follow from the time.
func fill(r *metrics.Row, n *noise, inner float64, at time.Time) {
	r.MaxRSSMiB, r.HeapPeakMiB = 45*n.times(0.01), 30*n.times(0.02)
	r.MergeTaskMedianSecs, r.TaskMeanSecs = r.WriteSecs/2, r.WriteSecs
	for p := metrics.PhaseRead; p < metrics.PhaseWait; p++ {
		r.PhaseSecs[p] = r.WriteSecs / 8 * n.times(0.1)
	}
	r.PhaseSecs[metrics.PhaseOther], r.OverlapSecs = r.WriteSecs/50, r.WriteSecs/100
	r.InnerBeforeMiBSum, r.InnerAfterMiBSum, r.OuterMiBSum, r.SpillsPerTask, r.RowsPerTask = 31.24609375, inner, 0, 88, 2883584
	r.OutputBytesPerTask, r.OutputSHA256, r.IndexSHA256 = 39_200_000, "0123456789abcdef0123456789abcdef", "ab"
	r.GaugeSecs, r.ProcessSecs, r.ProcessRSSMiB = 0.05*n.times(0.05), r.WriteSecs+0.1, r.MaxRSSMiB+1
	r.Verified, r.Started = metrics.Proved, at.Format(time.RFC3339)
	var h metrics.Histogram
	for range 40 {
		h.Record(time.Duration(7000*n.times(0.6)), 100)
	}
	r.BlockEncodeHistogram = h.String()
}

// spoil makes one run fail and another write wrong output.
func spoil(rows []*metrics.Row) {
	for i, failure := range []string{"exit status 1: no space left | on device", "validation: misplaced: partition 3"} {
		keep := *rows[i]
		*rows[i] = *metrics.NewRow()
		r := rows[i]
		r.Case, r.Variant, r.Round, r.Slot, r.Repeat, r.GaugeSecs, r.ProcessSecs = keep.Case, keep.Variant, keep.Round, keep.Slot, keep.Repeat, keep.GaugeSecs, keep.ProcessSecs
		r.Failure, r.Started = failure, keep.Started
	}
	rows[1].Verified = metrics.Faulty
}
