package reader

import (
	"math"

	"github.com/apache/arrow-go/v18/arrow"
)

// valueLie damages one value of a column, given its buffers, such that sizes
// and counts still agree.
type valueLie struct {
	what string
	dt   arrow.DataType
	seed uint64
	lie  func(buffers [][]byte)
	want string
}

func put32(b []byte, i int, v int32) { le.PutUint32(b[4*i:], uint32(v)) }

// valueLies has one lie for every check of the validated mode. Columns have 40
// rows of the random batch of the seed.
func valueLies() []valueLie {
	str, i64 := arrow.BinaryTypes.String, arrow.PrimitiveTypes.Int64
	dict := &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int32, ValueType: str}
	fields := []arrow.Field{nullable("a", i64), nullable("b", str)}
	return []valueLie{
		{"null count", i64, 1, func(b [][]byte) { b[0][0] ^= 1 }, "null count"},
		{"string offset far out", str, 1, func(b [][]byte) { put32(b[1], 2, math.MaxInt32) }, "ends at"},
		{"string offset negative", str, 1, func(b [][]byte) { put32(b[1], 2, -1) }, "ends at"},
		{"string offset above the next", str, 1, func(b [][]byte) { put32(b[1], 2, int32(le.Uint32(b[1][12:]))+5) }, "starts at offset"},
		{"large string offset", arrow.BinaryTypes.LargeString, 1, func(b [][]byte) { le.PutUint64(b[1][16:], 1<<62) }, "starts at offset"},
		{"binary offset", arrow.BinaryTypes.Binary, 1, func(b [][]byte) { put32(b[1], 3, -7) }, "starts at offset"},
		{"not UTF-8", str, 1, func(b [][]byte) { b[2][3] = 0xff }, "is not UTF-8"},
		{"a row within a character", str, 1, splitCharacter, "is not UTF-8"},
		{"large string not UTF-8", arrow.BinaryTypes.LargeString, 1, func(b [][]byte) { b[2][3] = 0xff }, "is not UTF-8"},
		{"list offset", arrow.ListOf(i64), 1, func(b [][]byte) { put32(b[1], 2, math.MaxInt32) }, "starts at offset"},
		{"large list offset", arrow.LargeListOf(str), 1, func(b [][]byte) { le.PutUint64(b[1][16:], math.MaxUint64) }, "starts at offset"},
		{"map offset", arrow.MapOf(str, i64), 1, func(b [][]byte) { put32(b[1], 2, math.MaxInt32) }, "starts at offset"},
		{"nested string", arrow.StructOf(fields...), 1, func(b [][]byte) { put32(b[4], 2, -1) }, "starts at offset"},
		{"list view offset", arrow.ListViewOf(i64), 1, func(b [][]byte) { put32(b[1], 2, -1) }, "of a child of"},
		{"list view size", arrow.ListViewOf(i64), 1, func(b [][]byte) { put32(b[2], 2, math.MaxInt32) }, "of a child of"},
		{"large list view", arrow.LargeListViewOf(str), 1, func(b [][]byte) { le.PutUint64(b[2][16:], 1<<62) }, "of a child of"},
		{"view of a buffer that is not there", arrow.BinaryTypes.StringView, 1, func(b [][]byte) { longView(b[1], 8, 9) }, "bytes that are not there"},
		{"view past its buffer", arrow.BinaryTypes.StringView, 1, func(b [][]byte) { longView(b[1], 12, 1<<30) }, "bytes that are not there"},
		{"view with another prefix", arrow.BinaryTypes.BinaryView, 1, func(b [][]byte) { longView(b[1], 4, 1) }, "bytes that are not there"},
		{"view of negative length", arrow.BinaryTypes.BinaryView, 1, func(b [][]byte) { longView(b[1], 0, -1) }, "bytes that are not there"},
		{"view not UTF-8", arrow.BinaryTypes.StringView, 1, shortViewBadText, "is not UTF-8"},
		{"dictionary index", dict, 1, func(b [][]byte) { allIndices(b[1], 100) }, "into a dictionary of"},
		{"negative dictionary index", dict, 1, func(b [][]byte) { allIndices(b[1], -1) }, "has index -1 into a dictionary of"},
		{"dictionary in a list", arrow.ListOf(dict), 1, func(b [][]byte) { allIndices(b[3], 1<<30) }, "into a dictionary of"},
		{"union type code", arrow.SparseUnionOf(fields, []arrow.UnionTypeCode{3, 7}), 1, func(b [][]byte) { b[0][5] = 4 }, "type code 4"},
		{"negative union type code", arrow.DenseUnionOf(fields, []arrow.UnionTypeCode{3, 7}), 1, func(b [][]byte) { b[0][5] = 0x80 }, "type code -128"},
		{"union offset", arrow.DenseUnionOf(fields, []arrow.UnionTypeCode{3, 7}), 1, func(b [][]byte) { put32(b[1], 4, 1<<20) }, "of a child of"},
		{"union offset that falls", arrow.DenseUnionOf(fields, []arrow.UnionTypeCode{3, 7}), 1, func(b [][]byte) { put32(b[1], 39, -1) }, "of a child of"},
		{"run that ends before the last", arrow.RunEndEncodedOf(arrow.PrimitiveTypes.Int32, i64), 1, func(b [][]byte) { put32(b[1], 2, 1) }, "where the one before ended"},
		{"run that ends at 0", arrow.RunEndEncodedOf(arrow.PrimitiveTypes.Int16, i64), 1, func(b [][]byte) { b[1][0], b[1][1] = 0, 0 }, "ends at row 0"},
	}
}

// splitCharacter moves an offset by one to within a character of two bytes or more.
func splitCharacter(b [][]byte) {
	for i := 1; 4*i+8 <= len(b[1]); i++ {
		at, next := le.Uint32(b[1][4*i:]), le.Uint32(b[1][4*i+4:])
		if at+1 < next && b[2][at] >= 0xc0 {
			put32(b[1], i, int32(at)+1)
			return
		}
	}
}

// longView changes the field at the given place of the views that are not
// inline.
func longView(views []byte, at int, v int32) {
	for i := 0; i+16 <= len(views); i += 16 {
		if int32(le.Uint32(views[i:])) > 12 {
			le.PutUint32(views[i+at:], uint32(v))
		}
	}
}

func shortViewBadText(b [][]byte) {
	for i := 0; i+16 <= len(b[1]); i += 16 {
		if n := le.Uint32(b[1][i:]); n > 0 && n <= 12 {
			b[1][i+4] = 0xff
		}
	}
}

func allIndices(b []byte, v int32) {
	for i := range len(b) / 4 {
		put32(b, i, v)
	}
}
