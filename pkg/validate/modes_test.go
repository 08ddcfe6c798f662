package validate

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/shufflebench/shufflebench/internal/shufflefile"
	"github.com/shufflebench/shufflebench/pkg/validate/sparkhash"
)

// TestPartitionings proves good and bad placements under every rule.
func TestPartitionings(t *testing.T) {
	src := seedRows(2000)
	byID := shuffle(t, src, 7, 300, shufflefile.LZ4, 0)
	byAll := shuffle(t, src, 7, 300, shufflefile.LZ4, 0, 1)
	one := shuffleBy(t, src, 1, 900, shufflefile.LZ4, func(arrow.RecordBatch, int) int { return 0 })
	inRange := shuffleBy(t, src, 5, 300, shufflefile.LZ4, func(b arrow.RecordBatch, i int) int {
		return int(b.Column(0).(*array.Int64).Value(i)) / 400
	})
	for _, c := range []struct {
		how  Partitioning
		out  output
		want map[Kind]bool
	}{
		{Hash, byID, nil}, {RoundRobin, byAll, nil}, {Single, one, nil}, {None, byID, nil}, {None, byAll, nil},
		{ByKey, byID, nil}, {ByKey, inRange, nil}, {Range, inRange, nil}, {Range, one, nil}, {ByKey, one, nil},
		{Hash, byAll, map[Kind]bool{MisplacedRow: true}}, {RoundRobin, byID, map[Kind]bool{MisplacedRow: true}},
		{Single, byID, map[Kind]bool{IndexFault: true}}, {Range, byID, map[Kind]bool{OrderFault: true}},
		{Hash, inRange, map[Kind]bool{MisplacedRow: true}},
	} {
		r := prove(t, Options{Input: src, Pairs: []Pair{c.out.files().write(t)}, Partitioning: c.how})
		if len(r.Counts) != len(c.want) {
			t.Errorf("%s: counts %v, want %v", c.how, r.Counts, c.want)
		}
		for k := range r.Counts {
			if !c.want[k] {
				t.Errorf("%s: counts %v, want %v", c.how, r.Counts, c.want)
			}
		}
	}
}

// TestRowsUnderAnyPlacement finds lost, doubled and changed rows where no rule
// says where they belong.
func TestRowsUnderAnyPlacement(t *testing.T) {
	src := seedRows(2000)
	for _, how := range []Partitioning{None, ByKey, Range, Single} {
		place := func(b arrow.RecordBatch, i int) int { return int(b.Column(0).(*array.Int64).Value(i)) / 500 }
		partitions := 4
		if how == Single {
			place, partitions = func(arrow.RecordBatch, int) int { return 0 }, 1
		}
		good := shuffleBy(t, src, partitions, 250, shufflefile.None, place)
		last := partitions - 1
		lost := slices.Clone(good)
		lost[last] = lost[last][1:]
		counts(t, prove(t, Options{Input: src, Pairs: []Pair{lost.files().write(t)}, Partitioning: how}), map[Kind]int64{MissingRow: 250})

		doubled := slices.Clone(good)
		doubled[last] = append(slices.Clone(doubled[last]), doubled[last][0])
		r := prove(t, Options{Input: src, Pairs: []Pair{doubled.files().write(t)}, Partitioning: how})
		counts(t, r, map[Kind]int64{DuplicateRow: 250})

		changed := slices.Clone(good)
		ids := decodeIDs(t, good[0][0])
		changed[0] = slices.Clone(changed[0])
		changed[0][0] = encode(t, idBatch(src.schema, ids, func(v int64) int64 {
			if v == ids[3] {
				return 0
			}
			return v*17 + 11
		}), shufflefile.None)
		p := changed.files().write(t)
		r = prove(t, Options{Input: src, Pairs: []Pair{p}, Partitioning: how})
		counts(t, r, map[Kind]int64{ChangedRow: 1})
		at(t, r.Findings[0], p, 0, 0, 0)
		if d := r.Findings[0].Rows[0].Differences; len(d) != 1 || d[0].Output != "0" {
			t.Errorf("%s: %+v", how, r.Findings[0].Rows)
		}
	}
}

