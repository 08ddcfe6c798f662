package reader

import (
	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
)

// slab makes the arrays of all columns of one type with one allocation, or,
// where a shell is used again, with none.
type slab struct {
	columns []int
	// fill makes columns of sh from the data of its record batch's roots.
	fill func(sh *shell, columns []int)
}

// makeSlabs sorts the columns of a schema by how their arrays are made.
func makeSlabs(s *arrow.Schema) []slab {
	slabs := make([]slab, 0, 4)
	var at [len(fills)]int8 // the slab of each type, counted from 1; 0: none yet
	for i := range s.NumFields() {
		id := s.Field(i).Type.ID()
		if fills[id] == nil {
			id = arrow.NULL
		}
		if at[id] == 0 {
			slabs = append(slabs, slab{fill: fills[id], columns: make([]int, 0, s.NumFields()-i)})
			at[id] = int8(len(slabs))
		}
		k := &slabs[at[id]-1]
		k.columns = append(k.columns, i)
	}
	return slabs
}

// fills says how the arrays of a type are made; types that are not listed are
// made like arrow.NULL.
var fills = [64]func(*shell, []int){
	arrow.NULL:         fillAny,
	arrow.INT8:         fillData[array.Int8],
	arrow.INT16:        fillData[array.Int16],
	arrow.INT32:        fillData[array.Int32],
	arrow.INT64:        fillData[array.Int64],
	arrow.UINT8:        fillData[array.Uint8],
	arrow.UINT16:       fillData[array.Uint16],
	arrow.UINT32:       fillData[array.Uint32],
	arrow.UINT64:       fillData[array.Uint64],
	arrow.FLOAT32:      fillData[array.Float32],
	arrow.FLOAT64:      fillData[array.Float64],
	arrow.DATE32:       fillData[array.Date32],
	arrow.DATE64:       fillData[array.Date64],
	arrow.TIMESTAMP:    fillData[array.Timestamp],
	arrow.STRING:       fillArrayData[array.String],
	arrow.LARGE_STRING: fillArrayData[array.LargeString],
	arrow.STRING_VIEW:  fillArrayData[array.StringView],
}

// Arrays whose zero value can be set up in place take their data in one of two
// ways.
type (
	dataArray[T any] interface {
		*T
		arrow.Array
		Reset(*array.Data)
	}
	arrayDataArray[T any] interface {
		*T
		arrow.Array
		Reset(arrow.ArrayData)
	}
)

func fillData[T any, P dataArray[T]](sh *shell, columns []int) {
	fresh := room[T](sh, columns)
	for k, c := range columns {
		p := place[T, P](sh, c, fresh, k)
		p.Reset(sh.root(c))
		p.Retain()
	}
}

func fillArrayData[T any, P arrayDataArray[T]](sh *shell, columns []int) {
	fresh := room[T](sh, columns)
	for k, c := range columns {
		p := place[T, P](sh, c, fresh, k)
		p.Reset(sh.root(c))
		p.Retain()
	}
}

// room is memory for the arrays of some columns, nil if the shell has them.
func room[T any](sh *shell, columns []int) []T {
	if sh.batch.columns[columns[0]] != nil {
		return nil
	}
	return make([]T, len(columns))
}

// place is where the array of column c goes.
func place[T any, P interface {
	*T
	arrow.Array
}](sh *shell, c int, fresh []T, k int) P {
	if fresh == nil {
		return sh.batch.columns[c].(P)
	}
	p := P(&fresh[k])
	sh.batch.columns[c] = p
	return p
}

// fillAny makes arrays of any type, each on its own.
func fillAny(sh *shell, columns []int) {
	for _, c := range columns {
		sh.batch.columns[c] = array.MakeFromData(sh.root(c))
	}
}
