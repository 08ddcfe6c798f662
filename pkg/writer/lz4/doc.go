// Package lz4 writes LZ4 frames whose encoder knows the columns it compresses.
//
// A frame is a header, independent blocks, and an end mark. A block's size
// field has its top bit set if the block is stored as it is.
//
//	+----------------+-----+-----+----+------+-------+-- ... --+-------------+
//	| 04 22 4d 18    | FLG | BD  | HC | size | block |         | 00 00 00 00 |
//	+----------------+-----+-----+----+------+-------+-- ... --+-------------+
//	  magic number     60   40-70       u32
//
// A compressed block is a list of sequences: some literal bytes, then a match
// with what lies up to 65,535 bytes before. Lengths from 15 on go on behind
// the token and behind the offset.
//
//	+-------+----------+--------+     token: number of literals << 4 | length - 4
//	| token | literals | offset |     offset: u16, how far back the match lies
//	+-------+----------+--------+
//
// General encoders search for matches at every byte. In a buffer of 8-byte
// integers nearly all there is to find lies at the same place of other values,
// so the block writer says which parts of a payload are what (Region), and a
// kernel for that shape of a column looks where the matches are. The schema
// and the header of a record batch are the same for every block but for some
// numbers, so they are compressed once (Head).
//
// What comes out is a pure function of payload, head and regions, decodes with
// any LZ4 decoder, and is never larger than storing the payload.
// docs/design/lz4.md has the measurements and the reasons.
package lz4
