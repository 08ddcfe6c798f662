// Package inspect looks into a data file: what it holds, how its bytes are
// spent, and where it is damaged. It judges nothing against an input; that is
// what validate is for.
package inspect

import (
	"context"
	"errors"
	"math/bits"
	"slices"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/shufflebench/shufflebench/internal/shufflefile"
	"github.com/shufflebench/shufflebench/pkg/reader"
)

// Report is all that is said of one data file. Sizes are bytes.
type Report struct {
	Data         string      `json:"data"`
	Index        string      `json:"index"`
	Layout       string      `json:"layout"`
	IndexEndian  string      `json:"index_endian"`
	Bytes        int64       `json:"bytes"`
	Partitions   int         `json:"partitions"`
	Blocks       int64       `json:"blocks"`
	Rows         int64       `json:"rows"`
	PayloadBytes int64       `json:"payload_bytes"` // decompressed streams
	Schemas      []string    `json:"schemas"`       // those met, the first ones
	Codecs       []Codec     `json:"codecs"`
	Spent        Spent       `json:"spent"`
	Skew         Skew        `json:"skew"`
	Histogram    []Bin       `json:"blocks_per_partition"`
	Columns      []Column    `json:"columns"`
	Each         []Partition `json:"each_partition"` // those that have bytes
	Damage       []Damage    `json:"damage"`
}

// Codec is the blocks with one tag.
type Codec struct {
	Tag    string `json:"tag"`
	Blocks int64  `json:"blocks"`
	Bytes  int64  `json:"bytes"`
}

// Spent says what the bytes of all blocks are, decompressed. Their sum is
// Headers plus the payloads.
type Spent struct {
	Headers  int64 `json:"block_headers"`
	Schema   int64 `json:"schema_messages"`
	Metadata int64 `json:"batch_metadata"` // of record and dictionary batches
	Values   int64 `json:"values"`         // validity, offsets and data of columns and dictionaries
	Padding  int64 `json:"padding"`        // of bodies
	Ends     int64 `json:"end_marks"`
	// StoredOverhead is how much of the file is not values, when every block's
	// stored bytes are shared out as its decompressed ones are.
	StoredOverhead int64 `json:"stored_overhead"`
}

// overhead is all that is not values.
func (s *Spent) overhead() int64 { return s.Headers + s.Schema + s.Metadata + s.Padding + s.Ends }

// Skew compares partitions by bytes.
type Skew struct {
	Largest      int   `json:"largest_partition"`
	LargestBytes int64 `json:"largest_bytes"`
	LargestRows  int64 `json:"largest_rows"`
	MedianBytes  int64 `json:"median_bytes"`
	MedianRows   int64 `json:"median_rows"`
	Empty        int   `json:"empty_partitions"`
}

// Bin counts partitions that have From to To blocks.
type Bin struct {
	From       int64 `json:"from"`
	To         int64 `json:"to"`
	Partitions int64 `json:"partitions"`
}

// Column is one top-level column over all blocks, its nested ones included.
type Column struct {
	Name             string `json:"name"`
	Type             string `json:"type"`
	Nulls            int64  `json:"nulls"` // at the top level
	Validity         int64  `json:"validity_bytes"`
	Offsets          int64  `json:"offsets_bytes"`
	Data             int64  `json:"data_bytes"`
	DictionaryBlocks int64  `json:"dictionary_blocks"`
	DictionaryValues int64  `json:"dictionary_values"`
}

// Partition is one output partition.
type Partition struct {
	Partition int     `json:"partition"`
	Bytes     int64   `json:"bytes"`
	Blocks    int64   `json:"blocks"`
	Rows      int64   `json:"rows"`
	Payload   int64   `json:"payload_bytes"`
	Ratio     float64 `json:"ratio"` // payload by bytes
}

// Damage is a place that does not decode.
type Damage struct {
	File      string `json:"file"`
	Partition int    `json:"partition"`
	Block     int    `json:"block"`
	Offset    int64  `json:"offset"`
	Message   string `json:"message"`
	Lost      int64  `json:"lost_bytes"` // to the next block or, where that is unknown, the partition's end
}

