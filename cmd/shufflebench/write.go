package main

import (
	"context"
	"errors"
	"math"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/shufflebench/shufflebench/internal/bench"
	"github.com/shufflebench/shufflebench/internal/report"
	"github.com/shufflebench/shufflebench/internal/shufflefile"
	"github.com/shufflebench/shufflebench/pkg/metrics"
	"github.com/shufflebench/shufflebench/pkg/writer"
	"github.com/shufflebench/shufflebench/pkg/writer/partition"
)

const writeLong = `Run shuffle write tasks, measure them, prove their output, and emit rows.

Every run is a process of its own. After the timed part, all tasks' outputs are
hashed and held against each other, and every output whose hash is new is
validated against the fixture, again in a process of its own. A run that fails
has no row; a run whose output is wrong has a row that says "failed".

Without --input the seed fixture is used: 2,883,584 rows of two BIGINT columns,
made once in the user's cache directory. Without --output-dir a private
temporary directory is used and removed.

Sizes: 1048576, 1_000_000, 64MB (decimal), 1.5GiB (binary).`

const writeExample = `  # the main job: 16,000 partitions, eight tasks side by side
  shufflebench write --partitions 16000 --concurrent-tasks 8

  # five runs after one warm-up, spilling after every batch, rows kept
  shufflebench write --partitions 200 --batch-size 32768 --max-buffer-bytes 1 --warmup 1 --iterations 5 --csv rows.csv

  # keep the output, then prove it once more
  shufflebench write --input rows.parquet --output-dir out
  shufflebench validate --input rows.parquet --output out`

// writeFlags is what the command line of write says.
type writeFlags struct {
	bench.Config
	codec, partitioning, metadata, lz4 string
	hashRule                           string
	memory, maxBuffer, buffer, budget  size
	rows                               rowFlags
	inputs                             inputFlags
	csv                                string
	json                               bool
}

func newWrite(st *state) *cobra.Command {
	f := &writeFlags{}
	f.defaults()
	cmd := &cobra.Command{
		Use: "write", Short: "Run shuffle write tasks, measure, prove, emit rows",
		Long: writeLong, Example: writeExample, Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if f.partitioning == string(writer.Single) && !cmd.Flags().Changed("partitions") {
				f.Writer.Partitions = 1
			}
			return f.run(cmd.Context(), st)
		},
	}
	cmd.Flags().SortFlags = false
	f.bindShuffle(cmd)
	f.bindBuffers(cmd.Flags())
	f.rows.bind(cmd, &f.Writer)
	f.inputs.bind(cmd, &f.Writer)
	f.bindRuns(cmd.Flags())
	return cmd
}

// defaults shows the writer's own defaults in help.
func (f *writeFlags) defaults() {
	w := &f.Writer
	w.EnsureDefaults()
	w.Workers, w.SpillDir = 0, "" // depend on other options and on the machine
	f.codec, f.partitioning, f.metadata, f.lz4 = w.Codec.String(), string(w.Partitioning), string(w.SpillMetadata), string(w.LZ4Encoder)
	f.memory, f.maxBuffer, f.buffer, f.budget = size(w.MemoryLimit), size(w.MaxBufferBytes), size(w.WriteBufferSize), size(w.MergeBudget)
	f.rows.defaults(w)
	f.inputs.defaults(w)
	f.hashRule = w.HashRule.String()
	f.Iterations, f.Validate = 1, true
}

// bindShuffle binds what is written.
func (f *writeFlags) bindShuffle(cmd *cobra.Command) {
	w, fs := &f.Writer, cmd.Flags()
	fs.StringVar(&f.Input, "input", "", "Parquet `file` or directory (default: the seed fixture)")
	name(cmd, &w.Engine, "engine", "engine", writer.Engines(), "way of writing")
	fs.Var(newCount(&w.BatchSize, 1, 1<<24), "batch-size", "rows a batch and, at most, a block")
	fs.Var(newCount(&w.Partitions, 1, shufflefile.MaxPartitions), "partitions", "output partitions")
	name(cmd, &f.partitioning, "partitioning", "partitioning", writer.Partitionings(), "rule that sends a row to a partition")
	fs.StringSliceVar(&w.HashColumns, "hash-columns", w.HashColumns, "key columns of hash and range, by index or name")
	name(cmd, &f.hashRule, "hash-rule", "hash rule", partition.RuleNames(), "whose hash, where they differ")
	name(cmd, &f.codec, "codec", "codec", shufflefile.CodecNames(), "compression of the blocks")
	fs.Var(newCount(&w.ZstdLevel, 1, 22), "zstd-level", "level of codec zstd")
	name(cmd, &f.lz4, "lz4-encoder", "LZ4 encoder", writer.LZ4Encoders(), "encoder of codec lz4")
	fs.BoolVar(&w.OffsetLengths, "offsets-as-lengths", false, "zstd: store offsets of strings and lists as lengths in byte planes, as Comet 1.2 does")
	fs.BoolVar(&w.StrictTypes, "strict-types", false, "refuse columns that would be converted to types that every reader takes")
	fs.Var(newCount(&w.Limit, 0, math.MaxInt64), "limit", "rows a task reads at most (0: all)")
	fs.Var(newCount(&w.ConcurrentTasks, 1, 4096), "concurrent-tasks", "tasks side by side, each over the whole fixture")
	fs.StringVar(&w.OutputDir, "output-dir", "", "`directory` that receives task_N with data and index (default: private, removed)")
}

