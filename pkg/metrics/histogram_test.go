package metrics

import (
	"encoding/json"
	"math"
	"testing"
	"time"
)

func TestHistogramBuckets(t *testing.T) {
	for i := range histogramBuckets - 1 {
		from, below := bucketFrom(i), bucketFrom(i+1)
		if from >= below {
			t.Fatalf("bucket %d is from %d to %d", i, from, below)
		}
		for _, d := range []time.Duration{from, below - 1} {
			if got := bucketOf(int64(d)); got != i {
				t.Errorf("%d ns are in bucket %d, want %d (%d to %d)", d, got, i, from, below)
			}
		}
	}
	for _, d := range []int64{-1, 0, 3} {
		if bucketOf(d) != 0 {
			t.Errorf("%d ns are in bucket %d", d, bucketOf(d))
		}
	}
	if got := bucketOf(math.MaxInt64); got != histogramBuckets-1 {
		t.Errorf("the longest duration is in bucket %d", got)
	}
}

func TestHistogramText(t *testing.T) {
	var h, more Histogram
	if h.String() != "" || h.Count() != 0 {
		t.Errorf("an empty one is %q", h.String())
	}
	h.Record(1100*time.Nanosecond, 17)
	h.Record(1300*time.Nanosecond, 2)
	more.Record(1279*time.Nanosecond, 1)
	more.Record(time.Hour, 1)
	h.Add(&more)
	const want = "1024:18 1280:2 1924145348608:1"
	if h.String() != want || h.Count() != 21 {
		t.Errorf("%q, %d in all, want %q", h.String(), h.Count(), want)
	}
	back, err := ParseHistogram(want)
	if err != nil || *back != h {
		t.Errorf("read back as %q, %v", back, err)
	}
	text, err := json.Marshal(&struct{ H Histogram }{h})
	var read struct{ H Histogram }
	if err != nil || string(text) != `{"H":"`+want+`"}` || json.Unmarshal(text, &read) != nil || read.H != h {
		t.Errorf("JSON is %s, %v", text, err)
	}
	for _, bad := range []string{"x", "1", "1:x", "-1:1", "1:-1", "1:2:3"} {
		if _, err := ParseHistogram(bad); err == nil {
			t.Errorf("%q is taken for a histogram", bad)
		}
	}
	if n := testing.AllocsPerRun(100, func() { h.Record(time.Microsecond, 1) }); n != 0 {
		t.Errorf("counting allocates %v times", n)
	}
}
