package repartition

import (
	"fmt"
	"sync/atomic"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
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

// slab makes records of a schema.
type slab struct {
	schema  *arrow.Schema
	records []record
	columns []arrow.Array
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

// bytes is the memory behind the columns of a record that owns all of it.
func (r *record) bytes() (sum int64) {
	for _, c := range r.columns {
		sum += arraySize(c.Data())
	}
	return sum
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
