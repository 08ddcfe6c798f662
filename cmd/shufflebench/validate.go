package main

import (
	"context"
	"encoding/json"
	"fmt"
	"math"

	"github.com/spf13/cobra"

	"github.com/shufflebench/shufflebench/internal/bench"
	"github.com/shufflebench/shufflebench/internal/shufflefile"
	"github.com/shufflebench/shufflebench/pkg/reader"
	"github.com/shufflebench/shufflebench/pkg/validate"
	"github.com/shufflebench/shufflebench/pkg/validate/sparkhash"
)

const validateLong = `Prove shuffle output against its fixture: every offset, every block, and every
row in the partition that its key says, exactly once, with every value equal.

With --output, run.json there says what to prove; flags override it. Output of
other programs is named by pairs of --data and --index: together they are one
shuffle's map tasks.

Findings go to stdout with file, partition, block and byte offset, and the exit
code is 3.`

const validateExample = `  # what write left in out
  shufflebench validate --input rows.parquet --output out

  # files of Spark with Comet: the index is big-endian, the key the first column
  shufflebench validate --input rows.parquet --data shuffle_0_0_0.data --index shuffle_0_0_0.index --hash-columns 0

  # all map tasks of a shuffle in a local directory of Spark
  shufflebench validate --input rows.parquet --spark-dir blockmgr --shuffle 0`

// validateFlags is what the command line of validate says.
type validateFlags struct {
	input, output  string
	data, index    []string
	sparkDir       string
	shuffle        int
	task           int
	endian, layout string
	partitioning   string
	hashColumns    []string
	hashRule       string
	partitions     int
	limit          int64
	memory         size
	json           bool
	changed        func(flag string) bool

	shuffled     string // identity of the input as run.json has it
	changedInput bool   // the input is another one
}

func newValidate(st *state) *cobra.Command {
	f := &validateFlags{
		endian: "auto", layout: "auto", partitioning: string(validate.Hash), hashColumns: []string{"0"},
		hashRule: sparkhash.Spark.String(), task: -1, shuffle: -1, memory: 128 << 20,
	}
	cmd := &cobra.Command{
		Use: "validate", Short: "Prove an output against its fixture",
		Long: validateLong, Example: validateExample, Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			f.changed = cmd.Flags().Changed
			return f.run(cmd.Context(), st)
		},
	}
	f.bind(cmd)
	return cmd
}

func (f *validateFlags) bind(cmd *cobra.Command) {
	fs := cmd.Flags()
	fs.SortFlags = false
	fs.StringVar(&f.input, "input", "", "Parquet `file` or directory that was shuffled (default: as in run.json)")
	fs.StringVar(&f.output, "output", "", "`directory` that write left, with run.json")
	fs.Var(newCount(&f.task, -1, 1<<20), "task", "only this task of --output (-1: all)")
	fs.StringArrayVar(&f.data, "data", nil, "data `file`; repeat it for more map tasks")
	fs.StringArrayVar(&f.index, "index", nil, "index `file` of the data file in the same position")
	fs.StringVar(&f.sparkDir, "spark-dir", "", "`directory` below which Spark left shuffle files: all map tasks of one shuffle are proved together")
	fs.Var(newCount(&f.shuffle, -1, 1<<30), "shuffle", "which shuffle of --spark-dir (-1: the only one)")
	name(cmd, &f.endian, "index-endian", "byte order", []string{"auto", "little", "big"}, "byte order of the index")
	name(cmd, &f.layout, "layout", "layout", []string{"auto", "comet", "ballista"}, "arrangement of the data file")
	name(cmd, &f.partitioning, "partitioning", "partitioning", validate.Partitionings(), "rule that placed the rows")
	fs.StringSliceVar(&f.hashColumns, "hash-columns", f.hashColumns, "key columns by index or name")
	name(cmd, &f.hashRule, "hash-rule", "hash rule", []string{sparkhash.Spark.String(), sparkhash.Comet.String()}, "whose hash, where they differ")
	fs.Var(newCount(&f.partitions, 0, shufflefile.MaxPartitions), "partitions", "partitions that the index must have (0: as it has)")
	fs.Var(newCount(&f.limit, 0, math.MaxInt64), "limit", "rows of the input that were shuffled (0: all)")
	fs.Var(&f.memory, "memory-limit", "bytes for tables of rows, where rows must be held")
	fs.BoolVar(&f.json, "json", false, "print the report as JSON")
}

// run proves, shows the report, and turns findings into exit code 3.
func (f *validateFlags) run(ctx context.Context, st *state) error {
	o, err := f.options()
	if err != nil {
		return err
	}
	rep, err := validate.Run(ctx, o)
	if err != nil {
		return err
	}
	if f.changedInput {
		rep.Notes = append(rep.Notes, "the input is not the one that was shuffled: its identity in run.json is another")
	}
	if f.json {
		enc := json.NewEncoder(st.stdout)
		enc.SetIndent("", "  ")
		enc.SetEscapeHTML(false)
		err = enc.Encode(rep)
	} else {
		err = printProof(st.stdout, rep)
	}
	if err != nil || rep.Valid {
		return err
	}
	return &bench.FaultError{Msg: verdictOf(rep)}
}

func verdictOf(rep *validate.Report) string {
	var n int64
	for _, c := range rep.Counts {
		n += c
	}
	if len(rep.Findings) == 0 {
		return "the output is faulty"
	}
	return fmt.Sprintf("the output is faulty (%d in all); first: %s", n, findingText(&rep.Findings[0]))
}

// parsed turns names into the options they stand for.
func (f *validateFlags) parsed(o *validate.Options) (err error) {
	if o.Endian, err = shufflefile.ParseEndian(f.endian); err != nil {
		return err
	}
	if o.Layout, err = reader.ParseLayout(f.layout); err != nil {
		return err
	}
	o.HashRule, err = sparkhash.ParseRule(f.hashRule)
	return err
}
