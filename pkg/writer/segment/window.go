package segment

import (
	"errors"
	"fmt"
	"slices"
)

// Piece is consecutive rows of one source, all of one partition.
type Piece struct{ Source, Lo, Rows uint32 }

// Part is a partition's rows in a window, as pieces in row order.
type Part struct {
	Partition uint32
	Rows      int
	Pieces    []Piece
}

// Window is the rows of some consecutive partitions from all sources, or a
// part of the rows of one partition.
type Window struct {
	Number int    // from 0, in order
	End    uint32 // partitions below End are complete with this window
	Parts  []Part // those with rows, rising
	Views  []View // View of source s and node n at s*Nodes+n
	Nodes  int    // nodes of the layout

	spans  []span  // rows of every source
	pieces []Piece // of all parts, one after another
	arena  Arena
}

type span struct{ lo, hi int }

// Planner cuts the rows of sources into windows in partition order. Inside a
// partition rows come by source and then by row. The windows depend on the
// sources, the budget and the block size alone.
type Planner struct {
	sources    []Source
	counts     []*Counts
	queues     [][]Entry // entries read but not planned
	row        []int     // next row of every source
	layout     *Layout
	partitions uint32
	blockRows  int
	target     int // rows a window should have
	left       int // rows not planned
	next       uint32
	number     int
	tally      []tally // by partition of the window
}

// tally counts what a window has of a partition.
type tally struct {
	rows   uint32
	pieces uint32 // and then where its next piece goes
}

// maxWidth is the most partitions a window spans, which bounds its tables.
const maxWidth = 1 << 18

// NewPlanner plans windows of about budget bytes over sources. A window that
// holds part of a partition holds a multiple of blockRows rows, so that no
// block crosses windows.
func NewPlanner(l *Layout, sources []Source, partitions, blockRows int, budget int64) (*Planner, error) {
	p := &Planner{layout: l, partitions: uint32(partitions), blockRows: blockRows}
	return p, p.Renew(sources, budget)
}

// Renew plans anew, over other sources; the planner's memory is reused.
func (p *Planner) Renew(sources []Source, budget int64) error {
	p.sources, p.counts, p.row = sources, p.counts[:0], append(p.row[:0], make([]int, len(sources))...)
	p.next, p.number, p.left = 0, 0, 0
	for len(p.queues) < len(sources) {
		p.queues = append(p.queues, nil)
	}
	p.queues = p.queues[:len(sources)]
	var bytes int64
	for i, s := range sources {
		c, err := s.Counts()
		if err != nil {
			return err
		}
		p.counts, p.queues[i] = append(p.counts, c), p.queues[i][:0]
		bytes += s.Bytes()
		p.left += s.Len()
	}
	perRow := max(1, bytes/max(1, int64(p.left)))
	p.target = int(max(1, budget/perRow))
	return nil
}

// Next plans the next window into w; false after the last partition.
func (p *Planner) Next(w *Window) (bool, error) {
	if p.next == p.partitions {
		return false, nil
	}
	w.Number = p.number
	p.number++
	w.reset(len(p.sources), len(p.layout.Nodes))
	if p.left == 0 {
		w.End, p.next = p.partitions, p.partitions
		return true, p.check(w)
	}
	limit := p.reach()
	if err := p.lookAhead(limit); err != nil {
		return false, err
	}
	cut, whole := p.cut(limit)
	if whole {
		p.planWhole(w, cut)
	} else {
		p.planPart(w, cut)
	}
	return true, p.check(w)
}

// check holds the counts against the rows that sources have, since everything
// behind it relies on them.
func (p *Planner) check(w *Window) error {
	last := w.End == p.partitions
	for s := range p.sources {
		have, row := p.sources[s].Len(), p.row[s]
		switch _, more := p.counts[s].Ahead(); {
		case row > have, last && row != have:
			return p.blame(s, fmt.Errorf("segment %d has %d rows, but its counts lead to %d: %w", s, have, row, errCounts))
		case last && (more || len(p.queues[s]) > 0):
			return p.blame(s, fmt.Errorf("segment %d has %d rows, but its counts lead on: %w", s, have, errCounts))
		}
	}
	return nil
}

// blame adds the place to an error about counts that come from a file.
func (p *Planner) blame(s int, err error) error {
	if stored, ok := p.sources[s].(*Extracted); ok && errors.Is(err, errCounts) {
		return stored.file.corrupt(stored.counts.pos, "%w", err)
	}
	return err
}

// reach guesses where the window ends, from the density of what is left.
func (p *Planner) reach() uint32 {
	rest := p.partitions - p.next
	width := uint64(p.target)*uint64(rest)/uint64(p.left) + 1
	return p.next + uint32(min(width, uint64(rest), maxWidth))
}

