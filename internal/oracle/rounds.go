package oracle

// Rounds is how often a test repeats itself where n is enough without the race
// detector, which makes plain loops ten times slower and finds nothing more in
// the tenth of them.
func Rounds(n int) int { return max(1, n/slowdown) }
