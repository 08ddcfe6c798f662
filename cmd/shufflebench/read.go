package main

import (
	"context"
	"encoding/json"
	"errors"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/shufflebench/shufflebench/internal/bench"
	"github.com/shufflebench/shufflebench/internal/report"
	"github.com/shufflebench/shufflebench/pkg/reader"
)

const readLong = `Decode a data file and time it.

OUT is a directory that write left, or a task's directory in it. Files of other
programs are named by --data and --index. Every run is a process of its own.
The time is from the first reader's start to the last one's end.

Trusted decoding cannot be made to read outside its buffers, but it takes the
content of arrays as it is; --validated checks every offset, length, null count,
string, dictionary index and child before a batch is handed out.`

const readExample = `  # what the schema cache is worth
  shufflebench read out --schema-cache 4 --iterations 5
  shufflebench read out --schema-cache 0 --iterations 5

  # two readers over some partitions of a file of Spark with Comet
  shufflebench read --data shuffle_0_0_0.data --index shuffle_0_0_0.index --readers 2 --partitions 0-7`

// readFlags is what the command line of read says.
type readFlags struct {
	bench.ReadConfig
	partitions string
	csv        string
	json       bool
}

func newRead(st *state) *cobra.Command {
	f := &readFlags{}
	f.Iterations, f.Order.Readers, f.Order.SchemaCache = 1, 1, reader.DefaultSchemaCache
	f.Order.Endian, f.Order.Layout, f.Order.Consumer = "auto", "auto", bench.ConsumeCount
	cmd := &cobra.Command{
		Use: "read [OUT]", Short: "Decode output and time it",
		Long: readLong, Example: readExample, Args: atMostOne,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 1 {
				f.Output = args[0]
			}
			return f.run(cmd.Context(), st)
		},
	}
	f.bind(cmd)
	return cmd
}

func atMostOne(_ *cobra.Command, args []string) error {
	if len(args) > 1 {
		return usage("one directory at a time, not %d: %s", len(args), strings.Join(args, " "))
	}
	return nil
}

func (f *readFlags) bind(cmd *cobra.Command) {
	fs, o := cmd.Flags(), &f.Order
	fs.SortFlags = false
	fs.Var(newCount(&f.Task, 0, 1<<20), "task", "task of OUT")
	fs.StringVar(&o.Data, "data", "", "data `file`, in place of OUT")
	fs.StringVar(&o.Index, "index", "", "its index `file`")
	name(cmd, &o.Endian, "index-endian", "byte order", []string{"auto", "little", "big"}, "byte order of the index")
	name(cmd, &o.Layout, "layout", "layout", []string{"auto", "comet", "ballista"}, "arrangement of the data file")
	fs.Var(newCount(&o.SchemaCache, 0, reader.MaxSchemaCache), "schema-cache", "schemas each reader remembers (0: parse every block's)")
	fs.BoolVar(&o.Validated, "validated", false, "check every array before it is handed out")
	fs.Var(newCount(&o.Readers, 1, 4096), "readers", "readers side by side")
	fs.StringVar(&f.partitions, "partitions", "", "partitions `a-b` to read (default: all)")
	name(cmd, &o.Consumer, "consumer", "consumer", bench.Consumers(), "what is done with a batch")
	fs.Var(newCount(&f.Iterations, 1, 1<<20), "iterations", "runs that count")
	fs.Var(newCount(&f.Warmup, 0, 1<<20), "warmup", "runs before them that do not")
	fs.StringVar(&f.csv, "csv", "", "`file` to append rows to as they end")
	fs.BoolVar(&f.json, "json", false, "print the rows as JSON in place of a table")
}

// check finds what cannot be meant.
func (f *readFlags) check() error {
	named := f.Order.Data != "" || f.Order.Index != ""
	switch {
	case f.Output == "" && !named:
		return usage("what to read? name a directory, or --data and --index")
	case f.Output != "" && named:
		return usage("a directory and --data name the files twice")
	case named && (f.Order.Data == "" || f.Order.Index == ""):
		return usage("--data and --index go together")
	}
	if f.partitions == "" {
		return nil
	}
	from, to, ok := strings.Cut(f.partitions, "-")
	if !ok {
		to = from
	}
	var errs [2]error
	f.Order.From, errs[0] = strconv.Atoi(from)
	f.Order.To, errs[1] = strconv.Atoi(to)
	f.Order.To++
	if errors.Join(errs[:]...) != nil || f.Order.From < 0 || f.Order.From >= f.Order.To {
		return usage("--partitions: %q is no range such as 0-99", f.partitions)
	}
	return nil
}

// run reads, and shows what came of it, also after an interrupt.
func (f *readFlags) run(ctx context.Context, st *state) (err error) {
	if err := f.check(); err != nil {
		return err
	}
	hook := func(*report.ReadRow) error { return nil }
	if f.csv != "" {
		csv, err := report.OpenReadCSV(f.csv)
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, csv.Close()) }()
		hook = func(r *report.ReadRow) error { return csv.Append(r) }
	}
	self, err := st.self()
	if err != nil {
		return err
	}
	rows, err := bench.Read(ctx, f.ReadConfig, self, hook)
	if len(rows) == 0 {
		return err
	}
	if f.json {
		enc := json.NewEncoder(st.stdout)
		enc.SetIndent("", "  ")
		return errors.Join(err, enc.Encode(struct {
			Rows []*report.ReadRow `json:"rows"`
		}{rows}))
	}
	return errors.Join(err, report.ReadTable(st.stdout, rows))
}
