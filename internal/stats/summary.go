package stats

import (
	"math"
	"slices"

	"golang.org/x/perf/benchmath"
)

// Summary describes one side's samples in the metric's own unit.
type Summary struct {
	N      int     `json:"n"`
	Median float64 `json:"median"`
	Min    float64 `json:"min"`
	Max    float64 `json:"max"`
	// Spread is the median absolute deviation from the median, as a fraction
	// of the median: half of the samples lie within Median ± Spread. It
	// includes drift, which the paired ratio does not.
	Spread float64 `json:"spread"`
	// MedianInterval is the interval of the median from order statistics,
	// what benchstat prints behind ±; nil below six samples.
	MedianInterval *Interval `json:"median_interval,omitempty"`
}

// Interval is a range of plausible values.
type Interval struct {
	Lo float64 `json:"lo"`
	Hi float64 `json:"hi"`
	// Confidence is the level that the interval really has, at least the one
	// that was asked for.
	Confidence float64 `json:"confidence"`
}

// Contains reports whether v lies in the closed interval.
func (i Interval) Contains(v float64) bool { return i.Lo <= v && v <= i.Hi }

// Summarize describes positive values; no values give a zero Summary.
func Summarize(values []float64, confidence float64) Summary {
	if len(values) == 0 {
		return Summary{}
	}
	s := benchmath.NewSample(slices.Clone(values), &benchmath.DefaultThresholds)
	sum := benchmath.AssumeNothing.Summary(s, confidence)
	out := Summary{
		N:      len(values),
		Median: median(values),
		Min:    s.Values[0],
		Max:    s.Values[len(values)-1],
		Spread: spread(values),
	}
	if !math.IsInf(sum.Lo, 0) && !math.IsInf(sum.Hi, 0) {
		out.MedianInterval = &Interval{Lo: sum.Lo, Hi: sum.Hi, Confidence: sum.Confidence}
	}
	return out
}

// median is the middle value, or the mean of the two middle ones.
func median(values []float64) float64 { return medianSorted(slices.Sorted(slices.Values(values))) }

func medianSorted(s []float64) float64 {
	n := len(s)
	if n%2 == 1 {
		return s[n/2]
	}
	return (s[n/2-1] + s[n/2]) / 2
}

// deviation is the median absolute deviation from center.
func deviation(values []float64, center float64) float64 {
	d := make([]float64, len(values))
	for i, v := range values {
		d[i] = math.Abs(v - center)
	}
	return median(d)
}

func spread(values []float64) float64 {
	m := median(values)
	return deviation(values, m) / m
}

// quantile interpolates between order statistics of a sorted sample.
func quantile(sorted []float64, q float64) float64 {
	at := q * float64(len(sorted)-1)
	i := int(at)
	if i+1 >= len(sorted) {
		return sorted[len(sorted)-1]
	}
	return sorted[i] + (at-float64(i))*(sorted[i+1]-sorted[i])
}

func mean(values []float64) float64 {
	sum := 0.0
	for _, v := range values {
		sum += v
	}
	return sum / float64(len(values))
}
