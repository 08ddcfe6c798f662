//go:build race

package stats

// The race detector makes simulations ten times slower; a tenth of the trials
// still exercises the same code.
const trialsShare = 10
