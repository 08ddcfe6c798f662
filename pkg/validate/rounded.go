package validate

import (
	"github.com/apache/arrow-go/v18/arrow"

	"github.com/shufflebench/shufflebench/pkg/validate/fingerprint"
)

// target is what rows are compared as: the input's schema, but for times that
// our own output, by its declared schema, holds in a coarser unit. The input's
// are then rounded down to that, as the writer says it does.
func (r *run) target() (*arrow.Schema, *fingerprint.Keys) {
	in := r.opts.Input.Schema()
	want := r.opts.Schema
	if want == nil || want.NumFields() != in.NumFields() {
		return in, r.keys
	}
	fields := in.Fields()
	changed := false
	for i := range fields {
		if t, ok := coarser(fields[i].Type, want.Field(i).Type); ok {
			fields[i].Type, changed = t, true
		}
	}
	if !changed {
		return in, r.keys
	}
	return arrow.NewSchema(fields, nil), r.keys.RoundDown()
}

// coarser is in with the times that want holds in a coarser unit in that unit.
func coarser(in, want arrow.DataType) (arrow.DataType, bool) {
	switch in := in.(type) {
	case *arrow.TimestampType:
		w, ok := want.(*arrow.TimestampType)
		return want, ok && w.Unit < in.Unit
	case *arrow.Date64Type:
		return want, want.ID() == arrow.DATE32
	case *arrow.StructType:
		return coarserStruct(in, want)
	case *arrow.MapType: // compared as the list of its entries
		if w, ok := want.(*arrow.MapType); ok {
			t, changed := coarser(in.Elem(), w.Elem())
			return arrow.ListOf(t), changed
		}
	case arrow.ListLikeType:
		if w, ok := want.(arrow.ListLikeType); ok {
			t, changed := coarser(in.Elem(), w.Elem())
			return arrow.ListOf(t), changed
		}
	}
	return in, false
}

func coarserStruct(in *arrow.StructType, want arrow.DataType) (arrow.DataType, bool) {
	w, ok := want.(*arrow.StructType)
	if !ok || w.NumFields() != in.NumFields() {
		return in, false
	}
	fields := in.Fields()
	changed := false
	for i := range fields {
		if t, ok := coarser(fields[i].Type, w.Field(i).Type); ok {
			fields[i].Type, changed = t, true
		}
	}
	return arrow.StructOf(fields...), changed
}
