package metrics

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

func sample() *Row {
	r := NewRow()
	r.Case, r.Variant, r.Repeat, r.Warmup = "16000p_8tasks", "base", 3, true
	r.WriteSecs, r.MaxRSSMiB = 0.204123456, 51.84375
	r.InnerBeforeMiBSum, r.InnerAfterMiBSum, r.OuterMiBSum = 31.24609375, 0, 0.00457763671875
	r.RowsPerTask, r.OutputBytesPerTask = 2883584, 412046047
	r.OutputSHA256 = strings.Repeat("ab", 32)
	r.HashColumns = `0,"quoted, name"`
	r.PhaseSecs[PhaseRead] = 1e-9
	r.PeakBufferBytesMax = 1 << 40
	return r
}

func TestNumbersAreExact(t *testing.T) {
	for name, want := range map[string]string{
		"outer_mib_sum":         "0.00457763671875",
		"inner_before_mib_sum":  "31.24609375",
		"inner_after_mib_sum":   "0",
		"rows_per_task":         "2883584",
		"output_bytes_per_task": "412046047",
		"phase_read_secs":       "0.000000001",
		"floor_ratio":           "",
		"warmup":                "true",
	} {
		c, ok := LookupColumn(name)
		if !ok {
			t.Fatalf("no column %s", name)
		}
		if got := c.Text(sample()); got != want {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
}

func TestRecordRoundTrip(t *testing.T) {
	want := sample()
	got, err := ParseRecord(ColumnNames(), want.Record())
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(want, got, cmpopts.EquateNaNs()); d != "" {
		t.Error(d)
	}
}

func TestJSONRoundTrip(t *testing.T) {
	want := sample()
	b, err := json.Marshal(want)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(string(b), `{"case":"16000p_8tasks","variant":"base","repeat":3,"warmup":true,"write_secs":0.204123456,`) {
		t.Errorf("keys are out of order: %s", b)
	}
	got := new(Row)
	if err := json.Unmarshal(b, got); err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(want, got, cmpopts.EquateNaNs()); d != "" {
		t.Error(d)
	}
}

// TestOlderAndNewerHeaders: rows of other versions are read as far as they go.
func TestOlderAndNewerHeaders(t *testing.T) {
	header := append(ColumnNames()[:14:14], "invented_later_secs")
	record := append(sample().Record()[:14:14], "1.5")
	got, err := ParseRecord(header, record)
	if err != nil {
		t.Fatal(err)
	}
	if got.WriteSecs != 0.204123456 || Known(got.FloorRatio) || Known(got.TaskMeanSecs) {
		t.Errorf("got %+v", got)
	}
}

func TestBadRecords(t *testing.T) {
	header, record := ColumnNames(), sample().Record()
	swapped := append([]string{}, header...)
	swapped[0], swapped[1] = swapped[1], swapped[0]
	wrong := append([]string{}, record...)
	wrong[4] = "fast"
	for name, c := range map[string]struct {
		header, record []string
		want           string
	}{
		"short":  {header, record[:3], "3 fields"},
		"header": {swapped, record, "does not begin"},
		"number": {header, wrong, `column write_secs: "fast" is no s`},
		"empty":  {nil, nil, "does not begin"},
	} {
		if _, err := ParseRecord(c.header, c.record); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got error %v, want one with %q", name, err, c.want)
		}
	}
}
