package writer

import "github.com/apache/arrow-go/v18/arrow"

// OutputSchema is the schema of what is written for a fixture of the given
// schema: the same names, types and nullability, without any metadata, which
// every block would carry and no reader needs.
func OutputSchema(s *arrow.Schema) *arrow.Schema {
	return arrow.NewSchema(plainFields(s.Fields()), nil)
}

func plainFields(fields []arrow.Field) []arrow.Field {
	plain := make([]arrow.Field, len(fields))
	for i, f := range fields {
		plain[i] = arrow.Field{Name: f.Name, Type: plainType(f.Type), Nullable: f.Nullable}
	}
	return plain
}

// plainType drops the metadata of nested fields.
func plainType(t arrow.DataType) arrow.DataType {
	child := func(f arrow.Field) arrow.Field { return plainFields([]arrow.Field{f})[0] }
	switch t := t.(type) {
	case *arrow.ListType:
		return arrow.ListOfField(child(t.ElemField()))
	case *arrow.LargeListType:
		return arrow.LargeListOfField(child(t.ElemField()))
	case *arrow.FixedSizeListType:
		return arrow.FixedSizeListOfField(t.Len(), child(t.ElemField()))
	case *arrow.StructType:
		return arrow.StructOf(plainFields(t.Fields())...)
	case *arrow.MapType:
		m := arrow.MapOfFields(child(t.KeyField()), child(t.ItemField()))
		m.KeysSorted = t.KeysSorted
		return m
	}
	return t
}
