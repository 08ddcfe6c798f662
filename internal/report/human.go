package report

import (
	"math"
	"strconv"

	"github.com/dustin/go-humanize"

	"github.com/shufflebench/shufflebench/pkg/metrics"
)

// Human writes a figure for people, with its unit: measured numbers with four
// significant digits, exact ones in full.
func Human(c metrics.Column, v float64) string {
	s := number(c, v)
	switch c.Unit {
	case metrics.Rows, metrics.Count, metrics.Text, metrics.Flag:
		return s
	case metrics.Ratio:
		return s + " x"
	case metrics.Bytes:
		return s + " B"
	}
	return s + " " + string(c.Unit)
}

func number(c metrics.Column, v float64) string {
	switch c.Unit {
	case metrics.Secs, metrics.Ratio, metrics.MiB:
		if c.Kind == metrics.Exact {
			return strconv.FormatFloat(v, 'f', -1, 64)
		}
		return significant(v, 4)
	}
	if v == math.Trunc(v) {
		return humanize.Comma(int64(v))
	}
	if math.Abs(v) >= 1000 {
		return humanize.Comma(int64(math.Round(v)))
	}
	return significant(v, 4)
}

// significant rounds to digits significant digits but at most six decimals,
// without an exponent, and never drops digits before the point.
func significant(v float64, digits int) string {
	if v == 0 {
		return "0"
	}
	decimals := digits - 1 - int(math.Floor(math.Log10(math.Abs(v))))
	if s := strconv.FormatFloat(v, 'f', min(max(decimals, 0), 6), 64); s != "-0.000000" {
		return s
	}
	return "0.000000"
}
