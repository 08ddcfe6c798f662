package reader

import (
	"bytes"
	"slices"

	"github.com/shufflebench/shufflebench/internal/ipcwire"
)

// cache remembers the last few schemas by the bytes of their messages. The
// least recently used one goes.
type cache struct {
	most         int // entries; 0 turns it off
	entries      []*schema
	hits, misses int64
}

// get is the schema of the message whose metadata is given. A hit compares
// bytes and parses nothing.
func (c *cache) get(metadata []byte) (*schema, error) {
	for i, s := range c.entries {
		if bytes.Equal(s.raw, metadata) {
			c.hits++
			if i > 0 {
				copy(c.entries[1:], c.entries[:i])
				c.entries[0] = s
			}
			return s, nil
		}
	}
	s, err := parseMessage(metadata)
	if err != nil {
		return nil, err
	}
	c.misses++
	c.put(s, metadata)
	return s, nil
}

// parseMessage makes the schema of a schema message.
func parseMessage(metadata []byte) (*schema, error) {
	m, err := ipcwire.ParseMessage(metadata)
	if err != nil {
		return nil, err
	}
	if m.Kind != ipcwire.HeaderSchema {
		return nil, unexpected(m.Kind, "a schema")
	}
	return parseSchema(&m, metadata)
}

func (c *cache) put(s *schema, metadata []byte) {
	if c.most == 0 {
		return
	}
	s.raw = bytes.Clone(metadata)
	if len(c.entries) == c.most {
		c.entries = c.entries[:c.most-1]
	}
	c.entries = slices.Insert(c.entries, 0, s)
}
