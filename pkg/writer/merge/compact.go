package merge

import (
	"context"

	"github.com/shufflebench/shufflebench/pkg/writer/segment"
)

// FanIn is the most runs that are merged at once. Every window takes a read of
// every run and buffer, so more of them would make the reads tiny.
const FanIn = 256

// Compact merges sources into one run: larger segments, appended to file, whose
// partitions rise from one to the next, so that however many they are only one
// or two of them matter to a window. Rows keep their order.
func Compact(ctx context.Context, l *segment.Layout, sources []segment.Source, partitions, blockRows int, budget int64, file *segment.File) ([]segment.Extent, error) {
	planner, err := segment.NewPlanner(l, sources, partitions, blockRows, budget)
	if err != nil {
		return nil, err
	}
	var extents []segment.Extent
	var w segment.Window
	var mem []byte
	for {
		more, err := planner.Next(&w)
		if err != nil || !more {
			return extents, err
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if len(w.Parts) == 0 {
			continue
		}
		if err := w.Load(sources); err != nil {
			return nil, err
		}
		s, err := w.Regroup(l, mem)
		if err != nil {
			return nil, err
		}
		e, err := file.Append(s)
		if err != nil {
			return nil, err
		}
		extents, mem = append(extents, e), s.Mem
	}
}
