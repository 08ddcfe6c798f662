package reader

import (
	"errors"

	"github.com/shufflebench/shufflebench/internal/shufflefile"
)

// otherNode loads a field of the kinds that are rarer.
func (l *loader) otherNode(n *node, f *field) error {
	if n.kind < kindSparse && n.kind != kindNull {
		if err := l.validity(f); err != nil {
			return err
		}
	}
	rows := int64(f.length)
	switch n.kind {
	case kindNull:
		return nil
	case kindBool:
		return l.sized((rows + 7) / 8)
	case kindLargeBinary:
		return l.largeBinary(f)
	case kindView:
		return l.binaryView(rows)
	case kindList, kindLargeList:
		return l.list(n, f)
	case kindListView:
		return errors.Join(l.sized(4*rows), l.sized(4*rows))
	case kindLargeListView:
		return errors.Join(l.sized(8*rows), l.sized(8*rows))
	case kindFixedList:
		return l.childrenHold(n, rows*int64(n.width))
	case kindStruct:
		return l.childrenHold(n, rows)
	}
	return l.unionOrRuns(n, f)
}

func (l *loader) unionOrRuns(n *node, f *field) error {
	if f.nulls != 0 {
		return shufflefile.Corrupt("%v with %d nulls of its own", n.dt, f.nulls)
	}
	l.put(view{}) // where other arrays have their validity
	rows := int64(f.length)
	switch n.kind {
	case kindSparse:
		return errors.Join(l.sized(rows), l.childrenHold(n, rows))
	case kindDense:
		return errors.Join(l.sized(rows), l.sized(4*rows))
	}
	return nil
}

func (l *loader) binary(f *field) error {
	if err := l.validity(f); err != nil {
		return err
	}
	if err := l.offsets32(f.length); err != nil {
		return err
	}
	return l.sized(0)
}

func (l *loader) largeBinary(f *field) error {
	return errors.Join(l.offsets64(f.length), l.sized(0))
}

func (l *loader) binaryView(rows int64) error {
	if err := l.sized(16 * rows); err != nil {
		return err
	}
	n := l.part.meta.Variadic(l.variadic)
	l.variadic++
	for range n {
		if err := l.sized(0); err != nil {
			return err
		}
	}
	return nil
}

func (l *loader) list(n *node, f *field) error {
	if n.isMap {
		if err := l.mapEntries(n); err != nil {
			return err
		}
	}
	if n.kind == kindLargeList {
		return l.offsets64(f.length)
	}
	return l.offsets32(f.length)
}

// mapEntries checks that neither entries nor keys of a map are null.
func (l *loader) mapEntries(n *node) error {
	_, nulls := l.part.meta.Node(n.children[0])
	entries := &l.part.plan.nodes[n.children[0]]
	if _, keys := l.part.meta.Node(entries.children[0]); nulls != 0 || keys != 0 {
		return shufflefile.Corrupt("map with %d entries and %d keys that are null", nulls, keys)
	}
	return nil
}

// offsets32 loads a buffer of length+1 i32 offsets, which may be missing if
// length is 0.
func (l *loader) offsets32(length int) error {
	if length == 0 {
		return l.sized(0)
	}
	if err := l.sized(4 * (int64(length) + 1)); err != nil {
		return err
	}
	if l.part.planes {
		return l.unplane(&l.views[len(l.views)-1], length)
	}
	return nil
}

func (l *loader) offsets64(length int) error {
	if length == 0 {
		return l.sized(0)
	}
	return l.sized(8 * (int64(length) + 1))
}

// childrenHold checks that every child has need values.
func (l *loader) childrenHold(n *node, need int64) error {
	for _, c := range n.children {
		if have, _ := l.part.meta.Node(c); have < need {
			return shufflefile.Corrupt("child of %d values in a field that needs %d", have, need)
		}
	}
	return nil
}
