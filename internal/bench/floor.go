package bench

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/shufflebench/shufflebench/internal/report"
	"github.com/shufflebench/shufflebench/internal/vfs"
	"github.com/shufflebench/shufflebench/pkg/fixture"
)

// Floor is the least that one task's input and output cost on this machine:
// reading the fixture into Arrow with one reader, and writing the output's
// bytes from memory, each alone; medians of floorRounds.
type Floor struct {
	ReadSecs  float64 `json:"read_secs"`
	WriteSecs float64 `json:"write_secs"`
}

const floorRounds = 3

func measureFloor(ctx context.Context, src *fixture.Dataset, o Order, now func() time.Time) (*Floor, error) {
	read, err := medianSecs(now, func() error { return readAlone(ctx, src, o) })
	if err != nil {
		return nil, fmt.Errorf("floor: %w", err)
	}
	data, index := names(o.Options.Engine).TaskFiles(0)
	var content [2][]byte
	for i, name := range []string{data, index} {
		if content[i], err = os.ReadFile(filepath.Join(o.OutputDir, filepath.FromSlash(name))); err != nil {
			return nil, fmt.Errorf("floor: %w", err)
		}
	}
	write, err := medianSecs(now, func() error {
		for _, b := range content {
			if err := writeAlone(ctx, o, b); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("floor: %w", err)
	}
	return &Floor{ReadSecs: read, WriteSecs: write}, nil
}

func medianSecs(now func() time.Time, f func() error) (float64, error) {
	secs := make([]float64, floorRounds)
	for i := range secs {
		start := now()
		if err := f(); err != nil {
			return 0, err
		}
		secs[i] = now().Sub(start).Seconds()
	}
	return report.Median(secs), nil
}

func readAlone(ctx context.Context, src *fixture.Dataset, o Order) error {
	scan := fixture.ScanOptions{BatchSize: o.Options.BatchSize, Limit: o.Options.Limit, Readers: 1}
	for _, err := range src.Scan(ctx, scan) {
		if err != nil {
			return err
		}
	}
	return nil
}

// writeAlone writes b to a scratch file beside the output, in pieces of the
// write buffer's size.
func writeAlone(ctx context.Context, o Order, b []byte) (err error) {
	f, err := vfs.OS{}.Scratch(o.OutputDir, "floor")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	for len(b) > 0 && ctx.Err() == nil {
		n := min(int64(len(b)), o.Options.WriteBufferSize)
		if _, err := f.Write(b[:n]); err != nil {
			return err
		}
		b = b[n:]
	}
	return ctx.Err()
}
