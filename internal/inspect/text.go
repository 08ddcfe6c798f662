package inspect

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/dustin/go-humanize"
)

// Top is how many partitions Text lists when it is not told.
const Top = 10

// Text writes a report for people, with the top largest partitions.
func (r *Report) Text(w io.Writer, top int) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n", r.Data)
	fmt.Fprintf(&b, "├── layout %s, index %s-endian, %s partitions (%s empty)\n", r.Layout, r.IndexEndian, comma(int64(r.Partitions)), comma(int64(r.Skew.Empty)))
	fmt.Fprintf(&b, "├── %s bytes, %s blocks, %s rows\n", comma(r.Bytes), comma(r.Blocks), comma(r.Rows))
	r.codecs(&b)
	r.spent(&b)
	fmt.Fprintf(&b, "├── largest partition %d: %s bytes, %s rows; median %s bytes, %s rows\n",
		r.Skew.Largest, comma(r.Skew.LargestBytes), comma(r.Skew.LargestRows), comma(r.Skew.MedianBytes), comma(r.Skew.MedianRows))
	b.WriteString("└── blocks a partition:")
	for _, h := range r.Histogram {
		fmt.Fprintf(&b, "  %s: %s", span(h.From, h.To), comma(h.Partitions))
	}
	b.WriteString("\n\n")
	r.columnTable(&b)
	r.partitionTable(&b, top)
	for _, d := range r.Damage {
		fmt.Fprintf(&b, "damage: %s: partition %d, block %d, offset %d: %s (%s bytes lost)\n", d.File, d.Partition, d.Block, d.Offset, d.Message, comma(d.Lost))
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func comma(n int64) string { return humanize.Comma(n) }

func span(from, to int64) string {
	if from == to {
		return comma(from)
	}
	return comma(from) + "-" + comma(to)
}

func (r *Report) codecs(b *strings.Builder) {
	for _, c := range r.Codecs {
		fmt.Fprintf(b, "├── %s: %s blocks, %s bytes\n", c.Tag, comma(c.Blocks), comma(c.Bytes))
	}
}

// spent tells what the bytes are.
func (r *Report) spent(b *strings.Builder) {
	s := &r.Spent
	total := s.overhead() + s.Values
	if s.Headers == 0 || total == 0 {
		return
	}
	fmt.Fprintf(b, "├── decompressed %s bytes: values %s, padding %s, schema %s, batch metadata %s, headers %s, end marks %s\n",
		comma(total), share(s.Values, total), share(s.Padding, total), share(s.Schema, total), share(s.Metadata, total), share(s.Headers, total), share(s.Ends, total))
	fmt.Fprintf(b, "├── of %s bytes stored, about %s are overhead (%s)\n", comma(r.Bytes), comma(s.StoredOverhead), share(s.StoredOverhead, r.Bytes))
}

func share(part, whole int64) string {
	return fmt.Sprintf("%.1f %%", 100*float64(part)/float64(max(whole, 1)))
}

func (r *Report) columnTable(b *strings.Builder) {
	rows := [][]string{{"column", "type", "nulls", "validity", "offsets", "data", "dictionaries"}}
	for _, c := range r.Columns {
		dict := ""
		if c.DictionaryBlocks > 0 {
			dict = fmt.Sprintf("%s in %s blocks", comma(c.DictionaryValues), comma(c.DictionaryBlocks))
		}
		rows = append(rows, []string{c.Name, c.Type, comma(c.Nulls), comma(c.Validity), comma(c.Offsets), comma(c.Data), dict})
	}
	table(b, rows)
}

func (r *Report) partitionTable(b *strings.Builder, top int) {
	parts := slices.Clone(r.Each)
	slices.SortStableFunc(parts, func(x, y Partition) int { return int(min(max(y.Bytes-x.Bytes, -1), 1)) })
	if len(parts) > top {
		parts = parts[:top]
	}
	rows := [][]string{{"partition", "bytes", "blocks", "rows", "payload", "ratio"}}
	for _, p := range parts {
		rows = append(rows, []string{fmt.Sprint(p.Partition), comma(p.Bytes), comma(p.Blocks), comma(p.Rows), comma(p.Payload), fmt.Sprintf("%.2f", p.Ratio)})
	}
	b.WriteByte('\n')
	table(b, rows)
	if rest := len(r.Each) - len(parts); rest > 0 {
		fmt.Fprintf(b, "and %s smaller ones\n", comma(int64(rest)))
	}
}

// table aligns cells: the first two to the left when they are text.
func table(b *strings.Builder, rows [][]string) {
	widths := make([]int, len(rows[0]))
	for _, r := range rows {
		for i, c := range r {
			widths[i] = max(widths[i], len([]rune(c)))
		}
	}
	for _, r := range rows {
		var line strings.Builder
		for i, c := range r {
			gap := strings.Repeat(" ", widths[i]-len([]rune(c)))
			if i < 2 && rows[0][1] == "type" {
				line.WriteString(c + gap + "  ")
			} else {
				line.WriteString(gap + c + "  ")
			}
		}
		b.WriteString(strings.TrimRight(line.String(), " ") + "\n")
	}
}
