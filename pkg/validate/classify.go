package validate

import (
	"cmp"
	"slices"
)

// fault is some equal rows with which something is wrong. Its fingerprints are
// zero where there is no such row.
type fault struct {
	kind   Kind
	count  int64
	input  entry // the row as the input has it, and where it belongs
	output entry // as the output has it, and where it is
}

// classify tells what the differing entries of a census mean: a row that
// lacks in one partition and is too often in another is misplaced; one that is
// too often, and in the input, is duplicated; one that lacks and another with the
// same key that is not in the input are one that changed. The entries are
// sorted by row.
func classify(entries []entry, keyed bool) []fault {
	var faults []fault
	var missing, extra []entry
	for len(entries) > 0 {
		n := 1
		for n < len(entries) && entries[n].a == entries[0].a && entries[n].b == entries[0].b {
			n++
		}
		faults = sameRow(faults, entries[:n], &missing, &extra)
		entries = entries[n:]
	}
	if keyed {
		faults = sameKey(faults, missing, extra)
	}
	for _, e := range missing {
		if e.net > 0 {
			faults = append(faults, fault{kind: MissingRow, count: e.net, input: e})
		}
	}
	for _, e := range extra {
		if e.net < 0 {
			faults = append(faults, fault{kind: ExtraRow, count: -e.net, output: e})
		}
	}
	return faults
}

// sameRow sorts out the entries of one row in several partitions.
func sameRow(faults []fault, row []entry, missing, extra *[]entry) []fault {
	for i := range row {
		for j := range row {
			n := min(row[i].net, -row[j].net)
			if n <= 0 {
				continue
			}
			faults = append(faults, fault{kind: MisplacedRow, count: n, input: row[i], output: row[j]})
			row[i].net -= n
			row[j].net += n
		}
	}
	inInput := slices.ContainsFunc(row, func(e entry) bool { return e.seen })
	for _, e := range row {
		switch {
		case e.net > 0:
			*missing = append(*missing, e)
		case e.net < 0 && inInput:
			faults = append(faults, fault{kind: DuplicateRow, count: -e.net, output: e})
		case e.net < 0:
			*extra = append(*extra, e)
		}
	}
	return faults
}

// sameKey pairs missing and extra rows that share the key, and takes what it
// paired off their nets.
func sameKey(faults []fault, missing, extra []entry) []fault {
	byKey := func(x, y entry) int { return cmp.Or(cmp.Compare(x.key, y.key), cmp.Compare(x.part, y.part)) }
	slices.SortFunc(missing, byKey)
	slices.SortFunc(extra, byKey)
	i, j := 0, 0
	for i < len(missing) && j < len(extra) {
		m, x := &missing[i], &extra[j]
		switch {
		case m.key < x.key || m.net == 0:
			i++
		case m.key > x.key || x.net == 0:
			j++
		default:
			n := min(m.net, -x.net)
			faults = append(faults, fault{kind: ChangedRow, count: n, input: *m, output: *x})
			m.net -= n
			x.net += n
		}
	}
	return faults
}
