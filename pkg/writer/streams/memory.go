package streams

import (
	"context"
	"slices"

	"github.com/shufflebench/shufflebench/pkg/writer/segment"
)

// Memory is encoded streams that wait to be copied, in partition order.
type Memory struct {
	chunks  []chunk
	at      int // run of the first chunk to give out next
	Batches int64
	Bytes   int64
}

// chunk is what was encoded between two resets.
type chunk struct {
	out  []byte
	runs []Run
}

// chunkSize is the bytes of a chunk, about: few allocations, and none of them
// copied as it grows.
const chunkSize = 1 << 20

// Keep encodes all rows of a planner's windows into memory, until ctx ends.
func (m *Memory) Keep(ctx context.Context, e *Encoder, planner *segment.Planner, sources []segment.Source) error {
	var w segment.Window
	e.Reset()
	for {
		more, err := planner.Next(&w)
		if err != nil {
			return err
		}
		if more {
			if err = w.Load(sources); err == nil {
				err = e.Window(&w)
			}
		}
		if err == nil {
			err = ctx.Err()
		}
		if err != nil {
			return err
		}
		if len(e.Out) >= chunkSize || !more {
			m.take(e)
		}
		if !more {
			return nil
		}
	}
}

// take moves what an encoder has made.
func (m *Memory) take(e *Encoder) {
	if len(e.Runs) == 0 {
		return
	}
	m.chunks = append(m.chunks, chunk{slices.Clone(e.Out), slices.Clone(e.Runs)})
	m.Bytes += int64(len(e.Out))
	for _, r := range e.Runs {
		m.Batches += int64(r.Batches)
	}
	e.Reset()
}

// Next gives out the next partition's bytes, some or all of them, valid until
// the next call; ok is false after the last. Chunks are given up as they are
// read.
func (m *Memory) Next() (partition uint32, bytes []byte, ok bool, err error) {
	for len(m.chunks) > 0 && m.at == len(m.chunks[0].runs) {
		m.chunks[0] = chunk{}
		m.chunks, m.at = m.chunks[1:], 0
	}
	if len(m.chunks) == 0 {
		return 0, nil, false, nil
	}
	c := &m.chunks[0]
	start := 0
	if m.at > 0 {
		start = c.runs[m.at-1].End
	}
	run := c.runs[m.at]
	m.at++
	return run.Partition, c.out[start:run.End], true, nil
}
