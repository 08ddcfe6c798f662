package writer

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"strings"

	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/shufflebench/shufflebench/internal/shufflefile"
	"github.com/shufflebench/shufflebench/internal/vfs"
	"github.com/shufflebench/shufflebench/pkg/writer/pages"
	"github.com/shufflebench/shufflebench/pkg/writer/partition"
)

// Partitioning is the rule that sends a row to a partition.
type Partitioning string

// The rules. RoundRobin is Hash over all columns, so that a row's place does
// not depend on batches, spills or tasks. Range follows the order of the key
// columns, by bounds that are sampled once for all tasks before the clock
// starts.
const (
	Hash       Partitioning = "hash"
	RoundRobin Partitioning = "round-robin"
	Single     Partitioning = "single"
	Range      Partitioning = "range"
)

// Partitionings lists the names of the rules.
func Partitionings() []string {
	return []string{string(Hash), string(RoundRobin), string(Single), string(Range)}
}

// SpillMetadata says what becomes of a partition's range list once it is merged.
type SpillMetadata string

// Retain keeps every list until the task ends; Release frees each as soon as
// its partition is merged.
const (
	Retain  SpillMetadata = "retain"
	Release SpillMetadata = "release"
)

// SpillMetadataModes lists the names of the modes.
func SpillMetadataModes() []string { return []string{string(Retain), string(Release)} }

// LZ4Encoder chooses the encoder behind codec lz4; all write standard frames.
type LZ4Encoder string

// LZ4Column knows the columns it compresses, LZ4General is a fast general
// encoder with a 5-byte hash, LZ4Pierrec the library's.
const (
	LZ4Column  LZ4Encoder = "column"
	LZ4General LZ4Encoder = "general"
	LZ4Pierrec LZ4Encoder = "pierrec"
)

// LZ4Encoders lists the names of the encoders.
func LZ4Encoders() []string {
	return []string{string(LZ4Column), string(LZ4General), string(LZ4Pierrec)}
}

// Calls is the shape in which sorted rows are handed to the encoder.
type Calls string

// PerSpill is one call for all rows of a spill, with state that is kept;
// PerPartition one call a partition, each with state of its own.
const (
	PerSpill     Calls = "per-spill"
	PerPartition Calls = "per-partition"
)

// CallShapes lists the names of the shapes.
func CallShapes() []string { return []string{string(PerSpill), string(PerPartition)} }

// Encode is how the inputs of a task encode what they still buffer at its end.
type Encode string

// Serial encodes one input after the other, Parallel all side by side.
const (
	Serial   Encode = "serial"
	Parallel Encode = "parallel"
)

// EncodeModes lists the names of the ways.
func EncodeModes() []string { return []string{string(Parallel), string(Serial)} }

// NoTaskLimit is the TaskMemoryLimit of a task without a budget of its own.
const NoTaskLimit = -1

// Options say how to write a shuffle. The zero value of a field means its
// default; EnsureDefaults fills them in.
type Options struct {
	Engine          string               // a name of Engines; default DefaultEngine
	BatchSize       int                  // rows a batch and, at most, a block; default 8192
	Partitions      int                  // output partitions, 1 to 2^24; default 200 (single: 1)
	Partitioning    Partitioning         // default Hash
	HashColumns     []string             // key columns of Hash and Range by index or name; default "0"
	HashRule        partition.Rule       // whose hash, where Spark and Comet differ; default partition.Spark
	Codec           shufflefile.Codec    // default LZ4
	ZstdLevel       int                  // 1 to 22; default 1
	LZ4Encoder      LZ4Encoder           // default LZ4Column
	OffsetLengths   bool                 // zstd: store i32 offsets as lengths in byte planes, as Comet 1.2 does
	StrictTypes     bool                 // refuse columns whose types would have to be converted
	MemoryLimit     int64                // bytes a task may buffer before it spills; consolidated: all tasks together; 0 = no limit
	MaxBufferBytes  int64                // bytes a task may buffer, under Comet's name; the smaller of all limits holds; 0 = no limit
	WriteBufferSize int64                // bytes gathered before a write to the data file; default 1 MiB
	MergeBudget     int64                // bytes of segment rows a merge worker holds, raised to at most 8 MiB where reads would become tiny; default 512 KiB
	SpillMetadata   SpillMetadata        // default Release
	SpillCodec      string               // segments: none or lz4; default none
	Checksum        shufflefile.Checksum // one a partition, in a file beside the index; default none
	PageSize        int64                // sorted-rows: bytes of a page of rows, a multiple of 8; default 4 MiB
	SpillRows       int                  // sorted-rows: rows a task holds before it spills; 0 = no limit
	Calls           Calls                // sorted-rows: default PerSpill
	RecordLength    int                  // sorted-rows: bytes of a row's length in a page, 4 or 8; default 4
	DictionaryRatio float64              // sorted-rows: rows a distinct value from which strings become dictionaries; default 10, 1 = never
	Inputs          int                  // consolidated: inputs of a task, 1 to 1024; default 8
	TaskMemoryLimit int64                // consolidated: bytes the inputs of a task may buffer; default 256 MiB, NoTaskLimit = none
	Encode          Encode               // consolidated: default Parallel
	Limit           int64                // rows a task reads at most; 0 = all
	ConcurrentTasks int                  // tasks side by side, each over the whole fixture; default 1
	Workers         int                  // goroutines a task may use to read ahead and encode; 0 = cores / tasks, at least 1
	OutputDir       string               // receives task_N with two files, OutputNames; required
	SpillDir        string               // default: the system's temporary directory
	FS              vfs.FS               // default: the operating system's
	Alloc           memory.Allocator     // memory of the batches that are read; default: a pool of each task's own
}

