package bench

import (
	"fmt"
	"strconv"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/shufflebench/shufflebench/pkg/writer"
)

// ResolveColumns finds the columns that are named by index or name. One that
// is not there is an UnknownNameError, an ambiguous one a UsageError.
func ResolveColumns(s *arrow.Schema, columns []string) ([]int, error) {
	var names []string
	for _, f := range s.Fields() {
		names = append(names, f.Name)
	}
	var out []int
	for _, c := range columns {
		at := s.FieldIndices(c)
		if i, err := strconv.Atoi(c); err == nil && len(at) == 0 {
			if i < 0 || i >= len(names) {
				return nil, &writer.UnknownNameError{What: fmt.Sprintf("column of an input with %d", len(names)), Got: c, Known: names}
			}
			at = []int{i}
		}
		if len(at) > 1 {
			return nil, &UsageError{fmt.Errorf("column %q: %d columns have this name; give its index", c, len(at))}
		}
		if len(at) == 0 {
			return nil, &writer.UnknownNameError{What: "column", Got: c, Known: names}
		}
		out = append(out, at[0])
	}
	return out, nil
}
