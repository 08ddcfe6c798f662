package validate

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"os"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/shufflebench/shufflebench/internal/shufflefile"
	"github.com/shufflebench/shufflebench/internal/vfs"
	"github.com/shufflebench/shufflebench/pkg/fixture"
)

// inMemory copies pairs into a file system in memory.
func inMemory(t testing.TB, pairs ...Pair) *vfs.Mem {
	t.Helper()
	m := vfs.NewMem()
	for _, p := range pairs {
		for _, name := range []string{p.Data, p.Index} {
			content, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			if err := m.MkdirAll(name[:strings.LastIndexByte(name, '/')]); err != nil {
				t.Fatal(err)
			}
			f, err := m.Create(name)
			if err != nil {
				t.Fatal(err)
			}
			_, err = f.Write(content)
			if err := firstOf(err, f.Close()); err != nil {
				t.Fatal(err)
			}
		}
	}
	return m
}

// TestFailingDisk fails every operation of a good and of a bad run in turn:
// each is an error that names the cause, never a finding, and no file stays open.
func TestFailingDisk(t *testing.T) {
	src := seedRows(500)
	good := shuffle(t, src, 4, 50, shufflefile.LZ4, 0)
	bad := append(output{good[1]}, good[1:]...)
	for _, out := range []output{good, bad} {
		pairs := []Pair{out.files().write(t)}
		m := inMemory(t, pairs...)
		for n := 0; ; n++ {
			cause := fmt.Errorf("disk %d", n)
			disk := vfs.NewFaulty(m)
			disk.Fail(n, cause)
			r, err := Run(t.Context(), Options{Input: src, Pairs: pairs, FS: disk, Readers: 2})
			if open := m.OpenFiles(); len(open) > 0 {
				t.Fatalf("operation %d: %v stay open", n, open)
			}
			if len(disk.Fired()) == 0 {
				if n < 5 || err != nil || r.Valid != (&out[0] == &good[0]) {
					t.Fatalf("%d operations: %v", n, err)
				}
				break
			}
			if !errors.Is(err, cause) {
				t.Fatalf("operation %d (%v): error %v, report %+v", n, disk.Fired(), err, r)
			}
		}
	}
}

// countedRows is an input whose memory is counted; it may end in an error, or end the run.
type countedRows struct {
	*rowsOf
	alloc  *memory.CheckedAllocator
	stopAt int
	stop   func() error
}

func (s *countedRows) Scan(context.Context, fixture.ScanOptions) iter.Seq2[arrow.RecordBatch, error] {
	return func(yield func(arrow.RecordBatch, error) bool) {
		for i := range 20 {
			if i == s.stopAt {
				if err := s.stop(); err != nil {
					yield(nil, err)
					return
				}
			}
			if !s.batch(i, yield) {
				return
			}
		}
	}
}

func (s *countedRows) batch(i int, yield func(arrow.RecordBatch, error) bool) bool {
	b := array.NewRecordBuilder(s.alloc, s.schema)
	defer b.Release()
	for id := int64(i) * 100; id < int64(i+1)*100; id++ {
		b.Field(0).(*array.Int64Builder).Append(id)
		b.Field(1).(*array.Int64Builder).Append(id*17 + 11)
	}
	rec := b.NewRecordBatch()
	defer rec.Release()
	return yield(rec, nil)
}

// TestMemoryIsReleased: no batch of the input outlives a run, whether it ends
// well, in an error of the input, or is canceled.
func TestMemoryIsReleased(t *testing.T) {
	rows := seedRows(2000)
	p := shuffle(t, rows, 4, 300, shufflefile.LZ4, 0).files().write(t)
	run := func(ctx context.Context, stopAt int, stop func() error) (*Report, error) {
		alloc := memory.NewCheckedAllocator(memory.DefaultAllocator)
		defer alloc.AssertSize(t, 0)
		return Run(ctx, Options{Input: &countedRows{rows, alloc, stopAt, stop}, Pairs: []Pair{p}})
	}
	if r, err := run(t.Context(), -1, nil); err != nil || !r.Valid {
		t.Errorf("report %+v, error %v", r, err)
	}
	broken := errors.New("row group 3 is damaged")
	if _, err := run(t.Context(), 7, func() error { return broken }); !errors.Is(err, broken) {
		t.Errorf("error %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	if _, err := run(ctx, 7, func() error { cancel(); return nil }); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
}

// panics is a visitor that meets a value nobody foresaw.
type panics struct{}

func (panics) visit(*chunk) { panic("index out of range") }

// TestPanics: what panics on a partition's values is a finding about it, and
// the others are read.
func TestPanics(t *testing.T) {
	src := seedRows(500)
	p := shuffle(t, src, 4, 300, shufflefile.LZ4, 0).files().write(t)
	o := Options{Input: src, Pairs: []Pair{p}}
	o.EnsureDefaults()
	r := &run{opts: o, found: newCollector(10)}
	groups, err := r.openGroups()
	if err != nil {
		t.Fatal(err)
	}
	defer closeAll(groups)
	groups[0].partitions = 4
	err = r.scanOutput(t.Context(), outputPass{g: groups[0], first: true, visitors: func(int, int) visitor { return panics{} }})
	if err != nil || r.found.counts[BlockFault] != 4 || groups[0].broken != 4 {
		t.Errorf("error %v, counts %v", err, r.found.counts)
	}
}
