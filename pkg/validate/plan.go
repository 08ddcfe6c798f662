package validate

import (
	"errors"
	"fmt"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/shufflebench/shufflebench/internal/shufflefile"
	"github.com/shufflebench/shufflebench/pkg/validate/fingerprint"
)

// plan is how blocks of one schema are compared.
type plan struct {
	schema     *arrow.Schema
	rows, keys *fingerprint.Rows
	fault      string // what is wrong with the schema, if its rows can still be compared
	err        error  // why they cannot
	noted      bool   // types that real readers refuse
}

// plans knows the schemas that one worker met. Most files have one; a writer
// that picks dictionaries block by block has a few.
type plans struct {
	r       *run
	keyCols []int
	list    []*plan
}

// maxPlans bounds what a file with ever new schemas can make us remember.
const maxPlans = 16

// of is the plan of a schema. An error is a *shufflefile.Error around a
// *schemaError.
func (ps *plans) of(s *arrow.Schema) (*plan, error) {
	for i, p := range ps.list {
		if p.schema == s {
			if i > 0 { // the next block is likely to have it too
				ps.list[0], ps.list[i] = ps.list[i], ps.list[0]
			}
			return p, p.err
		}
	}
	for _, p := range ps.list {
		if p.schema.Equal(s) {
			p.schema = s
			return p, p.err
		}
	}
	p := ps.r.plan(s, ps.keyCols)
	if len(ps.list) == maxPlans {
		ps.list = ps.list[:maxPlans-1]
	}
	ps.list = append(ps.list, p)
	return p, p.err
}

// schemaError is a schema whose rows cannot be compared with the input's.
type schemaError struct{ err error }

func (e *schemaError) Error() string { return e.err.Error() }

func (e *schemaError) Unwrap() error { return e.err }

// plan compiles the comparison with the input, and says what is to be said of
// the schema.
func (r *run) plan(s *arrow.Schema, keyCols []int) *plan {
	p := &plan{schema: s}
	in := r.opts.Input.Schema()
	target, keys := r.target()
	var err error
	p.rows, p.keys, err = folders(keys, target, s, keyCols)
	if err != nil {
		p.err = &shufflefile.Error{Class: shufflefile.ErrMismatch, Place: shufflefile.In(""), Err: &schemaError{nameColumn(in, s, err)}}
		return p
	}
	if r.opts.Schema != nil {
		p.fault = differs(r.opts.Schema, s)
	} else {
		r.noteForeign(in, s)
	}
	return p
}

func nameColumn(in, s *arrow.Schema, err error) error {
	var m *fingerprint.MismatchError
	if !errors.As(err, &m) || m.Column >= min(in.NumFields(), s.NumFields()) {
		return err
	}
	return fmt.Errorf("column %d %q, input column %q: %w", m.Column, s.Field(m.Column).Name, in.Field(m.Column).Name, m.Err)
}

// plainType is what a type holds: a writer may make strings and binaries
// dictionaries in any block, with keys that Comet's readers take.
func plainType(t arrow.DataType) arrow.DataType {
	if d, ok := t.(*arrow.DictionaryType); ok && d.IndexType.ID() == arrow.INT32 {
		if id := d.ValueType.ID(); id == arrow.STRING || id == arrow.BINARY {
			return d.ValueType
		}
	}
	return t
}

// differs says where a block's schema is not the one it must be.
func differs(want, got *arrow.Schema) string {
	if w, g := want.NumFields(), got.NumFields(); w != g {
		return fmt.Sprintf("block has %d columns, want %d", g, w)
	}
	for i, w := range want.Fields() {
		g := got.Field(i)
		if w.Name != g.Name {
			return fmt.Sprintf("column %d is named %q, want %q", i, g.Name, w.Name)
		}
		if !arrow.TypeEqual(w.Type, plainType(g.Type)) {
			return fmt.Sprintf("column %d %q is %s, want %s", i, g.Name, g.Type, w.Type)
		}
	}
	return ""
}
