// Package convert brings the columns of a fixture to types that the readers of
// Comet's layout take.
//
// Spark with Comet reads blocks in several ways, and they do not take the same
// types: some refuse views, uint64, nanosecond timestamps, date64 and
// dictionaries, one gives wrong rows for decimal256, and decimal32 corrupts its
// memory. So what is written is what all of them take, and a Plan says which
// columns changed:
//
//	string view, binary view     utf8, binary
//	decimal32, decimal64         decimal128 of the same digits
//	decimal256 up to 38 digits   decimal128; more digits stay
//	uint64                       decimal128(20, 0), as Spark reads such Parquet
//	timestamp in s, ms, ns       microseconds, rounded down
//	date64                       date32, rounded down
//	dictionary, run-end encoded  the values
//
// Nested columns are converted inside. Everything else stays.
package convert

import (
	"fmt"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
)

// Plan is what becomes of batches of a schema.
type Plan struct {
	Schema *arrow.Schema // of what is written
	Notes  []string      // a sentence for each column that changes
	steps  []step        // by column; nil where it stays
}

// step converts an array's data; the result is the caller's.
type step func(d arrow.ArrayData) (arrow.ArrayData, error)

// New plans the conversion of batches of schema.
func New(schema *arrow.Schema) *Plan {
	p := &Plan{steps: make([]step, schema.NumFields())}
	fields := make([]arrow.Field, schema.NumFields())
	changed := false
	for i, f := range schema.Fields() {
		t, s := plan(f.Type)
		if s != nil {
			p.Notes = append(p.Notes, fmt.Sprintf("column %q is written as %s in place of %s, which not every reader of the format takes", f.Name, t, f.Type))
			changed = true
		}
		fields[i] = arrow.Field{Name: f.Name, Type: t, Nullable: f.Nullable}
		p.steps[i] = s
	}
	p.Schema = arrow.NewSchema(fields, nil)
	if !changed {
		p.steps = nil
	}
	return p
}

// Changes reports whether any column is converted.
func (p *Plan) Changes() bool { return p.steps != nil }

// Apply converts a batch. The result must be released; where nothing changes
// it is the batch itself, retained.
func (p *Plan) Apply(batch arrow.RecordBatch) (arrow.RecordBatch, error) {
	if p.steps == nil {
		batch.Retain()
		return batch, nil
	}
	cols := make([]arrow.Array, len(p.steps))
	defer func() {
		for _, c := range cols {
			if c != nil {
				c.Release()
			}
		}
	}()
	for i, s := range p.steps {
		c := batch.Column(i)
		if s == nil {
			c.Retain()
			cols[i] = c
			continue
		}
		d, err := s(c.Data())
		if err != nil {
			return nil, fmt.Errorf("column %q: %w", p.Schema.Field(i).Name, err)
		}
		cols[i] = array.MakeFromData(d)
		d.Release()
	}
	return array.NewRecordBatch(p.Schema, cols, batch.NumRows()), nil
}

// plan gives the type that t becomes, and how; a nil step leaves it.
func plan(t arrow.DataType) (arrow.DataType, step) {
	switch t := t.(type) {
	case *arrow.StringViewType:
		return arrow.BinaryTypes.String, unview(arrow.BinaryTypes.String)
	case *arrow.BinaryViewType:
		return arrow.BinaryTypes.Binary, unview(arrow.BinaryTypes.Binary)
	case *arrow.DictionaryType, *arrow.RunEndEncodedType:
		return planEncoded(t)
	case arrow.ExtensionType:
		if to, s := plan(t.StorageType()); s != nil {
			return to, s
		}
	case *arrow.StructType, *arrow.ListType, *arrow.LargeListType, *arrow.FixedSizeListType, *arrow.MapType:
		return planNested(t.(arrow.NestedType))
	}
	if to, s := planFixed(t); s != nil {
		return to, s
	}
	return t, nil
}

// planNested converts children and keeps the rest.
func planNested(t arrow.NestedType) (arrow.DataType, step) {
	fields := t.Fields()
	steps := make([]step, len(fields))
	changed := false
	for i, f := range fields {
		to, s := plan(f.Type)
		fields[i] = arrow.Field{Name: f.Name, Type: to, Nullable: f.Nullable}
		steps[i] = s
		changed = changed || s != nil
	}
	if !changed {
		return t, nil
	}
	to := withFields(t, fields)
	return to, func(d arrow.ArrayData) (arrow.ArrayData, error) {
		children := make([]arrow.ArrayData, len(steps))
		defer func() {
			for _, c := range children {
				if c != nil {
					c.Release()
				}
			}
		}()
		for i, c := range d.Children() {
			if steps[i] == nil {
				c.Retain()
				children[i] = c
				continue
			}
			var err error
			if children[i], err = steps[i](c); err != nil {
				return nil, err
			}
		}
		return array.NewData(to, d.Len(), d.Buffers(), children, d.NullN(), d.Offset()), nil
	}
}

func withFields(t arrow.NestedType, f []arrow.Field) arrow.DataType {
	switch t := t.(type) {
	case *arrow.ListType:
		return arrow.ListOfField(f[0])
	case *arrow.LargeListType:
		return arrow.LargeListOfField(f[0])
	case *arrow.FixedSizeListType:
		return arrow.FixedSizeListOfField(t.Len(), f[0])
	case *arrow.MapType:
		entry := f[0].Type.(*arrow.StructType).Fields()
		m := arrow.MapOfFields(entry[0], entry[1])
		m.KeysSorted = t.KeysSorted
		return m
	}
	return arrow.StructOf(f...)
}

// unview makes a view array one with offsets.
func unview(to arrow.DataType) step {
	return func(d arrow.ArrayData) (arrow.ArrayData, error) {
		src := array.MakeFromData(d).(array.ViewLike)
		defer src.Release()
		b := array.NewBuilder(memory.DefaultAllocator, to)
		defer b.Release()
		b.Reserve(src.Len())
		for i := range src.Len() {
			appendView(b, src, i)
		}
		out := b.NewArray()
		defer out.Release()
		out.Data().Retain()
		return out.Data(), nil
	}
}

func appendView(b array.Builder, src array.ViewLike, i int) {
	if src.IsNull(i) {
		b.AppendNull()
		return
	}
	switch src := src.(type) {
	case *array.StringView:
		b.(*array.StringBuilder).Append(src.Value(i))
	case *array.BinaryView:
		b.(*array.BinaryBuilder).Append(src.Value(i))
	}
}
