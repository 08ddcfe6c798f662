package reader

import (
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/pierrec/lz4/v4"

	"github.com/shufflebench/shufflebench/internal/shufflefile"
)

// benchBatch has columns of int64, float64, timestamp and, twice as many,
// strings of 16 distinct values, plain or in dictionaries.
func benchBatch(tb testing.TB, columns, rows int, dictionary bool) arrow.RecordBatch {
	tb.Helper()
	var text arrow.DataType = arrow.BinaryTypes.String
	if dictionary {
		text = &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int32, ValueType: text}
	}
	types := []arrow.DataType{arrow.PrimitiveTypes.Int64, text, arrow.PrimitiveTypes.Float64, text, arrow.FixedWidthTypes.Timestamp_us}
	fields := make([]arrow.Field, columns)
	cols := make([]arrow.Array, columns)
	rng := rand.New(rand.NewPCG(7, 7))
	for i := range fields {
		fields[i] = nullable(fmt.Sprintf("column_%d", i), types[i%len(types)])
		cols[i] = benchColumn(tb, fields[i].Type, rows, rng)
	}
	return array.NewRecordBatch(arrow.NewSchema(fields, nil), cols, int64(rows))
}

func benchColumn(tb testing.TB, dt arrow.DataType, rows int, rng *rand.Rand) arrow.Array {
	tb.Helper()
	b := array.NewBuilder(memory.DefaultAllocator, dt)
	for i := range rows {
		word := fmt.Sprintf("value number %d", rng.IntN(16))
		switch b := b.(type) {
		case *array.Int64Builder:
			b.Append(int64(i*17 + 11))
		case *array.Float64Builder:
			b.Append(float64(rng.IntN(10000)) / 4)
		case *array.TimestampBuilder:
			b.Append(arrow.Timestamp(1_700_000_000_000_000 + i*1000))
		case *array.StringBuilder:
			b.Append(word)
		case *array.BinaryDictionaryBuilder:
			if err := b.AppendString(word); err != nil {
				tb.Fatal(err)
			}
		}
	}
	return b.NewArray()
}

// An arm decodes one block in one way.
type arm struct {
	name   string
	decode func(b *testing.B, block []byte) func()
}

// ours is the arm of a Reader with the given options.
func ours(o Options) func(*testing.B, []byte) func() {
	return func(b *testing.B, block []byte) func() {
		r := blockReader(b, o)
		place := shufflefile.In("block")
		return func() {
			if _, err := r.DecodeBlock(block, place); err != nil {
				b.Fatal(err)
			}
		}
	}
}

// fresh decodes with a new ipc.Reader for every block, behind one lz4.Reader
// for all of them.
func fresh(b *testing.B, block []byte) func() {
	h, err := shufflefile.ParseHeader(block, int64(len(block)))
	if err != nil {
		b.Fatal(err)
	}
	codec, _, _ := h.Tag.Codec()
	src := bytes.NewReader(nil)
	z := lz4.NewReader(nil)
	return func() {
		src.Reset(block[shufflefile.HeaderSize:])
		var in io.Reader = src
		if codec == shufflefile.LZ4 {
			z.Reset(src)
			in = z
		}
		rr, err := ipc.NewReader(in)
		if err != nil || !rr.Next() {
			b.Fatal(err)
		}
		rr.Release()
	}
}

// control only parses the schema message, which is no work of ours.
func control(b *testing.B, block []byte) func() {
	h, err := shufflefile.ParseHeader(block, int64(len(block)))
	if err != nil {
		b.Fatal(err)
	}
	codec, _, _ := h.Tag.Codec()
	payload, err := plainFrame(codec, block[shufflefile.HeaderSize:])
	if err != nil {
		b.Fatal(err)
	}
	src := bytes.NewReader(nil)
	return func() {
		src.Reset(payload)
		rr, err := ipc.NewReader(src)
		if err != nil {
			b.Fatal(err)
		}
		rr.Release()
	}
}

