package validate

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/shufflebench/shufflebench/internal/shufflefile"
)

// candidates is the number of rows a finding that are looked for, so that the
// first by place can be shown.
const candidates = 512

// shown is a fault whose rows are looked for.
type shown struct {
	fault
	in, out *quarry // on the two sides; nil where there is no such row
}

// bundle is the faults of one kind in one partition: a finding.
type bundle struct {
	kind   Kind
	part   int32
	count  int64
	faults []fault
	shown  []*shown
}

// show reports faults with some of their rows; 1/2^bits of all rows were searched.
func (r *run) show(ctx context.Context, g *group, faults []fault, bits uint) error {
	bundles := bundleUp(faults)
	input, output := newWanted(), newWanted()
	perKind := map[Kind]int{}
	for _, b := range bundles {
		if perKind[b.kind]++; perKind[b.kind] > r.opts.MaxFindings {
			continue
		}
		for _, f := range b.faults[:min(len(b.faults), candidates)] {
			b.shown = append(b.shown, f.hunt(input, output))
		}
	}
	if err := r.bothSides(ctx, g, &sampler{r, true, input}, &sampler{r, false, output}); err != nil {
		return err
	}
	for _, b := range rearrange(bundles) {
		r.found.add(r.finding(g, b, bits))
	}
	return nil
}

// hunt says where a fault's rows are to be found.
func (f fault) hunt(input, output *wanted) *shown {
	s := &shown{fault: f}
	switch f.kind {
	case ExtraRow: // is it in the input, in a part that was not searched?
		s.in = input.look(f.output.a, f.output.b, anyPart)
	case DuplicateRow:
	default:
		s.in = input.look(f.input.a, f.input.b, f.input.part)
	}
	if f.kind != MissingRow {
		s.out = output.look(f.output.a, f.output.b, f.output.part)
	}
	return s
}

// bundleUp sorts faults by kind and partition.
func bundleUp(faults []fault) []*bundle {
	type key struct {
		kind Kind
		part int32
	}
	byKey := map[key]*bundle{}
	var list []*bundle
	for _, f := range faults {
		k := key{f.kind, f.output.part}
		if f.kind == MissingRow {
			k.part = f.input.part
		}
		b := byKey[k]
		if b == nil {
			b = &bundle{kind: k.kind, part: k.part}
			byKey[k] = b
			list = append(list, b)
		}
		b.count += f.count
		b.faults = append(b.faults, f)
	}
	sortBundles(list)
	return list
}

func sortBundles(list []*bundle) {
	slices.SortFunc(list, func(x, y *bundle) int {
		return cmp.Or(cmp.Compare(x.kind, y.kind), cmp.Compare(x.part, y.part))
	})
}

// rearrange moves what the hits show to be of another kind: an extra row that
// the input has is a duplicate, and a missing and an extra row that differ in
// one column are one that changed.
func rearrange(bundles []*bundle) []*bundle {
	var moved []*shown
	for _, b := range bundles {
		if b.kind == ExtraRow {
			moved = append(moved, b.take(func(s *shown) bool { return len(s.in.hits) > 0 })...)
		}
	}
	for _, s := range moved {
		s.kind = DuplicateRow
	}
	moved = append(moved, pairUp(bundles)...)
	for _, s := range moved {
		bundles = place(bundles, s)
	}
	bundles = slices.DeleteFunc(bundles, func(b *bundle) bool { return b.count == 0 })
	sortBundles(bundles)
	return bundles
}

// take removes the shown faults that match from a bundle.
func (b *bundle) take(match func(*shown) bool) (taken []*shown) {
	b.shown = slices.DeleteFunc(b.shown, func(s *shown) bool {
		if !match(s) {
			return false
		}
		taken = append(taken, s)
		b.count -= s.count
		return true
	})
	return taken
}

// place puts a fault into the bundle of its kind and partition.
func place(bundles []*bundle, s *shown) []*bundle {
	i := slices.IndexFunc(bundles, func(b *bundle) bool { return b.kind == s.kind && b.part == s.output.part })
	if i < 0 {
		bundles = append(bundles, &bundle{kind: s.kind, part: s.output.part})
		i = len(bundles) - 1
	}
	bundles[i].count += s.count
	bundles[i].shown = append(bundles[i].shown, s)
	return bundles
}

// finding renders a bundle.
func (r *run) finding(g *group, b *bundle, bits uint) Finding {
	f := Finding{Kind: b.kind, Count: b.count, Message: b.message()}
	if bits > 0 {
		f.Message = fmt.Sprintf("%s (of 1/%d of the rows: there were too many to hold)", f.Message, uint64(1)<<bits)
	}
	where := shufflefile.In(g.name())
	if r.place.known {
		where.Partition = int(b.part)
	}
	rows := b.samples(r.place.known)
	if len(rows) > 0 && rows[0].Block != nil {
		first := Finding{File: rows[0].File, Partition: rows[0].Partition, Block: rows[0].Block, Offset: rows[0].Offset}
		where = first.Place()
	}
	f.at(where)
	f.Rows = rows[:min(len(rows), r.opts.MaxRows)]
	return f
}

func (b *bundle) message() string {
	one := b.count == 1
	verb := func(singular, plural string) string {
		if one {
			return "1 row " + singular
		}
		return fmt.Sprintf("%d rows %s", b.count, plural)
	}
	switch b.kind {
	case MisplacedRow:
		return verb("belongs in another partition", "belong in other partitions")
	case DuplicateRow:
		return verb("more than the input has", "more than the input has")
	case MissingRow:
		return verb("of the input is missing", "of the input are missing")
	case ExtraRow:
		return verb("is not in the input", "are not in the input")
	}
	return verb("has other values than in the input", "have other values than in the input")
}

// samples is the rows of a bundle that were found, by place.
func (b *bundle) samples(placed bool) []RowSample {
	type found struct {
		hit
		s *shown
	}
	var list []found
	for _, s := range b.shown {
		from := s.out
		if from == nil {
			from = s.in
		}
		for _, h := range from.hits {
			list = append(list, found{h, s})
		}
	}
	slices.SortFunc(list, func(x, y found) int { return byHit(x.hit, y.hit) })
	rows := make([]RowSample, len(list))
	for i, f := range list {
		rows[i] = f.s.sample(f.hit, placed)
	}
	return rows
}

// sample renders one row of a fault.
func (s *shown) sample(h hit, placed bool) RowSample {
	row := RowSample{Values: h.cells}
	if s.out != nil {
		row.at(h.where)
		row.Row = &h.row
	}
	if s.kind == DuplicateRow || s.kind == ExtraRow {
		return row
	}
	if placed {
		row.Expected = known(int(s.input.part))
	}
	if len(s.in.hits) > 0 {
		first := s.in.hits[0]
		row.InputRow = &first.input
		if s.kind == ChangedRow {
			row.Differences = differences(first, h)
		}
	}
	return row
}

// differences is the columns in which an input row and an output row differ.
func differences(in, out hit) []Difference {
	var list []Difference
	for i, d := range in.digests {
		if d != out.digests[i] {
			list = append(list, Difference{in.cells[i].Column, in.cells[i].Value, out.cells[i].Value})
		}
	}
	return list
}
