package random

import (
	"fmt"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/extensions"
)

// Flat are the types without children that a shuffle holds.
func Flat() []arrow.DataType {
	p, f := arrow.PrimitiveTypes, arrow.FixedWidthTypes
	return []arrow.DataType{
		arrow.Null, f.Boolean,
		p.Int8, p.Int16, p.Int32, p.Int64, p.Uint8, p.Uint16, p.Uint32, p.Uint64,
		f.Float16, p.Float32, p.Float64,
		f.Date32, f.Date64, f.Time32s, f.Time32ms, f.Time64us, f.Time64ns,
		f.Timestamp_s, f.Timestamp_ms, f.Timestamp_us, f.Timestamp_ns,
		&arrow.TimestampType{Unit: arrow.Microsecond},
		f.Duration_us, f.MonthInterval, f.DayTimeInterval, f.MonthDayNanoInterval,
		&arrow.Decimal128Type{Precision: 18, Scale: 4}, &arrow.Decimal128Type{Precision: 38, Scale: 10},
		&arrow.Decimal256Type{Precision: 60, Scale: 2},
		&arrow.FixedSizeBinaryType{ByteWidth: 1}, &arrow.FixedSizeBinaryType{ByteWidth: 3}, &arrow.FixedSizeBinaryType{ByteWidth: 24},
		arrow.BinaryTypes.String, arrow.BinaryTypes.Binary, arrow.BinaryTypes.LargeString, arrow.BinaryTypes.LargeBinary,
		extensions.NewUUIDType(), extensions.NewBool8Type(),
	}
}

// Type makes a type nested up to depth levels.
func (g *Gen) Type(depth int) arrow.DataType {
	if depth == 0 || g.R.IntN(4) == 0 {
		flat := Flat()
		return flat[g.R.IntN(len(flat))]
	}
	switch g.R.IntN(7) {
	case 0, 1:
		return arrow.ListOfField(g.field("item", depth-1))
	case 2:
		return arrow.LargeListOfField(g.field("item", depth-1))
	case 3:
		return arrow.FixedSizeListOfField(int32(1+g.R.IntN(3)), g.field("item", depth-1))
	case 4:
		key := g.field("key", 0)
		key.Nullable = false
		if key.Type.ID() == arrow.NULL {
			key.Type = arrow.BinaryTypes.String
		}
		return arrow.MapOfFields(key, g.field("value", depth-1))
	case 5:
		return extensions.NewOpaqueType(arrow.ListOfField(g.field("item", depth-1)), "odd", "tests")
	}
	fields := make([]arrow.Field, g.R.IntN(4))
	for i := range fields {
		fields[i] = g.field(fmt.Sprintf("f%d", i), depth-1)
	}
	return arrow.StructOf(fields...)
}

func (g *Gen) field(name string, depth int) arrow.Field {
	t := g.Type(depth)
	return arrow.Field{Name: name, Type: t, Nullable: t.ID() == arrow.NULL || g.R.IntN(5) > 0}
}
