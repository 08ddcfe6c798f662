package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/shufflebench/shufflebench/internal/bench"
	"github.com/shufflebench/shufflebench/internal/inspect"
	"github.com/shufflebench/shufflebench/internal/rundir"
	"github.com/shufflebench/shufflebench/internal/shufflefile"
	"github.com/shufflebench/shufflebench/internal/sparkdir"
	"github.com/shufflebench/shufflebench/pkg/reader"
)

const inspectLong = `Show what is in a data file: partitions, blocks, rows, sizes, codecs, schema,
skew, columns, how the bytes are spent, and damage.

PATH is a directory that write left, a task's directory, or a data file whose
index lies beside it. A file that is damaged is shown as far as its index leads:
what does not decode is described and passed over, and the exit code is 3.

--block shows one block with every byte annotated: P:N is block N of partition
P, both from 0.`

const inspectExample = `  # all of a run, or one file of it
  shufflebench inspect out
  shufflebench inspect out/task_0/data.out --top 3

  # every byte of the first block of partition 5
  shufflebench inspect out --block 5:0 --hex

  # the shuffles in a local directory of Spark
  shufflebench inspect --spark-dir blockmgr`

// inspectFlags is what the command line of inspect says.
type inspectFlags struct {
	path           string
	data, index    string
	endian, layout string
	sparkDir       string
	shuffle        int
	block          string
	hex, json      bool
	top            int
}

func newInspect(st *state) *cobra.Command {
	f := &inspectFlags{endian: "auto", layout: "auto", shuffle: -1, top: inspect.Top}
	cmd := &cobra.Command{
		Use: "inspect [PATH]", Short: "Show what is in a data file",
		Long: inspectLong, Example: inspectExample, Args: atMostOne,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 1 {
				f.path = args[0]
			}
			return f.run(cmd.Context(), st)
		},
	}
	fs := cmd.Flags()
	fs.SortFlags = false
	fs.StringVar(&f.data, "data", "", "data `file`, in place of PATH")
	fs.StringVar(&f.index, "index", "", "its index `file`")
	name(cmd, &f.endian, "index-endian", "byte order", []string{"auto", "little", "big"}, "byte order of the index")
	name(cmd, &f.layout, "layout", "layout", []string{"auto", "comet", "ballista"}, "arrangement of the data file")
	fs.StringVar(&f.sparkDir, "spark-dir", "", "`directory` below which Spark left shuffle files")
	fs.Var(newCount(&f.shuffle, -1, 1<<30), "shuffle", "only this shuffle of --spark-dir (-1: all)")
	fs.StringVar(&f.block, "block", "", "one block, as `P:N`")
	fs.BoolVar(&f.hex, "hex", false, "with --block: every byte, annotated")
	fs.Var(newCount(&f.top, 0, 1<<24), "top", "partitions to list, the largest first")
	fs.BoolVar(&f.json, "json", false, "print all there is as JSON")
	return cmd
}

// pairFiles is a data file and its index.
type pairFiles struct{ data, index string }

// run inspects every file that the flags name.
func (f *inspectFlags) run(ctx context.Context, st *state) error {
	if err := f.check(); err != nil {
		return err
	}
	pairs, err := f.pairs(st)
	if err != nil {
		return err
	}
	if f.block != "" {
		return f.showBlock(st, pairs)
	}
	var reports []*inspect.Report
	damaged := 0
	for _, p := range pairs {
		r, err := f.file(ctx, p)
		if err != nil {
			return err
		}
		reports = append(reports, r)
		damaged += len(r.Damage)
		if !f.json {
			if err := r.Text(st.stdout, f.top); err != nil {
				return err
			}
		}
	}
	if f.json {
		enc := json.NewEncoder(st.stdout)
		enc.SetIndent("", "  ")
		enc.SetEscapeHTML(false)
		if err := enc.Encode(struct {
			Files []*inspect.Report `json:"files"`
		}{reports}); err != nil {
			return err
		}
	}
	if damaged > 0 {
		return &bench.FaultError{Msg: counted(int64(damaged), "place") + " of the data could not be decoded"}
	}
	return nil
}

