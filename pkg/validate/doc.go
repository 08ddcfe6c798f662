// Package validate proves a shuffle's output against its fixture: it reads the
// fixture again, decodes every block through the reader, and reports what is
// wrong as findings with file, partition, block, byte offset and rows. It never
// imports the writer.
//
// # What is checked
//
//	index      length, first and last offset, order, partition count
//	blocks     every block's header, frame, stream and trailing bytes; that
//	           blocks end where partitions do; no block without rows
//	schema     own output: exactly the schema expected; foreign files: columns
//	           whose values can be compared, in the same order
//	placement  every row is in the partition that its key says (hash, single), or
//	           equal keys share one (by-key), or the partitions follow the key's order (range)
//	rows       every row of the fixture is in the output exactly once, as a
//	           multiset, with every value equal
//
// # How rows are compared
//
// Every row becomes a 128-bit fingerprint under keys drawn anew for each run
// (package fingerprint), mixed with its partition: the one that its key says,
// for a row of the fixture, and the one where it lies, for a row of the output. Both
// sides keep, in a bounded number of buckets, the count and the sum of
// the fingerprints modulo 2^128:
//
//	fixture row ──► key ──► partition ─┐
//	      └────────► fingerprint ──────┴─► bucket[partition, few bits] += 1, mixed
//	output row ────► fingerprint ──────┬─► bucket[partition, few bits] += 1, mixed
//	      └────────► its partition ────┘
//
// Where all buckets agree, both hold the same rows in the same partitions,
// but for a chance below the number of rows times 2^-120. That takes one pass
// over each side and memory that does not grow with either.
//
// Where buckets differ, further passes look at the rows of those buckets only. The
// first counts each distinct fingerprint there (in a table of a fixed size: when it
// fills, it goes on with half of the keys, and says so), which tells missing, extra, duplicated
// and misplaced rows; a missing and an extra row with the same key are one row
// that changed. The second finds up to ten rows of each on either side, and shows them.
package validate
