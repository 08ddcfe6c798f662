package output

import (
	"errors"
	"fmt"
	"io/fs"

	"github.com/shufflebench/shufflebench/internal/shufflefile"
)

// checksums is a third file beside the pair: one checksum a partition, of the
// partition's bytes in the data file. They are worked out of the bytes as these
// pass, or given by someone who has seen the bytes before.
type checksums struct {
	stream
	kind  shufflefile.Checksum
	given []uint32 // nil: worked out here
	sum   uint32   // of the present partition's bytes so far
	ends  []int64  // of partitions whose last bytes have not passed yet
	entry [shufflefile.ChecksumSize]byte
}

// Checksums makes a checksum file go with the pair. It comes before the first
// Write. If given is not nil it holds the checksums, a partition's at the latest
// when the partition ends; else they are worked out of what is written.
func (p *Pair) Checksums(kind shufflefile.Checksum, given []uint32) error {
	if kind == shufflefile.NoChecksum {
		return nil
	}
	f, err := p.fs.Create(kind.Path(p.DataPath()) + tempMark)
	if err != nil {
		return fmt.Errorf("checksum file: %w", err)
	}
	p.sums = &checksums{kind: kind, given: given, sum: kind.Initial()}
	p.sums.f, p.sums.buf = f, make([]byte, 0, 64<<10)
	return nil
}

// ChecksumPath is where the checksum file will be, "" when there is none.
func (p *Pair) ChecksumPath() string {
	if p.sums == nil {
		return ""
	}
	return p.sums.kind.Path(p.DataPath())
}

// pass takes the data file's bytes from position at on.
func (c *checksums) pass(b []byte, at int64) error {
	if c.given != nil {
		return nil
	}
	for len(c.ends) > 0 && c.ends[0] <= at+int64(len(b)) {
		n := c.ends[0] - at
		c.sum = c.kind.Update(c.sum, b[:n])
		b, at = b[n:], at+n
		c.ends = c.ends[1:]
		if err := c.finish(c.sum); err != nil {
			return err
		}
	}
	if len(c.ends) == 0 {
		c.ends = nil
	}
	c.sum = c.kind.Update(c.sum, b)
	return nil
}

// end says that the next partition ends at position at of the data file, of
// which bytes have passed up to now.
func (c *checksums) end(partition int, at, now int64) error {
	switch {
	case c.given != nil:
		return c.finish(c.given[partition])
	case at > now || len(c.ends) > 0:
		c.ends = append(c.ends, at)
		return nil
	}
	return c.finish(c.sum)
}

// finish appends a partition's checksum and begins the next one's.
func (c *checksums) finish(sum uint32) error {
	c.sum = c.kind.Initial()
	if err := c.append(shufflefile.AppendChecksum(c.entry[:0], sum)); err != nil {
		return fmt.Errorf("checksum file: %w", err)
	}
	return nil
}

// closeChecksums ends the checksum file, if there is one.
func (p *Pair) closeChecksums() error {
	if p.sums == nil {
		return nil
	}
	if err := p.sums.close(); err != nil {
		return fmt.Errorf("checksum file: %w", err)
	}
	return nil
}

// placeChecksums removes the checksum files of other algorithms, which an
// earlier run may have left, and puts the new one where it belongs.
func (p *Pair) placeChecksums() error {
	for _, kind := range shufflefile.Checksums() {
		if p.sums != nil && p.sums.kind == kind {
			continue
		}
		if err := p.fs.Remove(kind.Path(p.DataPath())); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("old checksum file: %w", err)
		}
	}
	if p.sums == nil {
		return nil
	}
	if err := p.fs.Rename(p.ChecksumPath()+tempMark, p.ChecksumPath()); err != nil {
		return fmt.Errorf("checksum file: %w", err)
	}
	return nil
}

// removeChecksums takes back what placeChecksums has put there.
func (p *Pair) removeChecksums() error {
	if p.sums == nil {
		return nil
	}
	return p.fs.Remove(p.ChecksumPath())
}

// checksumNames are the files of all algorithms beside the data file of that
// name.
func checksumNames(data string) []string {
	var names []string
	for _, kind := range shufflefile.Checksums() {
		names = append(names, kind.Path(data))
	}
	return names
}
