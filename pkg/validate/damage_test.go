package validate

import (
	"encoding/binary"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/shufflebench/shufflebench/internal/shufflefile"
)

// small is the usual victim: 10,000 rows in 4 partitions, blocks of 1,000. It
// is made once a codec; callers may replace blocks, but not change one in place.
func small(t testing.TB, codec shufflefile.Codec) (*rowsOf, output) {
	t.Helper()
	src := seedRows(10_000)
	if smallOnce[codec] == nil {
		smallOnce[codec] = shuffle(t, src, 4, 1000, codec, 0)
	}
	out := make(output, 4)
	for p := range out {
		out[p] = slices.Clone(smallOnce[codec][p])
	}
	return src, out
}

var smallOnce = map[shufflefile.Codec]output{}

func TestValid(t *testing.T) {
	for _, codec := range []shufflefile.Codec{shufflefile.LZ4, shufflefile.Zstd, shufflefile.Snappy, shufflefile.None} {
		src, out := small(t, codec)
		for _, readers := range []int{1, 3} {
			f := out.files()
			f.big = readers == 3
			r := prove(t, Options{Input: src, Pairs: []Pair{f.write(t)}, Partitions: 4, Schema: src.schema, Readers: readers})
			counts(t, r, nil)
			if r.Rows != 10_000 || r.InputRows != 10_000 || r.Partitions != 4 || r.Blocks != 12 || r.Bytes != int64(len(f.data)) ||
				r.Codecs[shufflefile.MakeTag(codec, false).String()] != 12 || r.Chance != "below 2^-106" {
				t.Errorf("%v: report %+v", codec, r)
			}
			if len(r.Checks) != 5 || r.Checks[1].Seconds <= 0 {
				t.Errorf("checks %+v", r.Checks)
			}
		}
	}
}

// TestIndexFaults damages the index: each is found before any block is decoded.
func TestIndexFaults(t *testing.T) {
	for name, c := range map[string]struct {
		damage func(f *files)
		says   string
		offset int64 // in the index file
	}{
		"data one byte shorter":   {func(f *files) { f.data = f.data[:len(f.data)-1] }, "last offset is", 32},
		"data eight bytes longer": {func(f *files) { f.data = append(f.data, make([]byte, 8)...) }, "last offset is", 32},
		"two offsets swapped":     {func(f *files) { f.offsets[1], f.offsets[2] = f.offsets[2], f.offsets[1] }, "below the", 16},
		"first offset 8":          {func(f *files) { f.offsets[0] = 8 }, "first offset is 8", 0},
		"last offset missing":     {func(f *files) { f.offsets = f.offsets[:4] }, "last offset is", 24},
		"negative offset":         {func(f *files) { f.offsets[2] = -5 }, "negative", 16},
		"other byte order":        {func(f *files) { f.big = true }, "offset", 8},
		"empty data file":         {func(f *files) { f.data = nil }, "last offset is", 32},
	} {
		t.Run(name, func(t *testing.T) {
			src, out := small(t, shufflefile.None)
			f := out.files()
			c.damage(f)
			p := f.write(t)
			r := prove(t, Options{Input: src, Pairs: []Pair{p}, Endian: shufflefile.LittleEndian})
			counts(t, r, map[Kind]int64{IndexFault: 1})
			got := r.Findings[0]
			if !strings.Contains(got.Message, c.says) || got.File != p.Index || got.Offset == nil || *got.Offset != c.offset {
				t.Errorf("%+v at %s", got, got.Place())
			}
			if r.Blocks != 0 || r.Checks[1].Skipped == "" {
				t.Error("blocks were decoded under a broken index")
			}
		})
	}
}

// TestOddIndex has an index that is no list of offsets, and one offset too many.
func TestOddIndex(t *testing.T) {
	src, out := small(t, shufflefile.None)
	p := out.files().write(t)
	truncate(t, p.Index, 39)
	counts(t, prove(t, Options{Input: src, Pairs: []Pair{p}}), map[Kind]int64{IndexFault: 1})

	f := out.files()
	f.offsets = append(f.offsets, f.offsets[4])
	p = f.write(t)
	r := prove(t, Options{Input: src, Pairs: []Pair{p}, Partitions: 4})
	counts(t, r, map[Kind]int64{IndexFault: 1})
	if m := r.Findings[0].Message; !strings.Contains(m, "5 partitions, want 4") {
		t.Error(m)
	}
	r = prove(t, Options{Input: src, Pairs: []Pair{p}}) // five partitions: rows belong elsewhere
	if r.Valid || r.Counts[MisplacedRow] < 7000 || len(r.Counts) != 1 {
		t.Errorf("counts %v", r.Counts)
	}
}

