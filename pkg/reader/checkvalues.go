package reader

import (
	"encoding/binary"
	"unicode/utf8"

	"github.com/shufflebench/shufflebench/internal/shufflefile"
)

func int32At(b []byte, i int) int64 {
	return int64(int32(binary.LittleEndian.Uint32(b[4*i:])))
}

func int64At(b []byte, i int) int64 {
	return int64(binary.LittleEndian.Uint64(b[8*i:]))
}

// indexAt is the i-th dictionary index in b. A negative one comes out huge, as
// does an unsigned one that no dictionary can reach.
func indexAt(b []byte, width, i int, signed bool) uint64 {
	switch {
	case width == 1 && signed:
		return uint64(int8(b[i]))
	case width == 1:
		return uint64(b[i])
	case width == 2 && signed:
		return uint64(int16(binary.LittleEndian.Uint16(b[2*i:])))
	case width == 2:
		return uint64(binary.LittleEndian.Uint16(b[2*i:]))
	case width == 4 && signed:
		return uint64(int32(binary.LittleEndian.Uint32(b[4*i:])))
	case width == 4:
		return uint64(binary.LittleEndian.Uint32(b[4*i:]))
	}
	return binary.LittleEndian.Uint64(b[8*i:])
}

// greatestIndex is the greatest of the indices in b taken as unsigned numbers,
// of which negative ones are the greatest.
func greatestIndex(b []byte, width, length int) (most uint64) {
	b = b[:width*length]
	switch width {
	case 1:
		for _, v := range b {
			most = max(most, uint64(v))
		}
	case 2:
		for ; len(b) >= 2; b = b[2:] {
			most = max(most, uint64(binary.LittleEndian.Uint16(b)))
		}
	case 4:
		for ; len(b) >= 4; b = b[4:] {
			most = max(most, uint64(binary.LittleEndian.Uint32(b)))
		}
	default:
		for ; len(b) >= 8; b = b[8:] {
			most = max(most, binary.LittleEndian.Uint64(b))
		}
	}
	return most
}

// increasing32 checks that none of length+1 offsets is below the one before.
func increasing32(b []byte, length int) error {
	b = b[:4*(length+1)]
	last, wrong := int32At(b, 0), int64(0)
	for i := 4; i < len(b); i += 4 {
		at := int64(int32(binary.LittleEndian.Uint32(b[i:])))
		wrong |= at - last // negative if at is below last
		last = at
	}
	if wrong >= 0 {
		return nil
	}
	return decreasing(length, func(i int) int64 { return int32At(b, i) })
}

// increasing64 is increasing32 for i64 offsets.
func increasing64(b []byte, length int) error {
	b = b[:8*(length+1)]
	last, fine := int64At(b, 0), true
	for i := 8; i < len(b); i += 8 {
		at := int64(binary.LittleEndian.Uint64(b[i:]))
		fine = fine && at >= last
		last = at
	}
	if fine {
		return nil
	}
	return decreasing(length, func(i int) int64 { return int64At(b, i) })
}

// decreasing names the first offset that is below the one before.
func decreasing(length int, at func(int) int64) error {
	for i := range length {
		if at(i+1) < at(i) {
			return shufflefile.Corrupt("row %d starts at offset %d and ends at %d", i, at(i), at(i+1))
		}
	}
	return nil
}

// text checks that the rows' bytes, which lie one after another, are UTF-8 and
// that no row begins within a character.
func text(data []byte, length int, offset func(int) int64) error {
	all := data[offset(0):offset(length)]
	if isASCII(all) {
		return nil
	}
	if !utf8.Valid(all) {
		return badText(data, length, offset)
	}
	for i := range length {
		if at := offset(i); at < int64(len(data)) && at < offset(length) && !utf8.RuneStart(data[at]) {
			return badText(data, length, offset)
		}
	}
	return nil
}

// badText names the first row that is not UTF-8.
func badText(data []byte, length int, offset func(int) int64) error {
	for i := range length {
		if !utf8.Valid(data[offset(i):offset(i+1)]) {
			return shufflefile.Corrupt("row %d is not UTF-8", i)
		}
	}
	return nil
}

func isASCII(b []byte) bool {
	var or uint64
	for ; len(b) >= 32; b = b[32:] {
		or |= binary.LittleEndian.Uint64(b) | binary.LittleEndian.Uint64(b[8:]) |
			binary.LittleEndian.Uint64(b[16:]) | binary.LittleEndian.Uint64(b[24:])
	}
	for _, c := range b {
		or |= uint64(c)
	}
	return or&0x8080808080808080 == 0
}

// listViews checks that every row's stretch lies in the child. Offsets and
// sizes are of the given width.
func listViews(offsets, sizes []byte, width, length, child int) error {
	at := int32At
	if width == 8 {
		at = int64At
	}
	for i := range length {
		off, n := at(offsets, i), at(sizes, i)
		if off < 0 || n < 0 || off > int64(child) || n > int64(child)-off {
			return shufflefile.Corrupt("row %d is %d values at %d of a child of %d", i, n, off, child)
		}
	}
	return nil
}
