package compare

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"
)

// gauge is a fixed piece of work, timed before every run: hashing (processor),
// a walk through memory in random order (caches and memory), and a file that
// is written, read and removed where the runs write (system calls, page cache).
// The same work takes longer on a machine that has other things to do.
type gauge struct {
	dir   string
	now   func() time.Time
	block []byte   // hashed, written, read
	next  []uint32 // one cycle through all entries
}

const (
	gaugeBlock  = 1 << 20
	gaugeHashes = 12
	gaugeTable  = 1 << 20 // entries of 4 bytes
	gaugeSteps  = 200_000
	gaugeWrites = 4
)

func newGauge(dir string, now func() time.Time) *gauge {
	g := &gauge{dir: dir, now: now, block: make([]byte, gaugeBlock), next: make([]uint32, gaugeTable)}
	for i := range g.block {
		g.block[i] = byte(i * i >> 3)
	}
	// A linear congruence with this multiplier runs through all of 2^20.
	for i := range g.next {
		g.next[i] = uint32(i*1664525+1013904223) % gaugeTable
	}
	return g
}

// take does the work once.
func (g *gauge) take() (time.Duration, error) {
	start := g.now()
	sum := g.compute()
	if err := g.disk(); err != nil {
		return 0, fmt.Errorf("noise gauge: %w", err)
	}
	took := g.now().Sub(start)
	g.block[0] ^= sum & 1 // keeps the work from being optimized away
	return took, nil
}

func (g *gauge) compute() byte {
	h := sha256.New()
	for range gaugeHashes {
		h.Write(g.block)
	}
	at := uint32(0)
	for range gaugeSteps {
		at = g.next[at]
	}
	return h.Sum(nil)[0] ^ byte(at)
}

func (g *gauge) disk() (err error) {
	name := filepath.Join(g.dir, "gauge")
	f, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close(), os.Remove(name)) }()
	for range gaugeWrites {
		if _, err := f.Write(g.block); err != nil {
			return err
		}
	}
	for i := range int64(gaugeWrites) {
		if _, err := f.ReadAt(g.block, i*gaugeBlock); err != nil && err != io.EOF {
			return err
		}
	}
	return nil
}
