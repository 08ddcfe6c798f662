package encode

import "github.com/shufflebench/shufflebench/pkg/writer/segment"

// Anew makes the template again, as a writer must that keeps nothing from one
// call to the next: the schema message and the record-batch message are encoded
// again, for l, a layout of the same schema. Only the compressed heads are t's
// own, since a writer that keeps nothing would have none, and making them costs
// more than they save it.
func (t *Template) Anew(l *segment.Layout) (*Template, error) {
	fresh, err := NewTemplate(l)
	if err != nil {
		return nil, err
	}
	fresh.heads = t.heads
	return fresh, nil
}
