package writer

import (
	"context"

	"github.com/shufflebench/shufflebench/pkg/fixture"
	"github.com/shufflebench/shufflebench/pkg/writer/convert"
	"github.com/shufflebench/shufflebench/pkg/writer/partition"
)

// Keys sampled for the bounds of range partitioning: so many a partition, and
// in all within these limits.
const (
	sampleAPartition = 100
	sampleLeast      = 20_000
	sampleMost       = 2_000_000
)

// sampleBounds cuts the fixture's keys for range partitioning: every n-th row
// of the whole, so that sorted input is sampled as evenly as any, and equal
// fixtures give equal bounds. It gives nil for other rules.
func sampleBounds(ctx context.Context, src *fixture.Dataset, o Options) (*partition.Bounds, error) {
	if o.Partitioning != Range {
		return nil, nil
	}
	plan := convert.New(src.Schema())
	cols, err := partition.Resolve(plan.Schema, o.HashColumns)
	if err != nil {
		return nil, err
	}
	sampler, err := partition.NewSampler(plan.Schema, cols)
	if err != nil {
		return nil, err
	}
	rows := src.Rows()
	if o.Limit > 0 {
		rows = min(rows, o.Limit)
	}
	want := min(max(int64(o.Partitions)*sampleAPartition, sampleLeast), sampleMost)
	step := int(max(1, rows/want))
	next := 0
	for batch, err := range src.Scan(ctx, fixture.ScanOptions{BatchSize: o.BatchSize, Limit: o.Limit}) {
		if err != nil {
			return nil, err
		}
		converted, err := plan.Apply(batch)
		if err != nil {
			return nil, err
		}
		sampler.Add(converted, next, step)
		n := int(converted.NumRows())
		converted.Release()
		if next < n {
			next += (n - next + step - 1) / step * step
		}
		next -= n
	}
	return sampler.Bounds(o.Partitions), nil
}