// DefaultEngine is what Options.Engine defaults to.
const DefaultEngine = "segments"

// EnsureDefaults fills every field that holds its zero value.
func (o *Options) EnsureDefaults() {
	setDefault(&o.Engine, DefaultEngine)
	setDefault(&o.BatchSize, 8192)
	setDefault(&o.Partitioning, Hash)
	if o.Partitions == 0 {
		o.Partitions = 200
		if o.Partitioning == Single {
			o.Partitions = 1
		}
	}
	if len(o.HashColumns) == 0 {
		o.HashColumns = []string{"0"}
	}
	setDefault(&o.ZstdLevel, 1)
	setDefault(&o.LZ4Encoder, LZ4Column)
	setDefault(&o.WriteBufferSize, 1<<20)
	setDefault(&o.MergeBudget, 512<<10)
	setDefault(&o.SpillMetadata, Release)
	setDefault(&o.SpillCodec, "none")
	setDefault(&o.PageSize, pages.DefaultPageSize)
	setDefault(&o.Calls, PerSpill)
	setDefault(&o.RecordLength, 4)
	setDefault(&o.DictionaryRatio, 10)
	setDefault(&o.Inputs, 8)
	setDefault(&o.TaskMemoryLimit, 256<<20)
	setDefault(&o.Encode, Parallel)
	setDefault(&o.ConcurrentTasks, 1)
	if o.Workers == 0 {
		o.Workers = max(1, runtime.GOMAXPROCS(0)/o.ConcurrentTasks)
	}
	setDefault(&o.SpillDir, os.TempDir())
	if o.FS == nil {
		o.FS = vfs.OS{}
	}
}

func setDefault[T comparable](field *T, value T) {
	var zero T
	if *field == zero {
		*field = value
	}
}

// BufferLimit is the bytes a task may buffer before it spills, 0 for no limit.
func (o *Options) BufferLimit() int64 {
	if o.MemoryLimit == 0 || (o.MaxBufferBytes != 0 && o.MaxBufferBytes < o.MemoryLimit) {
		return o.MaxBufferBytes
	}
	return o.MemoryLimit
}

// taskBudget is the bytes that the inputs of a consolidated task may buffer, 0
// for no budget.
func (o *Options) taskBudget() int64 {
	budget := max(0, o.TaskMemoryLimit)
	if budget == 0 || (o.MaxBufferBytes != 0 && o.MaxBufferBytes < budget) {
		return o.MaxBufferBytes
	}
	return budget
}

