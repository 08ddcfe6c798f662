// Package reader decodes shuffle files: a data file and its index become
// partitions, blocks and Arrow record batches.
//
//	f, err := reader.Open("out/task_0", reader.Options{})
//	r := f.NewReader()          // one a goroutine, all over the same handle
//	for batch, err := range r.Partition(7) { ... }
//
// # How a block becomes a batch
//
//	data file   ... | block | block | block | ...
//	window      [-- read in pieces of up to 1 MiB --]
//	block       | header | frame |
//	payload               | schema message | dictionary ... | batch | end |
//	                        ^ cache: bytes      ^ metadata      ^ body
//	                          compared, not       read where      copied once, or
//	                          parsed              it lies         used where it lies
//
// The window serves thousands of small blocks with one read. A frame is
// decoded as a whole: a small payload into scratch memory of the Reader, a
// larger one at once to where it stays. The schema message is looked up in a
// cache by its bytes; a hit gives the Arrow schema and a plan, which lists the
// schema's fields in the order of a batch's nodes and buffers. The loader walks
// the plan over the metadata of dictionaries and batch, and takes a view of
// every buffer; metadata equal to that of a batch before is not walked again. The builder makes Arrow arrays of the views, with a few
// allocations a block rather than a few a column.
//
// Bodies of a payload up to 64 KiB are copied into one buffer of exactly their
// size; larger payloads, and uncompressed blocks from 64 KiB on, stay where
// they were decoded or read, and arrays are slices of that.
//
// # What is checked
//
// In every mode: index, header, frame (its end mark, its checksums, nothing
// after it), the order and number of messages, all counts and sizes, every
// buffer's place, first and last offsets, lengths of children. Buffers must lie
// one after another at multiples of 8, so that no bytes are visited twice. In
// the trusted mode that is all: what the arrays' own methods read stays inside
// their buffers, but a value of a damaged batch may be wrong, or its access may
// panic with an index out of range. Options.Validated checks every offset, null
// count, string, dictionary index, view, run and union code as well, before a
// batch is handed out.
//
// A stream that is cut between its batch and its end mark is refused, although
// some readers let that pass: with a codec that has no end mark of its own
// nothing else would tell it from a file that lost its tail.
//
// # Layouts
//
// Besides blocks there is the consolidated layout: one stream of a schema, then
// the streams that each input wrote for a partition, with bodies compressed
// buffer by buffer. It comes through the same iterators; a Block is one record
// batch there.
package reader
