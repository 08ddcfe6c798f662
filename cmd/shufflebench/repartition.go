package main

import (
	"context"
	"encoding/json"
	"errors"
	"math"

	"github.com/spf13/cobra"

	"github.com/shufflebench/shufflebench/internal/bench"
	"github.com/shufflebench/shufflebench/internal/report"
	"github.com/shufflebench/shufflebench/pkg/writer/repartition"
)

const repartitionLong = `Send rows to one stream a partition in memory: no encoding, no files.

A batch is taken once, in partition order, and sliced (grouped), or every column
is taken once for each partition (per-partition); --take both runs the two in
turns. Every run is a process of its own, with its input in memory before the
clock starts. The time is that of partitioning, taking, and of consumers that
ask for every column of every slice. Then, outside the time, memory is counted
in three ways and held against the heap, and every stream is held against the
input's rows.

A slice keeps its whole batch in memory. --slow-partition and --lag show how
much a consumer that holds slices back keeps in this way; --copy-out bounds it.`

const repartitionExample = `  # what the grouped take is worth
  shufflebench repartition --input rows.parquet --take both --partitions 300 --batch-size 1024 --iterations 5

  # what a consumer 50 slices behind keeps in memory, and what copying buys
  shufflebench repartition --input rows.parquet --partitions 64 --batch-size 100 --slow-partition 3 --lag 50
  shufflebench repartition --input rows.parquet --partitions 64 --batch-size 100 --slow-partition 3 --lag 50 --copy-out 4`

const bothTakes = "both"

// repartitionFlags is what the command line of repartition says.
type repartitionFlags struct {
	bench.RepartitionConfig
	csv  string
	json bool
}

func newRepartition(st *state) *cobra.Command {
	f := &repartitionFlags{}
	f.Iterations = 1
	f.Order = bench.RepartitionOrder{
		Take: repartition.Grouped, Partitions: 200, BatchSize: 8192, HashColumns: []string{"0"}, Slow: bench.NoPartition,
	}
	cmd := &cobra.Command{
		Use: "repartition", Short: "Repartition in memory: grouped take against one take a partition",
		Long: repartitionLong, Example: repartitionExample, Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return f.run(cmd.Context(), st) },
	}
	f.bind(cmd)
	return cmd
}

func (f *repartitionFlags) bind(cmd *cobra.Command) {
	fs, o := cmd.Flags(), &f.Order
	fs.SortFlags = false
	fs.StringVar(&f.Input, "input", "", "Parquet `file` or directory (default: the seed fixture)")
	name(cmd, &o.Take, "take", "take", append(repartition.Takes(), bothTakes), "way of taking rows")
	fs.Var(newCount(&o.Partitions, 1, repartition.MaxPartitions), "partitions", "streams")
	fs.Var(newCount(&o.BatchSize, 1, 1<<24), "batch-size", "rows a batch")
	fs.StringSliceVar(&o.HashColumns, "hash-columns", o.HashColumns, "key columns, by index or name")
	fs.Var(newCount(&o.Slow, bench.NoPartition, repartition.MaxPartitions), "slow-partition", "partition whose consumer holds slices back (-1: none)")
	fs.Var(newCount(&o.Lag, 0, 1<<30), "lag", "slices that it holds back")
	fs.Float64Var(&o.CopyOut, "copy-out", 0, "copy out slices held back that pin more than this times their bytes (0: never)")
	fs.Var(newCount(&o.Limit, 0, math.MaxInt64), "limit", "rows at most (0: all)")
	fs.Var(newCount(&f.Iterations, 1, 1<<20), "iterations", "runs of a take that count")
	fs.Var(newCount(&f.Warmup, 0, 1<<20), "warmup", "runs before them that do not")
	fs.StringVar(&f.csv, "csv", "", "`file` to append rows to as they end")
	fs.BoolVar(&f.json, "json", false, "print the rows as JSON in place of a table")
}

// run repartitions, and shows what came of it, also after an interrupt.
func (f *repartitionFlags) run(ctx context.Context, st *state) (err error) {
	cfg := f.RepartitionConfig
	if cfg.Order.Take == bothTakes {
		cfg.Both, cfg.Order.Take = true, repartition.Grouped
		if cfg.Order.CopyOut != 0 {
			return usage("--copy-out goes with --take %s: the other one has no slices", repartition.Grouped)
		}
	}
	if err := cfg.Check(); err != nil {
		return err
	}
	hooks := bench.RepartitionHooks{
		Row:  func(*report.RepartitionRow) error { return nil },
		Note: func(note string) { st.talk("%s", note) },
	}
	if f.csv != "" {
		csv, err := report.OpenRepartitionCSV(f.csv)
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, csv.Close()) }()
		hooks.Row = func(r *report.RepartitionRow) error { return csv.Append(r) }
	}
	if cfg.Input, err = st.inputOrSeed(ctx, cfg.Input); err != nil {
		return err
	}
	self, err := st.self()
	if err != nil {
		return err
	}
	rows, err := bench.Repartition(ctx, cfg, self, hooks)
	if len(rows) == 0 {
		return err
	}
	return errors.Join(err, f.show(st, rows))
}

func (f *repartitionFlags) show(st *state, rows []*report.RepartitionRow) error {
	if f.json {
		enc := json.NewEncoder(st.stdout)
		enc.SetIndent("", "  ")
		return enc.Encode(struct {
			Rows []*report.RepartitionRow `json:"rows"`
		}{rows})
	}
	return report.RepartitionTable(st.stdout, rows)
}
