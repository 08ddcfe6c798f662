package metrics

import "slices"

// columns is the registry. Append only, and raise RowVersion: the first
// fourteen are fixed by name and order, the rest by promise.
var columns = slices.Concat(firstColumns, askedColumns, timeColumns, sizeColumns, toldColumns, comparedColumns, rowsColumns, blockColumns, inputColumns)

// Columns lists the columns in the order of CSV and JSON.
func Columns() []Column { return slices.Clone(columns) }

// ColumnNames lists their names.
func ColumnNames() []string {
	names := make([]string, len(columns))
	for i, c := range columns {
		names[i] = c.Name
	}
	return names
}

// LookupColumn finds a column by name.
func LookupColumn(name string) (Column, bool) {
	i := slices.IndexFunc(columns, func(c Column) bool { return c.Name == name })
	if i < 0 {
		return Column{}, false
	}
	return columns[i], true
}

var firstColumns = []Column{
	{"case", "case", Text, Asked, "Short name of the options that were run: partitions and tasks.",
		"Engine, codec and limits have columns of their own.",
		func(r *Row) any { return &r.Case }},
	{"variant", "variant", Text, Asked, "Side of a comparison that the run belongs to (base or head), or the label given with --variant.", "",
		func(r *Row) any { return &r.Variant }},
	{"repeat", "repeat", Count, Told, "Number of the run, from 1, warm-ups first.", "",
		func(r *Row) any { return &r.Repeat }},
	{"warmup", "warm-up", Flag, Told, "Whether the run is a warm-up: it is kept as a row and left out of medians.", "",
		func(r *Row) any { return &r.Warmup }},
	{"write_secs", "time", Secs, Noisy, "Wall time from the first task's start to the last task's end: reading the fixture, partitioning, spilling, merging, writing data and index.",
		"Making the fixture, starting the process, validation, hashing the output and removing files. Nothing is synced to the device.",
		func(r *Row) any { return &r.WriteSecs }},
	{"max_rss_mib", "peak RSS", MiB, Noisy, "Peak resident memory of the process that wrote, VmHWM of /proc/self/status, taken when the last task ends. Elsewhere than on Linux: ru_maxrss of getrusage, or unknown.",
		"Page cache, and whatever other processes hold. The pages of the program file that it touched are in it, some 25 MiB.",
		func(r *Row) any { return &r.MaxRSSMiB }},
	{"merge_task_median_secs", "merge, median task", Secs, Noisy, "Wall time from the first to the last partition of a task's merge; the median over tasks.",
		"Spilling before it.",
		func(r *Row) any { return &r.MergeTaskMedianSecs }},
	{"inner_before_mib_sum", "spill metadata before merge", MiB, Exact, "Allocated capacity of the lists that say where each partition's spilled rows are, before the merge, summed over tasks: capacity times element size.",
		"The table that holds the lists, which is outer_mib_sum.",
		func(r *Row) any { return &r.InnerBeforeMiBSum }},
	{"inner_after_mib_sum", "spill metadata after merge", MiB, Exact, "Allocated capacity of those lists (inner_before_mib_sum) after the merge, summed over tasks: 0 when each list is released once merged.", "",
		func(r *Row) any { return &r.InnerAfterMiBSum }},
	{"outer_mib_sum", "spill metadata table", MiB, Exact, "Capacity of the table that holds the lists, summed over tasks.", "",
		func(r *Row) any { return &r.OuterMiBSum }},
	{"spills_per_task", "spills a task", Count, Exact, "Rounds of moving buffered rows to disk; the mean over tasks.", "",
		func(r *Row) any { return &r.SpillsPerTask }},
	{"rows_per_task", "rows a task", Rows, Exact, "Rows read by a task, which equal the rows it wrote or the run fails; the mean over tasks.", "",
		func(r *Row) any { return &r.RowsPerTask }},
	{"output_bytes_per_task", "output a task", Bytes, Exact, "Length of a task's data file; the mean over tasks.", "The index of 8 bytes a partition and 8 more.",
		func(r *Row) any { return &r.OutputBytesPerTask }},
	{"output_sha256", "output sha256", Text, Exact, "SHA-256 of the data file. All tasks of a run agree or the run fails.", "The index; index_sha256 has it.",
		func(r *Row) any { return &r.OutputSHA256 }},
}

var askedColumns = []Column{
	{"row_version", "row version", Count, Told, "Version of these columns. It rises when columns are added at the end; none is renamed or moved.", "",
		func(r *Row) any { return &r.RowVersion }},
	{"verified", "verified", Text, Told, "proved: validation passed for this output or an equal one of the same invocation. unverified: validation was switched off. failed: it found a fault.", "",
		func(r *Row) any { return &r.Verified }},
	{"engine", "engine", Text, Asked, "Way of writing.", "",
		func(r *Row) any { return &r.Engine }},
	{"partitioning", "partitioning", Text, Asked, "Rule that sends a row to a partition.", "",
		func(r *Row) any { return &r.Partitioning }},
	{"hash_columns", "hash columns", Text, Asked, "Key columns of hash partitioning, by index or name.", "",
		func(r *Row) any { return &r.HashColumns }},
	{"partitions", "partitions", Count, Asked, "Output partitions.", "",
		func(r *Row) any { return &r.Partitions }},
	{"tasks", "tasks", Count, Asked, "Tasks side by side, each over the whole fixture.", "",
		func(r *Row) any { return &r.Tasks }},
	{"batch_size_rows", "batch size", Rows, Asked, "Rows of a batch at most, and of a block.", "",
		func(r *Row) any { return &r.BatchSize }},
	{"codec", "codec", Text, Asked, "Compression of the blocks.", "",
		func(r *Row) any { return &r.Codec }},
	{"lz4_encoder", "LZ4 encoder", Text, Asked, "Encoder behind codec lz4.", "",
		func(r *Row) any { return &r.LZ4Encoder }},
	{"zstd_level", "zstd level", Count, Asked, "Level of codec zstd.", "",
		func(r *Row) any { return &r.ZstdLevel }},
	{"memory_limit_bytes", "memory limit", Bytes, Asked, "Bytes a task may buffer before it spills; 0 is no limit.", "",
		func(r *Row) any { return &r.MemoryLimit }},
	{"max_buffer_bytes", "max buffer", Bytes, Asked, "Bytes a task may buffer before it spills, under Comet's name; the smaller of this and memory_limit_bytes holds.", "",
		func(r *Row) any { return &r.MaxBufferBytes }},
	{"write_buffer_bytes", "write buffer", Bytes, Asked, "Bytes gathered before a write to the data file.", "",
		func(r *Row) any { return &r.WriteBuffer }},
	{"merge_budget_bytes", "merge budget", Bytes, Asked, "Bytes of spilled rows that a merge worker may hold.", "",
		func(r *Row) any { return &r.MergeBudget }},
	{"spill_metadata", "spill metadata", Text, Asked, "Whether range lists are retained until the task ends or released partition by partition.", "",
		func(r *Row) any { return &r.SpillMetadata }},
	{"spill_codec", "spill codec", Text, Asked, "Compression of the segments that are spilled.", "",
		func(r *Row) any { return &r.SpillCodec }},
	{"workers", "workers", Count, Asked, "Goroutines that a task may use to read ahead and encode.", "",
		func(r *Row) any { return &r.Workers }},
	{"limit_rows", "row limit", Rows, Asked, "Rows that a task reads at most; 0 is all.", "",
		func(r *Row) any { return &r.Limit }},
	{"fixture", "fixture", Text, Asked, "Identity of the input, equal for equal content.", "",
		func(r *Row) any { return &r.Fixture }},
}
