package main

import (
	"math"

	"github.com/spf13/cobra"

	"github.com/shufflebench/shufflebench/internal/shufflefile"
	"github.com/shufflebench/shufflebench/pkg/writer"
)

// rowFlags is what the command line of write says about checksums and about
// sorted rows.
type rowFlags struct {
	checksum, calls string
	page            size
}

// defaults shows the writer's own.
func (f *rowFlags) defaults(w *writer.Options) {
	f.checksum, f.calls, f.page = w.Checksum.String(), string(w.Calls), size(w.PageSize)
}

func (f *rowFlags) bind(cmd *cobra.Command, w *writer.Options) {
	fs := cmd.Flags()
	name(cmd, &f.checksum, "checksum", "checksum", shufflefile.ChecksumNames(), "checksum a partition, in a file beside the index")
	name(cmd, &f.calls, "calls", "shape of calls", writer.CallShapes(), "sorted-rows: one call a spill, or one a partition with state of its own")
	fs.Var(&f.page, "page-size", "sorted-rows: bytes of a page of rows")
	fs.Var(newCount(&w.SpillRows, 0, math.MaxInt32), "spill-rows", "sorted-rows: rows a task holds before it spills (0: no limit)")
	fs.Var(newCount(&w.RecordLength, 4, 8), "record-length-size", "sorted-rows: bytes of the length before a row, 4 or 8")
	fs.Float64Var(&w.DictionaryRatio, "dictionary-ratio", w.DictionaryRatio, "sorted-rows: rows a distinct value from which strings become dictionaries (1: never)")
}

// set puts the flags into options.
func (f *rowFlags) set(w *writer.Options) (err error) {
	w.Calls, w.PageSize = writer.Calls(f.calls), int64(f.page)
	w.Checksum, err = shufflefile.ParseChecksum(f.checksum)
	return err
}
