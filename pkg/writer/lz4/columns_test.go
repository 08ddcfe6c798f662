package lz4

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/decimal128"
	"github.com/apache/arrow-go/v18/arrow/memory"
)

// fill builds an array of rows values of type T.
func fill[T any, B interface {
	Append(T)
	NewArray() arrow.Array
}](b B, rows int, value func(i int) T) arrow.Array {
	for i := range rows {
		b.Append(value(i))
	}
	return b.NewArray()
}

var pool = memory.DefaultAllocator

// columnType makes columns of one type as a hash partition sees them: every
// gap-th row of an ordered table, or random values.
type columnType struct {
	name string
	make func(rng *rand.Rand, rows int) arrow.Array
}

func int64s(rows int, value func(i int) int64) arrow.Array {
	return fill(array.NewInt64Builder(pool), rows, value)
}

func int32s(rows int, value func(i int) int32) arrow.Array {
	return fill(array.NewInt32Builder(pool), rows, value)
}

// ascending returns the next of rising values with random gaps around mean.
func ascending(rng *rand.Rand, start, mean int64) func(int) int64 {
	at := start
	return func(int) int64 { at += 1 + int64(rng.ExpFloat64()*float64(mean)); return at }
}

func gapFor(rows int) int64 { return 2883584 / int64(rows) }

const words = "the of and to in is that for it as was with be by on not he his but at are this have from or had an which you one we all were her she there would their will when who him been has more if no out do so can what up said about other into than its time only could new them man some these then two first may any like now my such make over our even most me state after also made many did must before back see through way where get much go well your know should down work year because come people just say each those take day good how long mr own too little use us very great still men here life both between old under last never place same another think house while high right might came off find states since used give against three himself look few general hand school part small american home during number again mrs around thought went without however govern dont does got public united point end become head once course fact upon need system set every war put form water took program present government thing told possible group large until always city didnt order away called want eyes something unite going face far asked interest later show knew per let field early held yet"

func text(rng *rand.Rand, n int) string {
	list := strings.Fields(words)
	var b strings.Builder
	for b.Len() < n {
		b.WriteString(list[int(float64(len(list))*math.Pow(rng.Float64(), 2))])
		b.WriteByte(' ')
	}
	return b.String()[:n]
}

func stringColumn(rows int, value func(i int) string) arrow.Array {
	return fill(array.NewStringBuilder(pool), rows, value)
}

// columnTypes are the types of the table in docs/design/lz4.md.
func columnTypes() []columnType {
	return slices.Concat(wideIntegers(), narrowTypes(), floats(), decimals(), otherTypes())
}

func wideIntegers() []columnType {
	return []columnType{
		{"int64 ascending", func(rng *rand.Rand, rows int) arrow.Array {
			return int64s(rows, ascending(rng, 0, gapFor(rows)))
		}},
		{"int64 ascending, each 1-7 times", func(rng *rand.Rand, rows int) arrow.Array {
			next, left, v := ascending(rng, 0, gapFor(rows)), 0, int64(0)
			return int64s(rows, func(int) int64 {
				if left == 0 {
					left, v = 1+rng.IntN(7), next(0)
				}
				left--
				return v
			})
		}},
		{"int64 random", func(rng *rand.Rand, rows int) arrow.Array {
			return int64s(rows, func(int) int64 { return rng.Int64() })
		}},
		{"int64 below 1000", func(rng *rand.Rand, rows int) arrow.Array {
			return int64s(rows, func(int) int64 { return rng.Int64N(1000) })
		}},
		{"int64 below 1 million", func(rng *rand.Rand, rows int) arrow.Array {
			return int64s(rows, func(int) int64 { return rng.Int64N(1e6) })
		}},
		{"int64 of 10 values", func(rng *rand.Rand, rows int) arrow.Array {
			return int64s(rows, func(int) int64 { return rng.Int64N(10) * 12345 })
		}},
		{"int64 either sign", func(rng *rand.Rand, rows int) arrow.Array {
			return int64s(rows, func(int) int64 { return rng.Int64N(20000) - 10000 })
		}},
		{"int64 constant", func(rng *rand.Rand, rows int) arrow.Array {
			return int64s(rows, func(int) int64 { return 42 })
		}},
	}
}

func narrowTypes() []columnType {
	return []columnType{
		{"int32 ascending", func(rng *rand.Rand, rows int) arrow.Array {
			next := ascending(rng, 0, gapFor(rows))
			return int32s(rows, func(i int) int32 { return int32(next(i)) })
		}},
		{"int32 below 1000", func(rng *rand.Rand, rows int) arrow.Array {
			return int32s(rows, func(int) int32 { return rng.Int32N(1000) })
		}},
		{"int32 of 10 values", func(rng *rand.Rand, rows int) arrow.Array {
			return int32s(rows, func(int) int32 { return rng.Int32N(10) })
		}},
		{"date of 7 years", func(rng *rand.Rand, rows int) arrow.Array {
			return fill(array.NewDate32Builder(pool), rows, func(int) arrow.Date32 { return arrow.Date32(8035 + rng.IntN(2557)) })
		}},
		{"int16 below 1000", func(rng *rand.Rand, rows int) arrow.Array {
			return fill(array.NewInt16Builder(pool), rows, func(int) int16 { return int16(rng.IntN(1000)) })
		}},
		{"int8 below 50", func(rng *rand.Rand, rows int) arrow.Array {
			return fill(array.NewInt8Builder(pool), rows, func(int) int8 { return int8(rng.IntN(50)) })
		}},
	}
}

