package shufflefile

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"math"
	"strings"
)

// Checksum is an algorithm for the checksum of a partition's bytes in the data
// file, one of those that Spark knows. A partition's checksum can be continued
// over any pieces of it: begin with Initial and Update it with each.
type Checksum uint8

// The algorithms; NoChecksum stands for none.
const (
	NoChecksum Checksum = iota
	CRC32               // IEEE polynomial
	CRC32C              // Castagnoli polynomial
	Adler32
)

var checksums = [...]struct{ name, suffix string }{
	NoChecksum: {"none", ""},
	CRC32:      {"crc32", ".checksum.CRC32"},
	CRC32C:     {"crc32c", ".checksum.CRC32C"},
	Adler32:    {"adler32", ".checksum.ADLER32"},
}

// Checksums lists the algorithms, without NoChecksum.
func Checksums() []Checksum { return []Checksum{CRC32, CRC32C, Adler32} }

// ChecksumNames lists the names ParseChecksum takes.
func ChecksumNames() []string {
	names := make([]string, len(checksums))
	for i, c := range checksums {
		names[i] = c.name
	}
	return names
}

// String is the name users type: none, crc32, crc32c or adler32.
func (c Checksum) String() string {
	if int(c) < len(checksums) {
		return checksums[c].name
	}
	return fmt.Sprintf("checksum(%d)", uint8(c))
}

// ParseChecksum is the inverse of Checksum.String, in any letter case.
func ParseChecksum(name string) (Checksum, error) {
	for i, c := range checksums {
		if strings.EqualFold(name, c.name) {
			return Checksum(i), nil
		}
	}
	return 0, fmt.Errorf("unknown checksum %q", name)
}

// Path is where the checksums of a data file lie: as Spark names them beside a
// file called X.data (X.checksum.ADLER32), and with the suffix behind the
// whole name beside any other (data.out.checksum.ADLER32). It is "" for
// NoChecksum.
func (c Checksum) Path(data string) string {
	if c == NoChecksum {
		return ""
	}
	return strings.TrimSuffix(data, ".data") + checksums[c].suffix
}

// Initial is the checksum of no bytes.
func (c Checksum) Initial() uint32 {
	if c == Adler32 {
		return 1
	}
	return 0
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// Update continues the checksum of some bytes, sum, with the bytes that follow
// them. NoChecksum leaves sum as it is.
func (c Checksum) Update(sum uint32, b []byte) uint32 {
	switch c {
	case CRC32:
		return crc32.Update(sum, crc32.IEEETable, b)
	case CRC32C:
		return crc32.Update(sum, castagnoli, b)
	case Adler32:
		return updateAdler32(sum, b)
	}
	return sum
}

// ChecksumSize is the size of one entry of a checksum file.
const ChecksumSize = 8

// AppendChecksum appends one entry of a checksum file: big-endian, as Spark
// writes its longs.
func AppendChecksum(b []byte, sum uint32) []byte {
	return binary.BigEndian.AppendUint64(b, uint64(sum))
}

// ParseChecksums decodes a checksum file of a number of partitions. Its errors
// are of class ErrCorrupt; a Place's Offset is in the checksum file.
func ParseChecksums(b []byte, partitions int) ([]uint32, error) {
	if len(b) != partitions*ChecksumSize {
		return nil, Corrupt("checksum file of %d bytes is no list of %d numbers of %d bytes", len(b), partitions, ChecksumSize)
	}
	sums := make([]uint32, partitions)
	for i := range sums {
		v := binary.BigEndian.Uint64(b[i*ChecksumSize:])
		if v > math.MaxUint32 {
			err := Corrupt("checksum %#x has more than 32 bits", v)
			err.Partition, err.Offset = i, int64(i*ChecksumSize)
			return nil, err
		}
		sums[i] = uint32(v)
	}
	return sums, nil
}
