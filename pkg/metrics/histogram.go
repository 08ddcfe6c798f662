package metrics

import (
	"fmt"
	"iter"
	"math/bits"
	"strconv"
	"strings"
	"time"
)

// Histogram counts durations in buckets that are a quarter of a power of two
// wide, so that each value is known to about 12 %:
//
//	… 1024  1280  1536  1792  2048  2560  3072  3584  4096 … ns
//
// Its zero value is empty. It belongs to one goroutine; Add brings several
// together.
type Histogram struct {
	Counts [histogramBuckets]int64 // by bucket
}

// histogramBuckets reach to 2^40 ns, 18 minutes; longer ones count as that.
const histogramBuckets = 4 * 39

// bucketOf is the bucket of a duration in nanoseconds. Those below 4 ns share
// the first.
func bucketOf(ns int64) int {
	if ns < 4 {
		return 0
	}
	exp := bits.Len64(uint64(ns)) - 1
	return min(4*(exp-2)+int(ns>>(exp-2)&3), histogramBuckets-1)
}

// bucketFrom is the least duration of a bucket.
func bucketFrom(bucket int) time.Duration {
	return time.Duration(4+bucket%4) << (bucket / 4)
}

// Record counts n durations of d each.
func (h *Histogram) Record(d time.Duration, n int64) { h.Counts[bucketOf(int64(d))] += n }

// Add counts all that o has counted.
func (h *Histogram) Add(o *Histogram) {
	for i, n := range o.Counts {
		h.Counts[i] += n
	}
}

// Count is the number of durations.
func (h *Histogram) Count() (n int64) {
	for _, c := range h.Counts {
		n += c
	}
	return n
}

// Buckets yields the buckets that are not empty: from, below, and count.
func (h *Histogram) Buckets() iter.Seq2[[2]time.Duration, int64] {
	return func(yield func([2]time.Duration, int64) bool) {
		for i, n := range h.Counts {
			if n != 0 && !yield([2]time.Duration{bucketFrom(i), bucketFrom(i + 1)}, n) {
				return
			}
		}
	}
}

// String lists the buckets that are not empty as "from:count", from in
// nanoseconds: "1024:17 1280:3". An empty histogram is "".
func (h *Histogram) String() string {
	var parts []string
	for bounds, n := range h.Buckets() {
		parts = append(parts, fmt.Sprintf("%d:%d", bounds[0].Nanoseconds(), n))
	}
	return strings.Join(parts, " ")
}

// MarshalText is String, so that a histogram is short in JSON.
func (h *Histogram) MarshalText() ([]byte, error) { return []byte(h.String()), nil }

// UnmarshalText is the inverse.
func (h *Histogram) UnmarshalText(b []byte) error {
	got, err := ParseHistogram(string(b))
	if err == nil {
		*h = *got
	}
	return err
}

// ParseHistogram reads what String wrote.
func ParseHistogram(s string) (*Histogram, error) {
	h := new(Histogram)
	for _, part := range strings.Fields(s) {
		from, count, ok := strings.Cut(part, ":")
		ns, err1 := strconv.ParseInt(from, 10, 64)
		n, err2 := strconv.ParseInt(count, 10, 64)
		if !ok || err1 != nil || err2 != nil || ns < 0 || n < 0 {
			return nil, fmt.Errorf("%q is no bucket of a histogram, such as 1024:17", part)
		}
		h.Record(time.Duration(ns), n)
	}
	return h, nil
}
