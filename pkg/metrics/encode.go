package metrics

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
)

// Record is the row as CSV fields, in the order of ColumnNames.
func (r *Row) Record() []string {
	rec := make([]string, len(columns))
	for i := range columns {
		rec[i] = columns[i].Text(r)
	}
	return rec
}

// ParseRecord makes a row of a CSV record under a header. The header may lack
// columns that were added after it was written and hold some that are newer
// than this program, but the fourteen first must be there.
func ParseRecord(header, record []string) (*Row, error) {
	if len(record) != len(header) {
		return nil, fmt.Errorf("row has %d fields under a header of %d", len(record), len(header))
	}
	if want := ColumnNames()[:len(firstColumns)]; len(header) < len(want) || !slices.Equal(header[:len(want)], want) {
		return nil, fmt.Errorf("header does not begin with the %d columns of a row", len(want))
	}
	r := NewRow()
	for i, name := range header {
		c, ok := LookupColumn(name)
		if !ok {
			continue
		}
		if err := c.SetText(r, record[i]); err != nil {
			return nil, err
		}
	}
	return r, nil
}

// MarshalJSON gives an object whose keys are the columns, in order.
func (r *Row) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	b.WriteByte('{')
	for i := range columns {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(strconv.Quote(columns[i].Name))
		b.WriteByte(':')
		v, err := columns[i].jsonValue(r)
		if err != nil {
			return nil, err
		}
		b.Write(v)
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

func (c *Column) jsonValue(r *Row) ([]byte, error) {
	switch p := c.field(r).(type) {
	case *string:
		return json.Marshal(*p)
	case *float64:
		if !Known(*p) {
			return []byte("null"), nil
		}
	}
	return []byte(c.Text(r)), nil
}

// UnmarshalJSON is the inverse of MarshalJSON; unknown keys are ignored and
// missing ones are unknown.
func (r *Row) UnmarshalJSON(b []byte) error {
	var m map[string]json.RawMessage
	if err := json.Unmarshal(b, &m); err != nil {
		return err
	}
	*r = *NewRow()
	for i := range columns {
		c := &columns[i]
		raw, ok := m[c.Name]
		if !ok || string(raw) == "null" {
			continue
		}
		if err := json.Unmarshal(raw, c.field(r)); err != nil {
			return fmt.Errorf("column %s: %w", c.Name, err)
		}
	}
	return nil
}
