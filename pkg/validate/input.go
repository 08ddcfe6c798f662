package validate

import (
	"context"
	"fmt"
	"time"

	"github.com/apache/arrow-go/v18/arrow"
	"golang.org/x/sync/errgroup"

	"github.com/shufflebench/shufflebench/pkg/fixture"
	"github.com/shufflebench/shufflebench/pkg/validate/fingerprint"
)

// inputBatch is the rows of a batch of the input. At 8,192 a batch's columns
// stay in the second cache between decoding and hashing.
const inputBatch = 8192

// handed is a batch on its way from the scan to a worker, which releases it.
type handed struct {
	batch arrow.RecordBatch
	first int64 // number of its first row
}

// scanInput reads the input once. Every worker hands its chunks to a visitor
// of its own, in no particular order; withKeys fills chunk.keys.
func (r *run) scanInput(ctx context.Context, withKeys bool, visitors []visitor) error {
	g, ctx := errgroup.WithContext(ctx)
	batches := make(chan handed, len(visitors))
	g.Go(func() error {
		defer close(batches)
		return r.feed(ctx, batches)
	})
	for _, v := range visitors {
		g.Go(func() error { return r.drain(ctx, withKeys, v, batches) })
	}
	err := g.Wait()
	for h := range batches { // what no worker took after an error
		h.batch.Release()
	}
	return err
}

// feed scans, and hands over every batch.
func (r *run) feed(ctx context.Context, to chan<- handed) error {
	o := fixture.ScanOptions{BatchSize: inputBatch, Limit: r.opts.Limit, Readers: r.opts.Readers}
	row := int64(0)
	for batch, err := range r.opts.Input.Scan(ctx, o) {
		if err != nil {
			return fmt.Errorf("read input: %w", err)
		}
		batch.Retain()
		select {
		case to <- handed{batch, row}:
		case <-ctx.Done():
			batch.Release()
			return ctx.Err()
		}
		row += batch.NumRows()
	}
	return nil
}

func (r *run) drain(ctx context.Context, withKeys bool, v visitor, from <-chan handed) error {
	s := r.opts.Input.Schema()
	var keyCols []int
	if withKeys {
		keyCols = r.place.keyCols
	}
	target, seeds := r.target()
	rows, keys, err := folders(seeds, target, s, keyCols)
	if err != nil {
		return fmt.Errorf("input: %w", err)
	}
	w := &inputWorker{r: r, rows: rows, keys: keys, to: v, parts: make([]int32, fingerprint.ChunkRows)}
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case h, more := <-from:
			if !more {
				return nil
			}
			w.batch(h)
			h.batch.Release()
		}
	}
}

type inputWorker struct {
	r          *run
	rows, keys *fingerprint.Rows
	to         visitor
	parts      []int32
	c          chunk
}

func (w *inputWorker) batch(h handed) {
	n := int(h.batch.NumRows())
	for first := 0; first < n; first += fingerprint.ChunkRows {
		w.chunk(h, first, min(fingerprint.ChunkRows, n-first))
	}
}

func (w *inputWorker) chunk(h handed, first, n int) {
	start := time.Now()
	c := &w.c
	*c = chunk{batch: h.batch, first: first, rows: w.rows, input: h.first + int64(first)}
	if w.r.place.place(w.parts[:n], h.batch, first) {
		c.parts = w.parts[:n]
	}
	placed := time.Now()
	c.a, c.b = w.rows.Fold(h.batch, first, n)
	if w.keys != nil {
		c.keys, c.tags = w.keys.Fold(h.batch, first, n)
	}
	w.to.visit(c)
	w.r.costs.placement.Add(int64(placed.Sub(start)))
	w.r.costs.rows.Add(int64(time.Since(placed)))
}
