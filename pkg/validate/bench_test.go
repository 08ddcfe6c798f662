package validate

import (
	"testing"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/shufflebench/shufflebench/internal/shufflefile"
	"github.com/shufflebench/shufflebench/pkg/reader"
	"github.com/shufflebench/shufflebench/pkg/validate/sparkhash"
)

// BenchmarkRun proves a million rows: in 200 partitions of large blocks, and
// in 16,000 partitions with 20 blocks each of about three rows.
func BenchmarkRun(b *testing.B) {
	for _, c := range []struct {
		name       string
		partitions int
		batch      int // rows that were shuffled before each spill
	}{{"200p", 200, 1_000_000}, {"16000p_20spills", 16_000, 50_000}} {
		b.Run(c.name, func(b *testing.B) {
			src := seedRows(1_000_000)
			p := spilled(b, src, c.partitions, c.batch).files().write(b)
			o := Options{Input: src, Pairs: []Pair{p}, Seed: 1}
			b.ReportAllocs()
			for b.Loop() {
				if r, err := Run(b.Context(), o); err != nil || !r.Valid {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.N)*1e6/b.Elapsed().Seconds()/1e6, "Mrows/s")
		})
	}
}

// spilled is the seed rows, with a block a partition and round.
func spilled(b *testing.B, src *rowsOf, partitions, round int) output {
	h, err := sparkhash.New(src.schema, []int{0}, sparkhash.Spark)
	if err != nil {
		b.Fatal(err)
	}
	out := make(output, partitions)
	ids := make([][]int64, partitions)
	flush := func() {
		for p, list := range ids {
			if len(list) > 0 {
				out[p] = append(out[p], encode(b, idBatch(src.schema, list, func(id int64) int64 { return id*17 + 11 }), shufflefile.None))
			}
			ids[p] = list[:0]
		}
	}
	hashes := make([]int32, 1000)
	id := int64(0)
	for _, batch := range src.batches {
		h.Hash(hashes, batch, 0)
		for _, x := range hashes {
			p := sparkhash.Partition(x, partitions)
			ids[p] = append(ids[p], id)
			if id++; id%int64(round) == 0 {
				flush()
			}
		}
	}
	flush()
	return out
}

// BenchmarkTally counts fingerprints into buckets, by partition in any order
// and in one partition after another.
func BenchmarkTally(b *testing.B) {
	src := seedRows(1000)
	for name, parts := range map[string]bool{"input": true, "output": false} {
		b.Run(name, func(b *testing.B) {
			o := Options{Input: src, Pairs: []Pair{{"a", "b"}}, Seed: 1}
			o.EnsureDefaults()
			r := &run{opts: o, keys: newKeys(&o), found: newCollector(10)}
			t := newTally(newBuckets(1<<30, 16_000), r.keys)
			p := r.plan(src.schema, nil).rows
			c := chunk{batch: src.batches[0], rows: p}
			c.a, c.b = p.Fold(src.batches[0], 0, 1000)
			if parts {
				c.parts = make([]int32, 1000)
				for i := range c.parts {
					c.parts[i] = int32(i * 7919 % 16_000)
				}
			}
			for b.Loop() {
				t.visit(&c)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/1000, "ns/row")
		})
	}
}

// BenchmarkBlock takes one block of two rows from decoded batch to tally.
func BenchmarkBlock(b *testing.B) {
	src := seedRows(2)
	o := Options{Input: src, Pairs: []Pair{{"a", "b"}}, Seed: 1, Schema: src.schema}
	o.EnsureDefaults()
	r := &run{opts: o, keys: newKeys(&o), found: newCollector(10), place: placement{known: true}}
	w := r.newOutputWorker(outputPass{first: true})
	w.to = newTally(newBuckets(1<<30, 16_000), r.keys)
	blk := blockOf(src.batches[0])
	b.ReportAllocs()
	for b.Loop() {
		if err := w.block(&blk); err != nil {
			b.Fatal(err)
		}
	}
}

// TestBlockAllocates nothing once the worker knows the schema.
func TestBlockAllocates(t *testing.T) {
	src := seedRows(2)
	o := Options{Input: src, Pairs: []Pair{{"a", "b"}}, Seed: 1, Schema: src.schema}
	o.EnsureDefaults()
	r := &run{opts: o, keys: newKeys(&o), found: newCollector(10), place: placement{known: true}}
	w := r.newOutputWorker(outputPass{first: true})
	w.to = newTally(newBuckets(1<<30, 16_000), r.keys)
	blk := blockOf(src.batches[0])
	if n := testing.AllocsPerRun(100, func() {
		if err := w.block(&blk); err != nil {
			t.Error(err)
		}
	}); n != 0 {
		t.Errorf("%g allocations a block", n)
	}
}

// blockOf is a decoded block as the reader yields it.
func blockOf(b arrow.RecordBatch) reader.Block {
	return reader.Block{
		Place:  shufflefile.Place{File: "data.out", Partition: 7},
		Header: shufflefile.Header{Length: 100, Columns: uint64(b.NumCols()), Tag: shufflefile.MakeTag(shufflefile.LZ4, false)},
		Batch:  b,
	}
}
