package main

import "strings"

// nearest finds the known name that was probably meant by got: at most a
// third of it mistyped. Names that begin with got win.
func nearest(got string, known []string) (string, bool) {
	got = strings.ToLower(got)
	best, bestDistance := "", max(1, (len(got)+1)/3)+1
	for _, k := range known {
		d := distance(got, strings.ToLower(k))
		if len(got) >= 2 && strings.HasPrefix(strings.ToLower(k), got) {
			d = 0
		}
		if d < bestDistance {
			best, bestDistance = k, d
		}
	}
	return best, best != ""
}

// didYouMean is a question to end a message with, or "".
func didYouMean(got string, known []string) string {
	if name, ok := nearest(got, known); ok {
		return "; did you mean " + name + "?"
	}
	return ""
}

// distance is the number of insertions, deletions, replacements and swaps of
// neighbors that turn a into b (optimal string alignment).
func distance(a, b string) int {
	before, last, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range last {
		last[j] = j
	}
	for i := 1; i <= len(a); i++ {
		row[0] = i
		for j := 1; j <= len(b); j++ {
			change := 1
			if a[i-1] == b[j-1] {
				change = 0
			}
			row[j] = min(last[j]+1, row[j-1]+1, last[j-1]+change)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
		before, last, row = last, row, before
	}
	return last[len(b)]
}
