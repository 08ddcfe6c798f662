package validate

import (
	"fmt"
	"strings"

	"github.com/apache/arrow-go/v18/arrow"
)

// noteForeign says in what a foreign file's schema is not the input's, though
// its values may be equal, and which of its types real readers refuse.
func (r *run) noteForeign(in, s *arrow.Schema) {
	var names []string
	for i, f := range s.Fields() {
		want := in.Field(i)
		if f.Name != want.Name {
			names = append(names, fmt.Sprintf("%q for %q", f.Name, want.Name))
		}
		if !arrow.TypeEqual(f.Type, want.Type) {
			r.found.note(fmt.Sprintf("column %d %q is %s, the input's is %s: compared by value", i, want.Name, f.Type, want.Type))
		}
	}
	if len(names) > 0 {
		r.found.note("other column names than the input's: " + strings.Join(clip(names, 8), ", "))
	}
}

// noteRefused warns of types that Spark with Comet does not read back from
// its own layout, or reads wrongly.
func (r *run) noteRefused(s *arrow.Schema) {
	for i, f := range s.Fields() {
		if what := refused(f.Type); what != "" {
			r.found.note(fmt.Sprintf("column %d %q: %s", i, f.Name, what))
		}
	}
}

// refused says what Spark 4.1 with Comet 1.2 does with a type that it does not
// write itself: found by putting such files in place of its own.
func refused(t arrow.DataType) string {
	switch t := t.(type) {
	case *arrow.StringViewType, *arrow.BinaryViewType, *arrow.Uint64Type, *arrow.Date64Type:
		return fmt.Sprintf("%s is refused by Comet's JVM reader", t)
	case *arrow.TimestampType:
		if t.Unit == arrow.Nanosecond {
			return fmt.Sprintf("%s is refused by Comet's JVM reader", t)
		}
	case *arrow.DictionaryType:
		if t.IndexType.ID() != arrow.INT32 {
			return fmt.Sprintf("dictionary keys of %s are refused by Comet's JVM reader", t.IndexType)
		}
		return refused(t.ValueType)
	case *arrow.Decimal32Type:
		return fmt.Sprintf("%s corrupts the memory of Comet's JVM reader", t)
	case *arrow.Decimal64Type:
		return fmt.Sprintf("%s fails in Comet's reader", t)
	case *arrow.Decimal256Type:
		return fmt.Sprintf("%s gives wrong values in Comet's reader, without an error", t)
	case arrow.NestedType:
		for _, f := range t.Fields() {
			if what := refused(f.Type); what != "" {
				return what
			}
		}
	}
	return ""
}

// clip shortens a list for people.
func clip(list []string, n int) []string {
	if len(list) <= n {
		return list
	}
	return append(list[:n:n], fmt.Sprintf("and %d more", len(list)-n))
}
