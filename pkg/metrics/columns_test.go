package metrics

import (
	"reflect"
	"slices"
	"strings"
	"testing"
)

// first is the contract with every script that reads rows.
const first = "case,variant,repeat,warmup,write_secs,max_rss_mib,merge_task_median_secs,inner_before_mib_sum," +
	"inner_after_mib_sum,outer_mib_sum,spills_per_task,rows_per_task,output_bytes_per_task,output_sha256"

func TestFirstColumnsKeepTheirOrder(t *testing.T) {
	if got := strings.Join(ColumnNames()[:14], ","); got != first {
		t.Errorf("first columns are\n%s, want\n%s", got, first)
	}
}

// version1 is the header of version 1. When columns are added, add the new
// header here and raise RowVersion; this line stays.
const version1 = first + ",row_version,verified,engine,partitioning,hash_columns,partitions,tasks,batch_size_rows,codec,lz4_encoder," +
	"zstd_level,memory_limit_bytes,max_buffer_bytes,write_buffer_bytes,merge_budget_bytes,spill_metadata,spill_codec,workers,limit_rows,fixture," +
	"task_mean_secs,phase_read_secs,phase_partition_secs,phase_take_secs,phase_encode_secs,phase_compress_secs,phase_spill_write_secs," +
	"phase_spill_read_secs,phase_write_secs,phase_other_secs,overlap_secs,rows_per_sec,cpu_user_secs,cpu_sys_secs,read_floor_secs," +
	"write_floor_secs,floor_ratio,blocks_per_task,ranges_per_task,spill_bytes_per_task,peak_buffer_bytes_max,heap_peak_mib,allocated_mib," +
	"gc_cycles,index_sha256,started,revision,go_version,cpu,cores"

const version2 = version1 + ",round,slot,gauge_secs,process_secs,process_cpu_secs,process_rss_mib,failure,binary_sha256"

const version3 = version2 + ",checksum,calls,page_bytes,spill_rows,record_length_bytes,dictionary_ratio"

const version4 = version3 + ",block_encode_histogram"

const version5 = version4 + ",inputs,task_memory_limit_bytes,encode,budget_spills_per_task,pool_spills_per_task," +
	"encode_wall_secs,copy_wall_secs,serial_tail_ratio"

func TestHeaderOnlyGrows(t *testing.T) {
	versions := []string{version1, version2, version3, version4, version5}
	if RowVersion != len(versions) {
		t.Fatalf("RowVersion is %d, but %d headers are known", RowVersion, len(versions))
	}
	now := strings.Join(ColumnNames(), ",")
	if last := versions[len(versions)-1]; now != last {
		t.Errorf("the columns are\n%s, want version %d:\n%s", now, RowVersion, last)
	}
	for v, header := range versions {
		if !strings.HasPrefix(now, header) {
			t.Errorf("version %d is no beginning of the present header", v+1)
		}
	}
}

func TestColumnsAreDeclaredWell(t *testing.T) {
	names, labels, fields := map[string]bool{}, map[string]bool{}, map[any]bool{}
	r := NewRow()
	for _, c := range Columns() {
		p := c.field(r)
		if names[c.Name] || labels[c.Label] || fields[p] {
			t.Errorf("column %s: name, label or field is taken twice", c.Name)
		}
		names[c.Name], labels[c.Label], fields[p] = true, true, true
		if !strings.HasSuffix(c.Doc, ".") || (c.Omits != "" && !strings.HasSuffix(c.Omits, ".")) {
			t.Errorf("column %s: its texts are no sentences", c.Name)
		}
		if suffixes := unitSuffixes[c.Unit]; suffixes != nil && !slices.ContainsFunc(suffixes, func(s string) bool { return strings.Contains(c.Name, s) }) {
			t.Errorf("column %s: the name lacks its unit %s", c.Name, c.Unit)
		}
		if numeric := c.Unit != Text && c.Unit != Flag; numeric == isText(p) {
			t.Errorf("column %s: unit %q for a %T", c.Name, c.Unit, p)
		}
	}
}

var unitSuffixes = map[Unit][]string{
	MiB: {"_mib"}, Secs: {"_secs"}, Bytes: {"_bytes"}, Rows: {"rows"}, PerS: {"_per_sec"}, Ratio: {"_ratio"},
}

func isText(p any) bool {
	switch p.(type) {
	case *string, *bool:
		return true
	}
	return false
}

// TestEveryFieldHasAColumn: a field of Row that no column shows is a figure
// that users never see.
func TestEveryFieldHasAColumn(t *testing.T) {
	r := NewRow()
	v := reflect.ValueOf(r).Elem()
	shown := map[any]bool{}
	for _, c := range columns {
		shown[c.field(r)] = true
	}
	for i := range v.NumField() {
		f := v.Field(i)
		if f.Kind() == reflect.Array {
			continue
		}
		if !shown[f.Addr().Interface()] {
			t.Errorf("field %s has no column", v.Type().Field(i).Name)
		}
	}
}
