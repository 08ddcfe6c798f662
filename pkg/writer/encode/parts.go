package encode

import (
	"math"

	"github.com/shufflebench/shufflebench/pkg/metrics"
	"github.com/shufflebench/shufflebench/pkg/writer/segment"
)

// Window appends the blocks of all rows of a loaded window.
func (e *Encoder) Window(w *segment.Window) error {
	_, err := e.Parts(w, 0, math.MaxInt)
	return err
}

// Parts appends the blocks of a loaded window's parts from number from on, of one
// at least, until there are about size bytes of them, and returns the number to go on with,
// len(w.Parts) at the end. Blocks of a row or two are many times larger than
// their rows, so a window's budget says little about its blocks.
func (e *Encoder) Parts(w *segment.Window, from, size int) (next int, err error) {
	defer e.clock.Enter(e.clock.Enter(metrics.PhaseEncode))
	e.clock.MarkBlocks()
	e.body.use(w)
	for next = from; next < len(w.Parts) && (next == from || len(e.Out) < size); next++ {
		if err := e.part(&w.Parts[next]); err != nil {
			return next, err
		}
		if len(e.body.buf) >= stage {
			if err := e.compress(); err != nil {
				return next, err
			}
		}
	}
	return next, e.compress()
}