// TestDamagedBlocks breaks single blocks: each fault is found at its place, and
// the other partitions are still proved.
func TestDamagedBlocks(t *testing.T) {
	for name, damage := range map[string]func([]byte) []byte{
		"length one off":    func(b []byte) []byte { b[0]++; return b },
		"length huge":       func(b []byte) []byte { binary.LittleEndian.PutUint64(b, 1<<62); return b },
		"length tiny":       func(b []byte) []byte { binary.LittleEndian.PutUint64(b, 3); return b },
		"columns":           func(b []byte) []byte { b[8] = 3; return b },
		"codec tag":         func(b []byte) []byte { b[16] = 'X'; return b },
		"trailing byte":     func(b []byte) []byte { return relength(append(b, 0)) },
		"cut in the body":   func(b []byte) []byte { return relength(b[:len(b)-40]) },
		"cut in the schema": func(b []byte) []byte { return relength(b[:60]) },
		"header only":       func(b []byte) []byte { return relength(b[:20]) },
	} {
		t.Run(name, func(t *testing.T) {
			src, out := small(t, shufflefile.None)
			out[2][1] = damage(slices.Clone(out[2][1]))
			p := out.files().write(t)
			r := prove(t, Options{Input: src, Pairs: []Pair{p}})
			counts(t, r, map[Kind]int64{BlockFault: 1})
			at(t, r.Findings[0], p, 2, 1, out.offset(2, 1))
		})
	}
}

// relength writes the block's length anew.
func relength(b []byte) []byte {
	b = slices.Clone(b)
	binary.LittleEndian.PutUint64(b, uint64(len(b)-8))
	return b
}

// TestManyFaults finds several faults in one run.
func TestManyFaults(t *testing.T) {
	src, out := small(t, shufflefile.LZ4)
	for _, p := range []int{0, 1, 3} {
		b := slices.Clone(out[p][0])
		b[len(b)/2] ^= 0x40
		b[len(b)/2+1] ^= 0x40
		out[p][0] = b
	}
	out[2] = append(out[2], out[2][1])
	r := prove(t, Options{Input: src, Pairs: []Pair{out.files().write(t)}})
	if r.Counts[BlockFault] != 3 || r.Counts[DuplicateRow] != 1000 {
		counts(t, r, map[Kind]int64{BlockFault: 3, DuplicateRow: 1000})
	}
}

