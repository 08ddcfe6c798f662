package writer

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/shufflebench/shufflebench/internal/oracle"
	"github.com/shufflebench/shufflebench/internal/oracle/random"
	"github.com/shufflebench/shufflebench/internal/shufflefile"
)

// figures are what ranges counts, computed from the rows' partitions alone:
// ranges of 16 bytes in lists that double from 4, and a list header of 24 bytes
// a partition.
func figures(parts []uint32, batch, partitions int) (spills int, ranges, inner, outer int64) {
	perPartition := make([]int, partitions)
	for rows := range slices.Chunk(parts, batch) {
		seen := map[uint32]bool{}
		for _, p := range rows {
			seen[p] = true
		}
		for p := range seen {
			perPartition[p]++
		}
		spills++
	}
	for _, n := range perPartition {
		ranges += int64(n)
		capacity := 0
		for capacity < n {
			capacity = max(4, 2*capacity)
		}
		inner += 16 * int64(capacity)
	}
	return spills, ranges, inner, 24 * int64(partitions)
}

// TestFigures holds ranges to the figures that its strategy must have.
func TestFigures(t *testing.T) {
	in := seedInput(t, 20_000, 1<<20)
	for i, c := range []struct{ batch, partitions int }{{1000, 20}, {500, 700}, {20_000, 5}, {1000, 3000}} {
		if i >= oracle.Rounds(10) {
			break
		}
		parts := in.partitions(t, Options{Partitions: c.partitions})
		for _, mode := range []SpillMetadata{Retain, Release} {
			for _, tasks := range []int{1, 3} {
				o := Options{Engine: "ranges", BatchSize: c.batch, Partitions: c.partitions, MaxBufferBytes: 1, SpillMetadata: mode, ConcurrentTasks: tasks}
				inMemory(t, &o)
				out, err := Run(t.Context(), in.src, o)
				if err != nil {
					t.Fatal(err)
				}
				spills, ranges, inner, outer := figures(parts, c.batch, c.partitions)
				after := inner
				if mode == Release {
					after = 0
				}
				for _, task := range out.Tasks {
					got := fmt.Sprint(task.Spills, task.Ranges, task.InnerBefore, task.InnerAfter, task.Outer)
					if want := fmt.Sprint(spills, ranges, inner, after, outer); got != want {
						t.Errorf("%s: spills, ranges, inner before and after, outer: %s, want %s", &o, got, want)
					}
				}
			}
		}
	}
}

// TestSegmentsMetadata: segments keeps a few bytes a spill, none a partition.
func TestSegmentsMetadata(t *testing.T) {
	in := seedInput(t, 20_000, 1<<20)
	for _, partitions := range []int{1, 16_000} {
		out := shuffleInMemory(t, in, Options{BatchSize: 500, Partitions: partitions, MaxBufferBytes: 1})
		if task := out.Tasks[0]; task.Spills != 40 || task.InnerBefore > 40*64 || task.Outer > 64*64 {
			t.Errorf("%d partitions, %d spills: %d and %d bytes", partitions, task.Spills, task.InnerBefore, task.Outer)
		}
	}
}

// TestBadOptions names what is wrong.
func TestBadOptions(t *testing.T) {
	in := seedInput(t, 10, 10)
	s := arrow.NewSchema([]arrow.Field{{Name: "when", Type: arrow.FixedWidthTypes.Float16}, {Name: "id", Type: arrow.PrimitiveTypes.Int64}}, nil)
	odd := arrowInput(t, s, random.New(1).Batch(s, 3))
	for _, c := range []struct {
		in   *given
		o    Options
		want string
	}{
		{in, Options{Partitions: -1}, "partitions: -1 is not between 1 and 16777216"},
		{in, Options{Partitions: 1<<24 + 1}, "partitions: 16777217"},
		{in, Options{BatchSize: -5}, "batch size: -5"},
		{in, Options{Engine: "segment"}, `unknown engine "segment" (known: segments, ranges`},
		{in, Options{LZ4Encoder: "fast"}, `unknown LZ4 encoder "fast"`},
		{in, Options{Partitioning: "modulo"}, `unknown partitioning "modulo"`},
		{in, Options{SpillMetadata: "keep"}, `unknown spill metadata mode "keep"`},
		{in, Options{SpillCodec: "zstd"}, `unknown spill codec "zstd"`},
		{in, Options{Partitioning: Single, Partitions: 3}, "single partitioning has 1 partition, not 3"},
		{in, Options{MemoryLimit: -1}, "a buffer limit is negative"},
		{in, Options{MergeBudget: 10}, "merge budget: 10"},
		{in, Options{ZstdLevel: 23}, "zstd level: 23"},
		{in, Options{Codec: shufflefile.LZ4, OffsetLengths: true}, "offsets as lengths go with codec zstd"},
		{in, Options{HashColumns: []string{"key"}}, `hash column "key": no such column`},
		{in, Options{HashColumns: []string{"5"}}, "hash column 5: the input has 2 columns"},
		{odd, Options{}, `"when"`},
	} {
		mem := inMemory(t, &c.o)
		_, err := Run(t.Context(), c.in.src, c.o)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v, want %s", err, c.want)
		}
		if names, err := mem.List("."); err != nil || !slices.Equal(names, []string{spillDir}) {
			t.Errorf("%s: left %v", c.want, names)
		}
	}
	o := Options{}
	o.EnsureDefaults()
	if err := o.Validate(); err == nil || !strings.Contains(err.Error(), "no output directory") {
		t.Error(err)
	}
	o.BatchSize, o.WriteBufferSize, o.ConcurrentTasks = -1, -1, -1
	err := o.Validate()
	for _, want := range []string{"batch size", "write buffer size", "concurrent tasks", "no output directory"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v does not name the %s", err, want)
		}
	}
}

// TestBufferLimit: the smaller of the two limits holds.
func TestBufferLimit(t *testing.T) {
	for _, c := range [][3]int64{{0, 0, 0}, {5, 0, 5}, {0, 7, 7}, {5, 7, 5}, {7, 5, 5}} {
		if o := (Options{MemoryLimit: c[0], MaxBufferBytes: c[1]}); o.BufferLimit() != c[2] {
			t.Errorf("limits %d and %d: %d", c[0], c[1], o.BufferLimit())
		}
	}
}
