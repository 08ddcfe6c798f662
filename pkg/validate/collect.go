package validate

import (
	"cmp"
	"errors"
	"slices"
	"sync"

	"github.com/shufflebench/shufflebench/internal/shufflefile"
)

// collector gathers findings and notes from all goroutines. Of each kind it
// keeps the first few by place, whatever the order in which they come, and
// counts the rest.
type collector struct {
	limit int

	mu     sync.Mutex
	kept   map[Kind][]Finding
	counts map[Kind]int64
	notes  []string
}

func newCollector(limit int) *collector {
	return &collector{limit: limit, kept: map[Kind][]Finding{}, counts: map[Kind]int64{}}
}

// add takes a finding; its Count is at least 1.
func (c *collector) add(f Finding) {
	f.Count = max(f.Count, 1)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.counts[f.Kind] += f.Count
	list := c.kept[f.Kind]
	at, _ := slices.BinarySearchFunc(list, f, byPlace)
	if at >= c.limit {
		return
	}
	list = slices.Insert(list, at, f)
	c.kept[f.Kind] = list[:min(len(list), c.limit)]
}

// more counts faults of a kind that are not shown.
func (c *collector) more(k Kind, n int64) {
	if n <= 0 {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.counts[k] += n
}

// fault turns an error of the reader into a finding; an error that is no
// fault of the files is given back.
func (c *collector) fault(kind Kind, err error) error {
	var e *shufflefile.Error
	if !errors.As(err, &e) || e.Class == nil {
		return err
	}
	f := Finding{Kind: kind, Message: e.Msg}
	if e.Err != nil {
		f.Message = joinText(e.Msg, e.Err.Error())
	}
	f.at(e.Place)
	c.add(f)
	return nil
}

func joinText(a, b string) string {
	if a == "" {
		return b
	}
	return a + ": " + b
}

// maxNotes bounds what a file with ever new schemas can say.
const maxNotes = 40

// note takes a remark once.
func (c *collector) note(text string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.notes) < maxNotes && !slices.Contains(c.notes, text) {
		c.notes = append(c.notes, text)
	}
}

func (c *collector) count(kinds ...Kind) (n int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, k := range kinds {
		n += c.counts[k]
	}
	return n
}

// kinds in the order in which they are reported: what explains the others first.
var kinds = []Kind{IndexFault, BlockFault, ChecksumFault, SchemaFault, EmptyBlock, MisplacedRow, SplitKey, OrderFault,
	ChangedRow, DuplicateRow, MissingRow, ExtraRow, DifferingRows}

// fill moves what was gathered into r.
func (c *collector) fill(r *Report) {
	for _, k := range kinds {
		r.Findings = append(r.Findings, c.kept[k]...)
	}
	slices.Sort(c.notes)
	r.Notes, r.Counts = c.notes, c.counts
	r.Valid = len(r.Counts) == 0
}

// byPlace orders findings by file, partition, block and offset.
func byPlace(a, b Finding) int {
	p, q := a.Place(), b.Place()
	return cmp.Or(cmp.Compare(p.File, q.File), cmp.Compare(p.Partition, q.Partition),
		cmp.Compare(p.Block, q.Block), cmp.Compare(p.Offset, q.Offset), cmp.Compare(a.Message, b.Message))
}
