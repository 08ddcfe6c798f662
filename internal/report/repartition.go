package report

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/shufflebench/shufflebench/pkg/metrics"
)

// RepartitionRow is one measured repartitioning in memory, in a process of its
// own. Bytes are of what waited in the streams when most did, before consumers
// took theirs.
type RepartitionRow struct {
	Case            string  `json:"case"`
	Take            string  `json:"take"`
	Repeat          int64   `json:"repeat"`
	Warmup          bool    `json:"warmup"`
	RepartitionSecs float64 `json:"repartition_secs"` // all, wall time
	CPUSecs         float64 `json:"cpu_secs"`         // all, processor time, the collector's included
	PartitionSecs   float64 `json:"partition_secs"`
	TakeSecs        float64 `json:"take_secs"`
	ConsumeSecs     float64 `json:"consume_secs"` // making slices records, and consuming them
	Rows            int64   `json:"rows"`
	Batches         int64   `json:"batches"`
	Slices          int64   `json:"slices"`
	RowsPerSec      float64 `json:"rows_per_sec"`
	AllocatedBytes  int64   `json:"allocated_bytes"`
	WaitingSlices   int64   `json:"waiting_slices"`
	ArrayBytes      int64   `json:"array_bytes"`    // sum of array sizes, once a slice
	LiveBytes       int64   `json:"live_bytes"`     // of the slices' rows alone
	DistinctBytes   int64   `json:"distinct_bytes"` // buffers, each once
	ObjectBytes     int64   `json:"object_bytes"`   // objects around the buffers, each once
	HeldBytes       int64   `json:"held_bytes"`     // distinct and object bytes
	HeapBytes       int64   `json:"heap_bytes"`     // what the heap had more than without streams
	ArrayRatio      float64 `json:"array_ratio"`    // to the heap
	LiveRatio       float64 `json:"live_ratio"`
	HeldRatio       float64 `json:"held_ratio"`
	CopiedOut       int64   `json:"copied_out"` // slices
	CopiedOutBytes  int64   `json:"copied_out_bytes"`
	Partitions      int64   `json:"partitions"`
	BatchSize       int64   `json:"batch_size"`
	SlowPartition   int64   `json:"slow_partition"` // -1: none
	Lag             int64   `json:"lag"`
	CopyOut         float64 `json:"copy_out"`
	Input           string  `json:"input"`
	Verified        string  `json:"verified"`
	Started         string  `json:"started"`
	Load1           float64 `json:"load1"` // of the machine before the first run
	Revision        string  `json:"revision"`
	GoVersion       string  `json:"go_version"`
}

// RepartitionColumnNames lists the columns of the CSV.
func RepartitionColumnNames() []string {
	names, _ := jsonFields(&RepartitionRow{})
	return names
}

// Record is the row as CSV fields.
func (r *RepartitionRow) Record() []string {
	_, values := jsonFields(r)
	return values
}

// OpenRepartitionCSV is OpenCSV for rows of repartitionings.
func OpenRepartitionCSV(name string) (*CSV, error) { return openCSV(name, RepartitionColumnNames()) }

