package validate

import (
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/shufflebench/shufflebench/internal/shufflefile"
)

// TestWrongColumn changes every row of a column, with room for few of them:
// what is said is said of a part of the rows, and is right.
func TestWrongColumn(t *testing.T) {
	src := seedRows(30_000)
	wrong := &rowsOf{schema: src.schema}
	for i := 0; i < 30_000; i += 1000 {
		var ids []int64
		for id := i; id < i+1000; id++ {
			ids = append(ids, int64(id))
		}
		wrong.batches = append(wrong.batches, idBatch(src.schema, ids, func(id int64) int64 { return id * 17 }))
	}
	p := shuffle(t, wrong, 8, 1000, shufflefile.LZ4, 0).files().write(t)
	whole := prove(t, Options{Input: src, Pairs: []Pair{p}})
	counts(t, whole, map[Kind]int64{ChangedRow: 30_000})
	if len(whole.Findings) != 8 || len(whole.Findings[7].Rows) != 10 {
		t.Errorf("%d findings", len(whole.Findings))
	}
	part := prove(t, Options{Input: src, Pairs: []Pair{p}, MemoryBudget: minBudget})
	if n := part.Counts[ChangedRow]; len(part.Counts) != 1 || n == 0 || n > 2000 {
		t.Errorf("counts %v", part.Counts)
	}
	for _, f := range part.Findings {
		if !strings.Contains(f.Message, "too many to hold") {
			t.Error(f.Message)
		}
		for _, s := range f.Rows {
			if len(s.Differences) != 1 || s.Differences[0].Column != "value" {
				t.Errorf("%+v", s)
			}
		}
	}
}

// TestWrongEverywhere places every row elsewhere: findings stay few.
func TestWrongEverywhere(t *testing.T) {
	src := seedRows(20_000)
	out := shuffleBy(t, src, 200, 1000, shufflefile.LZ4, func(_ arrow.RecordBatch, i int) int { return i % 200 })
	r := prove(t, Options{Input: src, Pairs: []Pair{out.files().write(t)}})
	if n := r.Counts[MisplacedRow]; len(r.Counts) != 1 || n < 19_000 || len(r.Findings) != 10 {
		t.Errorf("counts %v, %d findings", r.Counts, len(r.Findings))
	}
	for i, f := range r.Findings {
		if *f.Partition != i || len(f.Rows) != 10 {
			t.Errorf("finding %d is of partition %d with %d rows", i, *f.Partition, len(f.Rows))
		}
	}
}

// TestManyTasksWrong searches the first few tasks only.
func TestManyTasksWrong(t *testing.T) {
	src := seedRows(100)
	p := make(output, 4).files().write(t)
	var pairs []Pair
	for range 15 {
		pairs = append(pairs, p)
	}
	r := prove(t, Options{Input: src, Pairs: pairs, PerTaskCopy: true})
	counts(t, r, map[Kind]int64{MissingRow: 1000, DifferingRows: 5})
}

// TestManyPartitions has more partitions than buckets.
func TestManyPartitions(t *testing.T) {
	src := seedRows(5000)
	out := shuffle(t, src, 1<<18, 10, shufflefile.None, 0)
	counts(t, prove(t, Options{Input: src, Pairs: []Pair{out.files().write(t)}}), nil)
	last := 1<<18 - 1
	for len(out[last]) == 0 {
		last--
	}
	out[last-1], out[last] = append(out[last-1], out[last]...), nil
	r := prove(t, Options{Input: src, Pairs: []Pair{out.files().write(t)}})
	if r.Counts[MisplacedRow] != 1 || len(r.Counts) != 1 || *r.Findings[0].Partition != last-1 || *r.Findings[0].Rows[0].Expected != last {
		t.Errorf("counts %v, %+v", r.Counts, r.Findings)
	}
	bad := out[last-1][0]
	bad[len(bad)-1] ^= 0xff // the end-of-stream mark
	r = prove(t, Options{Input: src, Pairs: []Pair{out.files().write(t)}})
	counts(t, r, map[Kind]int64{BlockFault: 1, MissingRow: 1})
}
