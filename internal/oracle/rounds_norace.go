//go:build !race

package oracle

// Race says that the race detector is on.
const Race = false

const slowdown = 1
