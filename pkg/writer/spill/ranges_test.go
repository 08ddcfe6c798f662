package spill

import (
	"bytes"
	"errors"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/shufflebench/shufflebench/internal/shufflefile"
	"github.com/shufflebench/shufflebench/internal/vfs"
)

func ranges(t *testing.T, fs vfs.FS, partitions int) *Ranges {
	t.Helper()
	r := NewRanges(fs, ".", partitions)
	t.Cleanup(func() { r.Close() })
	return r
}

func begin(t *testing.T, r *Ranges) {
	t.Helper()
	if err := r.Begin(); err != nil {
		t.Fatal(err)
	}
}

// put writes a range of some bytes.
func put(t *testing.T, r *Ranges, partition int, b string) {
	t.Helper()
	at := r.Size()
	if err := r.Write([]byte(b)); err != nil {
		t.Fatal(err)
	}
	r.Add(uint32(partition), Range{at, int64(len(b))})
}

// TestRanges spills at random and reads every partition's bytes back.
func TestRanges(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	for range 100 {
		partitions := 1 + rnd.IntN(20)
		r := ranges(t, vfs.NewMem(), partitions)
		want := make([]string, partitions)
		spills := rnd.IntN(8)
		for s := range spills {
			begin(t, r)
			for p := range partitions {
				for range rnd.IntN(3) { // one partition's bytes may come in two goes
					b := strings.Repeat(string(rune('a'+s)), 1+rnd.IntN(50))
					put(t, r, p, b)
					want[p] += b
				}
			}
		}
		count := int64(0)
		for p := range partitions {
			got, last := "", int64(-1)
			for _, x := range r.List(p) {
				b := make([]byte, x.Length)
				if err := r.ReadAt(b, x.Offset); err != nil {
					t.Fatal(err)
				}
				if got += string(b); x.Offset <= last || x.Length <= 0 {
					t.Fatalf("partition %d: ranges %v", p, r.List(p))
				}
				last = x.Offset
			}
			if got != want[p] {
				t.Fatalf("partition %d: %q, want %q", p, got, want[p])
			}
			if n := len(r.List(p)); n > spills {
				t.Fatalf("partition %d: %d ranges of %d spills", p, n, spills)
			}
			count += int64(len(r.List(p)))
		}
		if r.Count() != count || r.Spills() != spills || len(r.Starts()) != spills {
			t.Fatalf("%d ranges counted of %d, %d spills of %d", r.Count(), count, r.Spills(), spills)
		}
	}
}

// TestNeighbors: ranges that touch are one within a spill and two across.
func TestNeighbors(t *testing.T) {
	r := ranges(t, vfs.NewMem(), 2)
	begin(t, r)
	put(t, r, 0, "aa")
	put(t, r, 1, "b")
	put(t, r, 1, "bb")
	begin(t, r)
	put(t, r, 1, "cc")
	if got := r.List(1); !slices.Equal(got, []Range{{2, 3}, {5, 2}}) {
		t.Error(got)
	}
	if got := r.Starts(); !slices.Equal(got, []int64{0, 5}) {
		t.Error(got)
	}
}

// TestCapacity holds the metadata's size to lists of 16-byte entries that
// double from 4.
func TestCapacity(t *testing.T) {
	for n, want := range map[int]int64{0: 0, 1: 4, 4: 4, 5: 8, 64: 64, 65: 128, 88: 128, 128: 128, 129: 256} {
		r := ranges(t, vfs.NewMem(), 3)
		for range n {
			begin(t, r)
			put(t, r, 1, "x")
		}
		if got := r.Inner(); got != 16*want {
			t.Errorf("%d ranges: %d bytes, want %d", n, got, 16*want)
		}
		if got := r.Outer(); got != 3*24 {
			t.Errorf("a table of 3 lists has %d bytes", got)
		}
		r.Free(0)
		r.Free(1)
		if got := r.Inner(); got != 0 {
			t.Errorf("%d bytes once freed", got)
		}
	}
}

// TestShortFile: a file shorter than its ranges is an error with a place.
func TestShortFile(t *testing.T) {
	cause := errors.New("bad sector")
	for name, c := range map[string]struct{ fault, want error }{
		"truncated": {vfs.Truncate(3), io.ErrUnexpectedEOF},
		"short":     {vfs.Short(-1, nil), io.ErrUnexpectedEOF},
		"fails":     {cause, cause},
	} {
		fs := vfs.NewFaulty(vfs.NewMem())
		r := ranges(t, fs, 1)
		begin(t, r)
		put(t, r, 0, "0123456789")
		fs.FailKind(vfs.OpRead, 0, c.fault)
		err := r.ReadAt(make([]byte, 4), 2)
		e, ok := errors.AsType[*shufflefile.Error](err)
		if !errors.Is(err, c.want) || !ok || e.File != "spill" || e.Offset != 2 {
			t.Errorf("%s: %v", name, err)
		}
	}
	r := ranges(t, vfs.NewMem(), 1)
	begin(t, r)
	put(t, r, 0, "0123456789")
	if err := r.ReadAt(make([]byte, 4), 7); !errors.Is(err, io.ErrUnexpectedEOF) || !strings.Contains(err.Error(), "ends at 10") {
		t.Error(err)
	}
}

// TestFailures: the file and the cause are named; nothing is open afterwards.
func TestFailures(t *testing.T) {
	mem := vfs.NewMem()
	r := ranges(t, mem, 1)
	mem.Quota(5)
	begin(t, r)
	err := r.Write(bytes.Repeat([]byte("x"), 9))
	if err == nil || !strings.Contains(err.Error(), "spill file: ") || !strings.Contains(err.Error(), "no space left") || r.Size() != 5 {
		t.Error(r.Size(), err)
	}
	if err := errors.Join(r.Close(), r.Close()); err != nil || len(mem.OpenFiles()) > 0 {
		t.Error(err, mem.OpenFiles())
	}
	nowhere := NewRanges(mem, "no/such/dir", 1)
	if err := nowhere.Begin(); err == nil || !strings.Contains(err.Error(), "no/such/dir") {
		t.Error(err)
	}
	if err := nowhere.Close(); err != nil || nowhere.Spills() != 0 {
		t.Error(nowhere.Spills(), err)
	}
}
