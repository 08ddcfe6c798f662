// Package fingerprint turns the rows of record batches into 128-bit keyed
// fingerprints: equal rows have equal ones whatever the Arrow types they are
// held in, and different rows have different ones but for a chance of about
// 2^-120 a pair, over keys drawn at random for every run.
//
// # Values
//
// Equality is that of the fixture's column, the target. A null equals only a
// null, whatever bytes hide behind it; floats are equal when their bits are,
// so that -0.0 and the payload of a NaN count. Layouts do not count: a
// dictionary, a view, a large or a run-end encoded array equals the plain array
// of the same values. A cast of equal values is equal: integers and floats
// of another width, decimals of another width or scale, dates, times,
// timestamps and durations of another unit, strings as binary, integers as
// decimals or as counts of time, dates as timestamps. A value that
// the target cannot hold (300 for an int8, a nanosecond for microseconds) is equal
// to nothing.
//
// # Folding
//
// Every value has a digest of two 64-bit lanes; for a fixed-width value both
// are the value itself. A row folds the digests of its columns, a struct those of its
// fields, a list its length and those of its elements:
//
//	lane a:  s = s0;  s = mum(digest_a ^ k1, s ^ k2)  for every column
//	lane b:  the same with keys of its own
//
// where mum(x, y) is the high half of the 128-bit product x*y, exclusive-or the low one.
// The fold goes column by column over a chunk of rows, so that a column of fixed
// width costs two multiplications a value and no call.
package fingerprint
