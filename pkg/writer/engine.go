package writer

import (
	"context"

	"github.com/shufflebench/shufflebench/pkg/writer/output"
	"github.com/shufflebench/shufflebench/pkg/writer/segment"
)

// engine is a way to move buffered rows to disk and to make the data file of
// them. Its methods are called by one goroutine, spill any number of times and
// then merge once.
type engine interface {
	spiller
	// merge writes the data file from what was spilled and what is still held.
	merge(ctx context.Context, held []*segment.Segment, out *output.Pair) error
	// metadata is the capacity in bytes of what the engine keeps in memory a
	// spill (inner) and of the table that holds it (outer).
	metadata() (inner, outer int64)
	// report adds what the engine counted.
	report(r *TaskResult)
	// close removes the spill files.
	close() error
}

// spiller moves the rows of segments to disk; they are free afterwards.
type spiller interface {
	spill(held []*segment.Segment) error
}

// inputEngine is an engine that reads the fixture by itself; the task's buffer
// stays empty.
type inputEngine interface {
	engine
	// consume reads, partitions and buffers all rows, and spills.
	consume(ctx context.Context) error
	// form is what the pair is called and begins with.
	form() output.Form
}

// engines is the table of strategies, the default first.
var engines = []struct {
	name string
	make func(t *task) (engine, error)
}{
	{"segments", newSegments},
	{"ranges", newRanges},
	{sortedRowsName, newSortedRows},
	{consolidatedName, newConsolidated},
}

// OutputNames are the names of the files that an engine leaves in a task's
// directory.
func OutputNames(engine string) (data, index string) {
	form := output.Blocks
	if engine == consolidatedName {
		form = output.Streams
	}
	return form.Data, form.Index
}

// Engines lists the names of the engines, the default first.
func Engines() []string {
	names := make([]string, len(engines))
	for i, e := range engines {
		names[i] = e.name
	}
	return names
}

func newEngine(t *task) (engine, error) {
	for _, e := range engines {
		if e.name == t.opts.Engine {
			return e.make(t)
		}
	}
	return nil, &UnknownNameError{What: "engine", Got: t.opts.Engine, Known: Engines()}
}
