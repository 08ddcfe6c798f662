// Package bench drives measured shuffle writes. It writes nothing itself:
// every run is a fresh child process of the same program, so that peak memory,
// processor time and heap belong to that run alone, and so that whatever
// surrounds it (making the fixture, hashing, proving) is in no figure.
//
//	driver                          children, one after another
//	──────                          ───────────────────────────
//	claim the output directory
//	order ──── stdin ─────────────► write: all tasks of one run
//	reply ◄─── stdout ────────────┘
//	hash data and index of every task
//	                                validate --json, once for each new sha
//	row ──► CSV, run.json
//	                                floor: read alone, write alone (--floor)
//
// An order is one JSON value; after it the pipe stays open, and its end tells
// the child to stop. So a child never outlives its driver, and an interrupt
// reaches it once, whichever process the terminal sent it to.
package bench

import (
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/shufflebench/shufflebench/pkg/metrics"
	"github.com/shufflebench/shufflebench/pkg/writer"
)

// Config says what to run and how often. Writer.OutputDir may be empty: then a
// private directory is used and removed.
type Config struct {
	Input      string         // Parquet file or directory
	Writer     writer.Options // of every run
	Iterations int            // runs that count; default 1
	Warmup     int            // runs before them that do not
	Variant    string         // label for the rows
	Validate   bool           // prove every output that was not proved yet
	Floor      bool           // measure the floor as well
	Keep       bool           // keep the private directory
	Profiles   Profiles
	Command    []string // for the record
}

// Profiles are files that the writing process fills, "" for none. With several
// runs the run's number is added to each name.
type Profiles struct {
	CPU   string `json:"cpu,omitempty"`
	Mem   string `json:"mem,omitempty"`
	Trace string `json:"trace,omitempty"`
}

// numbered gives each run of several its own files.
func (p Profiles) numbered(run, runs int) Profiles {
	if runs == 1 {
		return p
	}
	for _, name := range []*string{&p.CPU, &p.Mem, &p.Trace} {
		if *name != "" {
			*name = fmt.Sprintf("%s.%d", *name, run)
		}
	}
	return p
}

// Self is how to start another process of this program, and the outside world.
type Self struct {
	Exe    string   // path of the program
	Name   string   // its argv[0]
	Env    []string // of the children
	Stderr io.Writer
	Build  metrics.Build
	Now    func() time.Time
}

// Hooks are told what happens. Any may be nil.
type Hooks struct {
	// Row gets each row as its run ends, proved or faulty. Its error ends the
	// whole.
	Row func(*metrics.Row) error
	// Note gets what a reader of the figures must know and stdout cannot carry
	// in every form: columns that are converted.
	Note func(string)
	// Step says what begins: run i of n, and what of it.
	Step func(run, runs int, what string)
}

// EnsureDefaults fills every field that holds its zero value.
func (c *Config) EnsureDefaults() {
	if c.Iterations == 0 {
		c.Iterations = 1
	}
	c.Writer.EnsureDefaults()
}

// Check names every contradiction in a config with defaults filled in, in one
// UsageError.
func (c *Config) Check() error {
	var errs []error
	if c.Iterations < 1 || c.Warmup < 0 {
		errs = append(errs, fmt.Errorf("iterations: %d and %d warm-ups are no plan", c.Iterations, c.Warmup))
	}
	if c.Keep && c.Writer.OutputDir != "" {
		errs = append(errs, errors.New("--keep is for a private directory; what is written to --output-dir stays anyway"))
	}
	w := c.Writer
	if w.OutputDir == "" {
		w.OutputDir = "private"
	}
	if err := errors.Join(append(errs, w.Validate())...); err != nil {
		return &UsageError{err}
	}
	return nil
}

// FaultError says that output is not what it should be. The rows say so too.
type FaultError struct{ Msg string }

// Error is the message.
func (e *FaultError) Error() string { return e.Msg }

func isFault(err error) bool {
	var f *FaultError
	return errors.As(err, &f)
}

// UsageError says that a config cannot be meant.
type UsageError struct{ Err error }

// Error is the message.
func (e *UsageError) Error() string { return e.Err.Error() }

// Unwrap is the cause.
func (e *UsageError) Unwrap() error { return e.Err }
