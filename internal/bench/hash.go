package bench

import (
	"context"
	"fmt"
	"path"
	"path/filepath"
	"runtime"

	"golang.org/x/sync/errgroup"

	"github.com/shufflebench/shufflebench/internal/rundir"
	"github.com/shufflebench/shufflebench/pkg/writer"
)

// examine hashes the files of every task and holds the tasks against each
// other and against the fixture's row count.
func examine(ctx context.Context, res *writer.Result, rows int64) ([]rundir.Task, error) {
	tasks := make([]rundir.Task, len(res.Tasks))
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(runtime.GOMAXPROCS(0))
	for i, t := range res.Tasks {
		data, index := rundir.Names{Data: filepath.Base(t.Data), Index: filepath.Base(t.Index)}.TaskFiles(i)
		tasks[i] = rundir.Task{Data: data, Index: index, Rows: t.Rows, Blocks: t.Blocks, Bytes: t.Bytes}
		group.Go(func() (err error) {
			if tasks[i].SHA256, err = rundir.SHA256(ctx, t.Data); err != nil {
				return err
			}
			if tasks[i].IndexSHA256, err = rundir.SHA256(ctx, t.Index); err != nil || t.Checksums == "" {
				return err
			}
			tasks[i].Checksums = path.Join(path.Dir(data), filepath.Base(t.Checksums))
			tasks[i].ChecksumsSHA256, err = rundir.SHA256(ctx, t.Checksums)
			return err
		})
	}
	if err := group.Wait(); err != nil {
		return nil, err
	}
	return tasks, agree(tasks, rows)
}

// agree finds the first way in which the tasks of a run are not what they
// must be: equal, and with as many rows as the fixture.
func agree(tasks []rundir.Task, rows int64) error {
	for i, t := range tasks {
		switch first := tasks[0]; {
		case t.Rows != rows:
			return &FaultError{fmt.Sprintf("task %d wrote %d rows of a fixture with %d", i, t.Rows, rows)}
		case t.SHA256 != first.SHA256:
			return &FaultError{fmt.Sprintf("tasks 0 and %d read the same rows but wrote different data files (sha256 %.12s… and %.12s…)", i, first.SHA256, t.SHA256)}
		case t.IndexSHA256 != first.IndexSHA256:
			return &FaultError{fmt.Sprintf("tasks 0 and %d wrote equal data files but different indexes", i)}
		case t.ChecksumsSHA256 != first.ChecksumsSHA256:
			return &FaultError{fmt.Sprintf("tasks 0 and %d wrote equal data files but different checksums", i)}
		}
	}
	return nil
}