func (f *inspectFlags) check() error {
	given := 0
	for _, s := range []string{f.path, f.data, f.sparkDir} {
		if s != "" {
			given++
		}
	}
	switch {
	case given == 0:
		return usage("what to inspect? name a path, --data and --index, or --spark-dir")
	case given > 1:
		return usage("a path, --data and --spark-dir name the files twice")
	case (f.data == "") != (f.index == ""):
		return usage("--data and --index go together")
	case f.hex && f.block == "":
		return usage("--hex needs --block, the block to show")
	case f.shuffle >= 0 && f.sparkDir == "":
		return usage("--shuffle needs --spark-dir")
	}
	return nil
}

// pairs finds the files.
func (f *inspectFlags) pairs(st *state) ([]pairFiles, error) {
	switch {
	case f.data != "":
		return []pairFiles{{f.data, f.index}}, nil
	case f.sparkDir != "":
		return f.sparkPairs(st)
	}
	info, err := os.Stat(f.path)
	if err != nil {
		return nil, err
	}
	if !info.IsDir() {
		return []pairFiles{{f.path, indexOf(f.path)}}, nil
	}
	m, err := rundir.Read(f.path)
	if errors.Is(err, fs.ErrNotExist) {
		return []pairFiles{taskPair(f.path)}, nil
	}
	if err != nil {
		return nil, err
	}
	var pairs []pairFiles
	for _, t := range m.Tasks {
		pairs = append(pairs, pairFiles{filepath.Join(f.path, filepath.FromSlash(t.Data)), filepath.Join(f.path, filepath.FromSlash(t.Index))})
	}
	if pairs == nil {
		return nil, fmt.Errorf("the run that was writing to %s did not finish", f.path)
	}
	return pairs, nil
}

// indexOf is where the index of a data file lies by its name.
func indexOf(data string) string {
	dir, base := filepath.Split(data)
	switch {
	case strings.HasSuffix(base, ".data"):
		return dir + strings.TrimSuffix(base, "data") + "index"
	case strings.HasSuffix(base, ".arrow"):
		return data + ".index"
	}
	return filepath.Join(dir, "index.out")
}

// taskPair is the files of a task's directory, in either layout.
func taskPair(dir string) pairFiles {
	if data := filepath.Join(dir, "data.arrow"); exists(data) {
		return pairFiles{data, indexOf(data)}
	}
	data := filepath.Join(dir, "data.out")
	return pairFiles{data, indexOf(data)}
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// sparkPairs lists the map tasks of one shuffle, or of all.
func (f *inspectFlags) sparkPairs(st *state) ([]pairFiles, error) {
	shuffles, err := sparkdir.Find(f.sparkDir)
	if err != nil {
		return nil, err
	}
	if f.shuffle >= 0 {
		one, err := sparkdir.Pick(shuffles, f.shuffle)
		if err != nil {
			return nil, err
		}
		shuffles = []sparkdir.Shuffle{one}
	}
	var pairs []pairFiles
	for _, s := range shuffles {
		if !f.json && f.block == "" {
			st.talk("shuffle %d: %s", s.ID, counted(int64(len(s.Maps)), "map task"))
		}
		for _, m := range s.Maps {
			pairs = append(pairs, pairFiles{m.Data, m.Index})
		}
	}
	return pairs, nil
}

func (f *inspectFlags) open(p pairFiles) (*reader.File, error) {
	endian, err := shufflefile.ParseEndian(f.endian)
	if err != nil {
		return nil, usage("%v", err)
	}
	layout, err := reader.ParseLayout(f.layout)
	if err != nil {
		return nil, usage("%v", err)
	}
	return reader.OpenPair(p.data, p.index, reader.Options{Endian: endian, Layout: layout, Validated: true})
}

func (f *inspectFlags) file(ctx context.Context, p pairFiles) (_ *inspect.Report, err error) {
	file, err := f.open(p)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	return inspect.File(ctx, file)
}

// showBlock shows one block of the only file that is named.
func (f *inspectFlags) showBlock(st *state, pairs []pairFiles) (err error) {
	part, number, ok := strings.Cut(f.block, ":")
	p, err1 := strconv.Atoi(part)
	n, err2 := strconv.Atoi(number)
	if !ok || err1 != nil || err2 != nil || p < 0 || n < 0 {
		return usage("--block: %q is no block such as 5:0", f.block)
	}
	file, err := f.open(pairs[0])
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	return inspect.Hex(st.stdout, file, p, n)
}
