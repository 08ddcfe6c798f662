package merge

import (
	"context"
	"errors"
	"sync"

	"github.com/shufflebench/shufflebench/pkg/metrics"
	"github.com/shufflebench/shufflebench/pkg/writer/encode"
	"github.com/shufflebench/shufflebench/pkg/writer/output"
	"github.com/shufflebench/shufflebench/pkg/writer/segment"
)

// Gather writes a data file from the rows of sources, each partition's rows
// encoded once.
//
// Windows of rows are planned one after the other; each worker takes the next,
// loads and encodes it on its own, waits until the windows before it are
// written, and writes; a window of more than Budget bytes of blocks in several
// goes. So the bytes do not depend on the number of workers, and memory is a
// window and Budget bytes of blocks a worker.
type Gather struct {
	Sources  []segment.Source
	Planner  *segment.Planner
	Out      *output.Pair
	Encoders []*encode.Encoder // one a worker
	Clocks   []*metrics.Clock  // likewise; the first is the caller's
	Budget   int               // bytes of blocks a worker holds before they are written, about

	mu     sync.Mutex
	turn   sync.Cond
	next   int   // window whose turn it is to be written
	failed error // what stopped the merge
	Blocks int64 // blocks written
}

// Run writes everything. The first worker runs on the caller's goroutine.
func (g *Gather) Run(ctx context.Context) error {
	g.turn.L = &g.mu
	var wg sync.WaitGroup
	for i := range g.Encoders[1:] {
		wg.Go(func() {
			g.Clocks[i+1].Start(metrics.PhaseOther)
			defer g.Clocks[i+1].Stop()
			g.work(ctx, g.Encoders[i+1], g.Clocks[i+1])
		})
	}
	g.work(ctx, g.Encoders[0], g.Clocks[0])
	prev := g.Clocks[0].Enter(metrics.PhaseWait)
	wg.Wait()
	g.Clocks[0].Enter(prev)
	return g.failed
}

// errStopped is what a worker meets after another one has failed.
var errStopped = errors.New("another worker failed")

func (g *Gather) work(ctx context.Context, e *encode.Encoder, clock *metrics.Clock) {
	var w segment.Window
	for {
		ok, err := g.plan(ctx, &w, clock)
		if err == nil && ok {
			err = g.window(&w, e, clock)
		}
		if err != nil {
			g.fail(err)
		}
		if err != nil || !ok {
			return
		}
	}
}

// plan takes the next window.
func (g *Gather) plan(ctx context.Context, w *segment.Window, clock *metrics.Clock) (bool, error) {
	defer clock.Enter(clock.Enter(metrics.PhaseSpillRead))
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.failed != nil {
		return false, errStopped
	}
	if err := ctx.Err(); err != nil {
		return false, err
	}
	return g.Planner.Next(w)
}

// window loads, encodes and writes one window.
func (g *Gather) window(w *segment.Window, e *encode.Encoder, clock *metrics.Clock) error {
	prev := clock.Enter(metrics.PhaseSpillRead)
	err := w.Load(g.Sources)
	clock.Enter(prev)
	if err != nil {
		return err
	}
	for part, more := 0, true; more; more = part < len(w.Parts) {
		e.Reset()
		if part, err = e.Parts(w, part, g.Budget); err != nil {
			return err
		}
		if err := g.await(w.Number, clock); err != nil {
			return err
		}
		if err := g.write(e, clock); err != nil {
			return err
		}
	}
	return g.pass(w, clock)
}

// pass ends a window's partitions and its turn.
func (g *Gather) pass(w *segment.Window, clock *metrics.Clock) error {
	defer clock.Enter(clock.Enter(metrics.PhaseWrite))
	if err := g.Out.EndPartitions(int(w.End)); err != nil {
		return err
	}
	g.mu.Lock()
	g.next++
	g.mu.Unlock()
	g.turn.Broadcast()
	return nil
}

// await blocks until it is the window's turn.
func (g *Gather) await(number int, clock *metrics.Clock) error {
	defer clock.Enter(clock.Enter(metrics.PhaseWait))
	g.mu.Lock()
	defer g.mu.Unlock()
	for g.next != number && g.failed == nil {
		g.turn.Wait()
	}
	if g.failed != nil {
		return errStopped
	}
	return nil
}

// write appends blocks of a window, in one go, and ends the partitions before
// the last of them.
func (g *Gather) write(e *encode.Encoder, clock *metrics.Clock) error {
	defer clock.Enter(clock.Enter(metrics.PhaseWrite))
	start := 0
	for _, r := range e.Runs {
		if err := g.Out.EndPartitionsAt(int(r.Partition), start); err != nil {
			return err
		}
		start = r.End
		g.Blocks += int64(r.Blocks)
	}
	return g.Out.Write(e.Out)
}

func (g *Gather) fail(err error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.failed == nil && !errors.Is(err, errStopped) {
		g.failed = err
	}
	g.turn.Broadcast()
}
