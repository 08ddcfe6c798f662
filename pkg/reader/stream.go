package reader

import (
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/shufflebench/shufflebench/internal/ipcwire"
	"github.com/shufflebench/shufflebench/internal/shufflefile"
)

// part is one message with a body: a dictionary batch or the record batch.
type part struct {
	plan  *plan
	slot  int // of the dictionary, or recordSlot
	prev  int // the message that this one's dictionary goes on from, or none
	meta  ipcwire.Batch
	shape *shape // of meta, if it is known
	// metadata is what meta was read from, of a record batch that may be
	// remembered as a shape.
	metadata []byte
	body     []byte
	from     []byte         // what body is a copy of, or nil if it lies where it was decoded
	lent     bool           // body lies in memory that the next message overwrites
	owner    *memory.Buffer // counts the memory of body, nil if the garbage collector does
	// planes says that i32 offsets are stored as lengths in byte planes.
	planes bool

	fields fieldSpan // where its fields and buffers were put by the loader
}

const (
	// recordSlot is in place of a slot in parts that are no dictionary, noSlot
	// in one whose message is not read yet.
	recordSlot = -1
	noSlot     = -2
	// none is in place of the index of a part.
	none = -1
)

// stream is one IPC stream, seen but not yet built: a schema, dictionaries and
// a record batch.
type stream struct {
	schema     *schema
	parts      []part // dictionary batches as they came, then the record batch
	slots      []slot // what has come of each of the schema's dictionaries
	changed    bool   // whether any came since that was last set to false
	keys, vals []string
}

// slot is the state of one dictionary.
type slot struct {
	base int   // the part that it last started with, or none
	last int   // the part that it last went on with
	rows int64 // values in it
}

// start forgets the last stream and begins one of the given schema.
func (s *stream) start(schema *schema) {
	for i := range s.parts {
		s.parts[i].letGo()
	}
	s.parts, s.slots, s.changed = s.parts[:0], s.slots[:0], true
	s.keys, s.vals = nil, nil
	s.schema = schema
	if schema == nil {
		return
	}
	for range schema.dicts {
		s.slots = append(s.slots, slot{base: none, last: none})
	}
}

// letGo gives up a part's hold on the memory of its body.
func (p *part) letGo() {
	if p.owner != nil {
		p.owner.Release()
		p.owner = nil
	}
}

// record is the record batch, which is the last part.
func (s *stream) record() *part { return &s.parts[len(s.parts)-1] }

// dead reports whether the i-th part belongs to a dictionary that was started
// anew since.
func (s *stream) dead(i int) bool {
	slot := s.parts[i].slot
	return slot >= 0 && i < s.slots[slot].base
}

// dropRecord forgets a record batch, and keeps the dictionaries before it.
func (s *stream) dropRecord() {
	if n := len(s.parts); n > 0 && s.parts[n-1].slot == recordSlot {
		s.parts[n-1].letGo()
		s.parts = s.parts[:n-1]
	}
}

// sweep forgets dictionaries that were started anew, once they are many.
func (s *stream) sweep() {
	dead := 0
	for i := range s.parts {
		if s.dead(i) {
			dead++
		}
	}
	if 2*dead <= len(s.parts) {
		return
	}
	live := 0
	for i := range s.parts {
		if s.dead(i) {
			s.parts[i].letGo()
			continue
		}
		s.parts[live] = s.parts[i]
		live++
	}
	clear(s.parts[live:])
	s.parts = s.parts[:live]
	s.link()
}

// link finds the slots' parts again.
func (s *stream) link() {
	for i := range s.slots {
		s.slots[i] = slot{base: none, last: none}
	}
	for i := range s.parts {
		s.linkPart(i, s.parts[i].prev != none)
	}
}

// linkPart hangs the i-th part, a dictionary, into the chain of its slot.
func (s *stream) linkPart(i int, delta bool) {
	p := &s.parts[i]
	at := &s.slots[p.slot]
	p.prev = at.last
	if !delta {
		*at = slot{base: i}
		p.prev = none
	}
	at.last = i
	at.rows += p.meta.Rows
}

