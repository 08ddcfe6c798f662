// Package oracle reads shuffle files for tests: slowly, plainly, and with
// nothing of this project's own readers and writers, so that it can judge
// them. The header is taken apart by hand, a frame is decoded by the codec's
// usual library, and the payload by arrow-go's stream reader.
//
//	index ─► partitions ─► blocks ─► frame ─► Arrow stream ─► rows as text
//
// It refuses whatever a strict reader may refuse: a second batch, bytes behind
// the end-of-stream mark or the frame, a block that crosses partitions.
package oracle

import (
	"encoding/binary"
	"fmt"
	"iter"

	"github.com/apache/arrow-go/v18/arrow"
)

// headerSize is the bytes before a payload: u64 length of what follows it, u64
// columns, 4 bytes of codec tag.
const headerSize = 20

// Block is one decoded block of a data file.
type Block struct {
	Partition int
	Offset    int64  // in the data file
	Size      int64  // with header
	Tag       string // as it stands in the header
	Payload   []byte // the Arrow stream, decompressed
	Batch     arrow.RecordBatch
}

// Rows are the block's rows as text; see Row.
func (b *Block) Rows() []string { return Rows(b.Batch) }

// Index decodes an index file of little-endian offsets and holds it to the
// rules: the first is 0, none falls, the last is the data file's size.
func Index(index []byte, dataSize int) ([]int64, error) {
	if len(index) < 16 || len(index)%8 != 0 {
		return nil, fmt.Errorf("an index of %d bytes", len(index))
	}
	offsets := make([]int64, len(index)/8)
	last := int64(0)
	for i := range offsets {
		o := int64(binary.LittleEndian.Uint64(index[8*i:]))
		if o < last || i == 0 && o != 0 {
			return nil, fmt.Errorf("offset %d of the index is %d, behind %d", i, o, last)
		}
		offsets[i], last = o, o
	}
	if last != int64(dataSize) {
		return nil, fmt.Errorf("the index ends at %d, the data file at %d", last, dataSize)
	}
	return offsets, nil
}

// Blocks yields the blocks of a data file in order. After an error it ends.
func Blocks(data, index []byte) iter.Seq2[Block, error] {
	return func(yield func(Block, error) bool) {
		offsets, err := Index(index, len(data))
		if err != nil {
			yield(Block{}, err)
			return
		}
		for p := range len(offsets) - 1 {
			for at := offsets[p]; at < offsets[p+1]; {
				b, err := decode(data[at:offsets[p+1]])
				b.Partition, b.Offset = p, at
				if err != nil {
					err = fmt.Errorf("partition %d, block at %d: %w", p, at, err)
				}
				if !yield(b, err) || err != nil {
					return
				}
				at += b.Size
			}
		}
	}
}

// decode reads the block that b begins with.
func decode(b []byte) (Block, error) {
	if len(b) < headerSize {
		return Block{}, fmt.Errorf("%d bytes are no header", len(b))
	}
	length := binary.LittleEndian.Uint64(b)
	columns := binary.LittleEndian.Uint64(b[8:])
	if length < headerSize-8 || length > uint64(len(b)-8) {
		return Block{}, fmt.Errorf("length %d, but %d bytes follow", length, len(b)-8)
	}
	block := Block{Size: int64(length) + 8, Tag: string(b[16:headerSize])}
	plain := string(b[16]&^planeBit) + block.Tag[1:]
	payload, err := unframe(plain, b[headerSize:block.Size])
	if err == nil && plain != block.Tag {
		payload, err = undoPlanes(payload)
	}
	if err != nil {
		return block, err
	}
	block.Payload = payload
	if block.Batch, err = batchOf(payload); err != nil {
		return block, err
	}
	if n := block.Batch.NumCols(); uint64(n) != columns {
		return block, fmt.Errorf("the header says %d columns, the stream %d", columns, n)
	}
	if block.Batch.NumRows() == 0 {
		return block, fmt.Errorf("a block without rows")
	}
	return block, nil
}

// DecodeBlock reads one block that fills b.
func DecodeBlock(b []byte) (Block, error) {
	block, err := decode(b)
	if err == nil && block.Size != int64(len(b)) {
		err = fmt.Errorf("a block of %d bytes in %d", block.Size, len(b))
	}
	return block, err
}
