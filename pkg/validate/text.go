package validate

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/dustin/go-humanize"
)

// WriteText writes the report as tables for people.
func (r *Report) WriteText(w io.Writer) error {
	p := &printer{w: w}
	p.head(r)
	p.checks(r.Checks)
	p.findings(r)
	for _, n := range r.Notes {
		p.printf("note: %s\n", n)
	}
	return p.err
}

// printer keeps the first error of many writes.
type printer struct {
	w   io.Writer
	err error
}

func (p *printer) printf(format string, args ...any) {
	if p.err == nil {
		_, p.err = fmt.Fprintf(p.w, format, args...)
	}
}

// table aligns what rows writes in columns.
func (p *printer) table(rows func(io.Writer)) {
	tw := tabwriter.NewWriter(p.w, 0, 0, 2, ' ', 0)
	rows(tw)
	if err := tw.Flush(); p.err == nil {
		p.err = err
	}
}

func (p *printer) head(r *Report) {
	verdict := "valid"
	if !r.Valid {
		verdict = "INVALID"
	}
	p.printf("%s: %s rows of %s, %s, %d partitions (%s)\n", verdict, humanize.Comma(r.Rows), humanize.Comma(r.InputRows),
		plural(int64(r.Tasks), "task"), r.Partitions, r.placedBy())
	p.printf("%s%s, %s bytes, %s decompressed; equal but for a chance %s; %.3f s\n\n", plural(r.Blocks, "block"),
		r.codecs(), humanize.Comma(r.Bytes), humanize.Comma(r.PayloadBytes), r.Chance, r.Seconds)
}

// codecs counts blocks by tag, if they have one.
func (r *Report) codecs() string {
	var list []string
	for _, tag := range slices.Sorted(maps.Keys(r.Codecs)) {
		list = append(list, fmt.Sprintf("%s %s", humanize.Comma(r.Codecs[tag]), tag))
	}
	if len(list) == 0 {
		return ""
	}
	return " (" + strings.Join(list, ", ") + ")"
}

func (r *Report) placedBy() string {
	if r.HashRule == "" {
		return string(r.Partitioning)
	}
	return fmt.Sprintf("%s, rule %s", r.Partitioning, r.HashRule)
}

func plural(n int64, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return humanize.Comma(n) + " " + noun + "s"
}

func (p *printer) checks(list []Check) {
	p.table(func(w io.Writer) {
		fmt.Fprintln(w, "check\twork\tfaults")
		for _, c := range list {
			result := humanize.Comma(c.Faults)
			if c.Skipped != "" {
				result = "not made: " + c.Skipped
			}
			fmt.Fprintf(w, "%s\t%.3f s\t%s\n", c.Name, c.Seconds, result)
		}
	})
	p.printf("\n")
}

func (p *printer) findings(r *Report) {
	shown := map[Kind]int64{}
	for i := range r.Findings {
		f := &r.Findings[i]
		shown[f.Kind] += f.Count
		p.printf("%s: %s\n  at %s\n", f.Kind, f.Message, f.Place())
		p.rows(f.Rows)
		p.printf("\n")
	}
	for _, k := range kinds {
		if more := r.Counts[k] - shown[k]; more > 0 {
			p.printf("%s: %s more, not shown\n", k, humanize.Comma(more))
		}
	}
}

func (p *printer) rows(list []RowSample) {
	if len(list) == 0 {
		return
	}
	p.table(func(w io.Writer) {
		for i := range list {
			s := &list[i]
			fmt.Fprintf(w, "    %s\t%s\n", s.where(), s.what())
		}
	})
}

// where says where a row is, in the output and in the input.
func (s *RowSample) where() string {
	var parts []string
	add := func(format string, v *int) {
		if v != nil {
			parts = append(parts, fmt.Sprintf(format, *v))
		}
	}
	add("partition %d", s.Partition)
	add("block %d", s.Block)
	add("row %d", s.Row)
	if s.InputRow != nil {
		parts = append(parts, fmt.Sprintf("input row %d", *s.InputRow))
	}
	add("belongs in partition %d", s.Expected)
	return strings.Join(parts, ", ")
}

// what shows a row's values, or those that changed.
func (s *RowSample) what() string {
	var parts []string
	for _, c := range s.Values {
		parts = append(parts, fmt.Sprintf("%s=%s", c.Column, c.Value))
	}
	text := strings.Join(clip(parts, 12), " ")
	for _, d := range s.Differences {
		text += fmt.Sprintf("; %s was %s, is %s", d.Column, d.Input, d.Output)
	}
	return text
}
