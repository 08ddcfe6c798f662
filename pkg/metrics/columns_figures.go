package metrics

import (
	"fmt"
	"slices"
)

var timeColumns = slices.Concat([]Column{
	{"task_mean_secs", "task, mean", Secs, Noisy, "Wall time of a task, the mean over tasks. The phases less the overlap add up to it.", "",
		func(r *Row) any { return &r.TaskMeanSecs }},
}, phaseColumns(), []Column{
	{"overlap_secs", "overlap", Secs, Noisy, "Work that goroutines of a task did beside its main one, less the time the main one waited for them; the mean over tasks. Negative when it waited longer than they worked.", "",
		func(r *Row) any { return &r.OverlapSecs }},
	{"rows_per_sec", "throughput", PerS, Noisy, "Rows of all tasks by write_secs.", "",
		func(r *Row) any { return &r.RowsPerSec }},
	{"cpu_user_secs", "CPU, user", Secs, Noisy, "Processor time of the writing process in user mode, from the first task's start to the last task's end, garbage collection included.", "",
		func(r *Row) any { return &r.CPUUserSecs }},
	{"cpu_sys_secs", "CPU, system", Secs, Noisy, "Processor time of the writing process in the kernel, from the first task's start to the last task's end.", "",
		func(r *Row) any { return &r.CPUSysSecs }},
	{"read_floor_secs", "floor, read", Secs, Noisy, "Time to read the fixture into Arrow batches with one reader and nothing else, the median of three, in a process of its own; measured with --floor.", "",
		func(r *Row) any { return &r.ReadFloorSecs }},
	{"write_floor_secs", "floor, write", Secs, Noisy, "Time to write one task's data and index bytes from memory and nothing else, the median of three; measured with --floor.", "Syncing to the device, as in write_secs.",
		func(r *Row) any { return &r.WriteFloorSecs }},
	{"floor_ratio", "time by floor", Ratio, Noisy, "write_secs by the sum of both floors. It says how far one task is from the least that its input and output cost.",
		"With several tasks the floor is still that of one.",
		func(r *Row) any { return &r.FloorRatio }},
})

var phaseDocs = [NumPhases]string{
	PhaseOther:      "Task time in none of the phases.",
	PhaseRead:       "Decoding the fixture's Parquet into Arrow batches.",
	PhasePartition:  "Computing each row's partition: hashes of the keys and their remainder.",
	PhaseTake:       "Reordering rows by partition: counting, scattering, gathering.",
	PhaseEncode:     "Laying rows out as block payloads: schema, header, body.",
	PhaseCompress:   "Turning payloads into frames and blocks.",
	PhaseSpillWrite: "Moving rows or blocks to spill files.",
	PhaseSpillRead:  "Bringing them back during the merge.",
	PhaseWrite:      "Writing the data file and the index.",
}

// phaseColumns is one column a phase, "other" last.
func phaseColumns() []Column {
	var cols []Column
	add := func(p Phase) {
		cols = append(cols, Column{
			Name: fmt.Sprintf("phase_%s_secs", p), Label: p.label(), Unit: Secs, Kind: Noisy,
			Doc:   phaseDocs[p] + " The mean over tasks, on whichever goroutine it ran.",
			field: func(r *Row) any { return &r.PhaseSecs[p] },
		})
	}
	for p := PhaseRead; p < PhaseWait; p++ {
		add(p)
	}
	add(PhaseOther)
	return cols
}

func (p Phase) label() string {
	switch p {
	case PhaseSpillWrite:
		return "spill write"
	case PhaseSpillRead:
		return "spill read"
	}
	return p.String()
}

var sizeColumns = []Column{
	{"blocks_per_task", "blocks a task", Count, Exact, "Blocks in a task's data file; the mean over tasks.", "",
		func(r *Row) any { return &r.BlocksPerTask }},
	{"ranges_per_task", "ranges a task", Count, Exact, "Byte intervals that hold one partition's rows of one spill, empty ones not counted; the mean over tasks. Engine ranges.", "",
		func(r *Row) any { return &r.RangesPerTask }},
	{"spill_bytes_per_task", "spilled a task", Bytes, Exact, "Bytes written to spill files; the mean over tasks.", "",
		func(r *Row) any { return &r.SpillBytesPerTask }},
	{"peak_buffer_bytes_max", "peak buffer", Bytes, Exact, "Most bytes of Arrow buffers that a task held back at one time, each distinct buffer counted once; the largest over tasks.",
		"Merge buffers, encoders, the Go heap around them.",
		func(r *Row) any { return &r.PeakBufferBytesMax }},
	{"heap_peak_mib", "heap peak", MiB, Noisy, "Largest Go heap seen (objects, live or not yet swept), looked at every 10 ms while the tasks run.", "Peaks shorter than that; memory outside the Go heap.",
		func(r *Row) any { return &r.HeapPeakMiB }},
	{"allocated_mib", "allocated", MiB, Noisy, "Heap memory allocated while the tasks ran, freed or not.", "",
		func(r *Row) any { return &r.AllocatedMiB }},
	{"gc_cycles", "GC cycles", Count, Noisy, "Garbage collections while the tasks ran.", "",
		func(r *Row) any { return &r.GCCycles }},
	{"index_sha256", "index sha256", Text, Exact, "SHA-256 of the index file. All tasks of a run agree or the run fails.", "",
		func(r *Row) any { return &r.IndexSHA256 }},
}

var toldColumns = []Column{
	{"started", "started", Text, Told, "When the run's process was started, RFC 3339.", "",
		func(r *Row) any { return &r.Started }},
	{"revision", "revision", Text, Told, "Revision of shufflebench that wrote, with -dirty when its tree had changes.", "",
		func(r *Row) any { return &r.Revision }},
	{"go_version", "Go", Text, Told, "Go version it was built with.", "",
		func(r *Row) any { return &r.GoVersion }},
	{"cpu", "CPU", Text, Told, "Processor model.", "",
		func(r *Row) any { return &r.CPU }},
	{"cores", "cores", Count, Told, "Processors that the process may use.", "",
		func(r *Row) any { return &r.Cores }},
}