// RepartitionTable writes the medians over rows that are no warm-ups, a column a
// take.
func RepartitionTable(w io.Writer, rows []*RepartitionRow) error {
	runs := slices.DeleteFunc(slices.Clone(rows), func(r *RepartitionRow) bool { return r.Warmup })
	if len(runs) == 0 {
		_, err := io.WriteString(w, "warm-ups only: no figures\n")
		return err
	}
	byTake := map[string][]*RepartitionRow{}
	var takes []string
	for _, r := range runs {
		if byTake[r.Take] == nil {
			takes = append(takes, r.Take)
		}
		byTake[r.Take] = append(byTake[r.Take], r)
	}
	slices.Sort(takes)
	slices.Reverse(takes) // the one that the other is held against comes first
	var b strings.Builder
	runs[0].headline(&b, len(byTake[takes[0]]))
	repartitionBody(&b, takes, byTake)
	if slices.ContainsFunc(runs, func(r *RepartitionRow) bool { return r.Verified != metrics.Proved }) {
		b.WriteString("unverified: not every run was held against its input\n")
	} else {
		b.WriteString("proved: every stream has the input's rows of its partition, in their order\n")
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func (r *RepartitionRow) headline(b *strings.Builder, runs int) {
	fmt.Fprintf(b, "%s, batches of %d", plural(int(r.Partitions), "partition"), r.BatchSize)
	if r.SlowPartition >= 0 {
		fmt.Fprintf(b, ", partition %d holds back %s", r.SlowPartition, plural(int(r.Lag), "slice"))
	}
	if r.CopyOut > 0 {
		fmt.Fprintf(b, ", slices that pin over %g times their bytes copied out", r.CopyOut)
	}
	fmt.Fprintf(b, "\n%s a take\n", plural(runs, "run"))
}

func repartitionBody(b *strings.Builder, takes []string, byTake map[string][]*RepartitionRow) {
	fmt.Fprintf(b, "  %-28s", "")
	for _, t := range takes {
		fmt.Fprintf(b, " %16s", t)
	}
	if len(takes) == 2 {
		fmt.Fprintf(b, " %8s", "ratio")
	}
	b.WriteByte('\n')
	for _, l := range repartitionLines {
		fmt.Fprintf(b, "  %-28s", l.label)
		var medians []float64
		for _, t := range takes {
			vs := make([]float64, len(byTake[t]))
			for i, r := range byTake[t] {
				vs[i] = l.of(r)
			}
			medians = append(medians, Median(vs))
			fmt.Fprintf(b, " %16s", l.text(medians[len(medians)-1]))
		}
		if len(takes) == 2 && medians[0] > 0 {
			fmt.Fprintf(b, " %8.3f", medians[1]/medians[0])
		}
		b.WriteByte('\n')
	}
}

type repartitionLine struct {
	label string
	text  func(float64) string
	of    func(*RepartitionRow) float64
}

var repartitionLines = []repartitionLine{
	{"wall time", unit(" s"), func(r *RepartitionRow) float64 { return r.RepartitionSecs }},
	{"processor time", unit(" s"), func(r *RepartitionRow) float64 { return r.CPUSecs }},
	{"  partition", unit(" s"), func(r *RepartitionRow) float64 { return r.PartitionSecs }},
	{"  take", unit(" s"), func(r *RepartitionRow) float64 { return r.TakeSecs }},
	{"  consume", unit(" s"), func(r *RepartitionRow) float64 { return r.ConsumeSecs }},
	{"rows", whole(""), func(r *RepartitionRow) float64 { return float64(r.Rows) }},
	{"slices", whole(""), func(r *RepartitionRow) float64 { return float64(r.Slices) }},
	{"allocated", whole(" B"), func(r *RepartitionRow) float64 { return float64(r.AllocatedBytes) }},
	{"slices waiting at the peak", whole(""), func(r *RepartitionRow) float64 { return float64(r.WaitingSlices) }},
	{"  heap really held", whole(" B"), func(r *RepartitionRow) float64 { return float64(r.HeapBytes) }},
	{"  sum of array sizes", whole(" B"), func(r *RepartitionRow) float64 { return float64(r.ArrayBytes) }},
	{"    of the heap", unit(""), func(r *RepartitionRow) float64 { return r.ArrayRatio }},
	{"  live slice bytes", whole(" B"), func(r *RepartitionRow) float64 { return float64(r.LiveBytes) }},
	{"    of the heap", unit(""), func(r *RepartitionRow) float64 { return r.LiveRatio }},
	{"  distinct buffers", whole(" B"), func(r *RepartitionRow) float64 { return float64(r.DistinctBytes) }},
	{"  with their objects", whole(" B"), func(r *RepartitionRow) float64 { return float64(r.HeldBytes) }},
	{"    of the heap", unit(""), func(r *RepartitionRow) float64 { return r.HeldRatio }},
	{"slices copied out", whole(""), func(r *RepartitionRow) float64 { return float64(r.CopiedOut) }},
	{"  bytes of copies", whole(" B"), func(r *RepartitionRow) float64 { return float64(r.CopiedOutBytes) }},
}