// TestSplitKeys has one key in two partitions, of one file and of two.
func TestSplitKeys(t *testing.T) {
	src := tableOf(t, []arrow.Field{field("k", arrow.BinaryTypes.String), field("v", arrow.PrimitiveTypes.Int64)},
		`["a", "b", "a", null, null, "c"]`, `[1, 2, 3, 4, 5, 6]`)
	place := []int{0, 1, 2, 3, 3, 0}
	out := shuffleBy(t, src, 4, 10, shufflefile.None, func(_ arrow.RecordBatch, i int) int { return place[i] })
	p := out.files().write(t)
	r := prove(t, Options{Input: src, Pairs: []Pair{p}, Partitioning: ByKey, HashColumns: []int{0}, Readers: 1})
	counts(t, r, map[Kind]int64{SplitKey: 1})
	f := r.Findings[0]
	at(t, f, p, 2, 0, out.offset(2, 0))
	if !strings.Contains(f.Message, `key "a" is in partition 2 and in partition 0`) {
		t.Error(f.Message)
	}
	// two map tasks: the second sends "b" elsewhere
	half := func(rows []int, part func(i int) int) Pair {
		o := make(output, 4)
		for _, i := range rows {
			o[part(i)] = append(o[part(i)], encode(t, src.batches[0].NewSlice(int64(i), int64(i+1)), shufflefile.LZ4))
		}
		return o.files().write(t)
	}
	same := func(i int) int { return []int{0, 1, 0, 3, 3, 2}[i] }
	good := []Pair{half([]int{0, 1, 3}, same), half([]int{2, 4, 5}, same)}
	counts(t, prove(t, Options{Input: src, Pairs: good, Partitioning: ByKey}), nil)
	bad := []Pair{good[0], half([]int{2, 4, 5}, func(i int) int { return same(i) ^ 1 })}
	if r := prove(t, Options{Input: src, Pairs: bad, Partitioning: ByKey}); r.Counts[SplitKey] != 2 || len(r.Counts) != 1 {
		t.Errorf("counts %v", r.Counts)
	}
}

// TestManyKeys has more keys than the table holds, so that several passes are made.
func TestManyKeys(t *testing.T) {
	src := seedRows(30_000)
	out := shuffle(t, src, 16, 4000, shufflefile.None, 0)
	o := Options{Input: src, Pairs: []Pair{out.files().write(t)}, Partitioning: ByKey, MemoryBudget: minBudget}
	counts(t, prove(t, o), nil)
	out[5] = append(out[5], out[6][0]) // keys of partition 6, again
	o.Pairs = []Pair{out.files().write(t)}
	n := int64(len(decodeIDs(t, out[6][0])))
	r := prove(t, o)
	if r.Counts[SplitKey] != n || r.Counts[DuplicateRow] == 0 || len(r.Counts) != 2 {
		t.Errorf("counts %v, want %d split keys", r.Counts, n)
	}
	if f := finding(t, r, DuplicateRow); !strings.Contains(f.Message, "too many to hold") {
		t.Error(f.Message)
	}
}

