package partition

import (
	"fmt"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
)

// structBinder folds over the fields. What lies behind a null struct is no
// value of its row.
func structBinder(r Rule, t *arrow.StructType) (binder, error) {
	fields := make([]binder, t.NumFields())
	for i, f := range t.Fields() {
		bind, err := binderOf(r, f.Type)
		if err != nil {
			return nil, fmt.Errorf("field %q: %w", f.Name, err)
		}
		fields[i] = bind
	}
	return func(col arrow.Array) valueFunc {
		a := col.(*array.Struct)
		values := make([]valueFunc, len(fields))
		for i, bind := range fields {
			values[i] = bind(a.Field(i))
		}
		return func(i int, h uint32) uint32 {
			for _, value := range values {
				h = value(i, h)
			}
			return h
		}
	}, nil
}

// listBinder folds over the elements, so an empty list leaves the hash as it is.
func listBinder(r Rule, t arrow.ListLikeType) (binder, error) {
	bind, err := binderOf(r, t.Elem())
	if err != nil {
		return nil, err
	}
	return func(col arrow.Array) valueFunc {
		a := col.(array.ListLike)
		value := bind(a.ListValues())
		return func(i int, h uint32) uint32 {
			first, end := a.ValueOffsets(i)
			for e := first; e < end; e++ {
				h = value(int(e), h)
			}
			return h
		}
	}, nil
}

// extensionBinder hashes what the extension is stored as.
func extensionBinder(r Rule, t arrow.ExtensionType) (binder, error) {
	bind, err := notNull(r, t.StorageType())
	if err != nil {
		return nil, err
	}
	return func(col arrow.Array) valueFunc { return bind(col.(array.ExtensionArray).Storage()) }, nil
}
