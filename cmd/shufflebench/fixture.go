package main

import (
	"context"
	"fmt"
	"math"
	"strings"

	"github.com/dustin/go-humanize"
	"github.com/spf13/cobra"

	"github.com/shufflebench/shufflebench/pkg/fixture"
)

const fixtureExample = `  # the seed fixture, smaller
  shufflebench fixture --rows 100_000 --out seed.parquet

  # 50 columns
  shufflebench fixture --preset wide --rows 10_000 --out wide.parquet

  shufflebench fixture --list`

// fixtureFlags is what the command line of fixture says.
type fixtureFlags struct {
	fixture.Options
	out  string
	list bool
}

func newFixture(st *state) *cobra.Command {
	f := &fixtureFlags{}
	f.EnsureDefaults()
	f.Rows = 0 // as many as the preset has
	cmd := &cobra.Command{
		Use: "fixture", Short: "Make a deterministic Parquet fixture", Args: noArgs,
		Long:    "Make a deterministic Parquet fixture: two runs with equal options give the same bytes.",
		Example: fixtureExample,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if f.Rows == 0 && cmd.Flags().Changed("rows") {
				f.Rows = fixture.NoRows
			}
			return f.run(cmd.Context(), st)
		},
	}
	fs := cmd.Flags()
	fs.SortFlags = false
	name(cmd, &f.Preset, "preset", "preset", presetNames(), "what to make")
	fs.Var(newCount(&f.Rows, 0, math.MaxInt64), "rows", "rows (default: as many as the preset has)")
	fs.Var(newCount(&f.RowGroup, 1, math.MaxInt64), "row-group", "rows a row group")
	name(cmd, &f.Codec, "codec", "codec", fixture.Codecs(), "compression of the pages")
	fs.StringVar(&f.out, "out", "", "`file` to write")
	fs.BoolVar(&f.list, "list", false, "list the presets")
	return cmd
}

func (f *fixtureFlags) run(ctx context.Context, st *state) error {
	if f.list {
		return listPresets(st.stdout)
	}
	if f.out == "" {
		return usage("where to? name --out FILE")
	}
	if err := f.Validate(); err != nil {
		return &usageError{err}
	}
	return fixture.MakeFileContext(ctx, f.out, f.Options)
}

func presetNames() []string {
	var names []string
	for _, p := range fixture.Presets() {
		names = append(names, p.Name)
	}
	return names
}

func listPresets(w stream) error {
	var b strings.Builder
	for _, p := range fixture.Presets() {
		fmt.Fprintf(&b, "%-10s %10s rows, %2d columns  %s\n", p.Name, humanize.Comma(p.Rows), p.Columns, p.About)
	}
	_, err := fmt.Fprint(w, b.String())
	return err
}

// inputOrSeed is the input that was named, or the seed fixture, made on first use.
func (st *state) inputOrSeed(ctx context.Context, input string) (string, error) {
	if input != "" {
		return input, nil
	}
	return fixture.CacheFile(ctx, fixture.DefaultPreset, 0, func(path string) {
		o := fixture.Options{Preset: fixture.DefaultPreset}
		o.EnsureDefaults()
		st.talk("making the seed fixture (%s rows) once: %s", humanize.Comma(o.Rows), path)
	})
}
