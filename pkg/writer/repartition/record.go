package repartition

import (
	"fmt"
	"sync/atomic"
	"unsafe"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
)

// record is an arrow.RecordBatch whose columns are known to be of its schema.
// The library's compares every column's type with the schema's, each time; for
// slices of a few rows that would cost more than the slice.
type record struct {
	refs    atomic.Int64
	schema  *arrow.Schema
	rows    int64
	columns []arrow.Array
}

// slabRecords is how many records are made at once. One that is held keeps its
// neighbors' few words too, but nothing that they have released.
const slabRecords = 16

// slab makes records of a schema, and the Data of their columns.
type slab struct {
	schema  *arrow.Schema
	records []record
	columns []arrow.Array
	datas   []array.Data
}

// begun is what the slab keeps. One that is used up stays until the next is
// made: an empty slice refers to its memory all the same.
func (s *slab) begun(sizes sizer) (sum int64) {
	n := s.schema.NumFields()
	if s.records != nil {
		sum += sizes.of(slabRecords*int(unsafe.Sizeof(record{}))) + sizes.of(slabRecords*n*int(unsafe.Sizeof(arrow.Array(nil))))
	}
	if s.datas != nil {
		sum += sizes.of(slabRecords * max(1, n) * int(unsafe.Sizeof(array.Data{})))
	}
	return sum
}

// data makes a Data. Its reference is the caller's.
func (s *slab) data(t arrow.DataType, rows int, buffers []*memory.Buffer, children []arrow.ArrayData, nulls, offset int) *array.Data {
	if len(s.datas) == 0 {
		s.datas = make([]array.Data, slabRecords*max(1, s.schema.NumFields()))
	}
	d := &s.datas[0]
	s.datas = s.datas[1:]
	d.Reset(t, rows, buffers, children, nulls, offset)
	d.Retain()
	return d
}

// slice makes rows of an array's data a Data, as array.NewSliceData does.
func (s *slab) slice(from arrow.ArrayData, lo, rows int) *array.Data {
	d := from.(*array.Data) // the library's only one
	nulls := array.UnknownNullCount
	if d.NullN() == 0 {
		nulls = 0
	}
	return s.data(d.DataType(), rows, d.Buffers(), d.Children(), nulls, d.Offset()+lo)
}

// next is a record of so many rows, whose columns are still to be set.
func (s *slab) next(rows int) *record {
	n := s.schema.NumFields()
	if len(s.records) == 0 {
		s.records, s.columns = make([]record, slabRecords), make([]arrow.Array, slabRecords*n)
	}
	r := &s.records[0]
	s.records = s.records[1:]
	r.schema, r.rows, r.columns = s.schema, int64(rows), s.columns[:n:n]
	s.columns = s.columns[n:]
	r.refs.Store(1)
	return r
}

// set makes column i of data, whose reference it takes over.
func (r *record) set(i int, data arrow.ArrayData) {
	r.columns[i] = array.MakeFromData(data)
	data.Release()
}

// Retain implements arrow.RecordBatch.
func (r *record) Retain() { r.refs.Add(1) }

// Release implements arrow.RecordBatch.
func (r *record) Release() {
	if r.refs.Add(-1) != 0 {
		return
	}
	for _, c := range r.columns {
		c.Release()
	}
	clear(r.columns)
	r.columns = nil
}

// Schema implements arrow.RecordBatch.
func (r *record) Schema() *arrow.Schema { return r.schema }

// NumRows implements arrow.RecordBatch.
func (r *record) NumRows() int64 { return r.rows }

// NumCols implements arrow.RecordBatch.
func (r *record) NumCols() int64 { return int64(len(r.columns)) }

// Columns implements arrow.RecordBatch.
func (r *record) Columns() []arrow.Array { return r.columns }

// Column implements arrow.RecordBatch.
func (r *record) Column(i int) arrow.Array { return r.columns[i] }

// ColumnName implements arrow.RecordBatch.
func (r *record) ColumnName(i int) string { return r.schema.Field(i).Name }

// library is the record as the library's own type.
func (r *record) library() arrow.RecordBatch {
	return array.NewRecordBatch(r.schema, r.columns, r.rows)
}

// SetColumn implements arrow.RecordBatch: a new record with another column.
func (r *record) SetColumn(i int, col arrow.Array) (arrow.RecordBatch, error) {
	if i < 0 || i >= len(r.columns) {
		return nil, fmt.Errorf("no column %d among %d", i, len(r.columns))
	}
	l := r.library()
	defer l.Release()
	return l.SetColumn(i, col)
}

// NewSlice implements arrow.RecordBatch.
func (r *record) NewSlice(i, j int64) arrow.RecordBatch {
	l := r.library()
	defer l.Release()
	return l.NewSlice(i, j)
}

// MarshalJSON implements arrow.RecordBatch.
func (r *record) MarshalJSON() ([]byte, error) {
	l := r.library()
	defer l.Release()
	return l.MarshalJSON()
}
