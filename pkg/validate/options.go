package validate

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"runtime"
	"slices"
	"strings"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/shufflebench/shufflebench/internal/shufflefile"
	"github.com/shufflebench/shufflebench/internal/vfs"
	"github.com/shufflebench/shufflebench/pkg/fixture"
	"github.com/shufflebench/shufflebench/pkg/reader"
	"github.com/shufflebench/shufflebench/pkg/validate/sparkhash"
)

// Partitioning is the rule that rows should have been placed by.
type Partitioning string

// The rules.
const (
	Hash       Partitioning = "hash"        // Spark's hash of the key columns
	RoundRobin Partitioning = "round-robin" // Spark's hash of all columns
	Single     Partitioning = "single"      // partition 0
	ByKey      Partitioning = "by-key"      // any rule that keeps equal keys together
	Range      Partitioning = "range"       // partitions follow the order of the key
	None       Partitioning = "none"        // placement is not checked
)

// Partitionings lists the names of the rules.
func Partitionings() []string {
	return []string{string(Hash), string(RoundRobin), string(Single), string(Range), string(ByKey), string(None)}
}

// Source is the rows that were shuffled; a *fixture.Dataset is one.
type Source interface {
	Schema() *arrow.Schema
	Rows() int64
	Scan(context.Context, fixture.ScanOptions) iter.Seq2[arrow.RecordBatch, error]
}

// Pair is one task's data file and index.
type Pair struct {
	Data  string `json:"data"`
	Index string `json:"index"`
}

// Options say what to prove. The zero value of a field means its default.
type Options struct {
	Input Source // required
	Pairs []Pair // required; one a task
	// PerTaskCopy says that every task shuffled the whole input, as this
	// tool's tasks do. Without it all pairs together are one shuffle's map
	// tasks, and a row may be in any of them.
	PerTaskCopy bool
	Limit       int64 // rows of the input that were shuffled; 0 = all

	Partitioning Partitioning   // default Hash
	HashColumns  []int          // the key: columns of the input; default 0 (not for round-robin, single and none)
	HashRule     sparkhash.Rule // whose hash
	Partitions   int            // what the index must have; 0 = whatever it has

	// Schema is what the blocks must hold, names and types; nil accepts other
	// names and types of equal values, as foreign files have.
	Schema *arrow.Schema
	Layout reader.Layout      // default auto
	Endian shufflefile.Endian // default auto
	FS     vfs.FS             // default the operating system's

	Readers      int   // goroutines on each side; default one a core
	MemoryBudget int64 // bytes for tables of rows, where rows must be held; default 128 MiB
	MaxFindings  int   // findings reported a kind; default 10
	MaxRows      int   // rows shown a finding; default 10

	// Seed fixes the keys of the fingerprints, 0 draws them; only repeatable
	// runs need it, and only secret keys prove anything about hostile files.
	Seed uint64
}

const defaultBudget = 128 << 20

// EnsureDefaults fills every field that holds its zero value.
func (o *Options) EnsureDefaults() {
	if o.Partitioning == "" {
		o.Partitioning = Hash
	}
	if len(o.HashColumns) == 0 && o.keyed() {
		o.HashColumns = []int{0}
	}
	if o.FS == nil {
		o.FS = vfs.OS{}
	}
	for _, d := range []struct {
		field *int
		value int
	}{{&o.Readers, runtime.GOMAXPROCS(0)}, {&o.MaxFindings, 10}, {&o.MaxRows, 10}} {
		if *d.field == 0 {
			*d.field = d.value
		}
	}
	if o.MemoryBudget == 0 {
		o.MemoryBudget = defaultBudget
	}
}

// keyed says that the rule looks at HashColumns.
func (o *Options) keyed() bool {
	return o.Partitioning == Hash || o.Partitioning == ByKey || o.Partitioning == Range
}

// Validate names every contradiction in options with defaults filled in.
func (o *Options) Validate() error {
	var errs []error
	check := func(ok bool, format string, args ...any) {
		if !ok {
			errs = append(errs, fmt.Errorf(format, args...))
		}
	}
	check(o.Input != nil, "no input to compare with")
	check(len(o.Pairs) > 0, "no data and index file")
	check(slices.Contains(Partitionings(), string(o.Partitioning)), "unknown partitioning %q (known: %s)",
		o.Partitioning, strings.Join(Partitionings(), ", "))
	check(o.Limit >= 0, "limit: %d is negative", o.Limit)
	check(o.Partitions >= 0 && o.Partitions <= shufflefile.MaxPartitions,
		"partitions: %d is not between 1 and %d", o.Partitions, shufflefile.MaxPartitions)
	check(o.Readers >= 1 && o.Readers <= 4096, "readers: %d is not between 1 and 4096", o.Readers)
	check(o.MemoryBudget >= minBudget, "memory budget: %d is below %d bytes", o.MemoryBudget, minBudget)
	check(o.MaxFindings >= 1, "findings a kind: %d is below 1", o.MaxFindings)
	check(o.MaxRows >= 1, "rows a finding: %d is below 1", o.MaxRows)
	for _, p := range o.Pairs {
		check(p.Data != "" && p.Index != "", "a pair lacks its data file or its index (%q, %q)", p.Data, p.Index)
	}
	if o.Input != nil && o.keyed() {
		n := o.Input.Schema().NumFields()
		for _, c := range o.HashColumns {
			check(c >= 0 && c < n, "key column %d: the input has %d columns", c, n)
		}
	}
	return errors.Join(errs...)
}

// minBudget holds a table of a few thousand rows.
const minBudget = 256 << 10
