package repartition

import "github.com/apache/arrow-go/v18/arrow"

// item is a slice that waits: rows of a group, or a record of its own.
type item struct {
	group    *group
	own      arrow.RecordBatch
	lo, rows int
}

// queue is a stream's slices, first in, first out.
type queue struct {
	all  []item
	head int
}

func (q *queue) len() int { return len(q.all) - q.head }

func (q *queue) items() []item { return q.all[q.head:] }

func (q *queue) push(it item) {
	if q.head > 0 && len(q.all) == cap(q.all) {
		n := copy(q.all, q.all[q.head:])
		clear(q.all[n:])
		q.all, q.head = q.all[:n], 0
	}
	q.all = append(q.all, it)
}

func (q *queue) pop() item {
	it := q.all[q.head]
	q.all[q.head] = item{} // holds nothing any more
	q.head++
	if q.head == len(q.all) {
		q.all, q.head = q.all[:0], 0
	}
	return it
}
