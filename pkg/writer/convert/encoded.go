package convert

import (
	"context"
	"fmt"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/compute"
	"github.com/apache/arrow-go/v18/arrow/memory"
)

// planEncoded decodes dictionaries and runs, and then converts the values.
func planEncoded(t arrow.DataType) (arrow.DataType, step) {
	var values arrow.DataType
	var decode step
	switch t := t.(type) {
	case *arrow.DictionaryType:
		values, decode = t.ValueType, decodeDictionary
	case *arrow.RunEndEncodedType:
		values, decode = t.Encoded(), decodeRuns
	}
	to, next := plan(values)
	if next == nil {
		return to, decode
	}
	return to, func(d arrow.ArrayData) (arrow.ArrayData, error) {
		plain, err := decode(d)
		if err != nil {
			return nil, err
		}
		defer plain.Release()
		return next(plain)
	}
}

// decodeDictionary takes a dictionary's value for every row.
func decodeDictionary(d arrow.ArrayData) (arrow.ArrayData, error) {
	a := array.MakeFromData(d).(*array.Dictionary)
	defer a.Release()
	rows := make([]int64, a.Len())
	for i := range rows {
		if rows[i] = absent; a.IsValid(i) {
			rows[i] = int64(a.GetValueIndex(i))
		}
	}
	return pick(a.Dictionary(), rows)
}

// decodeRuns takes a run's value for every row.
func decodeRuns(d arrow.ArrayData) (arrow.ArrayData, error) {
	a := array.MakeFromData(d).(*array.RunEndEncoded)
	defer a.Release()
	rows := make([]int64, a.Len())
	for i := range rows {
		rows[i] = int64(a.GetPhysicalIndex(i))
	}
	return pick(a.Values(), rows)
}

// absent marks a row that is null.
const absent = -1

// pick gathers rows of values.
func pick(values arrow.Array, rows []int64) (arrow.ArrayData, error) {
	b := array.NewInt64Builder(memory.DefaultAllocator)
	defer b.Release()
	b.Reserve(len(rows))
	for _, r := range rows {
		switch {
		case r == absent:
			b.AppendNull()
		case r < 0 || r >= int64(values.Len()):
			return nil, fmt.Errorf("index %d is outside of the %d values", r, values.Len())
		default:
			b.Append(r)
		}
	}
	indices := b.NewArray()
	defer indices.Release()
	out, err := compute.TakeArray(context.Background(), values, indices)
	if err != nil {
		return nil, err
	}
	defer out.Release()
	out.Data().Retain()
	return out.Data(), nil
}
