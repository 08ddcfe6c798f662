package partition

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"sort"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
)

// Bounds cut the order of keys into partitions. A row goes to the first
// partition whose bound is not below its key, and to the last one if all
// bounds are: a key that equals a bound belongs to the side below it, as
// Spark has it. Keys are ordered column by column: nulls first, numbers by
// value with -0.0 equal to 0.0 and NaN the greatest, strings by bytes.
type Bounds struct {
	cols  []int
	upper [][]byte // encoded keys, rising, one fewer than partitions
}

// keyFunc appends the form of value i whose bytes are ordered as the values.
type keyFunc func(b []byte, i int) []byte

// Sampler collects keys for bounds.
type Sampler struct {
	schema *arrow.Schema
	cols   []int
	keys   [][]byte
}

// NewSampler samples the given columns. It fails, naming the column, for a type
// without an order.
func NewSampler(schema *arrow.Schema, cols []int) (*Sampler, error) {
	for _, c := range cols {
		if f := schema.Field(c); !ordered(f.Type) {
			return nil, fmt.Errorf("column %q (%d): type %s has no order", f.Name, c, f.Type)
		}
	}
	return &Sampler{schema: schema, cols: cols}, nil
}

// Add takes every step-th row of a batch, beginning with row from.
func (s *Sampler) Add(batch arrow.RecordBatch, from, step int) {
	keys := bindKeys(batch, s.cols)
	for i := from; i < int(batch.NumRows()); i += step {
		s.keys = append(s.keys, encodeKey(nil, keys, i))
	}
}

// Bounds cuts the sample into partitions of about equal numbers of keys.
func (s *Sampler) Bounds(partitions int) *Bounds {
	slices.SortFunc(s.keys, bytes.Compare)
	b := &Bounds{cols: s.cols}
	if len(s.keys) == 0 {
		return b
	}
	for p := 1; p < partitions; p++ {
		b.upper = append(b.upper, s.keys[min(p*len(s.keys)/partitions, len(s.keys)-1)])
	}
	return b
}

// NewRange partitions by bounds, which any number of Partitioners may share.
func NewRange(b *Bounds) Partitioner { return &byRange{bounds: b} }

type byRange struct {
	bounds *Bounds
	out    []uint32
	key    []byte
}

func (r *byRange) Partition(batch arrow.RecordBatch) ([]uint32, error) {
	n := int(batch.NumRows())
	r.out = slices.Grow(r.out[:0], n)[:n]
	keys := bindKeys(batch, r.bounds.cols)
	for i := range r.out {
		r.key = encodeKey(r.key[:0], keys, i)
		r.out[i] = r.bounds.find(r.key)
	}
	return r.out, nil
}

// find is the number of bounds below key.
func (b *Bounds) find(key []byte) uint32 {
	return uint32(sort.Search(len(b.upper), func(i int) bool { return bytes.Compare(key, b.upper[i]) <= 0 }))
}

func bindKeys(batch arrow.RecordBatch, cols []int) []keyFunc {
	keys := make([]keyFunc, len(cols))
	for i, c := range cols {
		keys[i] = bindKey(batch.Column(c))
	}
	return keys
}

func encodeKey(b []byte, keys []keyFunc, i int) []byte {
	for _, k := range keys {
		b = k(b, i)
	}
	return b
}

// Marks before a column's key.
const (
	nullMark  = 0
	valueMark = 1
)

// bindKey gives the key function of an array.
func bindKey(a arrow.Array) keyFunc {
	value := bindValue(a)
	return func(b []byte, i int) []byte {
		if a.IsNull(i) {
			return append(b, nullMark)
		}
		return value(append(b, valueMark), i)
	}
}

