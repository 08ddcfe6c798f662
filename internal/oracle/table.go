package oracle

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Table is the rows of every partition that has some, in order, as text.
type Table map[int][]string

// ReadTable decodes a pair of files.
func ReadTable(data, index []byte) (Table, error) {
	t := Table{}
	for b, err := range Blocks(data, index) {
		if err != nil {
			return nil, err
		}
		t[b.Partition] = append(t[b.Partition], b.Rows()...)
	}
	return t, nil
}

// Len is the number of rows.
func (t Table) Len() int {
	n := 0
	for _, rows := range t {
		n += len(rows)
	}
	return n
}

// Add appends rows in the order given, each to its partition.
func (t Table) Add(rows []string, partitions []uint32) {
	for i, row := range rows {
		p := int(partitions[i])
		t[p] = append(t[p], row)
	}
}

// Diff tells where got differs from want, at most a few places, or "".
func Diff(got, want Table) string {
	var lines []string
	all := maps.Clone(want)
	maps.Copy(all, got)
	for _, p := range slices.Sorted(maps.Keys(all)) {
		if line := diffRows(got[p], want[p]); line != "" {
			lines = append(lines, fmt.Sprintf("partition %d: %s", p, line))
		}
		if len(lines) == 5 {
			lines = append(lines, "…")
			break
		}
	}
	return strings.Join(lines, "\n")
}

func diffRows(got, want []string) string {
	for i := range min(len(got), len(want)) {
		if got[i] != want[i] {
			return fmt.Sprintf("row %d of %d is %.300s, want %.300s", i, len(want), got[i], want[i])
		}
	}
	if len(got) != len(want) {
		return fmt.Sprintf("%d rows, want %d", len(got), len(want))
	}
	return ""
}
