package segment

import (
	"encoding/binary"
	"errors"
)

// The counts of a segment are a mode byte and then unsigned varints:
//
//	dense   one count for every partition from 0 to the last that has rows
//	sparse  for every partition with rows: how many are skipped, then its count
const (
	dense  = 0
	sparse = 1
)

// maxPair is the most bytes that one entry takes (two 32-bit varints).
const maxPair = 2 * binary.MaxVarintLen32

var errCounts = errors.New("the segment's partition counts are damaged")

// countsBound is the most bytes AppendCounts appends.
func countsBound(entries []Entry) int {
	if len(entries) == 0 {
		return 1
	}
	span := int(entries[len(entries)-1].Partition) + 1
	return 1 + min(span+4*len(entries), maxPair*len(entries))
}

// appendCounts appends entries in the mode that takes less room, about.
func appendCounts(b []byte, entries []Entry) []byte {
	if len(entries) == 0 {
		return append(b, sparse)
	}
	if int(entries[len(entries)-1].Partition) < 2*len(entries) {
		return appendDense(append(b, dense), entries)
	}
	b = append(b, sparse)
	next := uint32(0)
	for _, e := range entries {
		b = binary.AppendUvarint(b, uint64(e.Partition-next))
		b = binary.AppendUvarint(b, uint64(e.Rows))
		next = e.Partition + 1
	}
	return b
}

func appendDense(b []byte, entries []Entry) []byte {
	next := uint32(0)
	for _, e := range entries {
		for ; next < e.Partition; next++ {
			b = append(b, 0)
		}
		b = binary.AppendUvarint(b, uint64(e.Rows))
		next++
	}
	return b
}

// Counts reads the entries of a segment forward, from memory or in pieces. It
// always knows the entry ahead.
type Counts struct {
	buf    []byte
	refill func(rest []byte) ([]byte, error) // nil when buf is all there is
	left   int                               // entries behind the one ahead
	next   uint32                            // the partition after the last one seen
	mode   byte
	ahead  Entry
	done   bool
}

// newCounts starts reading; entries is their number.
func newCounts(buf []byte, entries int, refill func([]byte) ([]byte, error)) (*Counts, error) {
	c := &Counts{buf: buf, refill: refill, left: entries}
	if err := c.fill(); err != nil {
		return nil, err
	}
	if len(c.buf) == 0 || c.buf[0] > sparse {
		return nil, errCounts
	}
	c.mode, c.buf = c.buf[0], c.buf[1:]
	return c, c.advance()
}

// TakeBelow appends the entries of partitions below limit to dst.
func (c *Counts) TakeBelow(dst []Entry, limit uint32) ([]Entry, error) {
	for !c.done && c.ahead.Partition < limit {
		dst = append(dst, c.ahead)
		if c.mode == dense {
			dst = c.runDense(dst, limit)
		} else {
			dst = c.runSparse(dst, limit)
		}
		if err := c.advance(); err != nil {
			return dst, err
		}
	}
	return dst, nil
}

// runDense takes entries as long as they are single bytes in the buffer, which
// nearly all are; advance does the rest, and stays the rule for what is valid.
func (c *Counts) runDense(dst []Entry, limit uint32) []Entry {
	buf, p, left := c.buf, c.next, c.left
	for left > 0 && p < limit && len(buf) > maxPair && buf[0] < 0x80 {
		if n := buf[0]; n != 0 {
			dst = append(dst, Entry{p, uint32(n)})
			left--
		}
		buf = buf[1:]
		p++
	}
	c.buf, c.next, c.left = buf, p, left
	return dst
}

// runSparse does the same with pairs of single bytes.
func (c *Counts) runSparse(dst []Entry, limit uint32) []Entry {
	buf, p, left := c.buf, c.next, c.left
	for left > 0 && len(buf) > maxPair && buf[0]|buf[1] < 0x80 && buf[1] != 0 && p+uint32(buf[0]) < limit {
		p += uint32(buf[0])
		dst = append(dst, Entry{p, uint32(buf[1])})
		buf = buf[2:]
		p++
		left--
	}
	c.buf, c.next, c.left = buf, p, left
	return dst
}

// Ahead is the next entry; ok is false at the end.
func (c *Counts) Ahead() (e Entry, ok bool) { return c.ahead, !c.done }

func (c *Counts) fill() error {
	if c.refill == nil || len(c.buf) >= maxPair {
		return nil
	}
	b, err := c.refill(c.buf)
	c.buf = b
	return err
}

// advance reads the next entry into ahead.
func (c *Counts) advance() error {
	if c.left == 0 {
		c.done = true
		return nil
	}
	c.left--
	if err := c.fill(); err != nil {
		return err
	}
	if c.mode == dense {
		return c.advanceDense()
	}
	skip, n := binary.Uvarint(c.buf)
	rows, m := binary.Uvarint(c.buf[max(n, 0):])
	if n <= 0 || m <= 0 {
		return errCounts
	}
	c.buf = c.buf[n+m:]
	return c.set(uint64(c.next)+skip, rows)
}

func (c *Counts) advanceDense() error {
	p := uint64(c.next)
	for {
		if len(c.buf) < maxPair {
			if err := c.fill(); err != nil {
				return err
			}
			if len(c.buf) == 0 {
				return errCounts
			}
		}
		if c.buf[0] != 0 {
			break
		}
		c.buf = c.buf[1:]
		p++
	}
	if rows := c.buf[0]; rows < 0x80 {
		c.buf = c.buf[1:]
		return c.set(p, uint64(rows))
	}
	rows, n := binary.Uvarint(c.buf)
	if n <= 0 {
		return errCounts
	}
	c.buf = c.buf[n:]
	return c.set(p, rows)
}

func (c *Counts) set(partition, rows uint64) error {
	if partition > 1<<32-2 || rows == 0 || rows > 1<<32-1 {
		return errCounts
	}
	c.ahead = Entry{uint32(partition), uint32(rows)}
	c.next = c.ahead.Partition + 1
	return nil
}
