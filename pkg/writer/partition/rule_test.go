package partition

import (
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/decimal128"
)

// TestRules: values of a DECIMAL(20,2) among 200 partitions under both rules,
// as reported for Spark and for Comet's native kernel.
func TestRules(t *testing.T) {
	b := keyBatch(t, &arrow.Decimal128Type{Precision: 20, Scale: 2}, func(b array.Builder) {
		d := b.(*array.Decimal128Builder)
		for _, v := range []int64{123, -123, 0} {
			d.Append(decimal128.FromI64(v))
		}
		d.AppendNull()
		for _, v := range []int64{128, -128, -129} {
			d.Append(decimal128.FromI64(v))
		}
	})
	for rule, want := range map[Rule][]uint32{
		Spark: {85, 85, 103, 42, 118, 99, 29},
		Comet: {39, 94, 101, 42, 118, 159, 144},
	} {
		p, err := rule.NewHash(b.Schema(), []int{0}, 200)
		if err != nil {
			t.Fatal(err)
		}
		got, err := p.Partition(b)
		if err != nil {
			t.Fatal(err)
		}
		for i := range want {
			if got[i] != want[i] {
				t.Errorf("%s: row %d is in partition %d, want %d", rule, i, got[i], want[i])
			}
		}
		if parsed, err := ParseRule(rule.String()); err != nil || parsed != rule {
			t.Errorf("%v, %v", parsed, err)
		}
	}
	if _, err := ParseRule("other"); err == nil {
		t.Error("no error")
	}
}
