package main

import (
	"context"
	"fmt"
	"os"
	"time"

	"github.com/spf13/cobra"

	"github.com/shufflebench/shufflebench/internal/bench"
)

const rootLong = `shufflebench writes columnar shuffles, proves them against their input, and
measures time, phases and memory.

A shuffle write takes the rows of a task, sends each row to one of P output
partitions, and leaves one data file and one index of offsets.

stdout carries data, stderr carries talk.
`

// run is the program: it carries out the command line and gives the exit code.
func run(st *state) int {
	ctx, stop := st.interruptible()
	defer stop()
	root := newRoot(st)
	root.SetArgs(st.args)
	err := root.ExecuteContext(ctx)
	code := exitCodeOf(err)
	if err != nil {
		st.talk("%s", sentence(err))
	}
	return code
}

// newRoot builds the tree of commands.
func newRoot(st *state) *cobra.Command {
	cobra.EnableCommandSorting = false // in the order of the work
	root := &cobra.Command{
		Use:               "shufflebench",
		Short:             "Write, prove and measure columnar shuffles",
		Long:              rootLong + "\n" + exitCodeHelp(),
		SilenceErrors:     true,
		SilenceUsage:      true,
		Args:              unknownCommand,
		RunE:              func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
		CompletionOptions: cobra.CompletionOptions{HiddenDefaultCmd: false},
	}
	root.SetIn(st.stdin)
	root.SetOut(st.stdout)
	root.SetErr(st.stderr)
	root.SetFlagErrorFunc(flagError)
	root.AddCommand(
		newFixture(st), newWrite(st), newRead(st), newRepartition(st), newValidate(st), newInspect(st), newCompare(st), newReport(st), newExplain(st), newVersion(st),
		newServe(st), newShim(st),
	)
	return root
}

// newServe is the child's side of package bench.
func newServe(st *state) *cobra.Command {
	return &cobra.Command{
		Use: bench.ChildCommand, Hidden: true, Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return bench.Serve(cmd.Context(), st.stdin, st.stdout, st.now)
		},
	}
}

// talk says something on stderr.
func (st *state) talk(format string, args ...any) {
	fmt.Fprintf(st.stderr, "shufflebench: "+format+"\n", args...)
}

// sameInterrupt is how soon after the first a signal is still the same one:
// timeout(1), for one, sends each to the process and to its group.
const sameInterrupt = 500 * time.Millisecond

// interruptible gives a context that the first signal ends. A second one ends
// the process. A child leaves Ctrl-C to its driver, which the terminal sent it
// to as well, and never ends by itself without cleaning up.
func (st *state) interruptible() (ctx context.Context, stop func()) {
	ctx, cancel := context.WithCancel(context.Background())
	child := len(st.args) > 0 && st.args[0] == bench.ChildCommand
	done := make(chan struct{})
	go func() {
		var first time.Time
		for {
			select {
			case <-done:
				return
			case sig := <-st.signals:
				switch {
				case child && sig == os.Interrupt:
				case first.IsZero():
					first = st.now()
					cancel()
				case !child && st.now().Sub(first) >= sameInterrupt:
					st.exit(exitInterrupted)
					return
				}
			}
		}
	}()
	return ctx, func() { close(done); cancel() }
}