// TestBlocksLostAndDoubled drops, doubles and replaces whole blocks.
func TestBlocksLostAndDoubled(t *testing.T) {
	src, good := small(t, shufflefile.LZ4)
	t.Run("dropped", func(t *testing.T) {
		out := slices.Clone(good)
		out[1] = out[1][:2] // the partition is cut at a block boundary
		p := out.files().write(t)
		r := prove(t, Options{Input: src, Pairs: []Pair{p}})
		counts(t, r, map[Kind]int64{MissingRow: 497})
		f := finding(t, r, MissingRow)
		at(t, f, p, 1, shufflefile.NoPlace, shufflefile.NoPlace)
		if len(f.Rows) != 10 || f.Rows[0].InputRow == nil || *f.Rows[0].Expected != 1 {
			t.Errorf("rows %+v", f.Rows)
		}
	})
	t.Run("doubled", func(t *testing.T) {
		out := slices.Clone(good)
		out[3] = append(slices.Clone(out[3]), out[3][2])
		p := out.files().write(t)
		r := prove(t, Options{Input: src, Pairs: []Pair{p}})
		counts(t, r, map[Kind]int64{DuplicateRow: 562})
		f := finding(t, r, DuplicateRow)
		at(t, f, p, 3, 2, out.offset(3, 2))
		if f.Rows[0].Values[0].Column != "id" || *f.Rows[0].Row > 561 {
			t.Errorf("rows %+v", f.Rows)
		}
	})
	t.Run("replaced by a neighbor", func(t *testing.T) {
		out := slices.Clone(good)
		out[0] = [][]byte{out[0][0], out[0][0], out[0][2]}
		p := out.files().write(t)
		r := prove(t, Options{Input: src, Pairs: []Pair{p}})
		counts(t, r, map[Kind]int64{DuplicateRow: 1000, MissingRow: 1000})
		if r.Rows != r.InputRows {
			t.Error("row counts should agree")
		}
	})
	t.Run("everything lost", func(t *testing.T) {
		r := prove(t, Options{Input: src, Pairs: []Pair{make(output, 4).files().write(t)}})
		counts(t, r, map[Kind]int64{MissingRow: 10_000})
	})
	t.Run("moved to the next partition", func(t *testing.T) {
		out := slices.Clone(good)
		out[2] = append([][]byte{out[1][2]}, out[2]...) // an offset at another block boundary
		out[1] = out[1][:2]
		p := out.files().write(t)
		r := prove(t, Options{Input: src, Pairs: []Pair{p}})
		counts(t, r, map[Kind]int64{MisplacedRow: 497})
		f := finding(t, r, MisplacedRow)
		at(t, f, p, 2, 0, out.offset(2, 0))
		if *f.Rows[0].Expected != 1 || *f.Rows[0].Row != 0 || *f.Rows[9].Row != 9 {
			t.Errorf("rows %+v", f.Rows)
		}
	})
	t.Run("without rows", func(t *testing.T) {
		out := slices.Clone(good)
		empty := src.batches[0].NewSlice(0, 0)
		out[2] = append(slices.Clone(out[2]), encode(t, empty, shufflefile.LZ4))
		p := out.files().write(t)
		r := prove(t, Options{Input: src, Pairs: []Pair{p}})
		counts(t, r, map[Kind]int64{EmptyBlock: 1})
		at(t, r.Findings[0], p, 2, 3, out.offset(2, 3))
	})
}

// TestSingleRows moves, changes, drops and adds one row.
func TestSingleRows(t *testing.T) {
	src := seedRows(1000)
	good := shuffle(t, src, 4, 100, shufflefile.None, 0)
	ids := idsOf(t, good) // by partition and block
	id := ids[1][1][7]
	value := func(v int64) int64 { return v*17 + 11 }
	remake := func(list []int64, value func(int64) int64) []byte {
		return encode(t, idBatch(src.schema, list, value), shufflefile.None)
	}
	run := func(out output) (*Report, Pair) {
		p := out.files().write(t)
		return prove(t, Options{Input: src, Pairs: []Pair{p}}), p
	}
	with := func(partition, block int, b []byte) output {
		out := slices.Clone(good)
		out[partition] = slices.Clone(out[partition])
		out[partition][block] = b
		return out
	}
	t.Run("moved", func(t *testing.T) {
		out := with(1, 1, remake(slices.Delete(slices.Clone(ids[1][1]), 7, 8), value))
		out[3] = slices.Clone(out[3])
		out[3][0] = remake(append([]int64{id}, ids[3][0]...), value)
		r, p := run(out)
		counts(t, r, map[Kind]int64{MisplacedRow: 1})
		f := r.Findings[0]
		at(t, f, p, 3, 0, out.offset(3, 0))
		if len(f.Rows) != 1 || *f.Rows[0].Expected != 1 || *f.Rows[0].Row != 0 || *f.Rows[0].InputRow != id {
			t.Errorf("rows %+v", f.Rows)
		}
		values(t, f.Rows[0], itoa(id), itoa(value(id)))
	})
	t.Run("value changed", func(t *testing.T) {
		out := with(1, 1, remake(ids[1][1], func(v int64) int64 {
			if v == id {
				return -1
			}
			return value(v)
		}))
		r, p := run(out)
		counts(t, r, map[Kind]int64{ChangedRow: 1})
		f := r.Findings[0]
		at(t, f, p, 1, 1, out.offset(1, 1))
		d := f.Rows[0].Differences
		if len(d) != 1 || d[0] != (Difference{"value", itoa(value(id)), "-1"}) || *f.Rows[0].Row != 7 || *f.Rows[0].InputRow != id {
			t.Errorf("rows %+v", f.Rows)
		}
	})
	t.Run("key changed", func(t *testing.T) {
		list := slices.Clone(ids[1][1])
		list[7] = 1_000_000
		out := with(1, 1, remake(list, func(v int64) int64 {
			if v == 1_000_000 {
				v = id
			}
			return value(v)
		}))
		r, p := run(out)
		counts(t, r, map[Kind]int64{ChangedRow: 1})
		at(t, r.Findings[0], p, 1, 1, out.offset(1, 1))
		if d := r.Findings[0].Rows[0].Differences; len(d) != 1 || d[0] != (Difference{"id", itoa(id), "1000000"}) {
			t.Errorf("differences %+v", d)
		}
	})
	t.Run("added", func(t *testing.T) {
		out := with(1, 1, remake(append(slices.Clone(ids[1][1]), 5_000_000), value))
		r, p := run(out)
		counts(t, r, map[Kind]int64{ExtraRow: 1})
		at(t, r.Findings[0], p, 1, 1, out.offset(1, 1))
		values(t, r.Findings[0].Rows[0], "5000000", "85000011")
	})
	t.Run("doubled in another partition", func(t *testing.T) {
		out := with(3, 0, remake(append([]int64{id}, ids[3][0]...), value))
		r, p := run(out)
		counts(t, r, map[Kind]int64{DuplicateRow: 1})
		at(t, r.Findings[0], p, 3, 0, out.offset(3, 0))
	})
	t.Run("dropped", func(t *testing.T) {
		out := with(1, 1, remake(slices.Delete(slices.Clone(ids[1][1]), 7, 8), value))
		r, _ := run(out)
		counts(t, r, map[Kind]int64{MissingRow: 1})
		f := r.Findings[0]
		if *f.Partition != 1 || *f.Rows[0].InputRow != id {
			t.Errorf("finding %+v", f)
		}
	})
}

