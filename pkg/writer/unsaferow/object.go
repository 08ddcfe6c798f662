package unsaferow

import (
	"encoding/binary"

	"github.com/shufflebench/shufflebench/internal/shufflefile"
)

// Slot, reference and null bit of a row, struct or array are read where they
// lie. Callers know from Layout.Fixed or Array that they are there; references
// are checked.

// IsNull reads null bit i of a row or struct.
func IsNull(row []byte, i int) bool { return row[i>>3]>>(i&7)&1 != 0 }

// Word reads the 8 bytes at a position.
func Word(b []byte, at int) uint64 { return binary.LittleEndian.Uint64(b[at:]) }

// Ref gives the bytes that a word refers to inside its row, struct or array; ok
// is false when they are not all inside.
func Ref(b []byte, w uint64) (v []byte, ok bool) {
	off, size := w>>32, w&0xffffffff
	if off+size > uint64(len(b)) {
		return nil, false
	}
	return b[off : off+size : off+size], true
}

// Array is an array where it lies.
type Array struct {
	b     []byte
	Len   int // elements
	First int // where the first one lies
	Size  int // bytes from one to the next
}

// ParseArray looks at an array with elements of size bytes. Errors are of class
// ErrCorrupt and have no place.
func ParseArray(b []byte, size int) (Array, error) {
	if len(b) < word {
		return Array{}, shufflefile.Corrupt("an array has %d bytes", len(b))
	}
	n := binary.LittleEndian.Uint64(b)
	if n > uint64(8*len(b)) { // an element has a null bit at least
		return Array{}, shufflefile.Corrupt("an array of %d bytes has %d elements", len(b), n)
	}
	a := Array{b: b, Len: int(n), Size: size, First: word + nullBytes(int(n))}
	if a.First+a.Len*size > len(b) {
		return Array{}, shufflefile.Corrupt("an array of %d bytes has %d elements of %d bytes", len(b), n, size)
	}
	return a, nil
}

// IsNull reads an element's null bit.
func (a *Array) IsNull(i int) bool { return a.b[word+i>>3]>>(i&7)&1 != 0 }

// At is where an element lies in Bytes.
func (a *Array) At(i int) int { return a.First + i*a.Size }

// Bytes is the whole array, from which its references count.
func (a *Array) Bytes() []byte { return a.b }

// ParseMap cuts a map into the arrays of its keys and its values. Errors are of
// class ErrCorrupt and have no place.
func ParseMap(b []byte) (keys, values []byte, err error) {
	if len(b) < word {
		return nil, nil, shufflefile.Corrupt("a map has %d bytes", len(b))
	}
	n := binary.LittleEndian.Uint64(b)
	if b = b[word:]; n > uint64(len(b)) {
		return nil, nil, shufflefile.Corrupt("the keys of a map have %d bytes, all of it %d", n, len(b))
	}
	return b[:n:n], b[n:], nil
}

// CheckRow refuses bytes too few for the slots.
func (l *Layout) CheckRow(row []byte) error {
	if len(row) < l.Fixed {
		return shufflefile.Corrupt("a row of %d fields has %d bytes, fewer than %d", len(l.Fields), len(row), l.Fixed)
	}
	return nil
}

// CheckStruct refuses the bytes of a struct that are too few for its slots, and
// says where they begin.
func (f *Field) CheckStruct(b []byte) (slots int, err error) {
	slots = nullBytes(len(f.Children))
	if need := slots + word*len(f.Children); len(b) < need {
		return 0, shufflefile.Corrupt("column %q: a struct of %d fields has %d bytes, fewer than %d", f.Node.Name, len(f.Children), len(b), need)
	}
	return slots, nil
}
