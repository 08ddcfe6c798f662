package merge

import (
	"context"
	"errors"
	"testing"

	"github.com/shufflebench/shufflebench/internal/oracle"
	"github.com/shufflebench/shufflebench/internal/oracle/random"
	"github.com/shufflebench/shufflebench/internal/shufflefile"
	"github.com/shufflebench/shufflebench/internal/vfs"
	"github.com/shufflebench/shufflebench/pkg/metrics"
	"github.com/shufflebench/shufflebench/pkg/writer/encode"
	"github.com/shufflebench/shufflebench/pkg/writer/output"
	"github.com/shufflebench/shufflebench/pkg/writer/segment"
)

// sources are segments of random batches, and what they hold.
type sources struct {
	layout     *segment.Layout
	list       []segment.Source
	partitions int
	want       oracle.Table
}

func randomSources(t *testing.T, g *random.Gen, n, partitions int) *sources {
	t.Helper()
	schema := g.Schema(1+g.R.IntN(3), g.R.IntN(3))
	l, err := segment.NewLayout(schema)
	if err != nil {
		t.Fatal(err)
	}
	s := &sources{layout: l, partitions: partitions, want: oracle.Table{}}
	taker := segment.NewTaker(l)
	for range n {
		var grouper segment.Grouper
		b := g.Batch(schema, g.R.IntN(80))
		parts := make([]uint32, b.NumRows())
		for i := range parts {
			parts[i] = uint32(g.R.IntN(1 + g.R.IntN(partitions)))
		}
		order, entries := grouper.Group(parts, partitions)
		size, err := taker.Size(b, entries)
		if err != nil {
			t.Fatal(err)
		}
		s.list = append(s.list, taker.Take(b, order, entries, make([]byte, size)))
		s.want.Add(oracle.Rows(b), parts)
	}
	return s
}

// gather writes sources with some workers and gives the pair's bytes.
func (s *sources) gather(t *testing.T, list []segment.Source, workers, budget int) (data, index []byte) {
	t.Helper()
	const blockRows = 16
	mem := vfs.NewMem()
	out, err := output.Create(mem, "out", s.partitions, 100)
	if err != nil {
		t.Fatal(err)
	}
	planner, err := segment.NewPlanner(s.layout, list, s.partitions, blockRows, 500)
	if err != nil {
		t.Fatal(err)
	}
	template, err := encode.NewTemplate(s.layout)
	if err != nil {
		t.Fatal(err)
	}
	g := Gather{Sources: list, Planner: planner, Out: out, Budget: budget}
	for range workers {
		clock := new(metrics.Clock)
		e, err := encode.New(template, encode.Codec{Codec: shufflefile.LZ4, LZ4: "column"}, blockRows, clock)
		if err != nil {
			t.Fatal(err)
		}
		g.Encoders, g.Clocks = append(g.Encoders, e), append(g.Clocks, clock)
	}
	if err := errors.Join(g.Run(t.Context()), out.Commit()); err != nil {
		t.Fatal(err)
	}
	if data, err = vfs.ReadFile(mem, out.DataPath()); err != nil {
		t.Fatal(err)
	}
	if index, err = vfs.ReadFile(mem, out.IndexPath()); err != nil {
		t.Fatal(err)
	}
	return data, index
}

// TestGather writes the same bytes for any number of workers and any budget.
func TestGather(t *testing.T) {
	for seed := range uint64(oracle.Rounds(60)) {
		g := random.New(seed)
		s := randomSources(t, g, g.R.IntN(6), []int{1, 7, 500}[seed%3])
		data, index := s.gather(t, s.list, 1, 1<<20)
		table, err := oracle.ReadTable(data, index)
		if err != nil {
			t.Fatal(err)
		}
		if d := oracle.Diff(table, s.want); d != "" {
			t.Fatalf("seed %d: %s", seed, d)
		}
		for _, c := range [][2]int{{2, 1 << 20}, {5, 1000}, {1, 1}, {3, 0}} {
			again, indexAgain := s.gather(t, s.list, c[0], c[1])
			if string(again) != string(data) || string(indexAgain) != string(index) {
				t.Fatalf("seed %d: other bytes with %d workers of %d bytes", seed, c[0], c[1])
			}
		}
	}
}

// TestCompact makes one run of many segments: partitions rise from one segment
// of it to the next, and what is written of it is what is written of them.
func TestCompact(t *testing.T) {
	for seed := range uint64(oracle.Rounds(60)) {
		g := random.New(100 + seed)
		s := randomSources(t, g, 1+g.R.IntN(8), []int{1, 7, 500}[seed%3])
		file, err := segment.NewFile(vfs.NewMem(), ".", seed%2 == 0)
		if err != nil {
			t.Fatal(err)
		}
		defer file.Close()
		extents, err := Compact(t.Context(), s.layout, s.list, s.partitions, 16, 700, file)
		if err != nil {
			t.Fatal(err)
		}
		var run []segment.Source
		last := uint32(0)
		for _, e := range extents {
			stored, err := file.Open(s.layout, e)
			if err != nil {
				t.Fatal(err)
			}
			counts, err := stored.Counts()
			if err != nil {
				t.Fatal(err)
			}
			entries, err := counts.TakeBelow(nil, 1<<32-1)
			if err != nil || len(entries) == 0 || entries[0].Partition < last {
				t.Fatalf("entries %v after partition %d, %v", entries, last, err)
			}
			last = entries[len(entries)-1].Partition
			run = append(run, stored)
		}
		want, wantIndex := s.gather(t, s.list, 1, 1<<20)
		got, gotIndex := s.gather(t, run, 2, 1<<20)
		if string(got) != string(want) || string(gotIndex) != string(wantIndex) {
			t.Fatalf("seed %d: other bytes", seed)
		}
	}
}

// TestCompactStops ends with the context.
func TestCompactStops(t *testing.T) {
	s := randomSources(t, random.New(1), 3, 7)
	file, err := segment.NewFile(vfs.NewMem(), ".", false)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Compact(ctx, s.layout, s.list, s.partitions, 16, 700, file); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}
