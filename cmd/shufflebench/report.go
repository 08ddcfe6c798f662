package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/shufflebench/shufflebench/internal/compare"
	"github.com/shufflebench/shufflebench/internal/report"
	"github.com/shufflebench/shufflebench/internal/rundir"
)

// formats are the faces of a result.
var formats = []string{"table", "markdown", "csv", "json", "gobench", "github", "html"}

const reportLong = `Show a result that was measured before: the directory of a comparison, the
output directory of write, or a CSV file of rows.

    table     for people, with color on a terminal
    markdown  for a pull request: verdicts, ranges, method, machine, samples, commands
    csv       every row
    json      everything, in one object
    gobench   Go's benchmark format: benchstat -col /variant FILE
    github    annotations for a GitHub Actions log; the Markdown goes to the step summary
    html      one page that needs nothing else, with every sample in a plot

The exit code is that of the comparison itself only with --status.`

const reportExample = `  shufflebench report cmp --format markdown`

func newReport(st *state) *cobra.Command {
	format, status := "table", false
	cmd := &cobra.Command{
		Use: "report PATH", Short: "Show a result as table, Markdown, CSV, JSON, benchmark lines or a page",
		Long: reportLong, Example: reportExample,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) != 1 {
				return usage("%s takes one path, of a comparison or of rows", cmd.CommandPath())
			}
			return nil
		},
		RunE: func(_ *cobra.Command, args []string) error { return st.report(args[0], format, status) },
	}
	name(cmd, &format, "format", "format", formats, "face of the result")
	cmd.Flags().BoolVar(&status, "status", false, "exit with the comparison's own exit code")
	return cmd
}

// report shows what is at path.
func (st *state) report(path, format string, status bool) error {
	rows, err := loadRows(path)
	if err != nil {
		return err
	}
	if rows != nil {
		return st.show(rows, format)
	}
	c, err := compare.Load(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("%s holds no result: %w", path, err)
	case err != nil:
		return err
	}
	if err := st.show(c, format); err != nil || !status {
		return err
	}
	return outcomeOf(c)
}

// loadRows reads the rows of write: a CSV file, or run.json of its output
// directory. nil means that path is neither.
func loadRows(path string) (*report.Result, error) {
	if st, err := os.Stat(path); err == nil && st.Mode().IsRegular() && filepath.Ext(path) == ".csv" {
		rows, err := compare.ReadRows(path)
		return &report.Result{Rows: rows}, err
	}
	m, err := rundir.Read(path)
	if err != nil {
		if _, there := os.Stat(filepath.Join(path, rundir.FileName)); there == nil {
			return nil, err
		}
		return nil, nil
	}
	return &report.Result{Command: m.Command, Build: m.Build, Machine: m.Machine, Input: m.Input, Output: path, Rows: m.Rows}, nil
}

// faces are what both kinds of result can be shown as.
type faces interface {
	Table(io.Writer, report.Style) error
	CSV(io.Writer) error
	JSON(io.Writer) error
	Markdown(io.Writer) error
	GoBench(io.Writer) error
	HTML(io.Writer) error
}

// show writes one face to standard output.
func (st *state) show(r faces, format string) error {
	switch format {
	case "table":
		return r.Table(st.stdout, report.Style{Color: st.color(st.stdout)})
	case "csv":
		return r.CSV(st.stdout)
	case "json":
		return r.JSON(st.stdout)
	case "markdown":
		return r.Markdown(st.stdout)
	case "gobench":
		return r.GoBench(st.stdout)
	case "html":
		return r.HTML(st.stdout)
	}
	if c, ok := r.(*report.Comparison); ok {
		return st.github(c)
	}
	return usage("format %s is for comparisons", format)
}

// github writes annotations to standard output, and the Markdown to the step
// summary, or after them where there is none.
func (st *state) github(c *report.Comparison) (err error) {
	name := st.env("GITHUB_STEP_SUMMARY")
	if name == "" {
		return c.GitHub(st.stdout, st.stdout)
	}
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o666)
	if err != nil {
		return fmt.Errorf("step summary: %w", err)
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	return c.GitHub(st.stdout, io.Writer(f))
}
