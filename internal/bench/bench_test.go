package bench

import (
	"context"
	"encoding/json"
	"errors"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/google/go-cmp/cmp"

	"github.com/shufflebench/shufflebench/internal/rundir"
	"github.com/shufflebench/shufflebench/internal/shufflefile"
	"github.com/shufflebench/shufflebench/pkg/metrics"
	"github.com/shufflebench/shufflebench/pkg/writer"
	"github.com/shufflebench/shufflebench/pkg/writer/partition"
)

// TestOptionsCrossProcesses: what the driver was asked for is what the child
// does, field by field.
func TestOptionsCrossProcesses(t *testing.T) {
	want := writer.Options{
		Engine: "ranges", BatchSize: 7, Partitions: 11, Partitioning: writer.RoundRobin, HashColumns: []string{"a", "1"},
		Codec: shufflefile.Zstd, ZstdLevel: 3, LZ4Encoder: writer.LZ4Pierrec, MemoryLimit: 13, MaxBufferBytes: 17, WriteBufferSize: 19,
		MergeBudget: 23 << 16, SpillMetadata: writer.Retain, SpillCodec: "lz4", Limit: 29, ConcurrentTasks: 31, Workers: 37, SpillDir: "s", OutputDir: "o",
		Checksum: shufflefile.CRC32C, PageSize: 41, SpillRows: 43, Calls: writer.PerPartition, RecordLength: 8, DictionaryRatio: 4.5,
		Inputs: 47, TaskMemoryLimit: 53, Encode: writer.Serial,
		OffsetLengths: true, StrictTypes: true, HashRule: partition.Comet,
	}
	v := reflect.ValueOf(want)
	for i := range v.NumField() {
		if name := v.Type().Field(i).Name; v.Field(i).IsZero() && name != "FS" && name != "Alloc" {
			t.Errorf("option %s is not covered here", name)
		}
	}
	text, err := json.Marshal(Order{Kind: kindWrite, OutputDir: want.OutputDir, Options: options(want)})
	if err != nil {
		t.Fatal(err)
	}
	var o Order
	if err := json.Unmarshal(text, &o); err != nil {
		t.Fatal(err)
	}
	got, err := writerOptions(o)
	if d := cmp.Diff(want, got); err != nil || d != "" {
		t.Error(err, d)
	}
}

func TestFailuresCrossProcesses(t *testing.T) {
	for _, err := range []error{
		errors.New("disk full"),
		errors.Join(errors.New("task 3"), context.Canceled),
		&writer.UnknownNameError{What: "engine", Got: "x", Known: []string{"ranges"}},
	} {
		text, jerr := json.Marshal(Reply{Failure: newFailure(err)})
		if jerr != nil {
			t.Fatal(jerr)
		}
		var r Reply
		if err := json.Unmarshal(text, &r); err != nil {
			t.Fatal(err)
		}
		var got error = r.Failure
		var a, b *writer.UnknownNameError
		if got.Error() != err.Error() || errors.Is(got, context.Canceled) != errors.Is(err, context.Canceled) ||
			errors.As(got, &a) != errors.As(err, &b) || !reflect.DeepEqual(a, b) {
			t.Errorf("%v became %v", err, got)
		}
	}
}

func TestServeRefusesNonsense(t *testing.T) {
	now := time.Now
	if err := Serve(t.Context(), strings.NewReader("hello"), &strings.Builder{}, now); err == nil {
		t.Error("an order that is none was taken")
	}
	for order, want := range map[string]string{
		`{"kind":"write","input":"nowhere.parquet"}`: "nowhere.parquet",
		`{"kind":"dance","input":"nowhere.parquet"}`: "nowhere.parquet",
	} {
		var out strings.Builder
		if err := Serve(t.Context(), strings.NewReader(order), &out, now); err != nil || !strings.Contains(out.String(), want) {
			t.Errorf("%s: %v, %s", order, err, &out)
		}
	}
}

