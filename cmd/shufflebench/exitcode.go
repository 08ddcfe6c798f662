package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/shufflebench/shufflebench/internal/bench"
	"github.com/shufflebench/shufflebench/pkg/writer"
)

// The exit codes are an interface: scripts and CI act on them.
const (
	exitOK           = 0
	exitFailed       = 1
	exitUsage        = 2
	exitFault        = 3
	exitRegression   = 4
	exitInconclusive = 5
	exitInterrupted  = 130
)

// exitCodes has one sentence for each code, for help and README.
var exitCodes = []struct {
	code    int
	meaning string
}{
	{exitOK, "Fine: everything was done, and what was checked is right."},
	{exitFailed, "It could not be done: a file, the disk or the machine did not play along."},
	{exitUsage, "Wrong usage: an unknown name, a value that does not parse, options that contradict each other."},
	{exitFault, "Validation found a fault: output is not what its fixture says it must be."},
	{exitRegression, "Regression: a comparison found the new side worse than the threshold allows."},
	{exitInconclusive, "Inconclusive: a comparison with --strict could not decide."},
	{exitInterrupted, "Interrupted: rows that were measured before are kept, files of the unfinished run are not."},
}

// exitCodeHelp is the table that help shows.
func exitCodeHelp() string {
	var b strings.Builder
	b.WriteString("Exit codes:\n")
	for _, c := range exitCodes {
		fmt.Fprintf(&b, "  %3d  %s\n", c.code, c.meaning)
	}
	return b.String()
}

// usageError marks an error as the user's to correct.
type usageError struct{ err error }

func (e *usageError) Error() string { return e.err.Error() }
func (e *usageError) Unwrap() error { return e.err }

func usage(format string, args ...any) error {
	return &usageError{fmt.Errorf(format, args...)}
}

// exitCodeOf decides what an error means to scripts.
func exitCodeOf(err error) int {
	var (
		bad     *usageError
		unknown *writer.UnknownNameError
		config  *bench.UsageError
		fault   *bench.FaultError
		outcome *outcomeError
	)
	switch {
	case err == nil:
		return exitOK
	case errors.Is(err, context.Canceled):
		return exitInterrupted
	case errors.As(err, &outcome):
		return outcome.code
	case errors.As(err, &fault):
		return exitFault
	case errors.As(err, &bad), errors.As(err, &config), errors.As(err, &unknown):
		return exitUsage
	}
	return exitFailed
}