func floats() []columnType {
	return []columnType{
		{"float32 random", func(rng *rand.Rand, rows int) arrow.Array {
			return fill(array.NewFloat32Builder(pool), rows, func(int) float32 { return rng.Float32() })
		}},
		{"float64 random", func(rng *rand.Rand, rows int) arrow.Array {
			return fill(array.NewFloat64Builder(pool), rows, func(int) float64 { return rng.Float64() })
		}},
		{"float64 prices", func(rng *rand.Rand, rows int) arrow.Array {
			return fill(array.NewFloat64Builder(pool), rows, func(int) float64 { return float64(rng.IntN(100000)) / 100 })
		}},
		{"float64 whole numbers", func(rng *rand.Rand, rows int) arrow.Array {
			return fill(array.NewFloat64Builder(pool), rows, func(int) float64 { return float64(rng.IntN(50) + 1) })
		}},
	}
}

func decimals() []columnType {
	return []columnType{
		{"decimal128", func(rng *rand.Rand, rows int) arrow.Array {
			b := array.NewDecimal128Builder(pool, &arrow.Decimal128Type{Precision: 15, Scale: 2})
			return fill(b, rows, func(int) decimal128.Num { return decimal128.FromI64(rng.Int64N(10e6)) })
		}},
		{"decimal128 either sign", func(rng *rand.Rand, rows int) arrow.Array {
			b := array.NewDecimal128Builder(pool, &arrow.Decimal128Type{Precision: 15, Scale: 2})
			return fill(b, rows, func(int) decimal128.Num { return decimal128.FromI64(rng.Int64N(20e6) - 10e6) })
		}},
		{"decimal128 of 11 values", func(rng *rand.Rand, rows int) arrow.Array {
			b := array.NewDecimal128Builder(pool, &arrow.Decimal128Type{Precision: 15, Scale: 2})
			return fill(b, rows, func(int) decimal128.Num { return decimal128.FromI64(rng.Int64N(11)) })
		}},
	}
}

func otherTypes() []columnType {
	return []columnType{
		{"timestamp ascending", func(rng *rand.Rand, rows int) arrow.Array {
			next := ascending(rng, 1.7e15, 1e12/int64(rows))
			b := array.NewTimestampBuilder(pool, &arrow.TimestampType{Unit: arrow.Microsecond})
			return fill(b, rows, func(i int) arrow.Timestamp { return arrow.Timestamp(next(i)) })
		}},
		{"timestamp random", func(rng *rand.Rand, rows int) arrow.Array {
			b := array.NewTimestampBuilder(pool, &arrow.TimestampType{Unit: arrow.Microsecond})
			return fill(b, rows, func(i int) arrow.Timestamp { return arrow.Timestamp(17e14 + rng.Int64N(3e13)) })
		}},
		{"bool", func(rng *rand.Rand, rows int) arrow.Array {
			return fill(array.NewBooleanBuilder(pool), rows, func(int) bool { return rng.IntN(2) == 0 })
		}},
		{"bool, 1 in 100", func(rng *rand.Rand, rows int) arrow.Array {
			return fill(array.NewBooleanBuilder(pool), rows, func(int) bool { return rng.IntN(100) == 0 })
		}},
		{"short strings", func(rng *rand.Rand, rows int) arrow.Array {
			return stringColumn(rows, func(int) string { return fmt.Sprintf("Customer#%09d", rng.IntN(150000)) })
		}},
		{"string of 5 values", func(rng *rand.Rand, rows int) arrow.Array {
			modes := []string{"AIR", "TRUCK", "MAIL", "REG AIR", "SHIP"}
			return stringColumn(rows, func(int) string { return modes[rng.IntN(5)] })
		}},
		{"random letters", func(rng *rand.Rand, rows int) arrow.Array {
			return stringColumn(rows, func(int) string {
				b := make([]byte, 4+rng.IntN(20))
				for i := range b {
					b[i] = byte('a' + rng.IntN(26))
				}
				return string(b)
			})
		}},
		{"long text", func(rng *rand.Rand, rows int) arrow.Array {
			return stringColumn(rows, func(int) string { return text(rng, 60+rng.IntN(80)) })
		}},
		{"int64, 1 in 10 null", func(rng *rand.Rand, rows int) arrow.Array {
			b, next := array.NewInt64Builder(pool), ascending(rng, 0, gapFor(rows))
			for i := range rows {
				if v := next(i); rng.IntN(10) == 0 {
					b.AppendNull()
				} else {
					b.Append(v)
				}
			}
			return b.NewArray()
		}},
	}
}

// typeStreams makes n streams of one column.
func typeStreams(t testing.TB, c columnType, rows, n int) []stream {
	rng := rand.New(rand.NewPCG(7, uint64(rows)))
	out := make([]stream, n)
	for i := range out {
		out[i] = newStream(t, []string{"c"}, []arrow.Array{c.make(rng, rows)})
	}
	return out
}