func (p *Planner) lookAhead(limit uint32) (err error) {
	for i, c := range p.counts {
		if p.queues[i], err = c.TakeBelow(p.queues[i], limit); err != nil {
			return p.blame(i, err)
		}
	}
	return nil
}

// cut finds the window's end: the partition below which the rows fit the
// target. whole is false when the first partition with rows alone does not
// fit, and then it is the one returned.
func (p *Planner) cut(limit uint32) (end uint32, whole bool) {
	width := int(limit - p.next)
	if cap(p.tally) < width {
		p.tally = make([]tally, width)
	}
	p.tally = p.tally[:width]
	clear(p.tally)
	for _, q := range p.queues {
		for _, e := range q {
			if e.Partition >= limit {
				break
			}
			t := &p.tally[e.Partition-p.next]
			t.rows += e.Rows
			t.pieces++
		}
	}
	sum := 0
	for i := range p.tally {
		rows := int(p.tally[i].rows)
		if sum > 0 && sum+rows > p.target {
			return p.next + uint32(i), true
		}
		if rows > max(p.target, p.blockRows) {
			return p.next + uint32(i), false
		}
		sum += rows
	}
	return limit, true
}

// planWhole moves all entries below end into the window.
func (p *Planner) planWhole(w *Window, end uint32) {
	pieces := w.allocPieces(p.placePieces(end))
	for s, q := range p.queues {
		lo := uint32(0)
		n := 0
		for ; n < len(q) && q[n].Partition < end; n++ {
			at := &p.tally[q[n].Partition-p.next].pieces
			pieces[*at] = Piece{uint32(s), lo, q[n].Rows}
			*at++
			lo += q[n].Rows
		}
		w.spans[s] = p.advance(s, int(lo))
		p.queues[s] = append(q[:0], q[n:]...)
	}
	p.listParts(w, pieces, end)
	w.End, p.next = end, end
}

// advance takes the next rows of a source.
func (p *Planner) advance(s, rows int) span {
	lo := p.row[s]
	p.row[s] += rows
	p.left -= rows
	return span{lo, p.row[s]}
}

// placePieces turns the numbers of pieces below end into the places of each
// partition's first, and returns the number over all.
func (p *Planner) placePieces(end uint32) int {
	sum := uint32(0)
	for i := range p.tally[:end-p.next] {
		t := &p.tally[i]
		sum, t.pieces = sum+t.pieces, sum
	}
	return int(sum)
}

// listParts cuts the pieces, which lie in partition order, into parts. The
// tally knows each partition's end by now.
func (p *Planner) listParts(w *Window, pieces []Piece, end uint32) {
	from := uint32(0)
	for i, t := range p.tally[:end-p.next] {
		if t.pieces > from {
			w.Parts = append(w.Parts, Part{p.next + uint32(i), int(t.rows), pieces[from:t.pieces]})
			from = t.pieces
		}
	}
}

// planPart moves the next rows of one large partition into the window: a
// multiple of a block's rows, or all that is left of it.
func (p *Planner) planPart(w *Window, partition uint32) {
	want := max(p.target/p.blockRows, 1) * p.blockRows
	pieces := w.allocPieces(len(p.sources))[:0]
	rows := 0
	rest := int(p.tally[partition-p.next].rows)
	for s, q := range p.queues {
		if len(q) == 0 || q[0].Partition != partition || rows == want {
			continue
		}
		n := min(want-rows, int(q[0].Rows))
		pieces = append(pieces, Piece{uint32(s), 0, uint32(n)})
		w.spans[s] = p.advance(s, n)
		rows += n
		if q[0].Rows -= uint32(n); q[0].Rows == 0 {
			p.queues[s] = append(q[:0], q[1:]...)
		}
	}
	w.pieces = pieces
	w.Parts = append(w.Parts, Part{partition, rows, pieces})
	p.next = partition
	if rows == rest {
		p.next++
	}
	w.End = p.next
}

func (w *Window) reset(sources, nodes int) {
	w.Nodes = nodes
	w.Parts, w.pieces = w.Parts[:0], w.pieces[:0]
	w.Views = slices.Grow(w.Views[:0], sources*nodes)[:sources*nodes]
	w.spans = slices.Grow(w.spans[:0], sources)[:sources]
	clear(w.spans)
}

func (w *Window) allocPieces(n int) []Piece {
	if cap(w.pieces) < n {
		w.pieces = make([]Piece, n+n/8)
	}
	w.pieces = w.pieces[:n]
	return w.pieces
}

// Load brings the window's rows from its sources. It may run beside the
// planning and loading of other windows.
func (w *Window) Load(sources []Source) error {
	w.arena.Reset()
	for i, s := range sources {
		sp := w.spans[i]
		if sp.lo == sp.hi {
			continue
		}
		if err := s.Load(w.Views[i*w.Nodes:(i+1)*w.Nodes], sp.lo, sp.hi, &w.arena); err != nil {
			return err
		}
	}
	return nil
}
