// Package sparkhash computes the hash by which Spark places a row: Murmur3
// (x86, 32 bit) with seed 42, folded over the key columns from left to right.
// It is the validator's own implementation, written value by value so that it
// can be read against the rules below; nothing of the writer's is in it.
//
// The fold is h = 42, then h = hash(value, h) for every key column; the
// partition is the non-negative remainder of the last h, as int32, by the
// partition count. A value is hashed as what Spark holds for it:
//
//	null (any type)          nothing, h stays
//	bool                     int 1 or 0
//	int8, int16, int32       int, sign-extended
//	uint8, uint16            int (Spark reads them as smallint and int)
//	int64                    long: low 32-bit word first, then the high one
//	uint32                   long (Spark reads it as bigint)
//	uint64                   as decimal(20,0) (Spark reads it as that)
//	float32, float64         int or long of the bits; -0.0 as 0.0, every NaN as the usual one
//	date32, date64           int, days since 1970
//	timestamp                long, microseconds since 1970, finer units floored
//	time32, time64           long, nanoseconds since midnight
//	duration                 long, microseconds, finer units floored
//	interval (months)        int
//	interval (m, d, ns)      long of the microseconds, then int of the months (Spark up to 4.2 leaves the days out)
//	decimal, <= 18 digits    long of the unscaled value
//	decimal, 19 to 38 digits bytes: the unscaled value, shortest big-endian two's complement form
//	string, binary           bytes (of any Arrow layout: large, view, fixed size)
//	dictionary, run-end      the value
//	list (any layout)        fold over the elements
//	struct                   fold over the fields; a null struct is one null
//
// Bytes are mixed in little-endian words of four, then every left-over byte by
// itself, sign-extended: Spark's tail, not that of the published Murmur3.
//
// Rule Comet differs in two places, as Comet's native kernel does: a decimal of
// more than 18 digits is hashed as its 16 little-endian bytes, and NaNs by their
// own bits.
//
// Refused, with the reason: maps (Spark does: their entries have no order), and
// types that Spark has no type for (float16, day-time intervals, decimals of
// more than 38 digits, unions).
package sparkhash