func TestFiguresOverTasks(t *testing.T) {
	phases := func(read, elapsed time.Duration) metrics.Breakdown {
		b := metrics.Breakdown{Elapsed: elapsed, Overlap: read - elapsed}
		b.Spent[metrics.PhaseRead] = read
		return b
	}
	res := &writer.Result{Elapsed: 2 * time.Second, Tasks: []writer.TaskResult{
		{Rows: 10, Spills: 88, Ranges: 17600, Bytes: 100, Blocks: 4, InnerBefore: 200 * 128 * 16, Outer: 4800, Merge: time.Second, PeakBuffer: 5, Phases: phases(3e9, 2e9)},
		{Rows: 10, Spills: 88, Ranges: 17600, Bytes: 100, Blocks: 4, InnerBefore: 200 * 128 * 16, Outer: 4800, Merge: 2 * time.Second, PeakBuffer: 9, Phases: phases(1e9, 2e9)},
		{Rows: 10, Spills: 88, Ranges: 17600, Bytes: 100, Blocks: 4, InnerBefore: 200 * 128 * 16, Outer: 4800, Merge: 9 * time.Second, PeakBuffer: 7, Phases: phases(2e9, 2e9)},
	}}
	r := metrics.NewRow()
	figures(r, &Reply{Result: res, Usage: metrics.Usage{MaxRSS: 3 << 20}}, []rundir.Task{{SHA256: "ab", IndexSHA256: "cd"}})
	for name, want := range map[string]string{
		"write_secs": "2", "max_rss_mib": "3", "merge_task_median_secs": "2", "inner_before_mib_sum": "1.171875", "inner_after_mib_sum": "0",
		"outer_mib_sum": "0.01373291015625", "spills_per_task": "88", "rows_per_task": "10", "output_bytes_per_task": "100", "output_sha256": "ab",
		"ranges_per_task": "17600", "blocks_per_task": "4", "peak_buffer_bytes_max": "9", "task_mean_secs": "2", "phase_read_secs": "2",
		"overlap_secs": "0", "rows_per_sec": "15", "index_sha256": "cd", "floor_ratio": "",
	} {
		c, ok := metrics.LookupColumn(name)
		if got := c.Text(r); !ok || got != want {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
	(&Floor{ReadSecs: 0.5, WriteSecs: 0.75}).floored(r)
	if r.FloorRatio != 1.6 {
		t.Errorf("floor ratio %v, want 1.6", r.FloorRatio)
	}
}

// TestUnknownMemoryIsNotZero: where the system does not tell, the cell is empty.
// TestFiguresOfInputs: the figures of engine consolidated are means over tasks,
// and of other engines there are none.
func TestFiguresOfInputs(t *testing.T) {
	r := metrics.NewRow()
	tasks := []writer.TaskResult{
		{BudgetSpills: 3, Encode: 2 * time.Second, Copy: time.Second, SerialEncode: true},
		{BudgetSpills: 1, PoolSpills: 2, Encode: 4 * time.Second, Copy: 3 * time.Second, SerialEncode: true},
	}
	consolidated(r, tasks, 20*time.Second)
	if r.BudgetSpillsPerTask != 2 || r.PoolSpillsPerTask != 1 || r.EncodeWallSecs != 3 || r.CopyWallSecs != 2 || r.SerialTailRatio != 0.5 {
		t.Errorf("%+v", r)
	}
	for i := range tasks {
		tasks[i].SerialEncode = false
	}
	if consolidated(r, tasks, 20*time.Second); r.SerialTailRatio != 0.2 {
		t.Errorf("parallel: a serial tail of %v", r.SerialTailRatio)
	}
	r = metrics.NewRow()
	if consolidated(r, []writer.TaskResult{{}}, time.Second); metrics.Known(r.SerialTailRatio) || metrics.Known(r.PoolSpillsPerTask) {
		t.Error("another engine has figures of inputs")
	}
}

func TestUnknownMemoryIsNotZero(t *testing.T) {
	r := metrics.NewRow()
	figures(r, &Reply{Result: &writer.Result{Tasks: make([]writer.TaskResult, 1)}}, make([]rundir.Task, 1))
	if metrics.Known(r.MaxRSSMiB) {
		t.Errorf("peak RSS is %v", r.MaxRSSMiB)
	}
	if metrics.Known(r.RowsPerSec) {
		t.Errorf("throughput of no time is %v", r.RowsPerSec)
	}
}

func TestTasksMustAgree(t *testing.T) {
	good := rundir.Task{Rows: 5, SHA256: strings.Repeat("a", 64), IndexSHA256: "i"}
	with := func(f func(*rundir.Task)) rundir.Task { c := good; f(&c); return c }
	for want, tasks := range map[string][]rundir.Task{
		"":                       {good, good},
		"task 1 wrote 4 rows":    {good, with(func(t *rundir.Task) { t.Rows = 4 })},
		"different data files":   {good, good, with(func(t *rundir.Task) { t.SHA256 = strings.Repeat("b", 64) })},
		"but different indexes":  {good, with(func(t *rundir.Task) { t.IndexSHA256 = "j" })},
		"of a fixture with 5":    {with(func(t *rundir.Task) { t.Rows = 0 })},
		"different checksums":    {good, with(func(t *rundir.Task) { t.ChecksumsSHA256 = "k" })},
		"tasks 0 and 2 read the": {good, good, with(func(t *rundir.Task) { t.SHA256 = strings.Repeat("c", 64) })},
	} {
		err := agree(tasks, 5)
		if want == "" {
			if err != nil {
				t.Error(err)
			}
			continue
		}
		if !isFault(err) || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want a fault with %q", err, want)
		}
	}
}

func TestResolveColumns(t *testing.T) {
	s := arrow.NewSchema([]arrow.Field{
		{Name: "id", Type: arrow.PrimitiveTypes.Int64}, {Name: "1", Type: arrow.PrimitiveTypes.Int64},
		{Name: "twice", Type: arrow.PrimitiveTypes.Int64}, {Name: "twice", Type: arrow.PrimitiveTypes.Int64},
	}, nil)
	got, err := ResolveColumns(s, []string{"2", "id", "1", "3"})
	if want := []int{2, 0, 1, 3}; err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("got %v (%v), want %v", got, err, want)
	}
	var unknown *writer.UnknownNameError
	for _, c := range []string{"4", "-1", "ID", ""} {
		if _, err := ResolveColumns(s, []string{c}); !errors.As(err, &unknown) {
			t.Errorf("%q: got %v, want an unknown name", c, err)
		}
	}
	var usage *UsageError
	if _, err := ResolveColumns(s, []string{"twice"}); !errors.As(err, &usage) {
		t.Errorf("an ambiguous name: got %v", err)
	}
}

