package writer

import (
	"time"

	"github.com/shufflebench/shufflebench/pkg/metrics"
)

// Result is what one run of all tasks did.
type Result struct {
	Elapsed time.Duration // first task's start to last task's end
	Tasks   []TaskResult  // by task number
	Notes   []string      // a sentence for each column that was converted
}

// TaskResult is what one task did. Sizes are bytes.
type TaskResult struct {
	Data, Index string        // paths of the two files
	Checksums   string        // path of the checksum file, "" if there is none
	Rows        int64         // rows read, which equals rows written or the task fails
	Batches     int           // batches read
	Spills      int           // rounds of moving buffered rows to disk
	SpillBytes  int64         // bytes written to spill files
	Ranges      int64         // non-empty ranges over all spills (ranges engine)
	Blocks      int64         // blocks in the data file
	Bytes       int64         // length of the data file
	PeakBuffer  int64         // most bytes that were buffered, each distinct buffer once
	Merge       time.Duration // first to last partition of the merge; consolidated: Encode and Copy
	InnerBefore int64         // capacity of the spill metadata's lists before the merge
	InnerAfter  int64         // the same after it
	Outer       int64         // capacity of the table that holds the lists
	Phases      metrics.Breakdown

	// Of engine consolidated.
	BudgetSpills int           // spills for the task's budget
	PoolSpills   int           // spills for the pool of the process
	Encode       time.Duration // inputs encode what they still buffer: first start to last end
	Copy         time.Duration // the pass that copies everything into the data file
	SerialEncode bool          // Encode went one input after the other
}

// SerialTail is the time at the end of the task in which one goroutine alone
// works: the copy, and the encode where that is serial.
func (r *TaskResult) SerialTail() time.Duration {
	if r.SerialEncode {
		return r.Encode + r.Copy
	}
	return r.Copy
}
