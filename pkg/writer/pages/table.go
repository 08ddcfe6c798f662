package pages

import "encoding/binary"

// Table holds the base of every page.
type Table struct {
	pages  [][]byte
	length int // bytes of a record's length: 4 or 8
}

// NewTable makes a table of pages, numbered from 0, whose records have lengths
// of lengthSize bytes: 4 or 8, or the error is ErrLengthSize. A nil page is one
// that is not there.
func NewTable(lengthSize int, pages ...[]byte) (*Table, error) {
	if err := CheckLengthSize(lengthSize); err != nil {
		return nil, err
	}
	return &Table{pages: pages, length: lengthSize}, nil
}

// Len is the number of pages.
func (t *Table) Len() int { return len(t.pages) }

// LengthSize is the bytes of a record's length.
func (t *Table) LengthSize() int { return t.length }

// Row resolves a pointer to the bytes of its row, which lie in the page. Errors
// are *PointerError: ErrPage for a page that the table does not hold, ErrOffset
// for a record that begins or ends beyond its page.
func (t *Table) Row(p Pointer) ([]byte, error) {
	n := p.Page()
	if n >= len(t.pages) || t.pages[n] == nil {
		return nil, pointerError(ErrPage, p, "the table has %d pages", len(t.pages))
	}
	page, at := t.pages[n], p.Offset()
	if at+t.length > len(page) {
		return nil, pointerError(ErrOffset, p, "the page has %d bytes", len(page))
	}
	size := uint64(binary.LittleEndian.Uint32(page[at:]))
	if t.length == 8 {
		size = binary.LittleEndian.Uint64(page[at:])
	}
	at += t.length
	if size > uint64(len(page)-at) {
		return nil, pointerError(ErrOffset, p, "a row of %d bytes does not fit a page of %d", size, len(page))
	}
	return page[at : at+int(size) : at+int(size)], nil
}
