// Package rundir owns an output directory between runs: the file run.json,
// which says what the directory holds, and what may be removed.
//
//	OUT/
//	├── run.json          options, schema, fixture, results; every file listed
//	├── task_0/
//	│   ├── data.out
//	│   └── index.out
//	└── task_1/ …
//
// run.json is written before the first byte of output, in state running, with
// the list of files that will be made, and again in state complete with the
// results. Only files that a run.json of this program lists are ever removed,
// so a directory that holds anyone else's output is refused.
package rundir

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"

	"github.com/shufflebench/shufflebench/pkg/fixture"
	"github.com/shufflebench/shufflebench/pkg/metrics"
)

const (
	// FileName is the manifest's name in the output directory.
	FileName = "run.json"
	// Version is the version of the manifest. Keys are added, never renamed.
	Version = 1
	tool    = "shufflebench"
)

// State says whether the output is whole.
type State string

// The states.
const (
	Running  State = "running"  // being written, or its writer was killed
	Complete State = "complete" // written, hashed and described
)

// Manifest is the content of run.json.
type Manifest struct {
	Tool    string           `json:"tool"`
	Version int              `json:"run_version"`
	State   State            `json:"state"`
	Files   []string         `json:"files"` // every file of the output, slash-separated, relative to the directory
	Command []string         `json:"command"`
	Build   metrics.Build    `json:"build"`
	Machine metrics.Machine  `json:"machine"`
	Options Options          `json:"options"`
	Input   string           `json:"input"` // absolute path
	Fixture fixture.Identity `json:"fixture"`
	Schema  *Schema          `json:"schema,omitempty"` // of the output; known when complete
	Tasks   []Task           `json:"tasks,omitempty"`  // of the last run
	Rows    []*metrics.Row   `json:"rows,omitempty"`   // of all runs into this directory by one invocation
	Notes   []string         `json:"notes,omitempty"`  // columns that were converted
}

// Options are the options of the run in full and canonical.
type Options struct {
	Engine          string   `json:"engine"`
	Partitions      int      `json:"partitions"`
	Partitioning    string   `json:"partitioning"`
	HashColumns     []string `json:"hash_columns"`
	HashRule        string   `json:"hash_rule"`
	BatchSize       int      `json:"batch_size_rows"`
	Codec           string   `json:"codec"`
	ZstdLevel       int      `json:"zstd_level"`
	LZ4Encoder      string   `json:"lz4_encoder"`
	MemoryLimit     int64    `json:"memory_limit_bytes"`
	MaxBufferBytes  int64    `json:"max_buffer_bytes"`
	WriteBufferSize int64    `json:"write_buffer_bytes"`
	MergeBudget     int64    `json:"merge_budget_bytes"`
	SpillMetadata   string   `json:"spill_metadata"`
	SpillCodec      string   `json:"spill_codec"`
	Inputs          int      `json:"inputs"`
	TaskMemoryLimit int64    `json:"task_memory_limit_bytes"` // -1: none
	Encode          string   `json:"encode"`
	Limit           int64    `json:"limit_rows"`
	ConcurrentTasks int      `json:"tasks"`
	Workers         int      `json:"workers"`
	SpillDir        string   `json:"spill_dir"`
	Checksum        string   `json:"checksum"`
	PageSize        int64    `json:"page_bytes"`
	SpillRows       int      `json:"spill_rows"`
	Calls           string   `json:"calls"`
	RecordLength    int      `json:"record_length_bytes"`
	DictionaryRatio float64  `json:"dictionary_ratio"`
	OffsetLengths   bool     `json:"offsets_as_lengths"`
	StrictTypes     bool     `json:"strict_types"`
}

// Schema is the Arrow schema of the output, for programs and for people.
type Schema struct {
	IPC  []byte `json:"ipc"` // base64 of an IPC stream with the schema message alone
	Text string `json:"text"`
}

// Task describes one task's files.
type Task struct {
	Data        string `json:"data"` // slash-separated, relative to the directory
	Index       string `json:"index"`
	Rows        int64  `json:"rows"`
	Blocks      int64  `json:"blocks"`
	Bytes       int64  `json:"bytes"`
	SHA256      string `json:"sha256"`
	IndexSHA256 string `json:"index_sha256"`

	Checksums       string `json:"checksums,omitempty"` // the checksum file, if there is one
	ChecksumsSHA256 string `json:"checksums_sha256,omitempty"`
}

// Names are what a task's two files are called, which the engine decides.
type Names struct{ Data, Index string }

// Both forms of output: blocks, and the consolidated layout.
var (
	BlockNames        = Names{"data.out", "index.out"}
	ConsolidatedNames = Names{"data.arrow", "data.arrow.index"}
)

// TaskFiles gives the slash-separated names of a task's two files.
func (n Names) TaskFiles(task int) (data, index string) {
	dir := fmt.Sprintf("task_%d", task)
	return path.Join(dir, n.Data), path.Join(dir, n.Index)
}

// OutputFiles lists the data and index files of some tasks.
func (n Names) OutputFiles(tasks int) []string {
	files := make([]string, 0, 2*tasks)
	for i := range tasks {
		data, index := n.TaskFiles(i)
		files = append(files, data, index)
	}
	return files
}

var outputFile = regexp.MustCompile(`^task_[0-9]+/((data|index)\.out(\.checksum\.[A-Z0-9]+)?|data\.arrow(\.index)?)$`)

// Read reads dir's manifest. A missing one is fs.ErrNotExist.
func Read(dir string) (*Manifest, error) {
	name := filepath.Join(dir, FileName)
	b, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	m := new(Manifest)
	if err := json.Unmarshal(b, m); err != nil || m.Tool != tool {
		return nil, fmt.Errorf("%s is no description of a run by %s", name, tool)
	}
	if m.Version > Version {
		return nil, fmt.Errorf("%s has version %d, but this program knows only %d", name, m.Version, Version)
	}
	for _, f := range m.Files {
		if !outputFile.MatchString(f) {
			return nil, fmt.Errorf("%s lists %q, which is no file of a run", name, f)
		}
	}
	return m, nil
}

// write replaces dir's manifest as a whole.
func (m *Manifest) write(dir string) (err error) {
	m.Tool, m.Version = tool, Version
	b, err := json.MarshalIndent(m, "", "  ")
	if err != nil {
		return fmt.Errorf("%s: %w", FileName, err)
	}
	name := filepath.Join(dir, FileName)
	temp := name + ".tmp"
	if err := writeSynced(temp, append(b, '\n')); err != nil {
		return errors.Join(err, ignoreMissing(os.Remove(temp)))
	}
	return os.Rename(temp, name)
}

func writeSynced(name string, b []byte) error {
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o666)
	if err != nil {
		return err
	}
	_, err = f.Write(b)
	if err == nil {
		err = f.Sync()
	}
	return errors.Join(err, f.Close())
}

func ignoreMissing(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}
