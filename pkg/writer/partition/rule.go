package partition

import (
	"encoding/binary"
	"fmt"

	"github.com/apache/arrow-go/v18/arrow/decimal128"
)

// Rule says whose hash, where Spark and Comet's native kernel differ: in
// decimals of more than 18 digits, of which Spark hashes the shortest
// big-endian form and Comet 16 little-endian bytes; and in NaNs, which Spark
// makes one and Comet, in some versions, hashes by their bits.
type Rule uint8

// The rules.
const (
	Spark Rule = iota
	Comet
)

// String is spark or comet.
func (r Rule) String() string { return [...]string{"spark", "comet"}[r] }

// RuleNames lists the names of the rules.
func RuleNames() []string { return []string{Spark.String(), Comet.String()} }

// ParseRule is the inverse of Rule.String.
func ParseRule(s string) (Rule, error) {
	for _, r := range []Rule{Spark, Comet} {
		if r.String() == s {
			return r, nil
		}
	}
	return 0, fmt.Errorf("unknown hash rule %q", s)
}

// decimal is the bytes of a decimal of more than 18 digits.
func (r Rule) decimal(v decimal128.Num, buf *[16]byte) []byte {
	if r == Spark {
		return shortest(v, buf)
	}
	binary.LittleEndian.PutUint64(buf[:], v.LowBits())
	binary.LittleEndian.PutUint64(buf[8:], uint64(v.HighBits()))
	return buf[:]
}
