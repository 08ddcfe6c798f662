package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/dustin/go-humanize"

	"github.com/shufflebench/shufflebench/pkg/validate"
)

// printProof writes a report for people.
func printProof(w io.Writer, r *validate.Report) error {
	var b strings.Builder
	rule := string(r.Partitioning)
	if r.HashRule != "" {
		rule += " (" + r.HashRule + ")"
	}
	fmt.Fprintf(&b, "%s of %s partitions, placed by %s: %s rows in %s blocks, %s bytes\n", counted(int64(r.Tasks), "task"),
		humanize.Comma(int64(r.Partitions)), rule, humanize.Comma(r.Rows), humanize.Comma(r.Blocks), humanize.Comma(r.Bytes))
	for _, c := range r.Checks {
		printCheck(&b, c)
	}
	for i := range r.Findings {
		printFinding(&b, &r.Findings[i])
	}
	for _, n := range r.Notes {
		fmt.Fprintf(&b, "note: %s\n", n)
	}
	if r.Valid {
		fmt.Fprintf(&b, "valid: %s rows, each where it belongs (proved in %.2f s; %s)\n", humanize.Comma(r.InputRows), r.Seconds, r.Chance)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func printCheck(b *strings.Builder, c validate.Check) {
	switch {
	case c.Skipped != "":
		fmt.Fprintf(b, "  %-10s skipped: %s\n", c.Name, c.Skipped)
	case c.Faults > 0:
		fmt.Fprintf(b, "  %-10s %s\n", c.Name, counted(c.Faults, "fault"))
	default:
		fmt.Fprintf(b, "  %-10s ok (%.3f s of work)\n", c.Name, c.Seconds)
	}
}

func printFinding(b *strings.Builder, f *validate.Finding) {
	fmt.Fprintf(b, "%s\n", findingText(f))
	for i := range f.Rows {
		fmt.Fprintf(b, "    %s\n", rowText(&f.Rows[i]))
	}
}

// findingText is a finding in one line: kind, place, message.
func findingText(f *validate.Finding) string {
	place := f.Place().String()
	if place != "" {
		place += ": "
	}
	return fmt.Sprintf("%s: %s%s", f.Kind, place, f.Message)
}

// rowText is a row in one line: where it is, where it should be, its values.
func rowText(r *validate.RowSample) string {
	var parts []string
	add := func(format string, args ...any) { parts = append(parts, fmt.Sprintf(format, args...)) }
	if r.InputRow != nil {
		add("input row %d", *r.InputRow)
	}
	if r.File != "" {
		add("%s", r.File)
	}
	for _, p := range []struct {
		what string
		v    *int
	}{{"partition", r.Partition}, {"block", r.Block}, {"row", r.Row}} {
		if p.v != nil {
			add("%s %d", p.what, *p.v)
		}
	}
	if r.Offset != nil {
		add("offset %d", *r.Offset)
	}
	if r.Expected != nil && (r.Partition == nil || *r.Partition != *r.Expected) {
		add("belongs in partition %d", *r.Expected)
	}
	var values []string
	for _, c := range r.Values {
		values = append(values, c.Column+"="+c.Value)
	}
	for _, d := range r.Differences {
		values = append(values, fmt.Sprintf("%s: input %s, output %s", d.Column, d.Input, d.Output))
	}
	return strings.Join(parts, ", ") + ": " + strings.Join(values, ", ")
}

func counted(n int64, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return humanize.Comma(n) + " " + noun + "s"
}
