package main

import (
	"github.com/spf13/cobra"

	"github.com/shufflebench/shufflebench/pkg/writer"
)

// inputFlags is what the command line of write says about engine consolidated.
type inputFlags struct {
	encode string
	budget size
}

// defaults shows the writer's own.
func (f *inputFlags) defaults(w *writer.Options) {
	f.encode, f.budget = string(w.Encode), size(w.TaskMemoryLimit)
}

func (f *inputFlags) bind(cmd *cobra.Command, w *writer.Options) {
	fs := cmd.Flags()
	fs.Var(newCount(&w.Inputs, 1, writer.MaxInputs), "inputs", "consolidated: inputs of a task, which read, partition and buffer side by side")
	fs.Var(&f.budget, "task-memory-limit", "consolidated: bytes the inputs of a task may buffer before they spill (0: no limit)")
	name(cmd, &f.encode, "encode", "way to encode", writer.EncodeModes(), "consolidated: how inputs encode what they still buffer at the end")
}

// set puts the flags into options.
func (f *inputFlags) set(w *writer.Options) {
	w.Encode, w.TaskMemoryLimit = writer.Encode(f.encode), int64(f.budget)
	if w.TaskMemoryLimit == 0 {
		w.TaskMemoryLimit = writer.NoTaskLimit
	}
}
