package validate

import (
	"context"
	"path/filepath"

	"github.com/shufflebench/shufflebench/internal/shufflefile"
)

// maxPasses bounds the subsets that are searched for the first fault. One
// nearly always suffices: where a table fills, so many rows differ that each subset has some.
const maxPasses = 64

// search finds out which rows of the suspicious buckets differ, and shows some.
func (r *run) search(ctx context.Context, g *group, suspects bitset) error {
	if r.details++; r.details > r.opts.MaxFindings {
		r.found.add(g.unsearched("its rows differ from the input's too; not searched, as so many others do"))
		return nil
	}
	keyed := r.place.keyCols != nil
	c := newCensus(r.opts.MemoryBudget/4, r.report.InputRows+r.report.Rows, keyed)
	pending := []subset{{}}
	for pass := 0; len(pending) > 0 && pass < maxPasses; pass++ {
		c.start(pending[len(pending)-1])
		pending = pending[:len(pending)-1]
		if err := r.enumerate(ctx, c, g, suspects); err != nil {
			return err
		}
		pending, c.left = append(pending, c.left...), nil
		if rows := c.differing(); len(rows) > 0 {
			return r.show(ctx, g, classify(rows, keyed), c.sub.bits)
		}
	}
	if g.damaged == nil || len(pending) > 0 {
		r.found.add(g.unsearched("its rows differ from the input's; the search for them was given up"))
	}
	return nil
}

// enumerate takes a census of both sides.
func (r *run) enumerate(ctx context.Context, c *census, g *group, suspects bitset) error {
	side := func(sign int64) visitor {
		return &enumerator{c: c, spread: r.spread, suspects: suspects, g: g, known: r.place.known, sign: sign}
	}
	return r.bothSides(ctx, g, side(1), side(-1))
}

// cloner is a visitor of which every worker has a copy.
type cloner interface {
	visitor
	clone() visitor
}

// bothSides reads the input and then the output with keys, for clones of two visitors.
func (r *run) bothSides(ctx context.Context, g *group, input, output visitor) error {
	inputs, outputs := r.clones(input), r.clones(output)
	if err := r.scanInput(ctx, true, inputs); err != nil {
		return err
	}
	return r.scanOutput(ctx, outputPass{g: g, withKeys: true, visitors: func(worker, _ int) visitor { return outputs[worker] }})
}

func (r *run) clones(v visitor) []visitor {
	vs := make([]visitor, r.opts.Readers)
	for i := range vs {
		vs[i] = v.(cloner).clone()
	}
	return vs
}

func (v *enumerator) clone() visitor {
	c := *v
	return &c
}

// unsearched is a finding about the rows of a whole group.
func (g *group) unsearched(message string) Finding {
	f := Finding{Kind: DifferingRows, Message: message}
	f.at(shufflefile.In(g.name()))
	return f
}

// name is the group's data file, or the directory of several.
func (g *group) name() string {
	if len(g.files) == 1 {
		return g.files[0].DataPath()
	}
	return filepath.Dir(g.files[0].DataPath())
}