// TestRangeBounds places floats with NaN, zeros of both signs and nulls.
func TestRangeBounds(t *testing.T) {
	b := array.NewFloat64Builder(memory.DefaultAllocator)
	b.AppendNull()
	for _, v := range []float64{math.Inf(-1), -3, math.Copysign(0, -1), 0, 5, math.Inf(1), math.NaN(), math.Float64frombits(0xfff8000000000001)} {
		b.Append(v)
	}
	a := b.NewArray()
	s := arrow.NewSchema([]arrow.Field{field("f", a.DataType())}, nil)
	src := &rowsOf{s, []arrow.RecordBatch{array.NewRecordBatch(s, []arrow.Array{a}, 9)}}
	run := func(place ...int) *Report {
		out := shuffleBy(t, src, 6, 10, shufflefile.None, func(_ arrow.RecordBatch, i int) int { return place[i] })
		return prove(t, Options{Input: src, Pairs: []Pair{out.files().write(t)}, Partitioning: Range})
	}
	counts(t, run(0, 1, 1, 2, 2, 4, 4, 5, 5), nil)
	counts(t, run(0, 0, 0, 0, 0, 0, 0, 0, 0), nil)
	counts(t, run(0, 1, 1, 2, 3, 4, 4, 5, 5), map[Kind]int64{OrderFault: 1}) // zeros apart
	counts(t, run(0, 1, 1, 2, 2, 4, 4, 4, 5), map[Kind]int64{OrderFault: 1}) // NaNs apart
	counts(t, run(5, 1, 1, 2, 2, 4, 4, 4, 4), map[Kind]int64{OrderFault: 1}) // null last
	r := run(0, 1, 3, 2, 2, 4, 4, 4, 4)
	counts(t, r, map[Kind]int64{OrderFault: 1})
	if m := r.Findings[0].Message; !strings.Contains(m, "-3 is below -0, the greatest of partition 2") {
		t.Error(m)
	}
}

// TestRangeOverTasks has bounds that each task chose by itself.
func TestRangeOverTasks(t *testing.T) {
	src := seedRows(2000)
	task := func(from, to int, bound int64) Pair {
		part := &rowsOf{src.schema, []arrow.RecordBatch{seedBatch(src.schema, from, to)}}
		return shuffleBy(t, part, 2, 100, shufflefile.LZ4, func(b arrow.RecordBatch, i int) int {
			if b.Column(0).(*array.Int64).Value(i) < bound {
				return 0
			}
			return 1
		}).files().write(t)
	}
	good := []Pair{task(0, 1000, 900), task(1000, 2000, 900)}
	counts(t, prove(t, Options{Input: src, Pairs: good, Partitioning: Range}), nil)
	bad := []Pair{task(0, 1000, 500), task(1000, 2000, 1500)}
	counts(t, prove(t, Options{Input: src, Pairs: bad, Partitioning: Range}), map[Kind]int64{OrderFault: 1})
}

// TestOrderedBytes holds the byte order to that of random values.
func TestOrderedBytes(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	lists := tableOf(t, []arrow.Field{field("l", arrow.ListOf(arrow.BinaryTypes.String))},
		`[null, [], [null], [""], ["", ""], ["\u0000"], ["\u0000a"], ["a"], ["a", null], ["aa"], ["b"]]`)
	checkOrder(t, lists.batches[0].Column(0))
	dec := tableOf(t, []arrow.Field{field("d", &arrow.Decimal128Type{Precision: 38, Scale: 2})},
		`[null, "-100000000000000000000000.00", "-1.50", "-0.01", "0.00", "0.01", "7.00", "100000000000000000000000.00"]`)
	checkOrder(t, dec.batches[0].Column(0))
	var v []int64
	for range 100 {
		v = append(v, int64(r.Uint64()))
	}
	slices.Sort(v)
	b := array.NewInt64Builder(memory.DefaultAllocator)
	b.AppendValues(slices.Compact(v), nil)
	checkOrder(t, b.NewArray())
}

// checkOrder wants ascending values to have ascending bytes.
func checkOrder(t *testing.T, a arrow.Array) {
	t.Helper()
	var last []byte
	for i := range a.Len() {
		key := appendOrdered(nil, a, i)
		if i > 0 && slices.Compare(last, key) >= 0 {
			t.Errorf("%s: value %d, %s, is not above the one before", a.DataType(), i, a.ValueStr(i))
		}
		last = key
	}
}

