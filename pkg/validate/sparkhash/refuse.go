package sparkhash

import (
	"fmt"

	"github.com/apache/arrow-go/v18/arrow"
)

const (
	longDigits = 18 // decimals up to here are longs to Spark
	maxDigits  = 38 // and none is wider than this
)

// Refusal says why a type cannot be hashed, or is nil.
func Refusal(t arrow.DataType) error {
	switch t := t.(type) {
	case *arrow.MapType:
		return fmt.Errorf("%s: Spark does not hash maps, their entries have no order", t)
	case *arrow.Float16Type, *arrow.DayTimeIntervalType:
		return fmt.Errorf("%s: Spark has no such type", t)
	case arrow.DecimalType:
		if t.GetPrecision() > maxDigits {
			return fmt.Errorf("%s: Spark's decimals have at most %d digits", t, maxDigits)
		}
		return nil
	case *arrow.DictionaryType:
		return Refusal(t.ValueType)
	case *arrow.RunEndEncodedType:
		return Refusal(t.Encoded())
	case arrow.ExtensionType:
		return Refusal(t.StorageType())
	case *arrow.StructType:
		return refuseFields(t)
	case arrow.ListLikeType:
		return Refusal(t.Elem())
	}
	if !flat(t.ID()) {
		return fmt.Errorf("%s: no hash rule for this type", t)
	}
	return nil
}

func refuseFields(t *arrow.StructType) error {
	for _, f := range t.Fields() {
		if err := Refusal(f.Type); err != nil {
			return fmt.Errorf("field %q: %w", f.Name, err)
		}
	}
	return nil
}

// flat tells the types without children that have a rule.
func flat(id arrow.Type) bool {
	switch id {
	case arrow.NULL, arrow.BOOL,
		arrow.INT8, arrow.INT16, arrow.INT32, arrow.INT64,
		arrow.UINT8, arrow.UINT16, arrow.UINT32, arrow.UINT64,
		arrow.FLOAT32, arrow.FLOAT64,
		arrow.DATE32, arrow.DATE64, arrow.TIMESTAMP, arrow.TIME32, arrow.TIME64,
		arrow.DURATION, arrow.INTERVAL_MONTHS, arrow.INTERVAL_MONTH_DAY_NANO,
		arrow.STRING, arrow.LARGE_STRING, arrow.STRING_VIEW,
		arrow.BINARY, arrow.LARGE_BINARY, arrow.BINARY_VIEW, arrow.FIXED_SIZE_BINARY:
		return true
	}
	return false
}
