package validate

import "slices"

// pairUp finds missing and extra rows that differ in one column only, and makes
// each pair a changed row. The key cannot tell: it is the column that changed,
// or there is none.
func pairUp(bundles []*bundle) []*shown {
	missing := among(bundles, MissingRow, func(s *shown) *quarry { return s.in })
	extra := among(bundles, ExtraRow, func(s *shown) *quarry { return s.out })
	if len(extra) == 0 || len(missing) == 0 {
		return nil
	}
	columns := len(missing[0].in.hits[0].digests)
	if columns < 2 {
		return nil
	}
	mates := map[*shown]*shown{} // either to the other
	for c := range columns {
		byRest := map[uint64]*shown{}
		for _, m := range missing {
			if mates[m] == nil {
				byRest[rest(m, m.in, c)] = m
			}
		}
		for _, x := range extra {
			if m := byRest[rest(x, x.out, c)]; m != nil && mates[x] == nil && mates[m] == nil {
				mates[x], mates[m] = m, x
			}
		}
	}
	return marry(bundles, mates)
}

// among is the faults of a kind whose rows were found.
func among(bundles []*bundle, kind Kind, side func(*shown) *quarry) (list []*shown) {
	for _, b := range bundles {
		if b.kind == kind {
			list = append(list, b.shown...)
		}
	}
	return slices.DeleteFunc(list, func(s *shown) bool { return len(side(s).hits) == 0 })
}

// rest is a digest of a fault's count and of all columns of its row but one.
func rest(s *shown, q *quarry, but int) uint64 {
	h := uint64(s.count)
	for i, d := range q.hits[0].digests {
		if i != but {
			h = (h^d)*0x9e3779b97f4a7c15 ^ h>>29
		}
	}
	return h
}

// marry takes pairs out of their bundles and makes changed rows of them.
func marry(bundles []*bundle, mates map[*shown]*shown) (pairs []*shown) {
	for _, b := range bundles {
		for _, x := range b.take(func(s *shown) bool { return mates[s] != nil }) {
			if b.kind != ExtraRow {
				continue
			}
			m := mates[x]
			pairs = append(pairs, &shown{
				fault: fault{kind: ChangedRow, count: x.count, input: m.input, output: x.output},
				in:    m.in, out: x.out,
			})
		}
	}
	return pairs
}
