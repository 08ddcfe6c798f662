//go:build race

package oracle

// Race says that the race detector is on, under which pools forget at random,
// so that allocations are not worth counting.
const Race = true

const slowdown = 10
