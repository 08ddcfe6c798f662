package segment

import (
	"errors"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/shufflebench/shufflebench/internal/oracle"
)

// randomEntries makes the counts of some segment.
func randomEntries(r *rand.Rand) []Entry {
	var entries []Entry
	next := uint32(r.IntN(3))
	gap := 1 + r.IntN([]int{1, 2, 5, 5000}[r.IntN(4)])
	most := []int{1, 100, 300, 1 << 20, 1<<32 - 1}[r.IntN(5)]
	for range r.IntN(500) {
		entries = append(entries, Entry{next, 1 + uint32(r.IntN(most))})
		next += uint32(1 + r.IntN(gap))
	}
	return entries
}

// refills hands b out through a buffer of size bytes, as a file would.
func refills(b []byte, size int) func([]byte) ([]byte, error) {
	return func(rest []byte) ([]byte, error) {
		n := min(max(size, maxPair)-len(rest), len(b))
		out := slices.Concat(rest, b[:n])
		b = b[n:]
		return out, nil
	}
}

func readCounts(b []byte, entries int, refill func([]byte) ([]byte, error), limits []uint32) (got []Entry, err error) {
	c, err := newCounts(b, entries, refill)
	if err != nil {
		return nil, err
	}
	for _, limit := range append(limits, 1<<32-1) {
		if got, err = c.TakeBelow(got, limit); err != nil {
			return got, err
		}
		if e, ok := c.Ahead(); ok && e.Partition < limit {
			return got, errors.New("an entry below the limit is left")
		}
	}
	return got, nil
}

func TestCounts(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	modes := map[byte]int{}
	for range oracle.Rounds(2000) {
		entries := randomEntries(r)
		b := appendCounts(nil, entries)
		if bound := countsBound(entries); len(b) > bound {
			t.Fatalf("%d bytes, the bound is %d", len(b), bound)
		}
		modes[b[0]]++
		limits := []uint32{0, uint32(r.IntN(1000)), uint32(r.IntN(1000)), uint32(r.IntN(1 << 20))}
		got, err := readCounts(b, len(entries), nil, limits)
		if err != nil || !slices.Equal(got, entries) {
			t.Fatalf("%v: %v, want %v", err, got, entries)
		}
		got, err = readCounts(nil, len(entries), refills(b, r.IntN(60)), limits)
		if err != nil || !slices.Equal(got, entries) {
			t.Fatalf("in pieces: %v: %v, want %v", err, got, entries)
		}
	}
	if modes[dense] < oracle.Rounds(100) || modes[sparse] < oracle.Rounds(100) {
		t.Errorf("modes %v: one was hardly tried", modes)
	}
}

// TestCountsCut gives an error for every cut of the counts.
func TestCountsCut(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	for range oracle.Rounds(40) {
		entries := randomEntries(r)
		entries = entries[:min(len(entries), 60)]
		b := appendCounts(nil, entries)
		for n := range b {
			if len(entries) == 0 && n > 0 {
				continue
			}
			if _, err := readCounts(b[:n], len(entries), nil, nil); !errors.Is(err, errCounts) {
				t.Fatalf("cut to %d of %d bytes: %v", n, len(b), err)
			}
			if _, err := readCounts(nil, len(entries), refills(b[:n], 7), nil); !errors.Is(err, errCounts) {
				t.Fatalf("in pieces, cut to %d of %d bytes: %v", n, len(b), err)
			}
		}
	}
}

// FuzzCounts reads any bytes: what comes out are rising partitions, or an error.
func FuzzCounts(f *testing.F) {
	r := rand.New(rand.NewPCG(9, 10))
	for range 10 {
		entries := randomEntries(r)
		f.Add(appendCounts(nil, entries), len(entries))
	}
	f.Add([]byte{dense, 0, 0, 0}, 1)
	f.Add([]byte{sparse, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1, 1}, 1)
	f.Add([]byte{sparse, 0xfe, 0xff, 0xff, 0xff, 0x0f, 1, 0, 1}, 2)
	f.Fuzz(func(t *testing.T, b []byte, entries int) {
		got, err := readCounts(b, entries, nil, []uint32{5, 100})
		pieces, errPieces := readCounts(nil, entries, refills(b, 11), []uint32{5, 100})
		if err == nil && errPieces == nil && !slices.Equal(got, pieces) {
			t.Fatalf("whole: %v; in pieces: %v", got, pieces)
		}
		for i := range got {
			if got[i].Rows == 0 || i > 0 && got[i].Partition <= got[i-1].Partition {
				t.Fatalf("entries %v", got)
			}
		}
		if err == nil && len(got) == entries {
			again := appendCounts(nil, got)
			if back, err := readCounts(again, len(got), nil, nil); err != nil || !slices.Equal(back, got) {
				t.Fatalf("%v: %v, want %v", err, back, got)
			}
		}
	})
}