// Validate names every contradiction in options with defaults filled in.
func (o *Options) Validate() error {
	var errs []error
	check := func(ok bool, format string, args ...any) {
		if !ok {
			errs = append(errs, fmt.Errorf(format, args...))
		}
	}
	check(o.Partitions >= 1 && o.Partitions <= shufflefile.MaxPartitions,
		"partitions: %d is not between 1 and %d", o.Partitions, shufflefile.MaxPartitions)
	check(o.BatchSize >= 1 && o.BatchSize <= 1<<24, "batch size: %d is not between 1 and %d", o.BatchSize, 1<<24)
	check(o.Partitioning != Single || o.Partitions == 1, "single partitioning has 1 partition, not %d", o.Partitions)
	check(o.ZstdLevel >= 1 && o.ZstdLevel <= 22, "zstd level: %d is not between 1 and 22", o.ZstdLevel)
	check(o.MemoryLimit >= 0 && o.MaxBufferBytes >= 0, "a buffer limit is negative")
	check(o.WriteBufferSize >= 1, "write buffer size: %d is below 1", o.WriteBufferSize)
	check(o.MergeBudget >= 64<<10, "merge budget: %d is below 64 KiB", o.MergeBudget)
	check(o.SpillRows >= 0, "spill rows: %d is negative", o.SpillRows)
	check(o.DictionaryRatio >= 1, "dictionary ratio: %v is below 1", o.DictionaryRatio) // not NaN either
	errs = append(errs, pages.CheckPageSize(int(o.PageSize)), pages.CheckLengthSize(o.RecordLength))
	check(o.Limit >= 0, "limit: %d is negative", o.Limit)
	check(o.ConcurrentTasks >= 1 && o.ConcurrentTasks <= 4096, "concurrent tasks: %d is not between 1 and 4096", o.ConcurrentTasks)
	check(o.Workers >= 1 && o.Workers <= 4096, "workers: %d is not between 1 and 4096", o.Workers)
	check(o.OutputDir != "", "no output directory")
	check(!o.OffsetLengths || o.Codec == shufflefile.Zstd, "offsets as lengths go with codec zstd, not %s", o.Codec)
	check(!o.OffsetLengths || o.Engine != sortedRowsName || o.DictionaryRatio == 1,
		"offsets as lengths do not go with the dictionaries of %s; set the dictionary ratio to 1", sortedRowsName)
	check(o.Inputs >= 1 && o.Inputs <= MaxInputs, "inputs: %d is not between 1 and %d", o.Inputs, MaxInputs)
	check(o.TaskMemoryLimit >= 1 || o.TaskMemoryLimit == NoTaskLimit, "task memory limit: %d is negative", o.TaskMemoryLimit)
	if o.Engine == consolidatedName {
		check(o.Codec != shufflefile.Snappy, "codec snappy: Arrow streams are compressed by lz4, zstd or none")
		check(!o.OffsetLengths, "offsets as lengths do not go with the Arrow streams of %s", consolidatedName)
		check(o.Checksum == shufflefile.NoChecksum, "checksums do not go with the layout of %s", consolidatedName)
	}
	choice := func(what, got string, names []string) {
		for _, n := range names {
			if n == got {
				return
			}
		}
		errs = append(errs, &UnknownNameError{What: what, Got: got, Known: names})
	}
	choice("engine", o.Engine, Engines())
	choice("partitioning", string(o.Partitioning), Partitionings())
	choice("spill metadata mode", string(o.SpillMetadata), SpillMetadataModes())
	choice("LZ4 encoder", string(o.LZ4Encoder), LZ4Encoders())
	choice("shape of calls", string(o.Calls), CallShapes())
	choice("way to encode", string(o.Encode), EncodeModes())
	choice("spill codec", o.SpillCodec, []string{"none", "lz4"})
	return errors.Join(errs...)
}

// UnknownNameError is a name that none of the known ones matches.
type UnknownNameError struct {
	What  string // "engine"
	Got   string
	Known []string
}

// Error lists the known names; the caller may add the nearest one.
func (e *UnknownNameError) Error() string {
	return fmt.Sprintf("unknown %s %q (known: %s)", e.What, e.Got, strings.Join(e.Known, ", "))
}

// String is the canonical form of the options that decide what is written,
// the same for equal cases.
func (o *Options) String() string {
	s := fmt.Sprintf("engine=%s partitions=%d partitioning=%s", o.Engine, o.Partitions, o.Partitioning)
	if o.Partitioning == Hash || o.Partitioning == Range {
		s += " hash-columns=" + strings.Join(o.HashColumns, ",")
	}
	if o.HashRule != partition.Spark {
		s += fmt.Sprintf(" hash-rule=%s", o.HashRule)
	}
	s += fmt.Sprintf(" batch-size=%d codec=%s", o.BatchSize, o.Codec)
	switch o.Codec {
	case shufflefile.Zstd:
		s += fmt.Sprintf(" zstd-level=%d", o.ZstdLevel)
		if o.OffsetLengths {
			s += " offsets-as-lengths"
		}
	case shufflefile.LZ4:
		s += " lz4-encoder=" + string(o.LZ4Encoder)
	}
	if limit := o.BufferLimit(); limit != 0 && o.Engine != consolidatedName {
		s += fmt.Sprintf(" buffer-limit=%d spill-metadata=%s", limit, o.SpillMetadata)
	}
	if o.Checksum != shufflefile.NoChecksum {
		s += fmt.Sprintf(" checksum=%s", o.Checksum)
	}
	if o.Engine == sortedRowsName {
		s += fmt.Sprintf(" calls=%s page-size=%d spill-rows=%d dictionary-ratio=%v", o.Calls, o.PageSize, o.SpillRows, o.DictionaryRatio)
	}
	if o.Engine == consolidatedName {
		s += fmt.Sprintf(" inputs=%d encode=%s task-budget=%d pool=%d spill-metadata=%s", o.Inputs, o.Encode, o.taskBudget(), o.MemoryLimit, o.SpillMetadata)
	}
	return s + fmt.Sprintf(" tasks=%d", o.ConcurrentTasks)
}

// CaseName is the short name of a case: 16000p_8tasks.
func (o *Options) CaseName() string {
	tasks := "1task"
	if o.ConcurrentTasks > 1 {
		tasks = fmt.Sprintf("%dtasks", o.ConcurrentTasks)
	}
	return fmt.Sprintf("%dp_%s", o.Partitions, tasks)
}