// bindBuffers binds how it is written.
func (f *writeFlags) bindBuffers(fs *pflag.FlagSet) {
	w := &f.Writer
	fs.Var(&f.memory, "memory-limit", "bytes a task may buffer before it spills; consolidated: all tasks together (0: no limit)")
	fs.Var(&f.maxBuffer, "max-buffer-bytes", "bytes a task may buffer, likewise; the smallest limit holds")
	fs.Var(&f.buffer, "write-buffer-size", "bytes gathered before a write to the data file")
	fs.Var(&f.budget, "merge-budget", "bytes of spilled rows that a merge worker may hold")
	fs.Var(&choice{&f.metadata, "spill metadata mode", writer.SpillMetadataModes()}, "spill-metadata", "range lists of merged partitions: retain or release")
	fs.Var(&choice{&w.SpillCodec, "spill codec", []string{"none", "lz4"}}, "spill-codec", "compression of spilled segments: none or lz4")
	fs.StringVar(&w.SpillDir, "spill-dir", "", "`directory` for spills (default: the system's temporary one)")
	fs.Var(newCount(&w.Workers, 0, 4096), "workers", "goroutines a task may use to read ahead and encode (0: cores by tasks)")
}

// bindRuns binds how often, and what is told.
func (f *writeFlags) bindRuns(fs *pflag.FlagSet) {
	fs.Var(newCount(&f.Iterations, 1, 1<<20), "iterations", "runs that count")
	fs.Var(newCount(&f.Warmup, 0, 1<<20), "warmup", "runs before them that do not")
	fs.BoolVar(&f.Validate, "validate", f.Validate, "prove the output, outside the timed part; without it rows say unverified")
	fs.BoolVar(&f.Floor, "floor", false, "also measure reading the fixture alone and writing the output alone")
	fs.BoolVar(&f.Keep, "keep", false, "keep the private output directory")
	fs.StringVar(&f.Variant, "variant", "", "`label` for the rows")
	fs.StringVar(&f.csv, "csv", "", "`file` to append rows to as they end")
	fs.BoolVar(&f.json, "json", false, "print the result as JSON in place of a table")
	fs.StringVar(&f.Profiles.CPU, "cpuprofile", "", "`file` for a CPU profile of the writing process")
	fs.StringVar(&f.Profiles.Mem, "memprofile", "", "`file` for its allocation profile")
	fs.StringVar(&f.Profiles.Trace, "trace", "", "`file` for its execution trace")
}

// name binds a flag that takes one of a few names, with completion.
func name(cmd *cobra.Command, value *string, flag, what string, known []string, doc string) {
	cmd.Flags().Var(&choice{value, what, known}, flag, doc+": "+strings.Join(known, ", "))
	_ = cmd.RegisterFlagCompletionFunc(flag, cobra.FixedCompletions(known, cobra.ShellCompDirectiveNoFileComp))
}

// config makes the flags a checked config.
func (f *writeFlags) config(st *state) (bench.Config, error) {
	cfg := f.Config
	w := &cfg.Writer
	codec, err := shufflefile.ParseCodec(f.codec)
	if err != nil {
		return cfg, err
	}
	if w.HashRule, err = partition.ParseRule(f.hashRule); err != nil {
		return cfg, err
	}
	w.Codec, w.Partitioning = codec, writer.Partitioning(f.partitioning)
	w.SpillMetadata, w.LZ4Encoder = writer.SpillMetadata(f.metadata), writer.LZ4Encoder(f.lz4)
	w.MemoryLimit, w.MaxBufferBytes, w.WriteBufferSize, w.MergeBudget = int64(f.memory), int64(f.maxBuffer), int64(f.buffer), int64(f.budget)
	f.inputs.set(w)
	if err := f.rows.set(w); err != nil {
		return cfg, err
	}
	cfg.Command = st.args
	cfg.EnsureDefaults()
	return cfg, cfg.Check()
}

// run writes, and shows what came of it, also after a fault or an interrupt.
func (f *writeFlags) run(ctx context.Context, st *state) (err error) {
	cfg, err := f.config(st)
	if err != nil {
		return err
	}
	hooks, closeCSV, err := f.hooks()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, closeCSV()) }()
	if cfg.Input, err = st.inputOrSeed(ctx, cfg.Input); err != nil {
		return err
	}
	self, err := st.self()
	if err != nil {
		return err
	}
	progress := st.newProgress()
	hooks.Step = progress.step
	hooks.Note = func(note string) { st.talk("%s", note) }
	res, err := bench.Run(ctx, cfg, self, hooks)
	progress.stop()
	if res != nil && (len(res.Rows) > 0 || err == nil) {
		err = errors.Join(err, f.show(st, res))
	}
	return err
}

// hooks opens the CSV before anything runs, so that a bad name costs nothing.
func (f *writeFlags) hooks() (bench.Hooks, func() error, error) {
	if f.csv == "" {
		return bench.Hooks{}, func() error { return nil }, nil
	}
	csv, err := report.OpenCSV(f.csv)
	if err != nil {
		return bench.Hooks{}, nil, err
	}
	return bench.Hooks{Row: func(r *metrics.Row) error { return csv.Append(r) }}, csv.Close, nil
}

func (f *writeFlags) show(st *state, res *report.Result) error {
	if res.Output != "" {
		st.talk("output is in %s", res.Output)
	}
	if f.json {
		return res.JSON(st.stdout)
	}
	return res.Table(st.stdout, report.Style{Color: st.color(st.stdout)})
}

// self is how children are started.
func (st *state) self() (bench.Self, error) {
	exe, err := st.exe()
	if err != nil {
		return bench.Self{}, err
	}
	return bench.Self{
		Exe: exe, Name: st.name, Env: st.environ, Stderr: st.stderr, Build: st.build(), Now: st.now,
	}, nil
}
