package main

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/ipc"

	"github.com/shufflebench/shufflebench/internal/bench"
	"github.com/shufflebench/shufflebench/internal/rundir"
	"github.com/shufflebench/shufflebench/internal/sparkdir"
	"github.com/shufflebench/shufflebench/pkg/fixture"
	"github.com/shufflebench/shufflebench/pkg/validate"
)

// options makes the flags, and run.json where they say nothing, into options.
func (f *validateFlags) options() (validate.Options, error) {
	o := validate.Options{MemoryBudget: int64(f.memory)}
	if err := errors.Join(f.parsed(&o), f.contradictions()); err != nil {
		return o, &usageError{err}
	}
	f.addPairs(&o)
	if err := f.addSpark(&o); err != nil {
		return o, err
	}
	if f.output != "" {
		if err := errors.Join(f.fromRun(&o), f.parsed(&o)); err != nil {
			return o, err
		}
	}
	src, err := fixture.Open(f.input)
	if err != nil {
		return o, err
	}
	o.Input = src
	f.changedInput = f.shuffled != "" && f.shuffled != src.Identity().SHA256
	o.Partitioning, o.Limit, o.Partitions = validate.Partitioning(f.partitioning), f.limit, f.partitions
	o.HashColumns, err = bench.ResolveColumns(src.Schema(), f.hashColumns)
	return o, err
}

func (f *validateFlags) contradictions() error {
	switch {
	case f.output == "" && len(f.data) == 0 && f.sparkDir == "":
		return errors.New("what to prove? name --output, --spark-dir, or --data and --index")
	case f.sparkDir != "" && (f.output != "" || len(f.data) > 0):
		return errors.New("--spark-dir names the files, as --output and --data do")
	case f.sparkDir != "" && f.input == "":
		return errors.New("--spark-dir needs --input, the fixture to prove against")
	case f.shuffle >= 0 && f.sparkDir == "":
		return errors.New("--shuffle needs --spark-dir")
	case f.output != "" && (len(f.data) > 0 || len(f.index) > 0):
		return errors.New("--output and --data name the files twice")
	case len(f.data) != len(f.index):
		return fmt.Errorf("%d --data and %d --index files are no pairs", len(f.data), len(f.index))
	case f.output == "" && f.input == "":
		return errors.New("--data needs --input, the fixture to prove against")
	case f.task >= 0 && f.output == "":
		return errors.New("--task needs --output")
	}
	return nil
}

// addPairs adds the files that were named one by one.
func (f *validateFlags) addPairs(o *validate.Options) {
	for i := range f.data {
		o.Pairs = append(o.Pairs, validate.Pair{Data: f.data[i], Index: f.index[i]})
	}
}

// addSpark adds the map tasks of a shuffle that Spark left.
func (f *validateFlags) addSpark(o *validate.Options) error {
	if f.sparkDir == "" {
		return nil
	}
	shuffles, err := sparkdir.Find(f.sparkDir)
	if err != nil {
		return err
	}
	s, err := sparkdir.Pick(shuffles, f.shuffle)
	if err != nil {
		return err
	}
	for _, m := range s.Maps {
		o.Pairs = append(o.Pairs, validate.Pair{Data: m.Data, Index: m.Index})
	}
	return nil
}

// fromRun takes from run.json what no flag says.
func (f *validateFlags) fromRun(o *validate.Options) error {
	m, err := rundir.Read(f.output)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("%s has no %s; name its files with --data and --index", f.output, rundir.FileName)
	case err != nil:
		return err
	case m.State != rundir.Complete:
		return fmt.Errorf("the run that was writing to %s did not finish", f.output)
	}
	o.PerTaskCopy = true
	if o.Schema, err = readSchema(m.Schema); err != nil {
		return fmt.Errorf("%s: %w", filepath.Join(f.output, rundir.FileName), err)
	}
	f.inherit(m)
	return f.addTasks(o, m)
}

// inherit fills flags that were not given.
func (f *validateFlags) inherit(m *rundir.Manifest) {
	given := f.changed
	f.shuffled = m.Fixture.SHA256
	if !given("input") {
		f.input = m.Input
	}
	if !given("partitioning") {
		f.partitioning = m.Options.Partitioning
	}
	if !given("hash-rule") && m.Options.HashRule != "" {
		f.hashRule = m.Options.HashRule
	}
	if !given("hash-columns") {
		f.hashColumns = m.Options.HashColumns
	}
	if !given("partitions") {
		f.partitions = m.Options.Partitions
	}
	if !given("limit") {
		f.limit = m.Options.Limit
	}
}

// addTasks adds the files of the run.
func (f *validateFlags) addTasks(o *validate.Options, m *rundir.Manifest) error {
	tasks := m.Tasks
	if f.task >= 0 {
		if f.task >= len(tasks) {
			return usage("--task: %s has %d tasks, numbered from 0", f.output, len(tasks))
		}
		tasks = tasks[f.task : f.task+1]
	}
	for _, t := range tasks {
		o.Pairs = append(o.Pairs, validate.Pair{
			Data: filepath.Join(f.output, filepath.FromSlash(t.Data)), Index: filepath.Join(f.output, filepath.FromSlash(t.Index)),
		})
	}
	return nil
}

// readSchema reads the schema that run.json keeps as an IPC stream.
func readSchema(s *rundir.Schema) (*arrow.Schema, error) {
	if s == nil {
		return nil, errors.New("no schema of the output")
	}
	r, err := ipc.NewReader(bytes.NewReader(s.IPC))
	if err != nil {
		return nil, fmt.Errorf("schema of the output: %w", err)
	}
	defer r.Release()
	return r.Schema(), nil
}