// read walks over the messages of a payload: a schema, dictionaries, one
// record batch and the end mark, with nothing after it.
func (s *stream) read(payload []byte, c *cache) error {
	s.start(nil)
	n, err := ipcwire.Prefix(payload)
	if err != nil {
		return err
	}
	if n == 0 {
		return shufflefile.Corrupt("the stream ends before a schema")
	}
	pos := ipcwire.PrefixSize + n
	schema, err := c.get(payload[ipcwire.PrefixSize:pos])
	if err != nil {
		return err
	}
	s.start(schema)
	for {
		if n, err = ipcwire.Prefix(payload[pos:]); err != nil {
			return err
		}
		pos += ipcwire.PrefixSize
		if n == 0 {
			return s.end(len(payload) - pos)
		}
		if pos, err = s.message(payload, pos, n); err != nil {
			return err
		}
	}
}

// end checks what a stream has brought when its end mark is met.
func (s *stream) end(rest int) error {
	if len(s.parts) == 0 || s.record().slot != recordSlot {
		return shufflefile.Corrupt("the stream ends before a record batch")
	}
	if rest > 0 {
		return shufflefile.Corrupt("%d bytes after the end of the stream", rest)
	}
	return s.dictionariesWhole()
}

// dictionariesWhole checks that every dictionary of the schema has come.
func (s *stream) dictionariesWhole() error {
	for i := range s.slots {
		if s.slots[i].base == none {
			return shufflefile.Corrupt("no dictionary batch for id %d", s.schema.dicts[i].id)
		}
	}
	return nil
}

// message takes the message whose metadata are the n bytes at pos and returns
// where the next one starts.
func (s *stream) message(payload []byte, pos, n int) (int, error) {
	metadata := payload[pos : pos+n]
	pos += n
	if len(s.parts) == 0 && len(s.slots) == 0 {
		if sh := s.schema.shapes.find(metadata); sh != nil && sh.body <= len(payload)-pos {
			end := pos + sh.body
			p := s.add(recordSlot, payload[pos:end:end])
			p.plan, p.meta, p.shape = &s.schema.batch, sh.meta, sh
			return end, nil
		}
	}
	m, err := ipcwire.ParseMessage(metadata)
	if err != nil {
		return 0, err
	}
	if m.BodyLength > int64(len(payload)-pos) {
		return 0, shufflefile.Corrupt("body of %d bytes in a stream with %d bytes left", m.BodyLength, len(payload)-pos)
	}
	end := pos + int(m.BodyLength)
	err = s.take(&m, payload[pos:end:end])
	if err == nil && len(s.parts) == 1 && s.keys == nil {
		s.parts[0].metadata = metadata
	}
	return end, err
}

// take adds a message that follows the schema.
func (s *stream) take(m *ipcwire.Message, body []byte) error {
	if len(s.parts) > 0 && s.record().slot == recordSlot {
		return unexpected(m.Kind, "the end of the stream")
	}
	switch m.Kind {
	case ipcwire.HeaderRecordBatch:
		p := s.add(recordSlot, body)
		p.plan = &s.schema.batch
		if err := m.RecordBatch(&p.meta); err != nil {
			return err
		}
		var err error
		s.keys, s.vals, err = m.Metadata()
		return err
	case ipcwire.HeaderDictionaryBatch:
		return s.dictionary(m, body)
	}
	return unexpected(m.Kind, "a record batch")
}

func (s *stream) dictionary(m *ipcwire.Message, body []byte) error {
	p := s.add(noSlot, body)
	d, err := m.Dictionary(&p.meta)
	if err != nil {
		return err
	}
	slot, ok := s.schema.slots[d.ID]
	if !ok {
		return shufflefile.Corrupt("dictionary batch for id %d, which the schema does not have", d.ID)
	}
	if d.Delta && s.slots[slot].base == none {
		return shufflefile.Corrupt("dictionary %d goes on before it starts", d.ID)
	}
	p.slot, p.plan = slot, &s.schema.dicts[slot].values
	s.linkPart(len(s.parts)-1, d.Delta)
	s.changed = true
	return nil
}

func (s *stream) add(slot int, body []byte) *part {
	s.parts = append(s.parts, part{})
	p := &s.parts[len(s.parts)-1]
	p.slot, p.prev, p.body = slot, none, body
	return p
}

func unexpected(kind uint8, want string) error {
	return shufflefile.Corrupt("a message of kind %s (%d) in place of %s", ipcwire.HeaderName(kind), kind, want)
}
