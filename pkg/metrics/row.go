package metrics

// RowVersion is the version of the columns. It rises when columns are added;
// none is ever renamed, moved or dropped.
const RowVersion = 5

// The values of Row.Verified.
const (
	Proved     = "proved"     // the output, or an equal one of the same invocation, passed validation
	Unverified = "unverified" // validation was switched off
	Faulty     = "failed"     // validation found a fault; the other figures mean nothing
)

// Row is one measured run: all tasks of one case, in one process of its own.
// The registry (Columns) says what each field means, in the same order. The
// zero Row is not ready for use: NewRow marks what was not measured.
type Row struct {
	// The run and its first figures: the fourteen columns that keep their order.
	Case                string
	Variant             string
	Repeat              int64
	Warmup              bool
	WriteSecs           float64
	MaxRSSMiB           float64
	MergeTaskMedianSecs float64
	InnerBeforeMiBSum   float64
	InnerAfterMiBSum    float64
	OuterMiBSum         float64
	SpillsPerTask       float64
	RowsPerTask         float64
	OutputBytesPerTask  float64
	OutputSHA256        string

	RowVersion int64
	Verified   string

	// What was asked for.
	Engine         string
	Partitioning   string
	HashColumns    string
	Partitions     int64
	Tasks          int64
	BatchSize      int64
	Codec          string
	LZ4Encoder     string
	ZstdLevel      int64
	MemoryLimit    int64 // bytes, as are all that follow
	MaxBufferBytes int64
	WriteBuffer    int64
	MergeBudget    int64
	SpillMetadata  string
	SpillCodec     string
	Workers        int64
	Limit          int64 // rows
	Fixture        string

	// Where the time went.
	TaskMeanSecs   float64
	PhaseSecs      [NumPhases]float64 // means over tasks; PhaseWait is no column
	OverlapSecs    float64
	RowsPerSec     float64
	CPUUserSecs    float64
	CPUSysSecs     float64
	ReadFloorSecs  float64
	WriteFloorSecs float64
	FloorRatio     float64

	// What was written and held.
	BlocksPerTask      float64
	RangesPerTask      float64
	SpillBytesPerTask  float64
	PeakBufferBytesMax int64
	HeapPeakMiB        float64
	AllocatedMiB       float64
	GCCycles           int64
	IndexSHA256        string

	// When, by what, on what.
	Started   string // RFC 3339
	Revision  string
	GoVersion string
	CPU       string
	Cores     int64

	// Where in a comparison, and what that saw from outside.
	Round          int64 // from 1
	Slot           int64 // 1 or 2
	GaugeSecs      float64
	ProcessSecs    float64
	ProcessCPUSecs float64
	ProcessRSSMiB  float64
	Failure        string // "" for a run that counts
	BinarySHA256   string

	BlockEncodeHistogram string // as Histogram writes it

	// What was asked for of checksums and sorted rows.
	Checksum        string
	Calls           string
	PageBytes       int64
	SpillRows       int64
	RecordLength    int64
	DictionaryRatio float64

	// Of engine consolidated.
	Inputs              int64
	TaskMemoryLimit     int64
	Encode              string
	BudgetSpillsPerTask float64
	PoolSpillsPerTask   float64
	EncodeWallSecs      float64
	CopyWallSecs        float64
	SerialTailRatio     float64
}

// NewRow is a row in which nothing was measured yet.
func NewRow() *Row {
	r := &Row{RowVersion: RowVersion, Verified: Unverified}
	for _, c := range columns {
		if p, ok := c.field(r).(*float64); ok {
			*p = Unknown()
		}
	}
	return r
}

// BufferLimit is the smaller of the two limits on buffered bytes, 0 for none.
func (r *Row) BufferLimit() int64 {
	if r.MemoryLimit == 0 || (r.MaxBufferBytes != 0 && r.MaxBufferBytes < r.MemoryLimit) {
		return r.MaxBufferBytes
	}
	return r.MemoryLimit
}