// TestTasks: tasks with a copy each, map tasks together, a task without rows.
func TestTasks(t *testing.T) {
	src := seedRows(3000)
	copies := func() output { return shuffle(t, src, 8, 500, shufflefile.LZ4, 0) }
	good := copies().files().write(t)
	o := Options{Input: src, Pairs: []Pair{good, good, good}, PerTaskCopy: true}
	if r := prove(t, o); !r.Valid || r.Rows != 9000 || r.InputRows != 3000 || r.Tasks != 3 {
		t.Errorf("report %+v", r)
	}
	bad := copies()
	bad[4] = bad[4][1:]
	o.Pairs = []Pair{good, bad.files().write(t), good}
	r := prove(t, o)
	if r.Counts[MissingRow] == 0 || len(r.Counts) != 1 || r.Findings[0].File != o.Pairs[1].Data {
		t.Errorf("counts %v at %s", r.Counts, r.Findings[0].Place())
	}
	o.PerTaskCopy = false
	counts(t, prove(t, Options{Input: src, Pairs: []Pair{good, good}}), map[Kind]int64{DuplicateRow: 3000})

	part := func(from, to int) Pair {
		p := &rowsOf{src.schema, []arrow.RecordBatch{seedBatch(src.schema, from, to)}}
		return shuffle(t, p, 8, 500, shufflefile.Zstd, 0).files().write(t)
	}
	empty := make(output, 8).files().write(t)
	remove(t, empty.Data)
	r = prove(t, Options{Input: src, Pairs: []Pair{part(0, 1000), empty, part(1000, 3000)}, Endian: shufflefile.AutoEndian})
	counts(t, r, nil)
	if len(r.Notes) != 1 || !strings.Contains(r.Notes[0], "absent") {
		t.Errorf("notes %q", r.Notes)
	}
	lost := part(0, 1000)
	remove(t, lost.Data) // its index has offsets
	counts(t, prove(t, Options{Input: src, Pairs: []Pair{lost, part(1000, 3000)}}), map[Kind]int64{IndexFault: 1})
	other := shuffle(t, src, 9, 500, shufflefile.LZ4, 0).files().write(t)
	counts(t, prove(t, Options{Input: src, Pairs: []Pair{good, other}}), map[Kind]int64{IndexFault: 1})
}

// TestLimit proves an output of the first rows.
func TestLimit(t *testing.T) {
	src := seedRows(3000)
	first := &rowsOf{src.schema, []arrow.RecordBatch{seedBatch(src.schema, 0, 1500)}}
	p := shuffle(t, first, 8, 500, shufflefile.LZ4, 0).files().write(t)
	counts(t, prove(t, Options{Input: src, Pairs: []Pair{p}, Limit: 1500}), nil)
	counts(t, prove(t, Options{Input: src, Pairs: []Pair{p}}), map[Kind]int64{MissingRow: 1500})
}

// TestHashRules proves decimals placed by either rule, under that rule only.
func TestHashRules(t *testing.T) {
	src := tableOf(t, []arrow.Field{field("d", &arrow.Decimal128Type{Precision: 20, Scale: 2})},
		`["1.23", "-1.23", "0.00", null, "1.28", "-1.28", "-1.29"]`)
	place := map[sparkhash.Rule][]int{
		sparkhash.Spark: {85, 85, 103, 42, 118, 99, 29},
		sparkhash.Comet: {39, 94, 101, 42, 118, 159, 144},
	}
	for written, parts := range place {
		out := shuffleBy(t, src, 200, 10, shufflefile.LZ4, func(_ arrow.RecordBatch, i int) int { return parts[i] })
		p := out.files().write(t)
		for _, rule := range []sparkhash.Rule{sparkhash.Spark, sparkhash.Comet} {
			r := prove(t, Options{Input: src, Pairs: []Pair{p}, HashRule: rule})
			if r.Valid != (rule == written) || r.HashRule != rule.String() {
				t.Errorf("placed by %v, proved by %v: %v", written, rule, r.Counts)
			}
		}
	}
}
