package repartition

import (
	"hash/maphash"
	"math/bits"
	"slices"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/shufflebench/shufflebench/pkg/writer/segment"
)

// Digest is a hash of the rows of every stream, in order, and their number. It
// depends on values alone: not on how rows are cut into batches, nor on
// offsets, nor on what lies behind nulls. Digests of one process compare.
type Digest struct {
	layout *segment.Layout
	sums   []uint64
	rows   []int64
}

// NewDigest is of streams without rows.
func NewDigest(layout *segment.Layout, partitions int) *Digest {
	return &Digest{layout, make([]uint64, partitions), make([]int64, partitions)}
}

// seed of the process.
var seed = maphash.MakeSeed()

// Place adds the rows of a batch, each to its partition: what repartitioning
// has to come to.
func (g *Digest) Place(batch arrow.RecordBatch, parts []uint32) {
	for i, h := range rowHashes(g.layout, batch) {
		g.add(int(parts[i]), h)
	}
}

// Append adds all rows of a batch to one partition's stream.
func (g *Digest) Append(p int, batch arrow.RecordBatch) {
	for _, h := range rowHashes(g.layout, batch) {
		g.add(p, h)
	}
}

func (g *Digest) add(p int, h uint64) {
	g.sums[p] = mix(g.sums[p], h)
	g.rows[p]++
}

// Difference is the first partition whose rows, or their order, differ, or -1.
func (g *Digest) Difference(o *Digest) int {
	for p := range max(len(g.sums), len(o.sums)) {
		if p >= len(g.sums) || p >= len(o.sums) || g.sums[p] != o.sums[p] || g.rows[p] != o.rows[p] {
			return p
		}
	}
	return -1
}

// mix depends on the order of what is mixed in.
func mix(sum, h uint64) uint64 {
	hi, lo := bits.Mul64(sum^0x9e3779b97f4a7c15, 0xff51afd7ed558ccd)
	return bits.RotateLeft64(hi^lo, 23)*0x2545f4914f6cdd1d + h
}

func rowHashes(l *segment.Layout, batch arrow.RecordBatch) []uint64 {
	rows := int(batch.NumRows())
	sums := make([]uint64, rows)
	for i, n := range l.Columns {
		for k, h := range valueHashes(n, batch.Column(i).Data(), 0, rows) {
			sums[k] = mix(sums[k], h)
		}
	}
	return sums
}

// nullHash stands for every null.
const nullHash = 0x6e756c6c

// valueHashes hashes values lo to lo+rows of an array, counted from its offset.
func valueHashes(n *segment.Node, d arrow.ArrayData, lo, rows int) []uint64 {
	lo += d.Offset()
	if n.Kind == segment.Null {
		return slices.Repeat([]uint64{nullHash}, rows)
	}
	out := make([]uint64, rows)
	switch n.Kind {
	case segment.Fixed:
		raw := content(d, 1)
		for i := range out {
			out[i] = maphash.Bytes(seed, raw[(lo+i)*n.Width:(lo+i+1)*n.Width])
		}
	case segment.Bits:
		raw := content(d, 1)
		for i := range out {
			out[i] = 1 + uint64(raw[(lo+i)>>3]>>((lo+i)&7)&1)
		}
	case segment.Var:
		raw := content(d, 2)
		for i := range out {
			out[i] = maphash.Bytes(seed, raw[offsetAt(n, d, lo+i):offsetAt(n, d, lo+i+1)])
		}
	default:
		nestedHashes(out, n, d, lo)
	}
	if valid := content(d, 0); valid != nil {
		for i := range out {
			if valid[(lo+i)>>3]>>((lo+i)&7)&1 == 0 {
				out[i] = nullHash
			}
		}
	}
	return out
}

// nestedHashes hashes lists and structs from their children's hashes; lo counts
// from the buffers' start.
func nestedHashes(out []uint64, n *segment.Node, d arrow.ArrayData, lo int) {
	start := func(i int) int {
		switch n.Kind {
		case segment.List:
			return offsetAt(n, d, lo+i)
		case segment.FixedList:
			return (lo + i) * n.Width
		}
		return lo + i
	}
	from := start(0)
	for k, c := range n.Children {
		child := d.Children()[k]
		hashes := valueHashes(c, child, from, start(len(out))-from)
		for i := range out {
			for _, h := range hashes[start(i)-from : start(i+1)-from] {
				out[i] = mix(out[i], h)
			}
			out[i] = mix(out[i], uint64(start(i+1)-start(i)))
		}
	}
}
