package validate

import (
	"bytes"
	"fmt"
	"sync"

	"github.com/shufflebench/shufflebench/internal/shufflefile"
)

// orderCheck holds range partitions to the order of the key: every key of a
// partition is below every key of the next one with rows. Equal keys on both
// sides are a fault too, as a range partitioner sends a key to one partition.
//
// Partitions come in order within a job, so that a job keeps one partition's
// extremes and those of the one before; where jobs meet, the extremes are compared at the end.
type orderCheck struct {
	r    *run
	mu   sync.Mutex
	jobs map[int]*orderJob
}

// newOrderCheck is nil unless the rows are in range partitions.
func newOrderCheck(r *run) *orderCheck {
	if r.opts.Partitioning != Range {
		return nil
	}
	return &orderCheck{r: r, jobs: map[int]*orderJob{}}
}

// visitor makes the visitor of a job, which passes chunks on to next.
func (o *orderCheck) visitor(job int, next visitor) visitor {
	j := &orderJob{o: o, next: next}
	o.mu.Lock()
	defer o.mu.Unlock()
	o.jobs[job] = j
	return j
}

// report compares where jobs meet. It may be called on nil.
func (o *orderCheck) report() {
	if o == nil {
		return
	}
	last := bounds{}
	for job := range len(o.jobs) {
		j := o.jobs[job]
		j.turn(shufflefile.NoPlace)
		if last.any && j.first.any {
			o.compare(&last, &j.first)
		}
		if j.last.any {
			last = j.last
		}
	}
}

// compare reports two neighboring partitions whose keys overlap.
func (o *orderCheck) compare(p, q *bounds) {
	c := bytes.Compare(p.hi.key, q.lo.key)
	if c < 0 {
		return
	}
	f := Finding{Kind: OrderFault}
	f.at(q.lo.where)
	if c == 0 {
		f.Message = fmt.Sprintf("key %s is in partition %d and in partition %d", q.lo.text, p.partition, q.partition)
	} else {
		f.Message = fmt.Sprintf("smallest key %s is below %s, the greatest of partition %d (block %d, row %d)",
			q.lo.text, p.hi.text, p.partition, p.hi.where.Block, p.hi.row)
	}
	f.Rows = []RowSample{p.hi.sample(), q.lo.sample()}
	o.r.found.add(f)
}

// extreme is the smallest or greatest key of a partition, and where it is.
type extreme struct {
	key   []byte
	cells []Cell
	text  string
	where shufflefile.Place
	row   int
}

func (e *extreme) set(o *orderCheck, key []byte, c *chunk, i int) {
	e.key = append(e.key[:0], key...)
	e.where, e.row = c.where, c.first+i
	e.cells = renderCells(c.batch, o.r.opts.Input.Schema(), o.r.opts.HashColumns, e.row)
	e.text = cellText(e.cells)
}

func (e *extreme) sample() RowSample {
	row := e.row
	s := RowSample{Values: e.cells, Row: &row}
	s.at(e.where)
	return s
}

// bounds is the extremes of one partition.
type bounds struct {
	partition int
	lo, hi    extreme
	any       bool
}

// orderJob is the visitor of one job.
type orderJob struct {
	o                *orderCheck
	next             visitor
	first, last, cur bounds
	key, lo, hi      []byte // scratch: a row's, and a chunk's extremes
}

func (j *orderJob) visit(c *chunk) {
	j.next.visit(c)
	if c.where.Partition != j.cur.partition || !j.cur.any {
		j.turn(c.where.Partition)
	}
	lo, hi := j.extremes(c)
	if b := &j.cur; !b.any || bytes.Compare(j.lo, b.lo.key) < 0 {
		b.lo.set(j.o, j.lo, c, lo)
	}
	if b := &j.cur; !b.any || bytes.Compare(j.hi, b.hi.key) > 0 {
		b.hi.set(j.o, j.hi, c, hi)
	}
	j.cur.any = true
}

// extremes is the rows of a chunk with the smallest and the greatest key.
func (j *orderJob) extremes(c *chunk) (lo, hi int) {
	for i := range c.a {
		j.key = j.key[:0]
		for _, col := range j.o.r.opts.HashColumns {
			j.key = appendOrdered(j.key, c.batch.Column(col), c.first+i)
		}
		if i == 0 || bytes.Compare(j.key, j.lo) < 0 {
			j.lo, lo = append(j.lo[:0], j.key...), i
		}
		if i == 0 || bytes.Compare(j.key, j.hi) > 0 {
			j.hi, hi = append(j.hi[:0], j.key...), i
		}
	}
	return lo, hi
}

// turn ends the present partition and begins another.
func (j *orderJob) turn(partition int) {
	if j.cur.any {
		if j.last.any {
			j.o.compare(&j.last, &j.cur)
		} else {
			j.first = j.cur
		}
		j.last = j.cur
	}
	j.cur = bounds{partition: partition}
}