// maxSchemas is how many different schemas are listed.
const maxSchemas = 8

// File looks through an open file.
func File(ctx context.Context, f *reader.File) (*Report, error) {
	r := &Report{
		Data: f.DataPath(), Index: f.IndexPath(), Layout: f.Layout().String(), IndexEndian: f.Endian().String(),
		Bytes: f.Size(), Partitions: f.Partitions(), Damage: []Damage{},
	}
	look := f.NewReader()
	var t tally
	for p := range f.Partitions() {
		if err := ctx.Err(); err != nil {
			return nil, errors.Join(err, look.Close())
		}
		_, size := f.Index().Range(p)
		part := Partition{Partition: p, Bytes: size}
		if f.Layout() == reader.BallistaLayout {
			r.streams(look, &part, f)
		} else {
			r.blocks(look, &part, f)
		}
		if size > 0 {
			part.Ratio = float64(part.Payload) / float64(size)
		}
		r.Blocks, r.Rows, r.PayloadBytes = r.Blocks+part.Blocks, r.Rows+part.Rows, r.PayloadBytes+part.Payload
		if size > 0 {
			r.Each = append(r.Each, part)
		}
		t.add(&part)
	}
	r.sumUp(&t)
	return r, look.Close()
}

// blocks looks through a partition of blocks, past those that do not decode.
func (r *Report) blocks(look *reader.Reader, part *Partition, f *reader.File) {
	at, size := f.Index().Range(part.Partition)
	for raw, err := range look.Raw(part.Partition) {
		if err != nil {
			r.damage(err, raw.Place, at+size-raw.Place.Offset)
			return
		}
		part.Blocks++
		r.codec(raw.Header)
		if err := r.block(look, raw, part); err != nil {
			r.damage(err, raw.Place, raw.Header.Size())
		}
	}
}

// block takes one block apart.
func (r *Report) block(look *reader.Reader, raw reader.RawBlock, part *Partition) error {
	payload, err := look.Payload(raw)
	if err != nil {
		return err
	}
	s := Spent{Headers: shufflefile.HeaderSize}
	var bodies int64
	for m, err := range reader.Messages(payload) {
		if err != nil {
			return err
		}
		switch m.Kind {
		case "schema":
			s.Schema += int64(8 + m.Metadata)
		case reader.EndOfStream:
			s.Ends += 8
		default:
			s.Metadata += int64(8 + m.Metadata)
			bodies += m.Body
		}
	}
	size := int64(len(payload))
	b, err := look.DecodeBlock(raw.Bytes, raw.Place)
	if err != nil {
		return err
	}
	s.Values = min(r.columns(b.Batch), bodies)
	s.Padding = bodies - s.Values
	total := shufflefile.HeaderSize + size
	s.StoredOverhead = raw.Header.Size() * s.overhead() / max(total, 1)
	r.Spent.add(s)
	part.Rows += b.Batch.NumRows()
	part.Payload += size
	return nil
}

func (s *Spent) add(o Spent) {
	s.Headers += o.Headers
	s.Schema += o.Schema
	s.Metadata += o.Metadata
	s.Values += o.Values
	s.Padding += o.Padding
	s.Ends += o.Ends
	s.StoredOverhead += o.StoredOverhead
}

// streams looks through a partition of IPC streams.
func (r *Report) streams(look *reader.Reader, part *Partition, f *reader.File) {
	at, size := f.Index().Range(part.Partition)
	for b, err := range look.Blocks(part.Partition) {
		if err != nil {
			r.damage(err, b.Place, at+size-b.Place.Offset)
			return
		}
		part.Blocks++
		part.Rows += b.Batch.NumRows()
		part.Payload += b.PayloadBytes
		r.Spent.Values += r.columns(b.Batch)
	}
}