// idsOf decodes the ids of a shuffle with codec none.
func idsOf(t testing.TB, out output) (ids [][][]int64) {
	t.Helper()
	for _, blocks := range out {
		var part [][]int64
		for _, b := range blocks {
			part = append(part, slices.Clone(decodeIDs(t, b)))
		}
		ids = append(ids, part)
	}
	return ids
}

// TestBadOffsets damages string offsets that the array constructor does not look at.
func TestBadOffsets(t *testing.T) {
	src := tableOf(t, []arrow.Field{field("s", arrow.BinaryTypes.String)}, `["aa", "bb", "cc"]`)
	good := encode(t, src.batches[0], shufflefile.None)
	offsets := []byte{0, 0, 0, 0, 2, 0, 0, 0, 4, 0, 0, 0, 6, 0, 0, 0}
	place := strings.Index(string(good), string(offsets)) + 4
	if place < 20 {
		t.Fatal("no offsets in the block")
	}
	for _, bad := range []uint32{2147483647, ^uint32(0), 5} {
		b := slices.Clone(good)
		binary.LittleEndian.PutUint32(b[place:], bad)
		p := output{{b}}.files().write(t)
		r := prove(t, Options{Input: src, Pairs: []Pair{p}, Partitioning: Single})
		counts(t, r, map[Kind]int64{BlockFault: 1})
		at(t, r.Findings[0], p, 0, 0, 0)
	}
}

// TestCutStreams cuts a block's stream between and inside its messages.
func TestCutStreams(t *testing.T) {
	src := seedRows(100)
	whole := stream(t, src.batches[0])
	schema := 8 + int(binary.LittleEndian.Uint32(whole[4:]))
	for name, n := range map[string]int{"after the schema": schema, "in the metadata": schema + 40, "in the body": len(whole) - 100} {
		p := output{{block(t, whole[:n], 2, shufflefile.None)}}.files().write(t)
		r := prove(t, Options{Input: src, Pairs: []Pair{p}, Partitioning: Single})
		if r.Counts[BlockFault] != 1 {
			t.Errorf("%s: counts %v", name, r.Counts)
		}
	}
}
