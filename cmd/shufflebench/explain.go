package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/shufflebench/shufflebench/pkg/metrics"
)

func newExplain(st *state) *cobra.Command {
	return &cobra.Command{
		Use: "explain [COLUMN]...", Short: "Say what a figure means and what it leaves out",
		Long:              "Say what a column of the rows means, and what it leaves out. Without a name: all of them, in order.",
		Example:           "  shufflebench explain max_rss_mib write_secs",
		ValidArgsFunction: cobra.FixedCompletions(metrics.ColumnNames(), cobra.ShellCompDirectiveNoFileComp),
		RunE: func(_ *cobra.Command, args []string) error {
			return explain(st.stdout, args)
		},
	}
}

func explain(w io.Writer, names []string) error {
	if len(names) == 0 {
		names = metrics.ColumnNames()
	}
	var b strings.Builder
	for _, n := range names {
		c, ok := metrics.LookupColumn(n)
		if !ok {
			return unknownColumn(n)
		}
		describeColumn(&b, c)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func unknownColumn(name string) error {
	return usage("unknown column %q%s (shufflebench explain lists them)", name, didYouMean(name, metrics.ColumnNames()))
}

var kindDocs = map[metrics.Kind]string{
	metrics.Asked: "says what was run",
	metrics.Exact: "exact: equal in all runs of a case",
	metrics.Noisy: "measured: compare medians and intervals",
	metrics.Told:  "says when, where and by what",
}

func describeColumn(b *strings.Builder, c metrics.Column) {
	unit := ""
	if c.Unit != metrics.Text {
		unit = string(c.Unit) + ", "
	}
	fmt.Fprintf(b, "%s (%s%s)\n    %s\n", c.Name, unit, kindDocs[c.Kind], c.Doc)
	if c.Omits != "" {
		fmt.Fprintf(b, "    Leaves out: %s\n", c.Omits)
	}
}
