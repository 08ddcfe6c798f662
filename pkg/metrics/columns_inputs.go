package metrics

// inputColumns are those of engine consolidated: what was asked for, which
// limit its spills were for, and how its end divides.
var inputColumns = []Column{
	{"inputs", "inputs", Count, Asked, "Engine consolidated: inputs of a task, which read, partition and buffer side by side.", "",
		func(r *Row) any { return &r.Inputs }},
	{"task_memory_limit_bytes", "task budget", Bytes, Asked, "Engine consolidated: bytes that the inputs of a task may buffer before they spill; 0 is no limit.", "",
		func(r *Row) any { return &r.TaskMemoryLimit }},
	{"encode", "encode at the end", Text, Asked, "Engine consolidated: whether inputs encode what they still buffer side by side (parallel) or one after the other (serial).", "",
		func(r *Row) any { return &r.Encode }},
	{"budget_spills_per_task", "spills for the budget", Count, Exact, "Engine consolidated: spills for the task's budget; the mean over tasks.", "",
		func(r *Row) any { return &r.BudgetSpillsPerTask }},
	{"pool_spills_per_task", "spills for the pool", Count, Exact, "Engine consolidated: spills for the pool of the process; the mean over tasks.", "",
		func(r *Row) any { return &r.PoolSpillsPerTask }},
	{"encode_wall_secs", "encode, wall", Secs, Noisy, "Engine consolidated: wall time from the first input's start to the last one's end of encoding what is still buffered; the mean over tasks.",
		"Encoding at a spill. Work by phase is in phase_encode_secs and phase_compress_secs.",
		func(r *Row) any { return &r.EncodeWallSecs }},
	{"copy_wall_secs", "copy, wall", Secs, Noisy, "Engine consolidated: wall time of the pass that copies all streams into the data file; the mean over tasks.", "",
		func(r *Row) any { return &r.CopyWallSecs }},
	{"serial_tail_ratio", "serial tail", Ratio, Noisy, "Engine consolidated: share of the tasks' time in which a task's one goroutine works alone at its end: the copy, and the encode where that is serial.", "",
		func(r *Row) any { return &r.SerialTailRatio }},
}
