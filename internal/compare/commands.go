package compare

import (
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/shufflebench/shufflebench/internal/report"
)

// writeCommands writes a script that a person can run line by line: how each
// side is built, and one run of each case.
func (d *driver) writeCommands() error {
	var b strings.Builder
	b.WriteString("#!/bin/sh\n# Made by shufflebench compare: the same by hand.\n\n# The whole comparison:\n")
	fmt.Fprintf(&b, "#   %s\n", report.CommandLine(append([]string{"shufflebench"}, d.cfg.Command...)))
	b.WriteString("\nset -eu\nDIR=$(mktemp -d)\n")
	for _, v := range d.sides() {
		v.writeBuild(&b)
	}
	p := placesIn(scratch, d.cfg.Input.Path)
	for i := range d.cfg.Cases {
		c := &d.cfg.Cases[i]
		if d.res.Cases[i].Lone != "" {
			continue
		}
		for _, v := range d.sides() {
			words, err := v.command(c, p)
			if err != nil {
				return err
			}
			fmt.Fprintf(&b, "\n# %s, %s\nrm -rf \"$DIR\" && mkdir -p \"$DIR/tmp\"\nTMPDIR=\"$DIR/tmp\" %s\n", c.Name, v.Side, withScratch(words))
		}
	}
	return replaceFile(filepath.Join(d.store.dir, CommandsFile), func(w io.Writer) error {
		_, err := io.WriteString(w, b.String())
		return err
	})
}

// scratch stands for the directory of a run in a command line.
const scratch = "@scratch@"

// withScratch is a command as one would type it, with $DIR for scratch.
func withScratch(words []string) string {
	quoted := make([]string, len(words))
	for i, w := range words {
		parts := strings.Split(w, scratch)
		for j, part := range parts {
			if part != "" || len(parts) == 1 {
				parts[j] = report.Quote(part)
			}
		}
		quoted[i] = strings.Join(parts, `"$DIR"`)
	}
	return strings.Join(quoted, " ")
}

func (v *variant) writeBuild(b *strings.Builder) {
	fmt.Fprintf(b, "\n# %s: %s\n", v.Side, v.Label())
	if v.built == nil {
		return
	}
	var none []string
	line := fillText(v.built.Command, v.built.value, report.Quote, &none)
	fmt.Fprintf(b, "# git -C %s worktree add --detach %s %s\n# cd %s && %s\n", report.Quote(v.Repo), report.Quote(v.built.tree()), v.Revision,
		report.Quote(v.built.tree()), line)
}
