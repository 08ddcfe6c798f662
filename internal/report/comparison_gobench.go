package report

import (
	"fmt"
	"io"
	"strings"

	"github.com/shufflebench/shufflebench/internal/stats"
	"github.com/shufflebench/shufflebench/pkg/metrics"
)

// benchUnits are the figures of a run in Go's benchmark format, in units that
// benchstat scales. A factor turns ours into theirs.
var benchUnits = []struct {
	column, unit string
	factor       float64
}{
	{"write_secs", "ns/op", 1e9},
	{"process_secs", "process-ns", 1e9},
	{"max_rss_mib", "peak-RSS-bytes", 1 << 20},
	{"process_rss_mib", "process-peak-RSS-bytes", 1 << 20},
	{"merge_task_median_secs", "merge-ns", 1e9},
	{"process_cpu_secs", "cpu-ns", 1e9},
	{"rows_per_sec", "rows/s", 1},
	{"output_bytes_per_task", "output-bytes", 1},
	{"spills_per_task", "spills", 1},
}

// GoBench writes every run that counts in Go's benchmark format. To compare:
//
//	benchstat -col /variant -row .name,/case FILE
func (c *Comparison) GoBench(w io.Writer) error {
	var b strings.Builder
	config := func(key, value string) {
		if value != "" {
			fmt.Fprintf(&b, "%s: %s\n", key, oneLine(value))
		}
	}
	config("goos", c.Machine.OS)
	config("goarch", c.Machine.Arch)
	config("pkg", "github.com/shufflebench/shufflebench")
	config("cpu", c.Machine.CPU)
	config("base", c.Base.Label())
	config("head", c.Head.Label())
	config("fixture", c.Input.SHA256)
	if !c.Plan.Paired {
		config("base-measured", stats.AnotherTime)
	}
	for _, r := range c.Rows {
		if !r.Warmup && r.Failure == "" {
			benchLine(&b, r, c.Machine.GOMAXPROCS)
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func benchLine(b *strings.Builder, r *metrics.Row, procs int) {
	fmt.Fprintf(b, "BenchmarkShuffleWrite/case=%s", benchName(r.Case))
	if r.Variant != "" {
		fmt.Fprintf(b, "/variant=%s", benchName(r.Variant))
	}
	fmt.Fprintf(b, "-%d 1", procs)
	inside := metrics.Known(r.WriteSecs)
	for _, u := range benchUnits {
		col, _ := metrics.LookupColumn(u.column)
		v, ok := col.Number(r)
		if !ok {
			continue
		}
		unit := u.unit
		if unit == "process-ns" && !inside {
			unit = "ns/op" // what go test calls an operation
		}
		fmt.Fprintf(b, " %s %s", significant(v*u.factor, 9), unit)
	}
	b.WriteByte('\n')
}

// benchName makes a part of a benchmark's name.
func benchName(s string) string {
	return strings.Map(func(r rune) rune {
		if r == '/' || r == ' ' || r == '\t' || r == '\n' {
			return '_'
		}
		return r
	}, s)
}
