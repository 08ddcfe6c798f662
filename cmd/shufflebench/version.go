package main

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"github.com/shufflebench/shufflebench/internal/rundir"
	"github.com/shufflebench/shufflebench/internal/shufflefile"
	"github.com/shufflebench/shufflebench/pkg/metrics"
	"github.com/shufflebench/shufflebench/pkg/writer"
)

// capabilities is what this program can do, so that a driver of several
// revisions knows before it starts.
type capabilities struct {
	Engines       []string `json:"engines"`
	Codecs        []string `json:"codecs"`
	Partitionings []string `json:"partitionings"`
	LZ4Encoders   []string `json:"lz4_encoders"`
	Commands      []string `json:"commands"`
	WriteFlags    []string `json:"write_flags"`
	RowVersion    int      `json:"row_version"`
	RunVersion    int      `json:"run_version"`
}

func newVersion(st *state) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use: "version", Short: "Show the commit, the Go version and what this program can do", Args: noArgs,
		Example: "  shufflebench version --json",
		RunE: func(cmd *cobra.Command, _ []string) error {
			return showVersion(st, cmd.Root(), asJSON)
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

func showVersion(st *state, root *cobra.Command, asJSON bool) error {
	b := st.build()
	if !asJSON {
		_, err := fmt.Fprintf(st.stdout, "shufflebench %s, commit %s, %s %s/%s\n", b.Version, b, b.GoVersion, b.OS, b.Arch)
		return err
	}
	enc := json.NewEncoder(st.stdout)
	enc.SetIndent("", "  ")
	return enc.Encode(struct {
		metrics.Build
		Capabilities capabilities `json:"capabilities"`
	}{b, capabilitiesOf(root)})
}

func capabilitiesOf(root *cobra.Command) capabilities {
	c := capabilities{
		Engines: writer.Engines(), Codecs: shufflefile.CodecNames(), Partitionings: writer.Partitionings(),
		LZ4Encoders: writer.LZ4Encoders(), RowVersion: metrics.RowVersion, RunVersion: rundir.Version,
	}
	for _, cmd := range root.Commands() {
		if cmd.IsAvailableCommand() {
			c.Commands = append(c.Commands, cmd.Name())
		}
		if cmd.Name() == "write" {
			c.WriteFlags = flagNames(cmd)
		}
	}
	slices.Sort(c.Commands)
	return c
}
