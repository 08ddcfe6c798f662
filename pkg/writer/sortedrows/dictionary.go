package sortedrows

import (
	"bytes"
	"hash/maphash"
	"slices"

	"github.com/shufflebench/shufflebench/pkg/writer/encode"
	"github.com/shufflebench/shufflebench/pkg/writer/segment"
	"github.com/shufflebench/shufflebench/pkg/writer/unsaferow"
)

// templates are the prepared messages of blocks with dictionaries, by the
// columns that are dictionaries in them.
type templates struct {
	layout *segment.Layout
	known  map[string]*encode.DictionaryTemplate // by a byte a string column
}

// maxTemplates bounds them, for schemas with many string columns.
const maxTemplates = 256

func newTemplates(l *segment.Layout) *templates {
	return &templates{l, make(map[string]*encode.DictionaryTemplate)}
}

// of gives the template for the columns that chosen has a 1 for, the i-th byte
// for the i-th of columns.
func (t *templates) of(columns []int, chosen []byte) (*encode.DictionaryTemplate, error) {
	if d := t.known[string(chosen)]; d != nil {
		return d, nil
	}
	var picked []int
	for i, c := range columns {
		if chosen[i] != 0 {
			picked = append(picked, c)
		}
	}
	d, err := encode.NewDictionaryTemplate(t.layout, picked)
	if err != nil {
		return nil, err
	}
	if len(t.known) >= maxTemplates {
		clear(t.known)
	}
	t.known[string(chosen)] = d
	return d, nil
}

// dictionaries decides block by block which strings become dictionaries.
type dictionaries struct {
	ratio   float64
	columns []int // top-level strings and binaries with 32-bit offsets
	nodes   []int // their Node.Index
	tables  []table
	chosen  []byte
	values  []encode.Dictionary // of the chosen
	views   []segment.View
	cache   *templates
}

// newDictionaries is nil when no column can become one.
func newDictionaries(ratio float64, c *columns, cache *templates) *dictionaries {
	d := &dictionaries{ratio: ratio, cache: cache}
	for k, f := range c.layout.Fields {
		if f.Kind == unsaferow.Bytes && !f.Node.Wide {
			d.columns = append(d.columns, k)
			d.nodes = append(d.nodes, f.Node.Index)
		}
	}
	if ratio <= 1 || len(d.columns) == 0 {
		return nil
	}
	d.tables = make([]table, len(d.columns))
	d.chosen = make([]byte, len(d.columns))
	for i := range d.tables {
		d.tables[i].seed = maphash.MakeSeed()
	}
	return d
}

// withDictionaries appends the blocks of a window in which some blocks may have
// dictionaries. The blocks between those go through the encoder together.
func (m *blockMaker) withDictionaries(w *segment.Window) error {
	plain := segment.Window{Views: w.Views, Nodes: w.Nodes}
	flush := func() error {
		if len(plain.Parts) == 0 {
			return nil
		}
		err := m.enc.Window(&plain)
		plain.Parts = nil
		return err
	}
	for _, block := range m.blocksOf(w.Parts) {
		if !m.dicts.decide(w, block.Pieces[0]) {
			plain.Parts = append(plain.Parts, block)
			continue
		}
		if err := flush(); err != nil {
			return err
		}
		if err := m.dictionaryBlock(w, &block); err != nil {
			return err
		}
	}
	return flush()
}

// blocksOf cuts parts into blocks.
func (m *blockMaker) blocksOf(parts []segment.Part) []segment.Part {
	if !slices.ContainsFunc(parts, func(p segment.Part) bool { return p.Rows > m.o.BlockRows }) {
		return parts
	}
	var cut []segment.Part
	for _, p := range parts {
		for at := 0; at < p.Rows; at += m.o.BlockRows {
			n := min(m.o.BlockRows, p.Rows-at)
			piece := segment.Piece{Lo: p.Pieces[0].Lo + uint32(at), Rows: uint32(n)}
			cut = append(cut, segment.Part{Partition: p.Partition, Rows: n, Pieces: []segment.Piece{piece}})
		}
	}
	return cut
}

// decide finds out which columns are dictionaries in the block of the rows of a
// piece, and makes them; false for none.
func (d *dictionaries) decide(w *segment.Window, p segment.Piece) bool {
	most := int(float64(p.Rows) / d.ratio) // distinct values
	if most == 0 {
		return false
	}
	d.values = d.values[:0]
	for i, node := range d.nodes {
		d.chosen[i] = 0
		if t := &d.tables[i]; t.build(&w.Views[node], p, most) {
			d.chosen[i] = 1
			d.values = append(d.values, encode.Dictionary{Off: t.off, Data: t.data})
		}
	}
	return len(d.values) > 0
}

// dictionaryBlock appends the block that was decided upon.
func (m *blockMaker) dictionaryBlock(w *segment.Window, block *segment.Part) error {
	d := m.dicts
	t, err := d.cache.of(d.columns, d.chosen)
	if err != nil {
		return err
	}
	d.views = append(d.views[:0], w.Views...)
	for i, node := range d.nodes {
		if d.chosen[i] != 0 {
			d.views[node] = segment.View{Valid: w.Views[node].Valid, Data: d.tables[i].keys}
		}
	}
	with := segment.Window{Views: d.views, Nodes: w.Nodes}
	return m.enc.DictionaryBlock(t, &with, block, d.values)
}

// table numbers the distinct values of one column and block.
type table struct {
	seed  maphash.Seed
	slots []int32 // number + 1 by hash, 0 for an empty slot
	off   []int32
	data  []byte
	keys  []byte // 32 bits a row, at the row's place in the window
}

// build numbers the values of the rows of a piece in the order in which they
// come; false when there are none or more than most.
func (t *table) build(v *segment.View, p segment.Piece, most int) bool {
	t.reset(most, int(p.Lo+p.Rows))
	keys := segment.As[int32](t.keys)
	for row := p.Lo; row < p.Lo+p.Rows; row++ {
		if v.Valid != nil && v.Valid[row>>3]>>(row&7)&1 == 0 {
			keys[row] = 0
			continue
		}
		n, ok := t.number(v.Data[v.Off[row]:v.Off[row+1]], most)
		if !ok {
			return false
		}
		keys[row] = n
	}
	return len(t.off) > 1
}

func (t *table) reset(most, rows int) {
	size := 8
	for size < 2*most {
		size *= 2
	}
	t.slots = slices.Grow(t.slots[:0], size)[:size]
	clear(t.slots)
	t.off, t.data = append(t.off[:0], 0), t.data[:0]
	t.keys = slices.Grow(t.keys[:0], 4*rows)[:4*rows]
}

// number is a value's number; false when it would be one too many.
func (t *table) number(v []byte, most int) (int32, bool) {
	mask := uint64(len(t.slots) - 1)
	for at := maphash.Bytes(t.seed, v) & mask; ; at = (at + 1) & mask {
		n := t.slots[at] - 1
		if n < 0 {
			n = int32(len(t.off) - 1)
			if int(n) == most {
				return 0, false
			}
			t.slots[at] = n + 1
			t.data = append(t.data, v...)
			t.off = append(t.off, int32(len(t.data)))
			return n, true
		}
		if bytes.Equal(t.data[t.off[n]:t.off[n+1]], v) {
			return n, true
		}
	}
}