func (r *Report) codec(h shufflefile.Header) {
	tag := h.Tag.String()
	i := slices.IndexFunc(r.Codecs, func(c Codec) bool { return c.Tag == tag })
	if i < 0 {
		i = len(r.Codecs)
		r.Codecs = append(r.Codecs, Codec{Tag: tag})
	}
	r.Codecs[i].Blocks++
	r.Codecs[i].Bytes += h.Size()
}

// maxDamage bounds the list; the rest is as good as a judgment.
const maxDamage = 1000

func (r *Report) damage(err error, at shufflefile.Place, lost int64) {
	if len(r.Damage) == maxDamage {
		return
	}
	d := Damage{File: at.File, Partition: at.Partition, Block: at.Block, Offset: at.Offset, Message: err.Error(), Lost: lost}
	var e *shufflefile.Error
	if errors.As(err, &e) {
		bare := *e
		bare.Place = shufflefile.In("")
		d.Message = bare.Error()
		if e.Offset != shufflefile.NoPlace {
			d.Offset = e.Offset
		}
	}
	r.Damage = append(r.Damage, d)
}

// columns adds a batch's columns and gives the bytes of their buffers.
func (r *Report) columns(b arrow.RecordBatch) (bytes int64) {
	r.schema(b.Schema())
	for i, c := range b.Columns() {
		if i == len(r.Columns) {
			r.Columns = append(r.Columns, Column{Name: b.ColumnName(i), Type: c.DataType().String()})
		}
		col := &r.Columns[i]
		col.Nulls += int64(c.NullN())
		before := col.Validity + col.Offsets + col.Data
		col.add(c.Data())
		bytes += col.Validity + col.Offsets + col.Data - before
	}
	return bytes
}

func (r *Report) schema(s *arrow.Schema) {
	text := s.String()
	if len(r.Schemas) < maxSchemas && !slices.Contains(r.Schemas, text) {
		r.Schemas = append(r.Schemas, text)
	}
}

// add counts an array's buffers: validity first, then offsets where the type
// has them, then data.
func (c *Column) add(d arrow.ArrayData) {
	for i, b := range d.Buffers() {
		switch {
		case b == nil:
		case i == 0:
			c.Validity += int64(b.Len())
		case i == 1 && hasOffsets(d.DataType()):
			c.Offsets += int64(b.Len())
		default:
			c.Data += int64(b.Len())
		}
	}
	for _, child := range d.Children() {
		c.add(child)
	}
	if d.DataType().ID() == arrow.DICTIONARY {
		c.DictionaryBlocks++
		c.DictionaryValues += int64(d.Dictionary().Len())
		c.add(d.Dictionary())
	}
}

func hasOffsets(t arrow.DataType) bool {
	switch t.ID() {
	case arrow.STRING, arrow.BINARY, arrow.LARGE_STRING, arrow.LARGE_BINARY, arrow.LIST, arrow.LARGE_LIST, arrow.MAP:
		return true
	}
	return false
}

// tally is what skew and histogram are made of.
type tally struct {
	bytes, rows []int64
	bins        [64]int64 // partitions by the number of bits in their count of blocks
}

func (t *tally) add(p *Partition) {
	t.bytes, t.rows = append(t.bytes, p.Bytes), append(t.rows, p.Rows)
	t.bins[bits.Len64(uint64(p.Blocks))]++
}

// sumUp fills skew and histogram.
func (r *Report) sumUp(t *tally) {
	r.Skew.Empty = r.Partitions - len(r.Each)
	for _, p := range r.Each {
		if p.Bytes > r.Skew.LargestBytes {
			r.Skew.Largest, r.Skew.LargestBytes, r.Skew.LargestRows = p.Partition, p.Bytes, p.Rows
		}
	}
	r.Skew.MedianBytes, r.Skew.MedianRows = median(t.bytes), median(t.rows)
	for n, count := range t.bins {
		if count > 0 {
			from := int64(1) << n >> 1
			r.Histogram = append(r.Histogram, Bin{from, max(2*from-1, 0), count})
		}
	}
}

func median(v []int64) int64 {
	if len(v) == 0 {
		return 0
	}
	slices.Sort(v)
	return v[(len(v)-1)/2]
}
