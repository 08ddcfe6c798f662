//go:build race

package lz4

// raceEnabled shortens tests: the race detector checks every pointer step of
// the kernels.
const raceEnabled = true
