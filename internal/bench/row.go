package bench

import (
	"strings"
	"time"

	"github.com/shufflebench/shufflebench/internal/report"
	"github.com/shufflebench/shufflebench/internal/rundir"
	"github.com/shufflebench/shufflebench/pkg/metrics"
	"github.com/shufflebench/shufflebench/pkg/writer"
)

const mib = 1 << 20

// asked fills the columns that say what was run.
func (d *driver) asked(r *metrics.Row) {
	o := d.cfg.Writer
	r.Case, r.Variant = o.CaseName(), d.cfg.Variant
	r.Engine, r.Partitioning, r.Partitions = o.Engine, string(o.Partitioning), int64(o.Partitions)
	if o.Partitioning == writer.Hash || o.Partitioning == writer.Range {
		r.HashColumns = strings.Join(o.HashColumns, ",")
	}
	r.Tasks, r.BatchSize, r.Codec = int64(o.ConcurrentTasks), int64(o.BatchSize), o.Codec.String()
	r.LZ4Encoder, r.ZstdLevel = string(o.LZ4Encoder), int64(o.ZstdLevel)
	r.MemoryLimit, r.MaxBufferBytes = o.MemoryLimit, o.MaxBufferBytes
	r.WriteBuffer, r.MergeBudget = o.WriteBufferSize, o.MergeBudget
	r.SpillMetadata, r.SpillCodec = string(o.SpillMetadata), o.SpillCodec
	r.Checksum, r.Calls, r.PageBytes = o.Checksum.String(), string(o.Calls), o.PageSize
	r.SpillRows, r.RecordLength, r.DictionaryRatio = int64(o.SpillRows), int64(o.RecordLength), o.DictionaryRatio
	r.Inputs, r.TaskMemoryLimit, r.Encode = int64(o.Inputs), max(0, o.TaskMemoryLimit), string(o.Encode)
	r.Workers, r.Limit, r.Fixture = int64(o.Workers), o.Limit, d.identity.SHA256
	r.Revision, r.GoVersion = d.self.Build.String(), d.self.Build.GoVersion
	r.CPU, r.Cores = d.machine.CPU, int64(d.machine.GOMAXPROCS)
}

// figures fills the columns that were measured.
func figures(r *metrics.Row, reply *Reply, tasks []rundir.Task) {
	res, u := reply.Result, reply.Usage
	r.Started = reply.Started.Format(time.RFC3339)
	r.WriteSecs = res.Elapsed.Seconds()
	if u.MaxRSS > 0 {
		r.MaxRSSMiB = float64(u.MaxRSS) / mib
	}
	r.CPUUserSecs, r.CPUSysSecs = u.UserCPU.Seconds(), u.SystemCPU.Seconds()
	r.HeapPeakMiB, r.AllocatedMiB, r.GCCycles = float64(u.HeapPeak)/mib, float64(u.Allocated)/mib, u.GCCycles
	r.OutputSHA256, r.IndexSHA256 = tasks[0].SHA256, tasks[0].IndexSHA256
	overTasks(r, res.Tasks)
	if r.WriteSecs > 0 {
		r.RowsPerSec = r.RowsPerTask * float64(len(res.Tasks)) / r.WriteSecs
	}
}

// overTasks fills means, sums and medians.
func overTasks(r *metrics.Row, tasks []writer.TaskResult) {
	n := float64(len(tasks))
	mean := func(of func(*writer.TaskResult) int64) float64 { return sum(tasks, of) / n }
	r.InnerBeforeMiBSum = sum(tasks, func(t *writer.TaskResult) int64 { return t.InnerBefore }) / mib
	r.InnerAfterMiBSum = sum(tasks, func(t *writer.TaskResult) int64 { return t.InnerAfter }) / mib
	r.OuterMiBSum = sum(tasks, func(t *writer.TaskResult) int64 { return t.Outer }) / mib
	r.SpillsPerTask = mean(func(t *writer.TaskResult) int64 { return int64(t.Spills) })
	r.RowsPerTask = mean(func(t *writer.TaskResult) int64 { return t.Rows })
	r.OutputBytesPerTask = mean(func(t *writer.TaskResult) int64 { return t.Bytes })
	r.BlocksPerTask = mean(func(t *writer.TaskResult) int64 { return t.Blocks })
	r.RangesPerTask = mean(func(t *writer.TaskResult) int64 { return t.Ranges })
	r.SpillBytesPerTask = mean(func(t *writer.TaskResult) int64 { return t.SpillBytes })
	var merges []float64
	var total metrics.Breakdown
	for _, t := range tasks {
		r.PeakBufferBytesMax = max(r.PeakBufferBytesMax, t.PeakBuffer)
		merges = append(merges, t.Merge.Seconds())
		total.Add(t.Phases)
	}
	r.MergeTaskMedianSecs = report.Median(merges)
	r.BlockEncodeHistogram = total.Blocks.String()
	consolidated(r, tasks, total.Elapsed)
	r.TaskMeanSecs, r.OverlapSecs = total.Elapsed.Seconds()/n, total.Overlap.Seconds()/n
	for p, spent := range total.Spent {
		r.PhaseSecs[p] = spent.Seconds() / n
	}
}

// consolidated fills the figures of the engine that copies; others have none.
func consolidated(r *metrics.Row, tasks []writer.TaskResult, elapsed time.Duration) {
	n := float64(len(tasks))
	copied := sum(tasks, func(t *writer.TaskResult) int64 { return int64(t.Copy) })
	if copied == 0 || elapsed == 0 {
		return
	}
	r.BudgetSpillsPerTask = sum(tasks, func(t *writer.TaskResult) int64 { return int64(t.BudgetSpills) }) / n
	r.PoolSpillsPerTask = sum(tasks, func(t *writer.TaskResult) int64 { return int64(t.PoolSpills) }) / n
	r.EncodeWallSecs = sum(tasks, func(t *writer.TaskResult) int64 { return int64(t.Encode) }) / n / 1e9
	r.CopyWallSecs = copied / n / 1e9
	r.SerialTailRatio = sum(tasks, func(t *writer.TaskResult) int64 { return int64(t.SerialTail()) }) / float64(elapsed)
}

func sum(tasks []writer.TaskResult, of func(*writer.TaskResult) int64) (s float64) {
	for i := range tasks {
		s += float64(of(&tasks[i]))
	}
	return s
}

// floored adds the floor.
func (f *Floor) floored(r *metrics.Row) {
	if f == nil {
		return
	}
	r.ReadFloorSecs, r.WriteFloorSecs = f.ReadSecs, f.WriteSecs
	if least := f.ReadSecs + f.WriteSecs; least > 0 {
		r.FloorRatio = r.WriteSecs / least
	}
}
