package validate

import (
	"github.com/shufflebench/shufflebench/internal/shufflefile"
)

// Kind is what a finding is about.
type Kind string

// The kinds of findings.
const (
	IndexFault    Kind = "index"       // the index file, or its fit to the data file
	BlockFault    Kind = "block"       // bytes that do not decode
	ChecksumFault Kind = "checksum"    // a partition's bytes are not those of its checksum
	SchemaFault   Kind = "schema"      // other columns or types than there must be
	EmptyBlock    Kind = "empty-block" // a block without rows
	MisplacedRow  Kind = "misplaced"   // in another partition than the key says
	DuplicateRow  Kind = "duplicate"   // more often than in the input
	MissingRow    Kind = "missing"     // of the input, not in the output
	ExtraRow      Kind = "extra"       // in the output, not in the input
	ChangedRow    Kind = "changed"     // a missing and an extra row that are one
	SplitKey      Kind = "split-key"   // equal keys in two partitions
	OrderFault    Kind = "order"       // range partitions that overlap
	DifferingRows Kind = "rows"        // rows differ, and no further search was made
)

// Report is what a proof found. It is also the JSON of the validate command.
type Report struct {
	Valid        bool             `json:"valid"`
	Partitioning Partitioning     `json:"partitioning"`
	HashRule     string           `json:"hash_rule,omitempty"`
	Partitions   int              `json:"partitions"`
	Tasks        int              `json:"tasks"`         // pairs of files
	InputRows    int64            `json:"input_rows"`    // rows that should be in the output (of every task, if each has all)
	Rows         int64            `json:"rows"`          // rows read from all tasks
	Blocks       int64            `json:"blocks"`        // blocks decoded
	Bytes        int64            `json:"bytes"`         // size of all data files
	PayloadBytes int64            `json:"payload_bytes"` // payloads of all blocks, decompressed
	Codecs       map[string]int64 `json:"codecs"`        // blocks a codec tag
	Checks       []Check          `json:"checks"`
	Counts       map[Kind]int64   `json:"counts,omitempty"` // faults a kind: blocks, rows or keys
	Findings     []Finding        `json:"findings,omitempty"`
	Notes        []string         `json:"notes,omitempty"` // worth knowing, and no fault
	Chance       string           `json:"chance"`          // of taking different rows for equal ones
	Seconds      float64          `json:"seconds"`
}

// Check is one thing that was looked at, and what that cost.
type Check struct {
	Name    string  `json:"name"`
	Seconds float64 `json:"seconds"` // of work, over all goroutines
	Faults  int64   `json:"faults"`
	Skipped string  `json:"skipped,omitempty"` // why it was not made
}

// Finding is a fault and where it is. Parts of the place that do not apply are
// left out.
type Finding struct {
	Kind      Kind        `json:"kind"`
	File      string      `json:"file,omitempty"`
	Partition *int        `json:"partition,omitempty"`
	Block     *int        `json:"block,omitempty"`  // in its partition
	Offset    *int64      `json:"offset,omitempty"` // of the block in the file, in bytes
	Count     int64       `json:"count"`            // faults that this finding stands for
	Message   string      `json:"message"`
	Rows      []RowSample `json:"rows,omitempty"`
}

// RowSample is one row of a finding.
type RowSample struct {
	InputRow    *int64       `json:"input_row,omitempty"` // row number in the input
	File        string       `json:"file,omitempty"`
	Partition   *int         `json:"partition,omitempty"` // where it is in the output
	Block       *int         `json:"block,omitempty"`
	Offset      *int64       `json:"offset,omitempty"`
	Row         *int         `json:"row,omitempty"`                // in its block
	Expected    *int         `json:"expected_partition,omitempty"` // where its key belongs
	Values      []Cell       `json:"values"`
	Differences []Difference `json:"differences,omitempty"`
}

// Cell is one rendered value.
type Cell struct {
	Column string `json:"column"`
	Value  string `json:"value"`
}

// Difference is a value that changed.
type Difference struct {
	Column string `json:"column"`
	Input  string `json:"input"`
	Output string `json:"output"`
}

// Place is the finding's place.
func (f Finding) Place() shufflefile.Place {
	p := shufflefile.In(f.File)
	if f.Partition != nil {
		p.Partition = *f.Partition
	}
	if f.Block != nil {
		p.Block = *f.Block
	}
	if f.Offset != nil {
		p.Offset = *f.Offset
	}
	return p
}

// at sets the finding's place.
func (f *Finding) at(p shufflefile.Place) {
	f.File = p.File
	f.Partition, f.Block, f.Offset = known(p.Partition), known(p.Block), known(p.Offset)
}

// known is a place's part as JSON has it.
func known[T int | int64](v T) *T {
	if v == shufflefile.NoPlace {
		return nil
	}
	return &v
}

// at sets where in the output the row is.
func (s *RowSample) at(p shufflefile.Place) {
	s.File = p.File
	s.Partition, s.Block, s.Offset = known(p.Partition), known(p.Block), known(p.Offset)
}
