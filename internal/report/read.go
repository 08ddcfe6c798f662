package report

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/dustin/go-humanize"

	"github.com/shufflebench/shufflebench/pkg/metrics"
)

// ReadRow is one measured read of a data file, in a process of its own.
// Columns that rows of writes have too keep their names.
type ReadRow struct {
	Case           string  `json:"case"`
	Repeat         int64   `json:"repeat"`
	Warmup         bool    `json:"warmup"`
	ReadSecs       float64 `json:"read_secs"`
	MaxRSSMiB      float64 `json:"max_rss_mib"`
	Rows           int64   `json:"rows"`
	Blocks         int64   `json:"blocks"`
	Bytes          int64   `json:"bytes"`
	PayloadBytes   int64   `json:"payload_bytes"`
	RowsPerSec     float64 `json:"rows_per_sec"`
	BlocksPerSec   float64 `json:"blocks_per_sec"`
	BytesPerSec    float64 `json:"bytes_per_sec"`
	BlockNanosecs  float64 `json:"block_nanosecs"`
	SchemaHits     int64   `json:"schema_hits"`
	SchemaMisses   int64   `json:"schema_misses"`
	AllocsPerBlock float64 `json:"allocs_per_block"`
	FileReads      int64   `json:"file_reads"`
	CPUUserSecs    float64 `json:"cpu_user_secs"`
	CPUSysSecs     float64 `json:"cpu_sys_secs"`
	Partitions     int64   `json:"partitions"`
	Readers        int64   `json:"readers"`
	SchemaCache    int64   `json:"schema_cache"`
	Validated      bool    `json:"validated"`
	Consumer       string  `json:"consumer"`
	Verified       string  `json:"verified"`
	Started        string  `json:"started"`
	Revision       string  `json:"revision"`
	GoVersion      string  `json:"go_version"`
}

// jsonFields are the columns of a row of plain fields in order: JSON's.
func jsonFields(r any) (names, values []string) {
	b, _ := json.Marshal(r) // plain fields cannot fail
	dec := json.NewDecoder(strings.NewReader(string(b)))
	dec.UseNumber()
	_, _ = dec.Token()
	for dec.More() {
		name, _ := dec.Token()
		value, _ := dec.Token()
		names, values = append(names, fmt.Sprint(name)), append(values, fmt.Sprint(value))
	}
	return names, values
}

// ReadColumnNames lists the columns of the CSV.
func ReadColumnNames() []string {
	names, _ := jsonFields(&ReadRow{})
	return names
}

// Record is the row as CSV fields.
func (r *ReadRow) Record() []string {
	_, values := jsonFields(r)
	return values
}

// ReadTable writes the medians over rows that are no warm-ups.
func ReadTable(w io.Writer, rows []*ReadRow) error {
	runs := slices.DeleteFunc(slices.Clone(rows), func(r *ReadRow) bool { return r.Warmup })
	if len(runs) == 0 {
		_, err := io.WriteString(w, "warm-ups only: no figures\n")
		return err
	}
	first := runs[0]
	cache := "no schema cache"
	if first.SchemaCache > 0 {
		cache = fmt.Sprintf("schema cache of %d", first.SchemaCache)
	}
	mode := "trusted"
	if first.Validated {
		mode = "validated"
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s, %s, %s, %s, consumer %s\n%s\n", plural(int(first.Partitions), "partition"), plural(int(first.Readers), "reader"), cache, mode, first.Consumer, plural(len(runs), "run"))
	for _, l := range readLines {
		fmt.Fprintf(&b, "  %-20s %18s\n", l.label, l.text(median(runs, l.of)))
	}
	if first.Verified == metrics.Proved {
		b.WriteString("proved: the files are those of a run whose output passed validation\n")
	} else {
		b.WriteString("unverified: nothing says that these files passed validation\n")
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func median(rows []*ReadRow, of func(*ReadRow) float64) float64 {
	vs := make([]float64, len(rows))
	for i, r := range rows {
		vs[i] = of(r)
	}
	return Median(vs)
}

type readLine struct {
	label string
	text  func(float64) string
	of    func(*ReadRow) float64
}

func unit(suffix string) func(float64) string {
	return func(v float64) string { return significant(v, 4) + suffix }
}

func whole(suffix string) func(float64) string {
	return func(v float64) string {
		if v == float64(int64(v)) || v >= 1000 {
			return humanize.Comma(int64(v)) + suffix
		}
		return strconv.FormatFloat(v, 'f', 1, 64) + suffix
	}
}

var readLines = []readLine{
	{"time", unit(" s"), func(r *ReadRow) float64 { return r.ReadSecs }},
	{"rows", whole(""), func(r *ReadRow) float64 { return float64(r.Rows) }},
	{"blocks", whole(""), func(r *ReadRow) float64 { return float64(r.Blocks) }},
	{"bytes", whole(" B"), func(r *ReadRow) float64 { return float64(r.Bytes) }},
	{"payload", whole(" B"), func(r *ReadRow) float64 { return float64(r.PayloadBytes) }},
	{"rows a second", whole(""), func(r *ReadRow) float64 { return r.RowsPerSec }},
	{"blocks a second", whole(""), func(r *ReadRow) float64 { return r.BlocksPerSec }},
	{"bytes a second", whole(""), func(r *ReadRow) float64 { return r.BytesPerSec }},
	{"a block", unit(" ns"), func(r *ReadRow) float64 { return r.BlockNanosecs }},
	{"schema hits", whole(""), func(r *ReadRow) float64 { return float64(r.SchemaHits) }},
	{"schema misses", whole(""), func(r *ReadRow) float64 { return float64(r.SchemaMisses) }},
	{"allocations a block", unit(""), func(r *ReadRow) float64 { return r.AllocsPerBlock }},
	{"reads of the file", whole(""), func(r *ReadRow) float64 { return float64(r.FileReads) }},
	{"CPU, user", unit(" s"), func(r *ReadRow) float64 { return r.CPUUserSecs }},
	{"CPU, system", unit(" s"), func(r *ReadRow) float64 { return r.CPUSysSecs }},
	{"peak RSS", unit(" MiB"), func(r *ReadRow) float64 { return r.MaxRSSMiB }},
}