var arms = []arm{
	{"control", control},
	{"fresh", fresh},
	{"uncached", ours(Options{SchemaCache: NoCache})},
	{"cached", ours(Options{})},
	{"validated", ours(Options{Validated: true})},
	{"reuse", ours(Options{Reuse: true})},
}

// BenchmarkDecode is the matrix of columns, rows, codec and kind of strings,
// one block an operation, which lies in memory.
func BenchmarkDecode(b *testing.B) {
	for _, columns := range []int{5, 50} {
		for _, rows := range []int{64, 512, 8192} {
			for _, codec := range []shufflefile.Codec{shufflefile.None, shufflefile.LZ4} {
				for _, strings := range []string{"plain", "dictionary"} {
					rec := benchBatch(b, columns, rows, strings == "dictionary")
					block := encode(b, codec, rec)
					for _, a := range arms {
						name := fmt.Sprintf("cols=%d/rows=%d/codec=%v/strings=%s/arm=%s", columns, rows, codec, strings, a.name)
						b.Run(name, func(b *testing.B) { runArm(b, a, block, rows) })
					}
				}
			}
		}
	}
}

func runArm(b *testing.B, a arm, block []byte, rows int) {
	decode := a.decode(b, block)
	b.SetBytes(int64(len(block)))
	b.ReportAllocs()
	for b.Loop() {
		decode()
	}
	b.ReportMetric(float64(rows)*float64(b.N)/b.Elapsed().Seconds(), "rows/s")
}

// BenchmarkSmallBlocks walks over a file of small blocks, as a spilling writer
// leaves them: two int64 columns, 1 to 5 rows, LZ4.
func BenchmarkSmallBlocks(b *testing.B) {
	const partitions, perPartition = 500, 20
	data, index, total := smallBlocks(b, partitions, perPartition)
	for _, a := range []struct {
		name string
		o    Options
	}{
		{"uncached", Options{SchemaCache: NoCache}}, {"cached", Options{}},
		{"validated", Options{Validated: true}}, {"reuse", Options{Reuse: true}},
	} {
		b.Run("arm="+a.name, func(b *testing.B) {
			f, r := openPair(b, data, index, a.o)
			b.ReportAllocs()
			for b.Loop() {
				for p := range f.Partitions() {
					for _, err := range r.Partition(p) {
						if err != nil {
							b.Fatal(err)
						}
					}
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(partitions*perPartition), "ns/block")
		})
	}
	b.Run("arm=fresh", func(b *testing.B) {
		b.ReportAllocs()
		src, z := bytes.NewReader(nil), lz4.NewReader(nil)
		for b.Loop() {
			for _, block := range total {
				src.Reset(block[shufflefile.HeaderSize:])
				z.Reset(src)
				rr, err := ipc.NewReader(z)
				if err != nil || !rr.Next() {
					b.Fatal(err)
				}
				rr.Release()
			}
		}
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(len(total)), "ns/block")
	})
}

func smallBlocks(b *testing.B, partitions, perPartition int) (data, index string, all [][]byte) {
	b.Helper()
	schema := arrow.NewSchema([]arrow.Field{nullable("id", arrow.PrimitiveTypes.Int64), nullable("value", arrow.PrimitiveTypes.Int64)}, nil)
	rng := rand.New(rand.NewPCG(3, 3))
	parts := make([][][]byte, partitions)
	for p := range parts {
		for range perPartition {
			ids, values := array.NewInt64Builder(memory.DefaultAllocator), array.NewInt64Builder(memory.DefaultAllocator)
			n := 1 + rng.IntN(5)
			for range n {
				id := int64(rng.IntN(2_883_584))
				ids.Append(id)
				values.Append(id*17 + 11)
			}
			rec := array.NewRecordBatch(schema, []arrow.Array{ids.NewArray(), values.NewArray()}, int64(n))
			parts[p] = append(parts[p], encode(b, shufflefile.LZ4, rec))
		}
		all = append(all, parts[p]...)
	}
	data, index = writePair(b, parts)
	return data, index, all
}