func ordered(t arrow.DataType) bool {
	switch t.ID() {
	case arrow.BOOL, arrow.INT8, arrow.INT16, arrow.INT32, arrow.INT64, arrow.UINT8, arrow.UINT16, arrow.UINT32, arrow.UINT64,
		arrow.FLOAT32, arrow.FLOAT64, arrow.DATE32, arrow.TIMESTAMP, arrow.DECIMAL128,
		arrow.STRING, arrow.BINARY, arrow.LARGE_STRING, arrow.LARGE_BINARY, arrow.FIXED_SIZE_BINARY, arrow.NULL:
		return true
	}
	return false
}

// bindValue is bindKey for values that are not null, of types that ordered
// takes.
func bindValue(a arrow.Array) keyFunc {
	switch a := a.(type) {
	case *array.Boolean:
		return func(b []byte, i int) []byte {
			if a.Value(i) {
				return append(b, 1)
			}
			return append(b, 0)
		}
	case *array.Int8:
		return signedKey(func(i int) int64 { return int64(a.Value(i)) })
	case *array.Int16:
		return signedKey(func(i int) int64 { return int64(a.Value(i)) })
	case *array.Int32:
		return signedKey(func(i int) int64 { return int64(a.Value(i)) })
	case *array.Int64:
		return signedKey(a.Value)
	case *array.Uint8:
		return signedKey(func(i int) int64 { return int64(a.Value(i)) })
	case *array.Uint16:
		return signedKey(func(i int) int64 { return int64(a.Value(i)) })
	case *array.Uint32:
		return signedKey(func(i int) int64 { return int64(a.Value(i)) })
	case *array.Uint64:
		return func(b []byte, i int) []byte { return binary.BigEndian.AppendUint64(b, a.Value(i)) }
	case *array.Date32:
		return signedKey(func(i int) int64 { return int64(a.Value(i)) })
	case *array.Timestamp:
		return signedKey(func(i int) int64 { return int64(a.Value(i)) })
	case *array.Float32:
		return floatKey(func(i int) float64 { return float64(a.Value(i)) })
	case *array.Float64:
		return floatKey(a.Value)
	case *array.Decimal128:
		return func(b []byte, i int) []byte {
			v := a.Value(i)
			b = binary.BigEndian.AppendUint64(b, uint64(v.HighBits())^1<<63)
			return binary.BigEndian.AppendUint64(b, v.LowBits())
		}
	case *array.String:
		return func(b []byte, i int) []byte { return appendText(b, a.Value(i)) }
	case *array.LargeString:
		return func(b []byte, i int) []byte { return appendText(b, a.Value(i)) }
	case *array.Binary:
		return func(b []byte, i int) []byte { return appendText(b, a.Value(i)) }
	case *array.LargeBinary:
		return func(b []byte, i int) []byte { return appendText(b, a.Value(i)) }
	case *array.FixedSizeBinary:
		return func(b []byte, i int) []byte { return appendText(b, a.Value(i)) }
	}
	return func(b []byte, _ int) []byte { return b } // all null
}

// signedKey flips the sign, so that negative numbers come first.
func signedKey(value func(int) int64) keyFunc {
	return func(b []byte, i int) []byte { return binary.BigEndian.AppendUint64(b, uint64(value(i))^1<<63) }
}

// floatKey orders floats by value; a float32 keeps its order as a float64.
func floatKey(value func(int) float64) keyFunc {
	return func(b []byte, i int) []byte {
		v := value(i)
		bits := math.Float64bits(v)
		switch {
		case v != v:
			bits = math.MaxUint64
		case v == 0:
			bits = 1 << 63
		case bits>>63 != 0:
			bits = ^bits
		default:
			bits |= 1 << 63
		}
		return binary.BigEndian.AppendUint64(b, bits)
	}
}

// appendText ends a string with two zeros, and writes a zero in it as 0, 255,
// so that a string comes before the longer ones that begin with it.
func appendText[T string | []byte](b []byte, s T) []byte {
	for i := range len(s) {
		b = append(b, s[i])
		if s[i] == 0 {
			b = append(b, 255)
		}
	}
	return append(b, 0, 0)
}