func TestProfilesOfSeveralRuns(t *testing.T) {
	p := Profiles{CPU: "cpu.out", Trace: "trace.out"}
	if got := p.numbered(1, 1); got != p {
		t.Errorf("one run: %+v", got)
	}
	if got, want := p.numbered(2, 3), (Profiles{CPU: "cpu.out.2", Trace: "trace.out.2"}); got != want {
		t.Errorf("run 2 of 3: %+v", got)
	}
}

func TestSummaryNamesThePlace(t *testing.T) {
	got := summary(json.RawMessage(`{"findings":[{"kind":"block","file":"o/data.out","partition":3,"block":0,"offset":99,"message":"bad frame"}]}`))
	if want := "block: o/data.out: partition 3, block 0, offset 99: bad frame"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	for _, text := range []string{`{}`, `{"findings":[]}`, `[`} {
		if got := summary(json.RawMessage(text)); got != "its report names no finding" {
			t.Errorf("%s: %q", text, got)
		}
	}
}

func TestConfigNamesContradictions(t *testing.T) {
	c := Config{Keep: true, Iterations: -1, Writer: writer.Options{OutputDir: "out", Partitions: -4, Engine: "fast"}}
	c.EnsureDefaults()
	err := c.Check()
	var usage *UsageError
	if !errors.As(err, &usage) {
		t.Fatalf("got %v", err)
	}
	for _, want := range []string{"--keep", "iterations", "partitions: -4", `unknown engine "fast"`} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%v does not tell of %s", err, want)
		}
	}
}
