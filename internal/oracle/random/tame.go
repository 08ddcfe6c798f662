package random

import (
	"github.com/apache/arrow-go/v18/arrow"
)

// Spark makes rows of a schema as Spark can hold them: decimals of up to 18
// digits have values that fit 64 bits.
func (g *Gen) Spark(s *arrow.Schema, rows int) arrow.RecordBatch {
	b := g.Batch(s, rows)
	for _, c := range b.Columns() {
		tame(c.Data())
	}
	return b
}

// tame gives decimals of up to 18 digits values that fit 64 bits.
func tame(d arrow.ArrayData) {
	if e, ok := d.DataType().(*arrow.Decimal128Type); ok && e.Precision <= 18 {
		b := d.Buffers()[1].Bytes()
		for at := 0; at < len(b); at += 16 {
			for i := 8; i < 16; i++ {
				b[at+i] = byte(int8(b[at+7]) >> 7)
			}
		}
	}
	for _, c := range d.Children() {
		tame(c)
	}
}
