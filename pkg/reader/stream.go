package reader

import (
	"slices"

	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/shufflebench/shufflebench/internal/ipcwire"
	"github.com/shufflebench/shufflebench/internal/shufflefile"
)

// part is one message with a body: a dictionary batch or the record batch.
type part struct {
	plan  *plan
	slot  int  // of the dictionary, or recordSlot
	delta bool // the dictionary goes on in place of starting anew
	dead  bool // the dictionary was started anew later
	meta  ipcwire.Batch
	body  []byte
	from  []byte         // what body is a copy of, or nil if it lies where it was decoded
	lent  bool           // body lies in memory that the next message overwrites
	owner *memory.Buffer // counts the memory of body, nil if the garbage collector does
	// planes says that i32 offsets are stored as lengths in byte planes.
	planes bool

	fields fieldSpan // where its fields and buffers were put by the loader
}

// Slots of parts that are no dictionary, and of one whose message is not read yet.
const (
	recordSlot = -1
	noSlot     = -2
)

// stream is one IPC stream in a payload, seen but not yet built: a schema,
// dictionaries, one record batch and the end mark, with nothing after it.
type stream struct {
	schema     *schema
	parts      []part // dictionary batches as they came, then the record batch
	keys, vals []string
}

// start forgets the last stream and begins one of the given schema.
func (s *stream) start(schema *schema) {
	for i := range s.parts {
		s.parts[i].letGo()
	}
	s.parts = s.parts[:0]
	s.keys, s.vals = nil, nil
	s.schema = schema
}

// letGo gives up a part's hold on the memory of its body.
func (p *part) letGo() {
	if p.owner != nil {
		p.owner.Release()
		p.owner = nil
	}
}

// dropRecord forgets a record batch, and keeps the dictionaries before it.
func (s *stream) dropRecord() {
	if n := len(s.parts); n > 0 && s.parts[n-1].slot == recordSlot {
		s.parts[n-1].letGo()
		s.parts = s.parts[:n-1]
	}
}

// sweep forgets dictionaries that were started anew.
func (s *stream) sweep() {
	s.parts = slices.DeleteFunc(s.parts, func(p part) bool {
		if p.dead {
			p.letGo()
		}
		return p.dead
	})
}

// record is the record batch, which is the last part.
func (s *stream) record() *part { return &s.parts[len(s.parts)-1] }

// read walks over the messages of a payload.
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
	if s.schema, err = c.get(payload[ipcwire.PrefixSize:pos]); err != nil {
		return err
	}
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
	for slot, d := range s.schema.dicts {
		if s.started(slot) == nil {
			return shufflefile.Corrupt("no dictionary batch for id %d", d.id)
		}
	}
	return nil
}

// started is the message that started a slot's dictionary, nil if none has.
func (s *stream) started(slot int) *part {
	for i := range s.parts {
		if p := &s.parts[i]; p.slot == slot && !p.delta && !p.dead {
			return p
		}
	}
	return nil
}

// message takes the message whose metadata are the n bytes at pos and returns
// where the next one starts.
func (s *stream) message(payload []byte, pos, n int) (int, error) {
	m, err := ipcwire.ParseMessage(payload[pos : pos+n])
	if err != nil {
		return 0, err
	}
	pos += n
	if m.BodyLength > int64(len(payload)-pos) {
		return 0, shufflefile.Corrupt("body of %d bytes in a stream with %d bytes left", m.BodyLength, len(payload)-pos)
	}
	end := pos + int(m.BodyLength)
	return end, s.take(&m, payload[pos:end:end])
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
	if !d.Delta {
		s.supersede(slot)
	} else if s.started(slot) == nil {
		return shufflefile.Corrupt("dictionary %d goes on before it starts", d.ID)
	}
	p.slot, p.delta, p.plan = slot, d.Delta, &s.schema.dicts[slot].values
	return nil
}

// supersede marks what a slot has had so far.
func (s *stream) supersede(slot int) {
	for i := range s.parts {
		if p := &s.parts[i]; p.slot == slot {
			p.dead = true
		}
	}
}

func (s *stream) add(slot int, body []byte) *part {
	s.parts = append(s.parts, part{})
	p := &s.parts[len(s.parts)-1]
	p.slot, p.body = slot, body
	return p
}

func unexpected(kind uint8, want string) error {
	return shufflefile.Corrupt("a message of kind %s (%d) in place of %s", ipcwire.HeaderName(kind), kind, want)
}
