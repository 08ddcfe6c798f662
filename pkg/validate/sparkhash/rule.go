package sparkhash

import "fmt"

// Rule is whose hash it is, where Spark and Comet's native kernel differ.
type Rule uint8

// The rules.
const (
	Spark Rule = iota
	Comet
)

// String is spark or comet.
func (r Rule) String() string {
	if r == Comet {
		return "comet"
	}
	return "spark"
}

// ParseRule is the inverse of Rule.String.
func ParseRule(name string) (Rule, error) {
	for _, r := range []Rule{Spark, Comet} {
		if r.String() == name {
			return r, nil
		}
	}
	return 0, fmt.Errorf("unknown hash rule %q (known: spark, comet)", name)
}
