package pages

import (
	"encoding/binary"
	"fmt"
	"slices"

	"github.com/shufflebench/shufflebench/internal/shufflefile"
)

// rowAlign is what rows begin at multiples of, and what their sizes are
// multiples of.
const rowAlign = 8

// Limits of a page's size in bytes.
const (
	MinPageSize     = 4 << 10
	DefaultPageSize = 4 << 20
)

// Store fills pages with records. Memory is kept from one spill to the next.
type Store struct {
	Table
	pageSize int
	page     []byte // the one being filled
	cursor   int    // its bytes used, a multiple of 8
	free     [][]byte
	held     int64 // bytes of the pages in the table
	pointers []Pointer
	scratch  []Pointer
}

// NewStore makes a store of pages of pageSize bytes, a multiple of 8 between
// MinPageSize and MaxPageSize, and record lengths of lengthSize bytes, 4 or 8.
func NewStore(pageSize, lengthSize int) (*Store, error) {
	if err := CheckPageSize(pageSize); err != nil {
		return nil, err
	}
	if err := CheckLengthSize(lengthSize); err != nil {
		return nil, err
	}
	return &Store{Table: Table{length: lengthSize}, pageSize: pageSize}, nil
}

// CheckPageSize refuses sizes that NewStore does not take.
func CheckPageSize(size int) error {
	if size < MinPageSize || size > MaxPageSize || size%rowAlign != 0 {
		return fmt.Errorf("page size: %d is no multiple of %d between %d and %d", size, rowAlign, MinPageSize, MaxPageSize)
	}
	return nil
}

// Insert makes room for a row of size bytes, a multiple of 8, notes its pointer
// and returns the room, whose content is anything. ErrFull says that the table
// has no room for the page it would take: sort, write and Reset first. A row
// beyond MaxPageSize is of class shufflefile.ErrLimit.
func (s *Store) Insert(partition uint32, size int) ([]byte, error) {
	need := rowAlign + size
	if s.cursor+need > len(s.page) {
		if err := s.turn(need); err != nil {
			return nil, err
		}
	}
	row := s.cursor + rowAlign
	at := row - s.length
	if s.length == 4 {
		binary.LittleEndian.PutUint32(s.page[at:], uint32(size))
	} else {
		binary.LittleEndian.PutUint64(s.page[at:], uint64(size))
	}
	s.pointers = append(s.pointers, Pack(partition, len(s.pages)-1, at))
	s.cursor = row + size
	return s.page[row:s.cursor:s.cursor], nil
}

// turn begins another page, one that holds need bytes.
func (s *Store) turn(need int) error {
	if need > MaxPageSize {
		return shufflefile.Limit("a row of %d bytes does not fit the largest page, %d bytes", need-rowAlign, MaxPageSize)
	}
	if len(s.pages) == MaxPages {
		return ErrFull
	}
	n := len(s.free)
	switch {
	case need > s.pageSize:
		s.page = make([]byte, need)
	case n > 0:
		s.page, s.free = s.free[n-1], s.free[:n-1]
	default:
		s.page = make([]byte, s.pageSize)
	}
	s.cursor = 0
	s.pages = append(s.pages, s.page)
	s.held += int64(len(s.page))
	return nil
}

// Rows is the number of records.
func (s *Store) Rows() int { return len(s.pointers) }

// Bytes is what the rows take: their pages, and their pointers twice, as
// sorting them does.
func (s *Store) Bytes() int64 { return s.held + 2*pointerSize*int64(len(s.pointers)) }

const pointerSize = 8

// Sort gives the pointers by partition, in the order of insertion inside one.
// They are valid until the next call of Insert or Reset.
func (s *Store) Sort() []Pointer {
	s.scratch = slices.Grow(s.scratch[:0], len(s.pointers))[:len(s.pointers)]
	sorted := Sort(s.pointers, s.scratch)
	if len(sorted) > 0 && &sorted[0] != &s.pointers[0] {
		s.pointers, s.scratch = s.scratch, s.pointers
	}
	return s.pointers
}

// Reset forgets all records and keeps the memory, but for pages of rows that
// did not fit a common one.
func (s *Store) Reset() {
	for _, p := range s.pages {
		if len(p) == s.pageSize {
			s.free = append(s.free, p)
		}
	}
	clear(s.pages)
	s.pages, s.page, s.cursor, s.held = s.pages[:0], nil, 0, 0
	s.pointers = s.pointers[:0]
}

// Trim gives up the memory that is kept for later pages.
func (s *Store) Trim() { s.free = nil }
