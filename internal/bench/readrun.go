package bench

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/shufflebench/shufflebench/internal/report"
	"github.com/shufflebench/shufflebench/internal/rundir"
	"github.com/shufflebench/shufflebench/pkg/metrics"
)

// ReadConfig says what to read and how often.
type ReadConfig struct {
	Output     string // directory that write left, or a task's; or "" and Order names the files
	Task       int    // of Output
	Order      ReadOrder
	Iterations int
	Warmup     int
}

// Read does all reads of a config, each in a process of its own, and gives
// each row to hook as it ends.
func Read(ctx context.Context, cfg ReadConfig, self Self, hook func(*report.ReadRow) error) ([]*report.ReadRow, error) {
	verified, err := cfg.locate(ctx)
	if err != nil {
		return nil, err
	}
	var rows []*report.ReadRow
	for i := range cfg.Warmup + cfg.Iterations {
		started := self.Now()
		reply, err := self.give(ctx, Order{Kind: kindRead, Read: &cfg.Order})
		if err != nil {
			return rows, err
		}
		row := cfg.row(reply.Read, self)
		row.Repeat, row.Warmup = int64(i+1), i < cfg.Warmup
		row.Verified, row.Started = verified, started.Format(time.RFC3339)
		rows = append(rows, row)
		if err := hook(row); err != nil {
			return rows, err
		}
	}
	return rows, nil
}

// locate finds the files and says whether they are known to be proved: their
// hashes are those of a run whose output passed validation.
func (c *ReadConfig) locate(ctx context.Context) (verified string, err error) {
	if c.Output == "" {
		return metrics.Unverified, nil
	}
	m, err := rundir.Read(c.Output)
	if errors.Is(err, fs.ErrNotExist) { // a task's own directory
		c.Order.Data, c.Order.Index = taskPair(c.Output)
		return metrics.Unverified, nil
	}
	if err != nil {
		return "", err
	}
	if m.State != rundir.Complete {
		return "", fmt.Errorf("the run that was writing to %s did not finish", c.Output)
	}
	if c.Task < 0 || c.Task >= len(m.Tasks) {
		return "", &UsageError{fmt.Errorf("--task: %s has %d tasks, numbered from 0", c.Output, len(m.Tasks))}
	}
	t := m.Tasks[c.Task]
	c.Order.Data = filepath.Join(c.Output, filepath.FromSlash(t.Data))
	c.Order.Index = filepath.Join(c.Output, filepath.FromSlash(t.Index))
	return c.proved(ctx, m)
}

// taskPair is the files in a task's directory, of either form.
func taskPair(dir string) (data, index string) {
	n := rundir.BlockNames
	if _, err := os.Stat(filepath.Join(dir, rundir.ConsolidatedNames.Index)); err == nil {
		n = rundir.ConsolidatedNames
	}
	return filepath.Join(dir, n.Data), filepath.Join(dir, n.Index)
}

// proved holds the files against what run.json says was proved.
func (c *ReadConfig) proved(ctx context.Context, m *rundir.Manifest) (string, error) {
	data, err := rundir.SHA256(ctx, c.Order.Data)
	if err != nil {
		return "", err
	}
	index, err := rundir.SHA256(ctx, c.Order.Index)
	if err != nil {
		return "", err
	}
	for _, r := range m.Rows {
		if r.Verified == metrics.Proved && r.OutputSHA256 == data && r.IndexSHA256 == index {
			return metrics.Proved, nil
		}
	}
	return metrics.Unverified, nil
}

// row puts figures into a row.
func (c *ReadConfig) row(fig *ReadFigures, self Self) *report.ReadRow {
	secs := fig.Elapsed.Seconds()
	s := fig.Stats
	r := &report.ReadRow{
		Case: fmt.Sprintf("%dp_%dreaders", fig.Partitions, c.Order.Readers), ReadSecs: secs,
		MaxRSSMiB: float64(fig.Usage.MaxRSS) / mib,
		Rows:      s.Rows, Blocks: s.Blocks, Bytes: s.BytesIn, PayloadBytes: s.PayloadBytes,
		SchemaHits: s.SchemaHits, SchemaMisses: s.SchemaMisses, FileReads: s.Reads,
		CPUUserSecs: fig.Usage.UserCPU.Seconds(), CPUSysSecs: fig.Usage.SystemCPU.Seconds(),
		Partitions: int64(fig.Partitions), Readers: int64(c.Order.Readers), SchemaCache: int64(c.Order.SchemaCache),
		Validated: c.Order.Validated, Consumer: c.Order.Consumer,
		Revision: self.Build.String(), GoVersion: self.Build.GoVersion,
	}
	if secs > 0 {
		r.RowsPerSec, r.BlocksPerSec, r.BytesPerSec = float64(s.Rows)/secs, float64(s.Blocks)/secs, float64(s.BytesIn)/secs
	}
	if s.Blocks > 0 {
		r.BlockNanosecs = float64(fig.Elapsed.Nanoseconds()) / float64(s.Blocks)
		r.AllocsPerBlock = float64(fig.Mallocs) / float64(s.Blocks)
	}
	return r
}
