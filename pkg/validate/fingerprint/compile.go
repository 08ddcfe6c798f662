package fingerprint

import (
	"fmt"

	"github.com/apache/arrow-go/v18/arrow"
)

// Comparable says why values of type source cannot be compared with those of
// type target, or is nil.
func Comparable(target, source arrow.DataType) error {
	_, err := compile(&Keys{}, target, source)
	return err
}

// compile makes the node of a column of type source whose values count as
// those of target.
func compile(k *Keys, target, source arrow.DataType) (node, error) {
	target = plain(target)
	switch s := source.(type) {
	case *arrow.DictionaryType:
		values, err := compile(k, target, s.ValueType)
		return &dictionaries{k: k, values: values}, err
	case *arrow.RunEndEncodedType:
		values, err := compile(k, target, s.Encoded())
		return &runs{values}, err
	case arrow.ExtensionType:
		storage, err := compile(k, target, s.StorageType())
		return &extensions{storage}, err
	case *arrow.NullType:
		return nulls{k}, nil
	}
	switch t := target.(type) {
	case *arrow.NullType:
		return compile(k, source, source) // equal where null
	case *arrow.StructType:
		return compileStruct(k, t, source)
	case arrow.ListLikeType:
		if s, ok := source.(arrow.ListLikeType); ok {
			child, err := compile(k, t.Elem(), s.Elem())
			return &lists{k: k, child: child}, err
		}
		return nil, mismatch(target, source)
	}
	return compileFlat(k, target, source)
}

// plain strips encodings and extensions off a target.
func plain(t arrow.DataType) arrow.DataType {
	switch e := t.(type) {
	case *arrow.DictionaryType:
		return plain(e.ValueType)
	case *arrow.RunEndEncodedType:
		return plain(e.Encoded())
	case arrow.ExtensionType:
		return plain(e.StorageType())
	}
	return t
}

func compileStruct(k *Keys, target *arrow.StructType, source arrow.DataType) (node, error) {
	s, ok := source.(*arrow.StructType)
	if !ok || s.NumFields() != target.NumFields() {
		return nil, mismatch(target, source)
	}
	n := &structs{k: k}
	for i, f := range target.Fields() {
		child, err := compile(k, f.Type, s.Field(i).Type)
		if err != nil {
			return nil, fmt.Errorf("field %d %q: %w", i, f.Name, err)
		}
		n.fields = append(n.fields, child)
	}
	return n, nil
}

func compileFlat(k *Keys, target, source arrow.DataType) (node, error) {
	t, s := kindOf(target), kindOf(source)
	switch {
	case t == unknown || s == unknown:
		return nil, mismatch(target, source)
	case t != s:
		return compileCross(k, target, source)
	case t == boolean:
		return bools{k}, nil
	case t == text:
		return texts{k}, nil
	case t == moment:
		return moments{k}, nil
	case t == fixedPoint:
		return decimalNode(k, target.(arrow.DecimalType), source.(arrow.DecimalType)), nil
	case target.ID() == source.ID() && unit(target) == unit(source):
		return sameWords(k, target), nil
	case t == integer:
		return integerCast(k, target, source), nil
	case t == float:
		return floatCast(k, target), nil
	}
	return timeCast(k, target, source), nil
}

// compileCross joins the kinds between which a cast keeps the value: integers
// and decimals, integers and counts of time, dates and timestamps.
func compileCross(k *Keys, target, source arrow.DataType) (node, error) {
	t, s := kindOf(target), kindOf(source)
	switch {
	case t == integer && s == fixedPoint:
		return decimalToInteger(k, target, source.(arrow.DecimalType)), nil
	case t == fixedPoint && s == integer:
		return &decimals{k, target.(arrow.DecimalType).GetScale(), 0}, nil
	case t == integer && s.counts() || t.counts() && s == integer:
		return integerCast(k, target, source), nil
	case t == date && s == timestamp || t == timestamp && s == date:
		return timeCast(k, target, source), nil
	}
	return nil, mismatch(target, source)
}

func mismatch(target, source arrow.DataType) error {
	if target.ID() == arrow.DENSE_UNION || target.ID() == arrow.SPARSE_UNION {
		return fmt.Errorf("values of type %s cannot be compared", target)
	}
	return fmt.Errorf("%s values cannot be compared with %s", source, target)
}

// kind groups the types among which casts keep values.
type kind uint8

const (
	unknown kind = iota
	boolean
	integer
	float
	fixedPoint
	text
	date
	timeOfDay
	timestamp
	duration
	months
	dayTime
	moment
)

// counts tells the kinds that count units of time in one integer.
func (k kind) counts() bool {
	return k == date || k == timeOfDay || k == timestamp || k == duration
}

func kindOf(t arrow.DataType) kind {
	switch t.ID() {
	case arrow.BOOL:
		return boolean
	case arrow.INT8, arrow.INT16, arrow.INT32, arrow.INT64, arrow.UINT8, arrow.UINT16, arrow.UINT32, arrow.UINT64:
		return integer
	case arrow.FLOAT16, arrow.FLOAT32, arrow.FLOAT64:
		return float
	case arrow.DECIMAL32, arrow.DECIMAL64, arrow.DECIMAL128, arrow.DECIMAL256:
		return fixedPoint
	case arrow.STRING, arrow.LARGE_STRING, arrow.STRING_VIEW,
		arrow.BINARY, arrow.LARGE_BINARY, arrow.BINARY_VIEW, arrow.FIXED_SIZE_BINARY:
		return text
	case arrow.DATE32, arrow.DATE64:
		return date
	case arrow.TIME32, arrow.TIME64:
		return timeOfDay
	case arrow.TIMESTAMP:
		return timestamp
	case arrow.DURATION:
		return duration
	case arrow.INTERVAL_MONTHS:
		return months
	case arrow.INTERVAL_DAY_TIME:
		return dayTime
	case arrow.INTERVAL_MONTH_DAY_NANO:
		return moment
	}
	return unknown
}
