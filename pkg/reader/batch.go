package reader

import (
	"fmt"
	"strings"
	"sync/atomic"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
)

// batch is the record batch that is handed out: arrow's own would check again
// what is known already, and copy the list of columns.
type batch struct {
	refs     atomic.Int64
	retained atomic.Bool // whether anyone but the Reader held on to it
	counted  bool        // its columns are to be released for their memory's sake
	schema   *arrow.Schema
	rows     int64
	columns  []arrow.Array
	meta     *arrow.Metadata // of the message, nil if it has none
}

var _ arrow.RecordBatchWithMetadata = (*batch)(nil)

// Retain implements arrow.RecordBatch.
func (b *batch) Retain() {
	b.refs.Add(1)
	b.retained.Store(true)
}

// Release implements arrow.RecordBatch. The last one releases the columns;
// where the garbage collector owns their memory there is nothing to release.
func (b *batch) Release() {
	if b.refs.Add(-1) != 0 {
		return
	}
	if b.counted {
		for _, c := range b.columns {
			c.Release()
		}
	}
	b.columns = nil
}

// recycle releases the columns but leaves their memory in place, for the next
// batch; false if others hold on to the batch.
func (b *batch) recycle() bool {
	if b.retained.Load() {
		b.Release()
		return false
	}
	for _, c := range b.columns {
		c.Release()
	}
	return true
}

// Schema implements arrow.RecordBatch.
func (b *batch) Schema() *arrow.Schema { return b.schema }

// Metadata implements arrow.RecordBatchWithMetadata.
func (b *batch) Metadata() arrow.Metadata {
	if b.meta == nil {
		return arrow.Metadata{}
	}
	return *b.meta
}

// NumRows implements arrow.RecordBatch.
func (b *batch) NumRows() int64 { return b.rows }

// NumCols implements arrow.RecordBatch.
func (b *batch) NumCols() int64 { return int64(len(b.columns)) }

// Columns implements arrow.RecordBatch.
func (b *batch) Columns() []arrow.Array { return b.columns }

// Column implements arrow.RecordBatch.
func (b *batch) Column(i int) arrow.Array { return b.columns[i] }

// ColumnName implements arrow.RecordBatch.
func (b *batch) ColumnName(i int) string { return b.schema.Field(i).Name }

// SetColumn implements arrow.RecordBatch.
func (b *batch) SetColumn(i int, c arrow.Array) (arrow.RecordBatch, error) {
	std := b.standard()
	defer std.Release()
	return std.SetColumn(i, c)
}

// NewSlice implements arrow.RecordBatch.
func (b *batch) NewSlice(i, j int64) arrow.RecordBatch {
	std := b.standard()
	defer std.Release()
	return std.NewSlice(i, j)
}

// MarshalJSON implements arrow.RecordBatch.
func (b *batch) MarshalJSON() ([]byte, error) {
	std := b.standard()
	defer std.Release()
	return std.MarshalJSON()
}

// String shows schema and values.
func (b *batch) String() string {
	var s strings.Builder
	fmt.Fprintf(&s, "record:\n  %v\n  rows: %d\n", b.schema, b.rows)
	for i, c := range b.columns {
		fmt.Fprintf(&s, "  col[%d][%s]: %v\n", i, b.ColumnName(i), c)
	}
	return s.String()
}

// standard is arrow's own record batch over the same columns.
func (b *batch) standard() arrow.RecordBatch {
	return array.NewRecordBatchWithMetadata(b.schema, b.columns, b.rows, b.Metadata())
}
