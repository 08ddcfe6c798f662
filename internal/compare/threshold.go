package compare

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/shufflebench/shufflebench/internal/report"
	"github.com/shufflebench/shufflebench/pkg/metrics"
)

// Short names of the columns that are worth a threshold. Any other noisy or
// exact number may be named in full.
var shortNames = []struct{ name, column string }{
	{"time", "write_secs"},
	{"rss", "max_rss_mib"},
	{"merge", "merge_task_median_secs"},
	{"heap", "heap_peak_mib"},
	{"throughput", "rows_per_sec"},
	{"bytes", "output_bytes_per_task"},
	{"spills", "spills_per_task"},
}

// DefaultThresholds are 3 % of time and 5 % of peak memory.
func DefaultThresholds() []report.Threshold {
	return []report.Threshold{
		{Metric: "time", Column: "write_secs", Least: 0.03},
		{Metric: "rss", Column: "max_rss_mib", Least: 0.05},
	}
}

// ParseThresholds reads "time=3%,rss=5%": the least changes that count, as
// percentages or fractions. A value without a name is for time and rss; "off"
// drops a metric. Metrics that are not named keep their default.
func ParseThresholds(text string) ([]report.Threshold, error) {
	out := DefaultThresholds()
	for _, part := range strings.Split(text, ",") {
		part = strings.TrimSpace(part)
		if part == "" {
			continue
		}
		name, value, named := strings.Cut(part, "=")
		names := []string{name}
		if !named {
			names, value = []string{"time", "rss"}, part
		}
		for _, n := range names {
			var err error
			if out, err = setThreshold(out, strings.TrimSpace(n), strings.TrimSpace(value)); err != nil {
				return nil, err
			}
		}
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("threshold %q leaves no metric to judge", text)
	}
	return out, nil
}

func setThreshold(ts []report.Threshold, name, value string) ([]report.Threshold, error) {
	column, err := metricColumn(name)
	if err != nil {
		return nil, err
	}
	at := slices.IndexFunc(ts, func(t report.Threshold) bool { return t.Column == column.Name })
	if value == "off" {
		if at >= 0 {
			ts = slices.Delete(ts, at, at+1)
		}
		return ts, nil
	}
	least, err := parseFraction(value)
	if err != nil {
		return nil, fmt.Errorf("threshold of %s: %w", name, err)
	}
	if least == 0 && column.Kind == metrics.Noisy {
		return nil, fmt.Errorf("threshold of %s: a figure that is measured cannot be held to 0", name)
	}
	if at < 0 {
		return append(ts, report.Threshold{Metric: name, Column: column.Name, Least: least}), nil
	}
	ts[at].Least = least
	return ts, nil
}

func metricColumn(name string) (metrics.Column, error) {
	column := name
	for _, s := range shortNames {
		if s.name == name {
			column = s.column
		}
	}
	c, ok := metrics.LookupColumn(column)
	numeric := c.Unit != metrics.Text && c.Unit != metrics.Flag
	if !ok || !numeric || (c.Kind != metrics.Noisy && c.Kind != metrics.Exact) {
		return c, fmt.Errorf("no metric is called %q; known are %s, and every measured or exact column", name, knownMetrics())
	}
	return c, nil
}

func knownMetrics() string {
	var names []string
	for _, s := range shortNames {
		names = append(names, s.name)
	}
	return strings.Join(names, ", ")
}

// parseFraction reads 3%, 0.03 or 2.5 %.
func parseFraction(s string) (float64, error) {
	digits, percent := strings.CutSuffix(s, "%")
	v, err := strconv.ParseFloat(strings.TrimSpace(digits), 64)
	if percent {
		v /= 100
	}
	switch {
	case err != nil:
		return 0, fmt.Errorf("%q is no share, such as 3%% or 0.03", s)
	case !percent && v >= 1:
		return 0, fmt.Errorf("%q is a whole multiple; for %s percent write %s%%", s, s, s)
	case !(v >= 0 && v <= 10):
		return 0, fmt.Errorf("%q is not between 0 and 1000%%", s)
	}
	return v, nil
}
