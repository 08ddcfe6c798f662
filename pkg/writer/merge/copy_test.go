package merge

import (
	"bytes"
	"context"
	"errors"
	"math/rand/v2"
	"testing"

	"github.com/shufflebench/shufflebench/internal/oracle"
	"github.com/shufflebench/shufflebench/internal/vfs"
	"github.com/shufflebench/shufflebench/pkg/metrics"
	"github.com/shufflebench/shufflebench/pkg/writer/output"
	"github.com/shufflebench/shufflebench/pkg/writer/spill"
)

// chunks are blocks that never left memory, several in a row of one partition.
type chunks struct {
	partitions []uint32
	bytes      [][]byte
	fails      error // in place of the last
}

func (c *chunks) Next() (partition uint32, blocks []byte, ok bool, err error) {
	if len(c.bytes) == 0 {
		return 0, nil, false, c.fails
	}
	partition, blocks = c.partitions[0], c.bytes[0]
	c.partitions, c.bytes = c.partitions[1:], c.bytes[1:]
	return partition, blocks, true, nil
}

// job is random spilled ranges and blocks in memory.
type job struct {
	fs     *vfs.Counting
	ranges *spill.Ranges
	memory *chunks
	want   [][]byte // by partition
}

func randomJob(t *testing.T, r *rand.Rand) *job {
	t.Helper()
	j := &job{fs: vfs.NewCounting(vfs.NewMem()), memory: &chunks{}, want: make([][]byte, 1+r.IntN(30))}
	j.ranges = spill.NewRanges(j.fs, ".", len(j.want))
	t.Cleanup(func() { j.ranges.Close() })
	fill := byte(0)
	next := func(p int) []byte {
		fill++
		b := bytes.Repeat([]byte{fill}, 1+r.IntN([]int{10, 300}[r.IntN(2)]))
		j.want[p] = append(j.want[p], b...)
		return b
	}
	for range r.IntN(6) {
		if err := j.ranges.Begin(); err != nil {
			t.Fatal(err)
		}
		for p := range j.want {
			if r.IntN(3) == 0 {
				continue
			}
			at, b := j.ranges.Size(), next(p)
			if err := j.ranges.Write(b); err != nil {
				t.Fatal(err)
			}
			j.ranges.Add(uint32(p), spill.Range{Offset: at, Length: int64(len(b))})
		}
	}
	for p := range j.want {
		for range r.IntN(3) {
			j.memory.partitions, j.memory.bytes = append(j.memory.partitions, uint32(p)), append(j.memory.bytes, next(p))
		}
	}
	return j
}

func (j *job) run(ctx context.Context, budget int64, release bool) (out *output.Pair, err error) {
	if out, err = output.Create(j.fs, "out", len(j.want), 64); err != nil {
		return nil, err
	}
	c := Copy{
		Ranges: j.ranges, Memory: j.memory, Out: out, Partitions: len(j.want),
		Budget: budget, Release: release, Clock: new(metrics.Clock),
	}
	if err := c.Run(ctx); err != nil {
		return nil, errors.Join(err, out.Abort())
	}
	return out, out.Commit()
}

// TestCopy copies random ranges, under budgets that hold all, some, or not even
// one of them, and reads every spilled byte once.
func TestCopy(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range oracle.Rounds(300) {
		j := randomJob(t, r)
		budget, release := []int64{1, 100, 1000, 1 << 20}[r.IntN(4)], r.IntN(2) == 0
		inner, before := j.ranges.Inner(), j.fs.Snapshot()
		out, err := j.run(t.Context(), budget, release)
		if err != nil {
			t.Fatal(err)
		}
		read := j.fs.Snapshot().Since(before)
		if read.ReadBytes != j.ranges.Size() {
			t.Fatalf("%d bytes were read of %d", read.ReadBytes, j.ranges.Size())
		}
		if budget == 1<<20 && read.Of(vfs.OpRead) > int64(j.ranges.Spills()) {
			t.Fatalf("%d reads of %d spills", read.Of(vfs.OpRead), j.ranges.Spills())
		}
		j.check(t, out)
		if after := j.ranges.Inner(); release && after != 0 || !release && after != inner {
			t.Fatalf("release %v: %d bytes of metadata before, %d after", release, inner, after)
		}
	}
}

func (j *job) check(t *testing.T, out *output.Pair) {
	t.Helper()
	data, err := vfs.ReadFile(j.fs, out.DataPath())
	if err != nil {
		t.Fatal(err)
	}
	index, err := vfs.ReadFile(j.fs, out.IndexPath())
	if err != nil {
		t.Fatal(err)
	}
	offsets, err := oracle.Index(index, len(data))
	if err != nil || len(offsets) != len(j.want)+1 {
		t.Fatalf("%d offsets, %v", len(offsets), err)
	}
	for p, want := range j.want {
		if got := data[offsets[p]:offsets[p+1]]; !bytes.Equal(got, want) {
			t.Fatalf("partition %d has %d bytes, want %d", p, len(got), len(want))
		}
	}
}

// TestCopyStops ends with the context and with an error of what is in memory.
func TestCopyStops(t *testing.T) {
	j := randomJob(t, rand.New(rand.NewPCG(3, 4)))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := j.run(ctx, 100, true); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	j = randomJob(t, rand.New(rand.NewPCG(3, 4)))
	j.memory.fails = errors.New("no more")
	if _, err := j.run(t.Context(), 100, true); !errors.Is(err, j.memory.fails) {
		t.Error(err)
	}
	if names, err := j.fs.List("out"); err != nil || len(names) > 0 {
		t.Error("left:", names, err)
	}
}
