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
	var slabs []slab
	at := map[arrow.Type]int{}
	for i, f := range s.Fields() {
		id := f.Type.ID()
		fill, ok := fills[id]
		if !ok {
			id, fill = arrow.NULL, fillAny
		}
		k, ok := at[id]
		if !ok {
			k = len(slabs)
			at[id] = k
			slabs = append(slabs, slab{fill: fill})
		}
		slabs[k].columns = append(slabs[k].columns, i)
	}
	return slabs
}

var fills = map[arrow.Type]func(*shell, []int){
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
