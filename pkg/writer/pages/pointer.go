// Package pages keeps serialized rows the way Spark's off-heap sorters do: in
// large pages, each row found by one packed word.
//
// A record is a row behind the length of its bytes, an unsigned little-endian
// number of 4 or 8 bytes. Rows have multiples of 8 bytes and begin at multiples
// of 8, so a length of 4 bytes leaves the 4 before it unused:
//
//	page    +------+-----+--------------+------+-----+------------+-- - - --+
//	        | (4B) | len | row          | (4B) | len | row        |  free   |
//	        +------+-----+--------------+------+-----+------------+-- - - --+
//	               ^
//	pointer  partition | page | offset
//	         24 bits     13     27
//
// The pointer's offset is the length's. Sorting rows by partition moves the
// pointers alone; Sort is stable, so the rows of a partition keep the order in
// which they came. The table of pages turns a pointer back into a row.
package pages

import "fmt"

// Widths of a pointer's parts, from its highest bit.
const (
	PartitionBits = 24
	PageBits      = 13
	OffsetBits    = 27
)

// Limits that follow from the widths.
const (
	MaxPartitions = 1 << PartitionBits
	MaxPages      = 1 << PageBits
	MaxPageSize   = 1 << OffsetBits // bytes
)

// Pointer says where a record lies and which partition its row goes to.
type Pointer uint64

// Pack makes a pointer of parts that are inside their limits.
func Pack(partition uint32, page, offset int) Pointer {
	return Pointer(partition)<<(PageBits+OffsetBits) | Pointer(page)<<OffsetBits | Pointer(offset)
}

// Partition is where the row goes.
func (p Pointer) Partition() uint32 { return uint32(p >> (PageBits + OffsetBits)) }

// Page is the number of the record's page in the table.
func (p Pointer) Page() int { return int(p >> OffsetBits & (MaxPages - 1)) }

// Offset is where in the page the record begins, in bytes.
func (p Pointer) Offset() int { return int(p & (MaxPageSize - 1)) }

// String gives the three parts.
func (p Pointer) String() string {
	return fmt.Sprintf("partition %d, page %d, offset %d", p.Partition(), p.Page(), p.Offset())
}
