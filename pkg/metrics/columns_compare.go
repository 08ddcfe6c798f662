package metrics

// comparedColumns are filled by a comparison alone: what the program that
// compares saw of a run from outside, and where in the schedule the run was.
var comparedColumns = []Column{
	{"round", "round", Count, Told, "Round of a comparison that the run belongs to, from 1; 0 for warm-ups and outside of comparisons.", "",
		func(r *Row) any { return &r.Round }},
	{"slot", "slot", Count, Told, "Place of the run in its round: 1 ran first, 2 second; 0 outside of rounds.", "",
		func(r *Row) any { return &r.Slot }},
	{"gauge_secs", "noise gauge", Secs, Told, "Time of a fixed piece of processor and disk work just before the run, the same before every run of every program. It judges the machine; no figure is corrected by it.", "",
		func(r *Row) any { return &r.GaugeSecs }},
	{"process_secs", "time, whole process", Secs, Noisy, "Wall time from the start of the command to its end, by a clock outside of it: everything that write_secs leaves out is in it.", "",
		func(r *Row) any { return &r.ProcessSecs }},
	{"process_cpu_secs", "CPU, whole process", Secs, Noisy, "Processor time of the command and the processes it waited for, in user mode and in the kernel.", "",
		func(r *Row) any { return &r.ProcessCPUSecs }},
	{"process_rss_mib", "peak RSS, seen from outside", MiB, Noisy, "Largest peak of resident memory of any one process of the command, as the kernel tells the process that waits for it.",
		"Processes that nobody waited for; what several processes held together.",
		func(r *Row) any { return &r.ProcessRSSMiB }},
	{"failure", "failure", Text, Told, "Why the run counts for nothing: it ended badly, or its output is wrong. Empty for a run that counts.", "",
		func(r *Row) any { return &r.Failure }},
	{"binary_sha256", "binary sha256", Text, Told, "SHA-256 of the program that was run.", "",
		func(r *Row) any { return &r.BinarySHA256 }},
}

// blockColumns are filled by writers that time their blocks.
var blockColumns = []Column{
	{"block_encode_histogram", "block encode times", Text, Told, "How long blocks took to lay out and compress, over all tasks: pairs of a bucket's least time in ns and the number of blocks, \"1024:17 1280:3\". Blocks that are timed together count with their mean. Empty if it was not measured.", "",
		func(r *Row) any { return &r.BlockEncodeHistogram }},
}
